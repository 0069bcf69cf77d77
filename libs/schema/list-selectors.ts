/**
 * Rejects selectors that have no meaning: a selector searches the whole page, so within the entries of a list it would
 * give each entry the same element.
 */
import { appliedSchemas } from './applied.ts'
import { isObject, type JsonObject, resolvePointer, type SchemaFault, selectorIn, within } from './bounds.ts'

type Part = { schema: JsonObject; path: string; isEntry: boolean }

/** Returns the first fault, or null. The schema must have passed `boundsFault`. */
export function listSelectorFault(root: JsonObject): SchemaFault | null {
  const seen = { entries: new Set<JsonObject>(), others: new Set<JsonObject>() }
  const open: Part[] = [{ schema: root, path: '', isEntry: false }]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const known = part.isEntry ? seen.entries : seen.others
    if (known.has(part.schema)) continue
    known.add(part.schema)
    const because = faultOf(part, root)
    const { schema, path } = part
    if (because !== null)
      return { path: selectorIn(schema) === null ? path : within(path, 'x-selector'), because }
    open.push(...innerParts(part, root).reverse())
  }
  return null
}

function faultOf({ schema, isEntry }: Part, root: JsonObject): string | null {
  if (isEntry && selectorIn(schema) !== null)
    return 'cannot be within the entries of a list, because a selector searches the whole page. Use one list of values for each selector'
  const applied = appliedSchemas(schema, root)
  const items = applied.map(one => one.items).find(isObject)
  return items !== undefined && applied.some(one => selectorIn(one) !== null) && isOfObjects(items, root)
    ? 'cannot be on a list of objects, because it selects texts. Use one list of values for each selector'
    : null
}

function isOfObjects(items: JsonObject, root: JsonObject): boolean {
  const applied = appliedSchemas(items, root)
  const type = applied.find(one => one.type !== undefined)?.type
  const known = [type].flat().find(one => one !== 'null')
  return known === undefined ? applied.some(one => isObject(one.properties)) : known === 'object'
}

/** Returns the schemas of the same value, of its properties and of its entries. */
function innerParts({ schema, path, isEntry }: Part, root: JsonObject): Part[] {
  const { $ref, properties, items } = schema
  const parts: Part[] = []
  const add = (inner: unknown, innerPath: string, isInEntry = isEntry) => {
    if (isObject(inner)) parts.push({ schema: inner, path: innerPath, isEntry: isInEntry })
  }
  if (typeof $ref === 'string') add(resolvePointer(root, $ref), $ref.split('/').slice(1).join('.'))
  for (const name of ['allOf', 'anyOf', 'oneOf'])
    for (const [n, inner] of [schema[name]].filter(Array.isArray).flat().entries())
      add(inner, within(path, `${name}.${n}`))
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {}))
    add(inner, within(path, `properties.${name}`))
  add(items, within(path, 'items'), true)
  return parts
}
