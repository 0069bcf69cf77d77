/** A part of the client's JSON Schema, as far as filling depends on it. */
import { appliedSchemas } from '@tidemark/schema/applied'
import { isObject, type JsonObject, resolvePointer } from '@tidemark/schema/bounds'

export type NodeSelector = { selector: string; attr: string | null }

export type SchemaNode = {
  type: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'any'
  properties: [name: string, schema: JsonObject][]
  items: JsonObject
  isAddress: boolean
  /** Whether null is a valid value, not only a sign that a value is missing. */
  isNullable: boolean
  aliases: string[]
  selector: NodeSelector | null
  /** The schema.org type of the item that describes an object, in lower case. */
  itemType: string | null
  title: string | null
  /** The values of `enum` that are texts. */
  values: string[]
}

const maxAliases = 20
const maxVisits = 1_000
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean'] as const

/** Returns the keywords of all schemas that apply to a value. The outer one of equal keywords counts. */
export function nodeOf(schema: JsonObject, root: JsonObject): SchemaNode {
  const applied = appliedSchemas(schema, root)
  const node: JsonObject = Object.assign({}, ...applied.toReversed())
  const text = (name: string) => (typeof node[name] === 'string' ? (node[name] as string) : null)
  const { items, 'x-alias': alias } = node
  return {
    type: typeOf(node),
    properties: propertiesOf(applied),
    items: isObject(items) ? items : {},
    isAddress: ['uri', 'url', 'uri-reference', 'iri'].includes(text('format') ?? ''),
    isNullable: nullIn(schema, root, new Map()) === 'named',
    aliases: [alias].flat().filter(isText).slice(0, maxAliases),
    selector: selectorOf(node['x-selector']),
    itemType: text('x-type')?.toLowerCase() ?? null,
    title: text('title'),
    values: Array.isArray(node.enum) ? node.enum.filter(isText) : [],
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Returns the properties that the schemas name. Several schemas of one property apply together. */
function propertiesOf(applied: readonly JsonObject[]): SchemaNode['properties'] {
  const found = new Map<string, Set<JsonObject>>()
  for (const { properties } of applied)
    for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
      const schemas = found.get(name) ?? new Set()
      found.set(name, isObject(inner) ? schemas.add(inner) : schemas)
    }
  return [...found].map(([name, schemas]) => [name, jointly(schemas)])
}

type Joint = { schema: JsonObject; longer: WeakMap<JsonObject, Joint> }

const noSchema: Joint = { schema: {}, longer: new WeakMap() }

/** Returns the same object for the same schemas, so that each is read once in a schema that contains itself. */
function jointly(schemas: ReadonlySet<JsonObject>): JsonObject {
  const list: JsonObject[] = []
  let joint = noSchema
  for (const one of schemas) {
    list.push(one)
    const known = joint.longer.get(one)
    const next = known ?? { schema: list.length === 1 ? one : { allOf: [...list] }, longer: new WeakMap() }
    if (known === undefined) joint.longer.set(one, next)
    joint = next
  }
  return joint.schema
}

/** `open`: the schema allows null only because it allows any type. Then null means that a value is missing. */
type Null = 'named' | 'forbidden' | 'open'

/** @param known the results of schemas that were visited: many choices may refer to the same ones, also in a circle */
function nullIn(schema: JsonObject, root: JsonObject, known: Map<JsonObject, Null>): Null {
  const before = known.get(schema)
  if (before !== undefined) return before
  known.set(schema, 'open')
  const { type, const: value, enum: values, $ref, allOf } = schema
  const inner = (one: unknown) => (isObject(one) ? nullIn(one, root, known) : 'open')
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
  const result = found.find(one => one === 'forbidden') ?? found.find(one => one === 'named') ?? 'open'
  known.set(schema, result)
  return result
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
    if (seen.has(schema) || seen.size === maxVisits) return false
    seen.add(schema)
    const inner = nodeOf(schema, root)
    return inner.selector !== null || (inner.type === 'object' && hasSelectors(inner, root, seen))
  })
}
