/**
 * Validates input against the contracts and fills in defaults. Types in bodies are not converted; integers in query
 * strings are. An id that is too large for a number counts as unknown. A path with an impossible id or name is 404.
 * Text that cannot be stored is refused everywhere.
 */
import { compiledAtFirstUse } from '@tidemark/bus/codec'
import { isObject } from '@tidemark/schema/bounds'
import type { TSchema } from 'typebox'
import type { App } from '../../app.ts'
import {
  inputProblem,
  largeIdsRead,
  numbersRead,
  type ObjectSchema,
  tooMany,
  withDefaults,
} from '../domain/input.ts'
import { ApiProblem } from '../domain/problem.ts'
import { textFault } from '../domain/text-faults.ts'

type Checked = { value: unknown } | { error: Error }

export function installValidation(app: App): void {
  app.removeContentTypeParser('text/plain')
  app.setValidatorCompiler<TSchema & ObjectSchema>(({ schema, httpPart }) => {
    if (httpPart === 'params') return readPath(schema)
    const validator = compiledAtFirstUse(schema)
    const mayBeLeftOut = httpPart === 'body' && !schema.required?.length
    return (sent: unknown): Checked => {
      const given = sent == null && mayBeLeftOut ? {} : sent
      const read = httpPart === 'querystring' ? numbersRead(schema, given) : given
      const value = largeIdsRead(schema, withDefaults(schema, read))
      if (validator().Check(value)) {
        const error = textFault(schema, value)
        return error === null ? { value } : { error }
      }
      return { error: tooMany(schema, value) ?? inputProblem(schema, validator().Errors(value), value) }
    }
  })
}

/** Converts ids to numbers, and validates names by their schema. */
function readPath(schema: ObjectSchema & TSchema) {
  const validator = compiledAtFirstUse(schema)
  const isName = (name: string) => schema.properties?.[name]?.type === 'string'
  return (given: unknown): Checked => {
    const parts = Object.entries(isObject(given) ? given : {})
    const value = Object.fromEntries(
      parts.map(([name, text]) => [name, isName(name) ? text : readId(text)] as const),
    )
    const canBe = validator().Check(value) && textFault(schema, value) === null
    return canBe ? { value } : { error: new ApiProblem('not_found') }
  }
}

/** Returns the id, or null unless it is a positive integer below 2^53 in plain digits. */
function readId(text: unknown): number | null {
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}
