/** Validates the parameters of a path by its route. */
import type { Inputs, Param, Route } from './scraper.ts'

export type Fault = {
  field: string
  reason: 'bad_value' | 'wrong_type' | 'out_of_range' | 'required'
  message: string
}

type Read = { inputs: Inputs; query: [name: string, value: string][]; warnings: string[] }

const maxWarnings = 10
const maxNameLength = 60

/** Returns the validated parameters and the query to send. Unknown names are dropped with a warning. */
export function readParams({ path, params = {} }: Route, given: Record<string, unknown>): Read | Fault {
  const inputs: Inputs = {}
  const query: Read['query'] = []
  for (const [name, param] of Object.entries(params)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const field = `params.${name}`
    if (value === undefined || value === null) {
      if (param.isRequired)
        return { field, reason: 'required', message: `${field} is required: ${param.description}` }
      continue
    }
    const fault = faultOf(value, param)
    if (fault !== null) return { field, reason: fault.reason, message: `${field} ${fault.message}` }
    inputs[name] = value as string | number
    if (param.as !== undefined) query.push([param.as, String(value)])
  }
  const unknown = Object.keys(given).filter(name => !Object.hasOwn(params, name))
  return { inputs, query, warnings: unknown.slice(0, maxWarnings).map(name => ignored(name, path)) }
}

function faultOf(value: unknown, param: Param): Pick<Fault, 'reason' | 'message'> | null {
  switch (param.type) {
    case 'integer': {
      const { minimum, maximum } = param
      if (!Number.isInteger(value)) return { reason: 'wrong_type', message: 'must be an integer' }
      const isWithin = (value as number) >= minimum && (value as number) <= maximum
      return isWithin ? null : { reason: 'out_of_range', message: `must be from ${minimum} to ${maximum}` }
    }
    case 'text':
      return faultOfText(value, param.maxLength)
    case 'choice':
      return param.of.some(one => one === value)
        ? null
        : { reason: 'bad_value', message: `must be one of ${param.of.join(', ')}` }
  }
}

function faultOfText(value: unknown, maxLength: number): Pick<Fault, 'reason' | 'message'> | null {
  if (typeof value !== 'string') return { reason: 'wrong_type', message: 'must be a string' }
  if (value.trim() === '' || value.length > maxLength)
    return { reason: 'out_of_range', message: `must have 1 to ${maxLength} characters` }
  return value.isWellFormed() && !/\p{Cc}/u.test(value)
    ? null
    : { reason: 'bad_value', message: 'must not contain control characters' }
}

const ignored = (name: string, path: string): string =>
  `params.${shortened(name)} is not a parameter of ${path} and was ignored`

const shortened = (name: string): string => name.slice(0, maxNameLength).toWellFormed()
