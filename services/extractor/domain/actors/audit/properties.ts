/** Looks up properties of items by the paths of requirements. */
import { isObject } from '@tidemark/schema/bounds'

const reference = new Set(['@id', '@type', 'type', 'id'])

/** The mark of a path that stands for all values of a property but the last. */
const allButLast = '[:-1]'

/**
 * Returns whether a requirement is met: `a|b` requires either, `a.b` requires `b` in every `a`, `a[:-1].b` in every `a`
 * but the last. `a.(b|c.d)` requires `b`, or `d` in `c`, in every `a`. References to other items, and plain values of
 * `a`, count as complete. Plain values of `c` do not, because they are not the name or text that the other alternative
 * requires.
 */
export function isMet(properties: Record<string, unknown>, need: string): boolean {
  const { path, alternatives } = partsOf(need)
  if (path.length === 0) return alternatives.some(names => isEvery(properties, names, () => true))
  return isEvery(properties, path, value => alternatives.some(names => hasValue(value, names)))
}

/** Returns a requirement for readers: `a.(b|c)` as `a.b or a.c`. @param mark surrounds each property */
export function shownNeed(need: string, mark = ''): string {
  const { path, alternatives } = partsOf(need)
  const shown = alternatives
    .map(names => `${mark}${[...path, ...names].join('.').replace(allButLast, '')}${mark}`)
    .join(' or ')
  return need.includes(allButLast) ? `${shown} (all but the last)` : shown
}

function partsOf(need: string): { path: string[]; alternatives: string[][] } {
  const [, path, either = need] = /^(.+)\.\((.+)\)$/.exec(need) ?? []
  return { path: path?.split('.') ?? [], alternatives: either.split('|').map(names => names.split('.')) }
}

/** Returns whether a condition holds for all values of a path that have properties. */
function isEvery(
  value: Record<string, unknown>,
  [step, ...rest]: string[],
  holds: (value: Record<string, unknown>) => boolean,
): boolean {
  if (step === undefined) return holds(value)
  const all = valuesOf(value, step.replace(allButLast, ''))
  if (all.length === 0) return isReference(value)
  const some = step.endsWith(allButLast) ? withoutLast(all) : all
  return some.every(item => !isObject(item) || isEvery(propertiesOf(item), rest, holds))
}

/** Returns whether an item has values for the whole path, or refers to another item. */
function hasValue(item: Record<string, unknown>, [name = '', ...rest]: string[]): boolean {
  const all = valuesOf(item, name)
  if (all.length === 0) return isReference(item)
  return rest.length === 0 || all.every(value => isObject(value) && hasValue(propertiesOf(value), rest))
}

/** Returns the elements of a list without the one with the highest position, or without the one at the end. */
function withoutLast(elements: readonly unknown[]): unknown[] {
  const positions = elements.map(element =>
    isObject(element) ? numberIn(propertiesOf(element), 'position') : Number.NaN,
  )
  const highest = positions.reduce((max, position) => Math.max(max, position))
  return elements.toSpliced(positions.lastIndexOf(highest), 1)
}

/** Returns the non-empty values of a property. */
export function valuesOf(properties: Record<string, unknown>, name: string): unknown[] {
  const stated = properties[Object.hasOwn(properties, name) ? name : `schema:${name}`]
  return (Array.isArray(stated) ? stated : [stated]).filter(value => !isEmpty(value))
}

/** Returns the first value of a property as a number, or the default if it is neither a number nor a text. */
export function numberIn(properties: Record<string, unknown>, name: string, usual = Number.NaN): number {
  const [stated] = valuesOf(properties, name)
  const isStated = typeof stated === 'number' || (typeof stated === 'string' && stated.trim() !== '')
  return isStated ? Number(stated) : usual
}

/** Returns the properties of an item. Microdata items have them one level down. */
export const propertiesOf = (item: Record<string, unknown>): Record<string, unknown> =>
  isObject(item.properties) && (item.type === undefined || Array.isArray(item.type)) ? item.properties : item

const isReference = (value: Record<string, unknown>): boolean =>
  typeof value['@id'] === 'string' && Object.keys(value).every(name => reference.has(name))

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
