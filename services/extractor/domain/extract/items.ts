/** Items of JSON-LD and microdata in one form, and their properties by plain names. */

import type { MicrodataItem, Structured } from '@tidemark/html/structured/structured'
import { lettersOf } from '@tidemark/html/tree/letters-of'
import { isObject, type JsonObject } from '@tidemark/schema/bounds'
import { type NamePath, namesOf } from './names.ts'
import { aliasesOf, type SchemaNode } from './schema-node.ts'

export type Item = { from: 'jsonld' | 'microdata'; where: string; node: JsonObject }

const maxItems = 200

/** Returns the items that are not within others, in the order of the page. */
export function itemsOf({ data }: Structured): Item[] {
  const items: Item[] = []
  for (const [n, block] of data['json-ld'].entries()) {
    if (!isObject(block)) continue
    const graph = block['@graph']
    const members: unknown[] = Array.isArray(graph) ? graph : []
    if (isObject(graph)) items.push({ from: 'jsonld', where: `json_ld[${n}].@graph`, node: graph })
    else if (members.length === 0) items.push({ from: 'jsonld', where: `json_ld[${n}]`, node: block })
    for (const [at, node] of members.slice(0, maxItems).entries())
      if (isObject(node)) items.push({ from: 'jsonld', where: `json_ld[${n}].@graph[${at}]`, node })
  }
  for (const [n, item] of data.microdata.entries())
    items.push({ from: 'microdata', where: `microdata[${n}]`, node: asNode(item) })
  return items.slice(0, 2 * maxItems)
}

/** The depth of an item is limited by its reader. */
const asNode = ({ type = [], id, properties }: MicrodataItem): JsonObject => ({
  '@type': type,
  ...(id !== undefined && { '@id': id }),
  ...Object.fromEntries(
    Object.entries(properties).map(([name, values]) => [
      name,
      values.map(value => (typeof value === 'string' ? value : asNode(value))),
    ]),
  ),
})

/** `https://schema.org/name` and `schema:name` are `name`. */
export const lastPart = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('#'), name.lastIndexOf(':')) + 1)

/** Returns whether an item has the type, which is in lower case. */
export const hasType = (node: JsonObject, type: string): boolean =>
  [node['@type']].flat().some(one => typeof one === 'string' && lastPart(one).toLowerCase() === type)

const keysOf = new WeakMap<JsonObject, Map<string, string>>()

/** Returns the value of a property, following the names inwards, and where it stands; or null. */
export function lookUp(node: JsonObject, path: NamePath): { value: unknown; where: string } | null {
  let value: unknown = node
  let where = ''
  for (const part of path) {
    const inner = isObject(value) ? value : [value].flat().find(isObject)
    const key = inner && keysIn(inner).get(part)
    if (inner === undefined || key === undefined) return null
    value = inner[key]
    where += `.${key}`
  }
  return isEmpty(value) ? null : { value, where }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

function keysIn(node: JsonObject): Map<string, string> {
  const known = keysOf.get(node)
  if (known !== undefined) return known
  const keys = new Map<string, string>()
  for (const key of Object.keys(node)) {
    const name = lettersOf(lastPart(key))
    if (!key.startsWith('@') && !keys.has(name)) keys.set(name, key)
  }
  keysOf.set(node, keys)
  return keys
}

/** Returns the value of the first of the names that an item has, or null. */
export function firstOf({ node }: Item, names: readonly NamePath[]) {
  for (const path of names) {
    const found = lookUp(node, path)
    if (found) return found
  }
  return null
}

/**
 * Returns the item of each syntax that has the most properties of the schema, the first of equal ones.
 * @param nodeOf reads a part of the schema, and follows its references
 */
export function bestItems(
  { properties, itemType }: SchemaNode,
  items: readonly Item[],
  nodeOf: (schema: JsonObject) => SchemaNode,
): Item[] {
  const names = properties.map(([name, schema]) => namesOf(name, aliasesOf(nodeOf(schema))))
  const score = (item: Item) => names.filter(paths => firstOf(item, paths) !== null).length
  return (['jsonld', 'microdata'] as const).flatMap(from => {
    let best: { item: Item; count: number } | null = null
    for (const item of items) {
      if (item.from !== from || (itemType !== null && !hasType(item.node, itemType))) continue
      const count = score(item)
      if (count > (best?.count ?? 0)) best = { item, count }
    }
    return best === null ? [] : [best.item]
  })
}
