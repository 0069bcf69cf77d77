/**
 * Validates input against a contract. Fills in defaults, and coerces only numbers in query strings. Describes the first
 * fault by the rule and the sent value.
 */
import type { Reason } from '@tidemark/contracts/problems'
import { isObject } from '@tidemark/schema/bounds'
import type { TSchema } from 'typebox'
import { ApiProblem } from './problem.ts'

/** The part of an object's schema that is used here. */
export type ObjectSchema = { properties: Record<string, Expected>; required?: string[] }
type Expected = TSchema & {
  type?: string
  items?: Expected
  properties?: Record<string, Expected>
  patternProperties?: Record<string, Expected>
  format?: string
  'x-must-be'?: string
  writeOnly?: boolean
  default?: unknown
  minimum?: number
  maximum?: number
  maxItems?: number
  maxProperties?: number
  enum?: unknown[]
}

export type InputError = { keyword: string; instancePath: string; params: object }
type Params = { type?: string | string[]; limit?: number | bigint; requiredProperties?: string[] }
/** The position of a value in the input, its name for people, and its schema. */
type FaultyField = { path: string[]; field: string; expected: Expected }
type Rule = { reason: Reason; requirement: (params: Params, expected: Expected) => string }

const rules: Record<string, Rule> = {
  type: {
    reason: 'wrong_type',
    requirement: ({ type = '' }) => `must be ${[type].flat().map(nounOf).join(' or ')}`,
  },
  minimum: { reason: 'out_of_range', requirement: (_, expected) => `must be ${rangeOf(expected)}` },
  maximum: { reason: 'out_of_range', requirement: (_, expected) => `must be ${rangeOf(expected)}` },
  minItems: {
    reason: 'out_of_range',
    requirement: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  },
  maxItems: { reason: 'out_of_range', requirement: ({ limit }) => `must have at most ${limit} entries` },
  minLength: {
    reason: 'bad_value',
    requirement: ({ limit }) =>
      limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  },
  maxLength: { reason: 'bad_value', requirement: ({ limit }) => `must have at most ${limit} characters` },
  pattern: { reason: 'bad_value', requirement: (_, expected) => `must be ${formOf(expected)}` },
  format: { reason: 'bad_value', requirement: (_, expected) => `must be ${formOf(expected)}` },
  enum: {
    reason: 'bad_value',
    requirement: (_, { enum: choices = [] }) => `must be one of ${choices.join(', ')}`,
  },
}

const formats: Record<string, string> = {
  date: 'a day as YYYY-MM-DD',
  'date-time': 'a time as in RFC 3339',
  email: 'an e-mail address',
}

const formOf = ({ 'x-must-be': words, format = '' }: Expected): string =>
  words ?? formats[format] ?? 'of another form'

const nouns: Record<string, string> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
}

const nounOf = (type: string): string => nouns[type] ?? type

/** Returns the object with the schema's defaults for missing fields. Returns other values unchanged. */
export function withDefaults({ properties }: ObjectSchema, given: unknown): unknown {
  if (!isObject(given)) return given
  const filled: Record<string, unknown> = { ...given }
  for (const [name, expected] of Object.entries(properties)) {
    if (filled[name] === undefined && 'default' in expected) filled[name] = expected.default
  }
  return filled
}

/** Converts the integers of a query string to numbers, as the schema requires. */
export function numbersRead({ properties }: ObjectSchema, given: unknown): unknown {
  if (!isObject(given)) return given
  const read: Record<string, unknown> = { ...given }
  for (const [name, { type }] of Object.entries(properties)) {
    const text = read[name]
    if (type === 'integer' && typeof text === 'string' && /^-?\d{1,30}$/.test(text)) read[name] = Number(text)
  }
  return read
}

/** The largest id of the contracts. No resource has it, so it stands for every larger id. */
const maxId = Number.MAX_SAFE_INTEGER
/** The largest signed 64-bit integer, as JavaScript rounds it to a number. */
const maxInt64 = 2 ** 63

/**
 * Replaces ids that are valid 64-bit integers but too large for a number by the largest id. Such an id is unknown and
 * not invalid, as in a path.
 */
export function largeIdsRead({ properties }: ObjectSchema, given: unknown): unknown {
  if (!isObject(given)) return given
  const large = Object.entries(properties)
    .filter(([name, { type, maximum }]) => type === 'integer' && maximum === maxId && isLargeId(given[name]))
    .map(([name]) => [name, maxId] as const)
  return large.length === 0 ? given : { ...given, ...Object.fromEntries(large) }
}

const isLargeId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value > maxId && value <= maxInt64

/** Checks the lengths of lists without reading their entries, which may be many. */
export function tooMany({ properties }: ObjectSchema, given: unknown): ApiProblem | null {
  if (!isObject(given)) return null
  for (const [field, { maxItems = Number.POSITIVE_INFINITY, maxProperties = maxItems }] of Object.entries(
    properties,
  )) {
    const value = given[field]
    const count = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0
    if (count <= maxProperties) continue
    const message = `${field} must have at most ${maxProperties} entries; ${count} were sent.`
    return new ApiProblem('invalid_input', {
      message,
      field,
      reason: field === 'urls' ? 'too_many_urls' : 'out_of_range',
    })
  }
  return null
}

/** Returns the first fault as a problem. `errors` are those that the schema's validator found in `given`. */
export function inputProblem(
  schema: ObjectSchema,
  errors: readonly InputError[],
  given: unknown,
): ApiProblem {
  const error = errors.find(({ keyword }) => keyword === 'required' || Object.hasOwn(rules, keyword))
  if (error === undefined) return new ApiProblem('invalid_input')
  const { path, field, expected } = fieldAt(schema, error.instancePath)
  const params: Params = error.params
  if (error.keyword === 'required')
    return missing([...(field === '' ? [] : [field]), params.requiredProperties?.[0] ?? ''].join('.'))
  if (path.length === 0) return notAnObject(given)
  const { reason, requirement } = rules[error.keyword] as Rule
  const message = `${field} ${requirement(params, expected)}${sentTo(expected, valueAt(given, path))}`
  return new ApiProblem('invalid_input', {
    message,
    field,
    reason: /^urls?(?:\[|$)/.test(field) ? urlReason(reason) : reason,
  })
}

/** Follows a JSON pointer (RFC 6901): `/a/0/b` is the field `a[0].b`. */
function fieldAt(schema: ObjectSchema, pointer: string): FaultyField {
  const path = pointer
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  let field = ''
  let expected: Expected = schema
  for (const name of path) {
    const isItem = expected.type === 'array'
    field += isItem ? `[${name}]` : field && `.`
    if (!isItem) field += name
    expected = (isItem ? expected.items : memberOf(expected, name)) ?? {}
  }
  return { path, field, expected }
}

const memberOf = ({ properties = {}, patternProperties = {} }: Expected, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : Object.values(patternProperties)[0]

/** Every fault in the text of an address is a `bad_url`, including its length. */
const urlReason = (reason: Reason): Reason => (reason === 'bad_value' ? 'bad_url' : reason)

const missing = (field: string) =>
  new ApiProblem('invalid_input', { message: `${field} is required.`, field, reason: 'required' })

const notAnObject = (given: unknown) =>
  given === undefined || given === null
    ? new ApiProblem('invalid_input', {
        message: 'A JSON object is required as the body.',
        reason: 'required',
      })
    : new ApiProblem('invalid_input', {
        message: `The body must be a JSON object; ${sent(given)} was sent.`,
        reason: 'wrong_type',
      })

const rangeOf = ({ minimum, maximum }: Expected) =>
  minimum === undefined
    ? `at most ${maximum}`
    : maximum === undefined
      ? `at least ${minimum}`
      : `from ${minimum} to ${maximum}`

const maxShownLength = 60

/** Shows a value to people: short, and never a whole tree. */
export function sent(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  if (typeof value !== 'string') return String(value)
  const text = JSON.stringify(value.toWellFormed().slice(0, maxShownLength))
  return value.length > maxShownLength ? `${text.slice(0, -1)}…"` : text
}

/** Returns the end of a message with the value, or without it if the field holds a secret. */
export const sentTo = ({ writeOnly: isSecret = false }: { writeOnly?: boolean }, value: unknown): string =>
  isSecret ? '.' : `; ${sent(value)} was sent.`

const valueAt = (given: unknown, path: string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (isObject(value) || Array.isArray(value) ? Reflect.get(value, name) : undefined),
    given,
  )
