/** A part of the client's JSON Schema, as far as filling depends on it. */
import { isObject, type JsonObject, resolvePointer } from '@tidemark/schema/bounds'

export type NodeSelector = { selector: string; attr: string | null }

export type SchemaNode = {
  type: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'any'
  properties: [name: string, schema: JsonObject][]
  items: JsonObject
  isAddress: boolean
  /** Whether null is a value of its own. */
  isNullable: boolean
  aliases: string[]
  selector: NodeSelector | null
  /** The schema.org type of the item that describes an object, in lower case. */
  itemType: string | null
  title: string | null
  /** The values of `enum` that are texts. */
  values: string[]
}

const maxReferences = 8
const maxAliases = 20
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean'] as const

/** Follows references, and takes the first choice of `anyOf` and `oneOf` that is not null. */
export function nodeOf(schema: JsonObject, root: JsonObject): SchemaNode {
  let node = schema
  for (let left = maxReferences; left > 0; left--) {
    const inner = innerOf(node, root)
    if (inner === undefined) break
    const { $ref: _, anyOf: __, oneOf: ___, allOf: ____, ...own } = node
    node = { ...inner, ...own }
  }
  const text = (name: string) => (typeof node[name] === 'string' ? (node[name] as string) : null)
  const { properties, items, 'x-alias': alias } = node
  return {
    type: typeOf(node),
    properties: isObject(properties)
      ? Object.entries(properties).map(([name, inner]) => [name, isObject(inner) ? inner : {}])
      : [],
    items: isObject(items) ? items : {},
    isAddress: ['uri', 'url', 'uri-reference', 'iri'].includes(text('format') ?? ''),
    isNullable: nullIn(schema, root, maxReferences) === 'named',
    aliases: [alias].flat().filter(isText).slice(0, maxAliases),
    selector: selectorOf(node['x-selector']),
    itemType: text('x-type')?.toLowerCase() ?? null,
    title: text('title'),
    values: Array.isArray(node.enum) ? node.enum.filter(isText) : [],
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

function innerOf(node: JsonObject, root: JsonObject): JsonObject | undefined {
  if (typeof node.$ref === 'string') return resolvePointer(root, node.$ref)
  const choices = [node.anyOf, node.oneOf, node.allOf].find(Array.isArray) ?? []
  return choices.filter(isObject).find(one => !isOnlyNull(one))
}

const isOnlyNull = ({ type, const: value, enum: values }: JsonObject): boolean =>
  type === 'null' || value === null || (Array.isArray(values) && values.every(one => one === null))

/** `open`: the schema allows null only because it allows any type. Such a null means that a value is missing. */
type Null = 'named' | 'forbidden' | 'open'

/** @param left levels of references and choices that are followed */
function nullIn(schema: JsonObject, root: JsonObject, left: number): Null {
  if (left === 0) return 'open'
  const { type, const: value, enum: values, $ref, allOf } = schema
  const inner = (one: unknown) => (isObject(one) ? nullIn(one, root, left - 1) : 'open')
  const named = (has: boolean): Null => (has ? 'named' : 'forbidden')
  const found: Null[] = [
    type === undefined ? 'open' : named([type].flat().includes('null')),
    value === undefined ? 'open' : named(value === null),
    Array.isArray(values) ? named(values.includes(null)) : 'open',
    typeof $ref === 'string' ? inner(resolvePointer(root, $ref)) : 'open',
    ...(Array.isArray(allOf) ? allOf.map(inner) : []),
  ]
  for (const choices of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(choices)) continue
    const all = choices.map(inner)
    found.push(all.find(one => one === 'named') ?? (all.includes('open') ? 'open' : 'forbidden'))
  }
  return found.find(one => one === 'forbidden') ?? found.find(one => one === 'named') ?? 'open'
}

function typeOf({ type, properties, items, enum: values }: JsonObject): SchemaNode['type'] {
  const named = [type].flat().find(one => types.some(known => known === one))
  if (named !== undefined) return named as SchemaNode['type']
  if (isObject(properties)) return 'object'
  if (isObject(items)) return 'array'
  return Array.isArray(values) && values.every(isText) ? 'string' : 'any'
}

function selectorOf(value: unknown): NodeSelector | null {
  if (isText(value)) return { selector: value, attr: null }
  if (!isObject(value) || !isText(value.selector)) return null
  return { selector: value.selector, attr: isText(value.attr) ? value.attr.toLowerCase() : null }
}

/** The title of a property is a name for people, which may be the label in a table. */
export const aliasesOf = ({ aliases, title }: SchemaNode): string[] =>
  title === null ? aliases : [...aliases, title]

/** Returns whether elements are selected in an object. Schemas may contain themselves, so each is visited once. */
export function hasSelectors(node: SchemaNode, root: JsonObject, seen: Set<JsonObject>): boolean {
  return node.properties.some(([, schema]) => {
    if (seen.has(schema)) return false
    seen.add(schema)
    const inner = nodeOf(schema, root)
    return inner.selector !== null || (inner.type === 'object' && hasSelectors(inner, root, seen))
  })
}
