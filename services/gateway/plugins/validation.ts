/**
 * Checks what comes in against the contracts: bodies as they are, query strings with their numbers read,
 * and path ids so that what cannot be an id is not found.
 */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { App } from '../app.ts'
import { readId } from '../domain/id.ts'
import {
  inputProblem,
  isObject,
  numbersRead,
  type ObjectSchema,
  tooMany,
  withDefaults,
} from '../domain/input.ts'
import { ApiProblem } from '../domain/problem.ts'

type Checked = { value: unknown } | { error: Error }

export function installValidation(app: App): void {
  app.removeContentTypeParser('text/plain')
  app.setValidatorCompiler<TSchema & ObjectSchema>(({ schema, httpPart }) => {
    if (httpPart === 'params') return readIds
    const validator = Compile(schema)
    return (given: unknown): Checked => {
      const value = withDefaults(schema, httpPart === 'querystring' ? numbersRead(schema, given) : given)
      if (validator.Check(value)) return { value }
      return { error: tooMany(schema, value) ?? inputProblem(schema, validator.Errors(value), value) }
    }
  })
}

function readIds(given: unknown): Checked {
  const ids = Object.entries(isObject(given) ? given : {}).map(
    ([name, text]) => [name, readId(text)] as const,
  )
  if (ids.some(([, id]) => id === null)) return { error: new ApiProblem('not_found') }
  return { value: Object.fromEntries(ids) }
}
