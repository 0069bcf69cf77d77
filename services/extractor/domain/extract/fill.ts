/**
 * Fills a JSON Schema from what a page states in a machine-readable form: elements that the schema selects, JSON-LD,
 * microdata, metadata of the head, tables and definition lists, in this order. Nothing is guessed: a property without a
 * value is null.
 */
import type { ExtractedField } from '@tidemark/contracts/http/extraction'
import { isObject, type JsonObject } from '@tidemark/schema/bounds'
import { maxCharacters } from '../content-bounds.ts'
import { pointerTo } from '../model/missing.ts'
import { bestTable } from './best-table.ts'
import { convert, lengthOf, type Value } from './convert.ts'
import type { HeadValue } from './head.ts'
import { bestItems, firstOf, hasType, type Item, lookUp } from './items.ts'
import type { KeyValues } from './key-value.ts'
import { type NamePath, namesOf } from './names.ts'
import { aliasesOf, hasSelectors, type NodeSelector, nodeOf, type SchemaNode } from './schema-node.ts'

/** Everything that a page states. */
export type Sources = {
  base: string
  items: readonly Item[]
  head: ReadonlyMap<string, HeadValue>
  keyValues: KeyValues
  /** Returns the texts or attributes of the matching elements, at most `max`; null for too costly a selector. */
  select(selector: NodeSelector, max: number): string[] | null
}

export type Filled = { data: JsonObject; fields: ExtractedField[]; warnings: string[] }

/** `items`: one per syntax, for the properties of this object. `isPage`: head and tables describe it too. */
type Scope = { items: readonly Item[]; isPage: boolean; path: string; depth: number }
type From = ExtractedField['from']
type Candidate = { value: unknown; from: From; where: string }

const limits = { depth: 8, entries: 1_000, visits: 20_000, warnings: 50 }

export function fill(schema: JsonObject, sources: Sources): Filled {
  return new Filling(schema, sources).filled()
}

class Filling {
  readonly #root: JsonObject
  readonly #sources: Sources
  readonly #fields: ExtractedField[] = []
  readonly #warnings: string[] = []
  readonly #selected = new Map<SchemaNode, boolean>()
  readonly #nodes = new Map<JsonObject, SchemaNode>()
  readonly #known = new Map<string, readonly NamePath[]>()
  #left = limits.visits
  #charactersLeft = maxCharacters

  constructor(root: JsonObject, sources: Sources) {
    this.#root = root
    this.#sources = sources
  }

  filled(): Filled {
    const node = this.#node(this.#root)
    const items = bestItems(node, this.#sources.items, schema => this.#node(schema))
    const scope = { items, isPage: true, path: '', depth: 0 }
    const data = this.#object(node, scope)
    return { data, fields: this.#fields, warnings: this.#warnings }
  }

  #object({ properties }: SchemaNode, scope: Scope): JsonObject {
    const entries = properties.map(([name, schema]) => {
      const path = pointerTo(scope.path, name)
      const value = this.#property(name, this.#node(schema), { ...scope, path })
      if (value === undefined) this.#warn(`no value for ${path} was found`)
      return [name, value ?? null] as const
    })
    return Object.fromEntries(entries)
  }

  #property(name: string, node: SchemaNode, scope: Scope): unknown {
    if (this.#left-- <= 0 || scope.depth > limits.depth) return undefined
    if (node.type === 'object') return this.#inner(name, node, scope)
    if (node.type === 'array') return this.#list(name, node, scope)
    for (const { value, from, where } of this.#candidates(name, node, scope, 1)) {
      const converted = this.#converted(value, node, from)
      if (converted !== undefined) return this.#keep(converted, { path: scope.path, from, where })
    }
    return undefined
  }

  #inner(name: string, node: SchemaNode, scope: Scope): unknown {
    for (const item of scope.items) {
      const found = firstOf(item, this.#names(name, node))
      const inner = found && [found.value].flat().find(isObject)
      if (found && inner) {
        const items = [{ from: item.from, where: `${item.where}${found.where}`, node: inner }]
        return this.#object(node, { ...scope, items, isPage: false, depth: scope.depth + 1 })
      }
    }
    const isSelected = this.#selected.get(node) ?? hasSelectors(node, this.#root, new Set())
    this.#selected.set(node, isSelected)
    if (!isSelected) return undefined
    return this.#object(node, { ...scope, items: [], isPage: false, depth: scope.depth + 1 })
  }

  #list(name: string, node: SchemaNode, scope: Scope): unknown {
    const entry = this.#node(node.items)
    if (entry.type === 'object') return this.#objects(name, node, entry, scope)
    for (const { value, from, where } of this.#candidates(name, node, scope, limits.entries)) {
      const converted = this.#converted(value, node, from)
      if (converted !== undefined) return this.#keep(converted, { path: scope.path, from, where })
    }
    return undefined
  }

  /** Returns the values of a list and of lists in it. A value that is not a list is its only entry. */
  #converted(value: unknown, node: SchemaNode, from: From, depth = 0): Value | undefined {
    if (node.type !== 'array') return convert(value, node, { base: this.#sources.base, from })
    if (depth > limits.depth || (depth > 0 && this.#left-- <= 0)) return undefined
    const entry = this.#node(node.items)
    const values = [value].flat().slice(0, limits.entries)
    const entries = values.map(one => this.#converted(one, entry, from, depth + 1))
    const found = entries.filter(one => one !== undefined)
    return found.length > 0 ? found : undefined
  }

  #objects(name: string, node: SchemaNode, entry: SchemaNode, scope: Scope): unknown[] | undefined {
    const items = this.#innerItems(name, node, entry, scope)
    if (items.length > 0)
      return this.#entries(items, scope.path, (item, n) =>
        this.#object(entry, {
          items: [item],
          isPage: false,
          path: `${scope.path}/${n}`,
          depth: scope.depth + 1,
        }),
      )
    return scope.isPage ? this.#rows(entry, scope) : undefined
  }

  /** Fills the entries of a list while properties may be visited, so that none has only nulls for lack of visits. */
  #entries<One>(
    found: readonly One[],
    path: string,
    filled: (one: One, n: number) => JsonObject,
  ): JsonObject[] {
    const entries: JsonObject[] = []
    const some = found.slice(0, limits.entries)
    for (const one of some) if (this.#left > 0) entries.push(filled(one, entries.length))
    if (entries.length < some.length)
      this.#warn(`${path} ends after ${entries.length} entries: all lists exceed ${limits.visits} values`)
    return entries
  }

  /** The items within a property, or all items of the page with the type that the entries name. */
  #innerItems(name: string, node: SchemaNode, entry: SchemaNode, scope: Scope): Item[] {
    for (const item of scope.items) {
      const found = firstOf(item, this.#names(name, node))
      const nodes = found ? [found.value].flat().filter(isObject) : []
      if (found && nodes.length > 0)
        return nodes.map((inner, n) => ({
          from: item.from,
          where: `${item.where}${found.where}[${n}]`,
          node: inner,
        }))
    }
    const { itemType } = entry
    if (itemType === null || !scope.isPage) return []
    const all = this.#sources.items.filter(item => hasType(item.node, itemType))
    return all.filter(({ from }) => from === all[0]?.from)
  }

  /** The rows of the table whose headers name the most properties, at least half of them. */
  #rows(entry: SchemaNode, { path }: Scope): unknown[] | undefined {
    const named = entry.properties.map(([name, schema]) => ({ name, node: this.#node(schema) }))
    const names = named.map(({ name, node }) => this.#names(name, node))
    const best = bestTable(this.#sources.keyValues.tables, names)
    if (best === null) return undefined
    const { columns, table } = best
    return this.#entries(table.rows, path, (row, n) => {
      const entries = named.map(({ name, node }, column) => {
        const at = columns[column] ?? -1
        const value = this.#left-- <= 0 || at === -1 ? undefined : this.#converted(row[at], node, 'table')
        const field = {
          path: pointerTo(`${path}/${n}`, name),
          from: 'table' as const,
          where: `${table.where}, row ${n + 1}`,
        }
        return [name, value === undefined ? null : (this.#keep(value, field) ?? null)]
      })
      return Object.fromEntries(entries)
    })
  }

  /** Values in order of preference. Exact names come before similar ones in each source. */
  *#candidates(name: string, node: SchemaNode, scope: Scope, max: number): Generator<Candidate> {
    const { select, head, keyValues } = this.#sources
    if (node.selector !== null) {
      const values = select(node.selector, max)
      if (values === null) this.#warn(`the selector of ${scope.path} takes too many steps on this page`)
      if (values && values.length > 0)
        yield { value: values, from: 'selector', where: node.selector.selector }
    }
    const names = this.#names(name, node)
    for (const item of scope.items)
      for (const path of names) {
        const found = lookUp(item.node, path)
        if (found) yield { value: found.value, from: item.from, where: `${item.where}${found.where}` }
      }
    if (!scope.isPage) return
    for (const [plain = '', ...inner] of names) {
      const found = inner.length === 0 ? head.get(plain) : undefined
      if (found) yield { value: found.values, from: 'opengraph', where: found.where }
    }
    for (const [plain = '', ...inner] of names) {
      const found = inner.length === 0 ? keyValues.pairs.get(plain) : undefined
      if (found) yield { value: found.value, from: 'table', where: found.where }
    }
  }

  /** Returns undefined if the values of the page are too long together. */
  #keep(value: Value, field: ExtractedField): Value | undefined {
    const length = lengthOf(value)
    if (length > this.#charactersLeft) {
      this.#warn(`${field.path} was left out: all values together exceed ${maxCharacters} characters`)
      return undefined
    }
    this.#charactersLeft -= length
    this.#fields.push(field)
    return value
  }

  /** Reads each part of the schema once, because a list repeats it for every entry. */
  #node(schema: JsonObject): SchemaNode {
    const known = this.#nodes.get(schema)
    if (known !== undefined) return known
    const node = nodeOf(schema, this.#root)
    this.#nodes.set(schema, node)
    return node
  }

  #names(name: string, node: SchemaNode): readonly NamePath[] {
    const key = `${name} ${aliasesOf(node).join(' ')}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const names = namesOf(name, aliasesOf(node))
    this.#known.set(key, names)
    return names
  }

  #warn(text: string): void {
    if (this.#warnings.length < limits.warnings) this.#warnings.push(text)
  }
}
