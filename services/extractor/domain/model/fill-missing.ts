/**
 * Adds the values of a model to an extracted object: only for properties that are null, and only values that the page
 * states. Everything else stays null, with a warning.
 */
import type { ExtractedField } from '@tidemark/contracts/http/extraction'
import { isObject, type JsonObject } from '@tidemark/schema/bounds'
import type { Filled } from '../extract/fill.ts'
import { nodeOf, type SchemaNode } from '../extract/schema-node.ts'
import type { PageSearch, Standing } from './find-value.ts'
import { type Link, valueFor } from './messages.ts'
import { type Missing, namesIn, pointerTo } from './missing.ts'

type Page = { schema: JsonObject; base: string; search: PageSearch; links: readonly Link[] }

const limits = { entries: 100, depth: 8, warnings: 50, values: 2_000 }

/** Returns the object with the accepted values. `filled` is not changed. */
export function fillMissing(
  filled: Filled,
  missing: readonly Missing[],
  answer: JsonObject,
  page: Page,
): Filled {
  const filling = new Filling(page)
  const data = structuredClone(filled.data)
  for (const { path, schema } of missing) {
    const value = filling.value(valueFor(answer, path), schema, path, 0)
    if (value !== undefined) put(data, path, value)
  }
  const found = new Set(filling.fields.map(({ path }) => path))
  const isFilled = (path: string) => [...found].some(one => one === path || one.startsWith(`${path}/`))
  const notFound = missing.filter(({ path }) => isFilled(path)).map(({ path }) => notFoundText(path))
  return {
    data,
    fields: [...filled.fields, ...filling.fields],
    warnings: [...filled.warnings.filter(one => !notFound.includes(one)), ...filling.warnings],
  }
}

/** Returns the warning of a property without a value. */
const notFoundText = (path: string): string => `no value for ${path} was found`

/** Returns the object with null for these properties, which are invalid by the schema. */
export function without(filled: Filled, paths: readonly string[]): Filled {
  const data = structuredClone(filled.data)
  for (const path of paths) put(data, path, null)
  const isOf = ({ path }: ExtractedField) => paths.some(one => one === path || path.startsWith(`${one}/`))
  return {
    data,
    fields: filled.fields.filter(field => !isOf(field)),
    warnings: [
      ...filled.warnings,
      ...paths.map(path => `the model's value for ${path} is invalid by the schema, so it is null`),
    ],
  }
}

function put(data: JsonObject, path: string, value: unknown): void {
  const names = namesIn(path)
  const last = names.pop()
  let object: unknown = data
  for (const name of names) object = isObject(object) ? object[name] : undefined
  if (isObject(object) && last !== undefined)
    Object.defineProperty(object, last, { value, enumerable: true, configurable: true, writable: true })
}

class Filling {
  readonly fields: ExtractedField[] = []
  readonly warnings: string[] = []
  readonly #page: Page
  #left = limits.values

  constructor(page: Page) {
    this.#page = page
  }

  /** Returns the part of the value that the page states; undefined: nothing of it. */
  value(value: unknown, schema: JsonObject, path: string, depth: number): unknown {
    if (value === undefined || value === null || value === '' || depth > limits.depth) return undefined
    if (this.#left-- <= 0) return undefined
    const node = nodeOf(schema, this.#page.schema)
    if (node.type === 'object') return this.#object(value, node, path, depth)
    if (node.type === 'array') return this.#list(value, node, path, depth)
    const found = this.#simple(value, node)
    if (found !== null) {
      this.fields.push({ path, from: 'model', where: found.where })
      return found.value
    }
    this.#warn(`the model's value for ${path} is not in the page, so it is null`)
    return undefined
  }

  #object(value: unknown, node: SchemaNode, path: string, depth: number): JsonObject | undefined {
    if (!isObject(value)) return undefined
    const entries = node.properties.map(([name, inner]) => {
      const own = Object.hasOwn(value, name) ? value[name] : undefined
      return [name, this.value(own, inner, pointerTo(path, name), depth + 1) ?? null] as const
    })
    return entries.some(([, one]) => one !== null) ? Object.fromEntries(entries) : undefined
  }

  /** Entries move up when others are dropped, so each is judged at the position that it will have. */
  #list(value: unknown, node: SchemaNode, path: string, depth: number): unknown[] | undefined {
    const kept: unknown[] = []
    for (const one of [value].flat().slice(0, limits.entries)) {
      const entry = this.value(one, node.items, `${path}/${kept.length}`, depth + 1)
      if (entry !== undefined) kept.push(entry)
    }
    return kept.length > 0 ? kept : undefined
  }

  #simple(value: unknown, node: SchemaNode): Standing<string | number> | null {
    const { search } = this.#page
    if (node.type === 'boolean') return null
    const type = node.type === 'any' ? typeof value : node.type
    if (type === 'number' || type === 'integer') {
      const number = typeof value === 'string' ? Number(value.trim()) : value
      if (typeof number !== 'number' || !Number.isFinite(number)) return null
      return node.type === 'integer' && !Number.isSafeInteger(number) ? null : search.number(number)
    }
    if (typeof value !== 'string' && typeof value !== 'number') return null
    const text = String(value)
    if (node.isAddress) return this.#address(text)
    const found = search.text(text)
    if (found === null || node.values.length === 0) return found
    // The schema decides how a choice is spelt.
    const choice = node.values.find(one => one.toLowerCase() === found.value.toLowerCase())
    return choice === undefined ? null : { ...found, value: choice }
  }

  /**
   * Accepts an address that is the target of a link, or that the page states as text. The text of a link may differ
   * from its target, so targets are compared.
   */
  #address(text: string): Standing<string> | null {
    const { base, links } = this.#page
    const href = URL.parse(text, base)?.href
    const link = href === undefined ? undefined : links.find(({ to }) => to === href)
    if (link !== undefined)
      return { value: link.to, where: `link: ${link.anchor.slice(0, 100).toWellFormed()}` }
    const found = this.#page.search.text(text)
    return found !== null && href !== undefined && URL.canParse(found.value) ? found : null
  }

  #warn(text: string): void {
    if (this.warnings.length < limits.warnings) this.warnings.push(text)
  }
}
