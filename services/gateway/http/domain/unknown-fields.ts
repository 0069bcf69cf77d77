/** Warns of unknown fields in a request. They are ignored, as the specification requires, but not silently. */
import { isObject } from '@tidemark/schema/bounds'
import type { ObjectSchema } from './input.ts'

const maxWarnings = 20
const maxNameLength = 100
const maxInnerNames = 5

/** Returns one warning for each unknown field of a body and of its objects; a long list is cut and counted. */
export function unknownFieldWarnings(schema: ObjectSchema, body: unknown): string[] {
  if (!isObject(body)) return []
  const names = [...unknownNames(schema, body)]
  return warningsOf(names, 'field', name => (name === 'params' ? withInner(body.params) : ''))
}

/** Yields names such as `foo`, `select.foo` and `steps[0].foo`. An object that may have any field has no unknown ones. */
function* unknownNames({ properties }: ObjectSchema, given: object, path = ''): Generator<string> {
  for (const [name, value] of Object.entries(given)) {
    const expected = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (expected === undefined) yield `${path}${name}`
    else yield* innerNames(expected, value, `${path}${name}`)
  }
}

function* innerNames(expected: object, value: unknown, path: string): Generator<string> {
  if (isObject(value) && isClosed(expected)) yield* unknownNames(expected, value, `${path}.`)
  if (!Array.isArray(value) || !('items' in expected) || !isObject(expected.items)) return
  if (isClosed(expected.items))
    for (const [at, item] of value.entries()) yield* innerNames(expected.items, item, `${path}[${at}]`)
}

const isClosed = (expected: object): expected is ObjectSchema =>
  'properties' in expected && !('additionalProperties' in expected) && !('patternProperties' in expected)

/** Returns one warning for each unknown query parameter. Without a schema every parameter is unknown. */
export function unknownQueryWarnings(schema: ObjectSchema | undefined, query: unknown): string[] {
  const known = schema?.properties ?? {}
  const names = Object.keys(isObject(query) ? query : {}).filter(name => !Object.hasOwn(known, name))
  return warningsOf(names, 'query parameter')
}

function warningsOf(names: string[], kind: string, rest: (name: string) => string = () => ''): string[] {
  const warnings = names
    .slice(0, maxWarnings)
    .map(name => `unknown ${kind} '${shown(name)}' was ignored${rest(name)}`)
  const more = names.length - warnings.length
  return more > 0 ? [...warnings, `${more} more unknown ${kind}s were ignored`] : warnings
}

/** Clients of other services send their fields inside `params`, so the warning names those too. */
function withInner(params: unknown): string {
  const names = isObject(params) ? Object.keys(params) : []
  if (names.length === 0) return ''
  const more = names.length - maxInnerNames
  const list = names.slice(0, maxInnerNames).map(shown).join(', ')
  return ` with all its content (${list}${more > 0 ? ` and ${more} more` : ''}): send fields at the top level`
}

const shown = (name: string) => name.toWellFormed().slice(0, maxNameLength).toWellFormed()
