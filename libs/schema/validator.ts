/**
 * Compiles and applies a JSON Schema (draft 2020-12) that is within `bounds`. Patterns are searched by RE2, in linear
 * time. `format` is an annotation, as in the draft. Loading Ajv takes a moment, so import this module on first use.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import type { JsonObject, SchemaFault } from './bounds.ts'

/** `path` is a JSON pointer into the value. */
export type ValueError = { path: string; message: string }

const maxErrors = 50
/** Maximum errors in memory: the values of a large page and the schemas for each of them multiply. */
const maxCollected = 10_000

/** Matches each place in the code of Ajv that counts errors. Ajv itself has no limit. */
const counting = /\berrors(?:\+\+| = vErrors\.length);/g
const stopAtMax = (code: string): string =>
  code.replace(counting, counted => `${counted}if(errors > ${maxCollected}){throw errors;}`)

/** `code` names the engine in standalone code of Ajv, which is not generated here. */
const searchByRe2 = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find() }
  },
  { code: 're2' },
)

/** Returns a new instance each time, because an instance keeps every schema that it has compiled. */
const newAjv = (allErrors = true) =>
  new Ajv2020({
    strict: false,
    allErrors,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    ownProperties: true,
    inlineRefs: false,
    code: { regExp: searchByRe2, optimize: false, process: stopAtMax },
  })

let meta: ReturnType<typeof newAjv> | null = null

/** Returns the first fault of a schema by the meta-schema of the draft, or null. */
export function metaFault(schema: JsonObject): SchemaFault | null {
  meta ??= newAjv(false)
  if (meta.validateSchema({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })) return null
  const [error] = meta.errors ?? []
  const path = (error?.instancePath ?? '').split('/').slice(1).join('.')
  return { path, because: error?.message ?? 'is not a JSON Schema' }
}

/** Returns a function that lists the errors of a value. A schema that Ajv cannot compile is an error of every value. */
export function validatorOf(schema: JsonObject): (value: unknown) => ValueError[] {
  let validate: ReturnType<ReturnType<typeof newAjv>['compile']>
  try {
    validate = newAjv().compile(schema)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    return () => [{ path: '', message: `the schema cannot be compiled: ${reason}` }]
  }
  return value => {
    try {
      if (validate(value)) return []
    } catch (error) {
      if (typeof error !== 'number' && !(error instanceof RangeError)) throw error
      return [
        { path: '', message: `has more than ${maxCollected} errors, or is nested too deep to be checked` },
      ]
    }
    return (validate.errors ?? [])
      .slice(0, maxErrors)
      .map(({ instancePath, message = 'is invalid' }) => ({ path: instancePath, message }))
  }
}
