/** Looks up properties of items by the paths of requirements. */

const reference = new Set(['@id', '@type', 'type', 'id'])

/**
 * Whether a requirement is met: `a|b` requires either, `a.b` requires `b` in every `a`. References to other items, and
 * plain values without properties, count as complete.
 */
export const isMet = (properties: Record<string, unknown>, need: string): boolean =>
  need.split('|').some(path => hasPath(properties, path.split('.')))

function hasPath(value: unknown, [name, ...rest]: string[]): boolean {
  if (name === undefined) return true
  if (!isRecord(value)) return true
  const all = valuesOf(value, name)
  if (all.length === 0) return isReference(value)
  return rest.length === 0 || all.every(item => !isRecord(item) || hasPath(inner(item), rest))
}

/** Returns the non-empty values of a property. */
export function valuesOf(properties: Record<string, unknown>, name: string): unknown[] {
  const stated = Object.hasOwn(properties, name)
    ? properties[name]
    : Object.hasOwn(properties, `schema:${name}`)
      ? properties[`schema:${name}`]
      : undefined
  return (Array.isArray(stated) ? stated : [stated]).filter(
    value => value !== undefined && value !== null && value !== '' && !isEmpty(value),
  )
}

/** Microdata items have their properties one level down. */
const inner = (item: Record<string, unknown>): Record<string, unknown> =>
  isRecord(item.properties) && (item.type === undefined || Array.isArray(item.type)) ? item.properties : item

const isReference = (value: Record<string, unknown>): boolean =>
  typeof value['@id'] === 'string' && Object.keys(value).every(name => reference.has(name))

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
