/**
 * Rejects text that no field may hold: text that is not valid Unicode or cannot be stored in a database, and control
 * characters in addresses. It is checked in one module, so that fields need no check of their own.
 */
import { isObject } from '@tidemark/schema/bounds'
import { type ObjectSchema, sentTo } from './input.ts'
import { ApiProblem } from './problem.ts'

/** The part of a schema that can describe text. */
type Described = {
  items?: Described
  properties?: Record<string, Described>
  patternProperties?: Record<string, Described>
  anyOf?: Described[]
  writeOnly?: boolean
}

const isAddress = /(?:^|_)url$/

/** The items of these lists have separate results, and their endpoints judge them one by one. */
const isOneOfMany = /(?:^|_)urls\[\d+\]$/

/**
 * Returns a problem for the first field with text that no field may hold, or null.
 * @param schema a schema that `given` satisfies; fields that it does not name are ignored, because no code reads them
 */
export function textFault(schema: ObjectSchema, given: unknown): ApiProblem | null {
  const fault = faultIn(schema, given, '')
  if (fault === null) return null
  const { field, requirement, shown } = fault
  return new ApiProblem('invalid_input', {
    message: `${field} must be text ${requirement}${shown}`,
    field,
    reason: isAddress.test(field) ? 'bad_url' : 'bad_value',
  })
}

type Fault = { field: string; requirement: string; shown: string }

function faultIn(schema: Described, given: unknown, field: string): Fault | null {
  if (typeof given === 'string') return faultOf(given, field, schema)
  for (const option of schema.anyOf ?? []) {
    const fault = faultIn(option, given, field)
    if (fault !== null) return fault
  }
  if (Array.isArray(given)) return faultInItems(schema, given, field)
  return isObject(given) ? faultInMembers(schema, given, field) : null
}

function faultInItems({ items }: Described, given: unknown[], field: string): Fault | null {
  if (items === undefined) return null
  for (const [index, item] of given.entries()) {
    const fault = faultIn(items, item, `${field}[${index}]`)
    if (fault !== null) return fault
  }
  return null
}

function faultInMembers(schema: Described, given: Record<string, unknown>, field: string): Fault | null {
  const { properties = {}, patternProperties = {} } = schema
  const [anyName] = Object.values(patternProperties)
  for (const [name, value] of Object.entries(given)) {
    const expected = Object.hasOwn(properties, name) ? properties[name] : anyName
    if (expected === undefined) continue
    const ofName = expected === anyName ? faultOf(name, field, expected) : null
    const fault = ofName ?? faultIn(expected, value, field === '' ? name : `${field}.${name}`)
    if (fault !== null) return fault
  }
  return null
}

function faultOf(text: string, field: string, schema: Described): Fault | null {
  if (isOneOfMany.test(field)) return null
  const shown = sentTo(schema, text)
  if (!text.isWellFormed()) return { field, shown, requirement: 'in valid Unicode' }
  if (text.includes('\0')) return { field, shown, requirement: 'without NUL characters' }
  if (isAddress.test(field) && /\p{Cc}/u.test(text))
    return { field, shown, requirement: 'without control characters' }
  return null
}
