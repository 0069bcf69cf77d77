/** Values of a page by the JSON Schema of a client. Whether they are valid is checked by the handler. */
import { createSelection } from '@tidemark/html/selection/select'
import { readStructured } from '@tidemark/html/structured/read-structured'
import { attribute } from '@tidemark/html/tree/attribute'
import { textOf } from '@tidemark/html/tree/text-of'
import { isObject, type JsonObject } from '@tidemark/schema/bounds'
import type { Document } from 'domhandler'
import { maxValueLength } from './convert.ts'
import { type Filled, fill, type Sources } from './fill.ts'
import { type HeadMetadata, headValues } from './head.ts'
import { itemsOf } from './items.ts'
import { readKeyValues } from './key-value.ts'
import { nodeOf, type SchemaNode } from './schema-node.ts'

type Select = Sources['select']
type Page = { tree: Document; url: string; base: string; metadata: HeadMetadata }

export function extractionOf(schema: JsonObject, { tree, url, base, metadata }: Page): Filled {
  const structured = readStructured(tree, { url })
  const selection = createSelection(tree)
  return fill(schema, {
    base,
    items: itemsOf(structured),
    head: headValues(structured, metadata),
    keyValues: readKeyValues(tree),
    select: once(({ selector, attr }, max) => {
      const elements = selection.select(selector, max)
      const values = elements?.map(element => (attr === null ? textOf(element) : attribute(element, attr)))
      return values?.filter(value => value !== null).map(value => value.slice(0, maxValueLength)) ?? null
    }),
  })
}

/** Caches results, because a schema may name a selector many times. */
function once(select: Select): Select {
  const known = new Map<string, string[] | null>()
  return (selector, max) => {
    const key = JSON.stringify([selector, max])
    const before = known.get(key)
    if (before !== undefined) return before
    const values = select(selector, max)
    known.set(key, values)
    return values
  }
}

/** Returns the result for a page that is not HTML: nothing is found. */
export const emptyExtraction = (schema: JsonObject): Filled =>
  fill(schema, {
    ...{ base: '', items: [], head: new Map(), keyValues: { pairs: new Map(), tables: [] } },
    select: () => [],
  })

/** Returns the object without nulls that its schema does not allow: they mean that a value is missing. */
export function withoutNulls(data: JsonObject, root: JsonObject): JsonObject {
  // Each part of the schema is read once, because lists repeat it for every entry.
  const nodes = new Map<JsonObject, SchemaNode>()
  const read = (schema: JsonObject): SchemaNode => {
    const node = nodes.get(schema) ?? nodeOf(schema, root)
    nodes.set(schema, node)
    return node
  }
  const inObject = (object: JsonObject, schema: JsonObject): JsonObject => {
    const kept = read(schema).properties.flatMap(([name, inner]) => {
      const value = object[name]
      if (value === null) return read(inner).isNullable ? [[name, null] as const] : []
      return [[name, within(value, inner)] as const]
    })
    return Object.fromEntries(kept)
  }
  const within = (value: unknown, schema: JsonObject): unknown => {
    if (Array.isArray(value)) {
      const { items } = read(schema)
      return value.map(one => within(one, items))
    }
    return isObject(value) ? inObject(value, schema) : value
  }
  return inObject(data, root)
}
