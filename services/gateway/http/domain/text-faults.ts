/**
 * Text that no field may hold, whatever the field: what cannot be written as UTF-8 or stored in a database, and in an
 * address what no address has. Judged in one place, so that no field has to think of it.
 */
import { isObject, type ObjectSchema, sent } from './input.ts'
import { ApiProblem } from './problem.ts'

/** A schema as far as text can stand in what it describes. */
type Described = {
  items?: Described
  properties?: Record<string, Described>
  patternProperties?: Record<string, Described>
  anyOf?: Described[]
}

const isAddress = /(?:^|_)url$/

/** Each of such a list ends for itself, whatever it is: those who are asked for them judge them one by one. */
const isOneOfMany = /(?:^|_)urls\[\d+\]$/

/**
 * The first field that holds such text, as a problem; null where none does.
 * @param schema of `given`, which it fits; what it does not know is not looked at, for nobody reads it
 */
export function textFault(schema: ObjectSchema, given: unknown): ApiProblem | null {
  const fault = faultIn(schema, given, '')
  if (fault === null) return null
  const { field, text, says } = fault
  return new ApiProblem('invalid_input', {
    message: `${field} must be text ${says}; ${sent(text)} was sent.`,
    field,
    reason: isAddress.test(field) ? 'bad_url' : 'bad_value',
  })
}

type Fault = { field: string; text: string; says: string }

function faultIn(schema: Described, given: unknown, field: string): Fault | null {
  if (typeof given === 'string') return faultOf(given, field)
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
    const ofName = expected === anyName ? faultOf(name, field) : null
    const fault = ofName ?? faultIn(expected, value, field === '' ? name : `${field}.${name}`)
    if (fault !== null) return fault
  }
  return null
}

function faultOf(text: string, field: string): Fault | null {
  if (isOneOfMany.test(field)) return null
  if (!text.isWellFormed()) return { field, text, says: 'in valid Unicode' }
  if (text.includes('\0')) return { field, text, says: 'without NUL characters' }
  if (isAddress.test(field) && /\p{Cc}/u.test(text))
    return { field, text, says: 'without control characters' }
  return null
}
