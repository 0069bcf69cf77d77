/** The rules of `extract` that its contract cannot express: CSS selectors by name, or a JSON Schema. */
import type { Selector } from '@tidemark/contracts/rpc/content'
import { selectorFault } from '@tidemark/html/selection/select'
import { boundsFault, isObject, type JsonObject } from '@tidemark/schema/bounds'
import { checkPatterns } from '@tidemark/url/patterns'
import { ApiProblem } from '../../http/domain/problem.ts'
import { refusal } from '../../http/domain/refusal.ts'

export type ExtractRequest = { selectors: Record<string, Selector> } | { schema: JsonObject }

/** Returns the request in one form. Throws `ApiProblem` with the field of the first fault. */
export async function extractOf(extract: Record<string, unknown>): Promise<ExtractRequest> {
  const { schema, ...others } = extract
  // A selector named "schema" is older than JSON Schemas here.
  if (!isObject(schema) || typeof schema.selector === 'string') return { selectors: selectorsOf(extract) }
  assertNothingElse(others, 'extract.')
  await assertSchema(schema, 'extract.schema')
  return { schema }
}

/** Throws `ApiProblem` with the place of the first fault in the schema, which is named `field`. */
export async function assertSchema(schema: JsonObject, field: string): Promise<void> {
  const fault = boundsFault(schema, rules) ?? (await metaFaultOf(schema))
  if (fault === null) return
  const place = fault.path === '' ? field : `${field}.${fault.path}`
  throw refusal(place, 'bad_value', `${place} ${fault.because}.`)
}

/** Ajv is loaded by the first schema of a client. */
const metaFaultOf = async (schema: JsonObject) =>
  (await import('@tidemark/schema/validator')).metaFault(schema)

const rules = {
  selector: selectorFault,
  patterns(patterns: readonly string[]) {
    const checked = checkPatterns({ include: patterns })
    return checked.ok ? null : checked
  },
}

/**
 * Throws `ApiProblem` for fields beside a schema. Without a model, only the schema itself can be filled.
 * @param prefix of the names of the fields
 */
export function assertNothingElse(others: Record<string, unknown>, prefix: string): void {
  const [name] = Object.keys(others)
  if (name === undefined) return
  const field = `${prefix}${name}`
  if (name === 'prompt' || name === 'model')
    throw new ApiProblem('not_configured', {
      field,
      message: `This installation has no language model, which ${field} needs. Leave it out: the schema alone is filled from the structured data of the page.`,
    })
  throw refusal(
    field,
    'conflicting_fields',
    `${field} cannot stand beside ${prefix}schema. Put it into the schema as a property with x-selector.`,
  )
}

/** Matches valid names in `extract`. */
const usableName = /^[A-Za-z0-9_.-]{1,64}$/

function selectorsOf(extract: Record<string, unknown>): Record<string, Selector> {
  const entries = Object.entries(extract as Record<string, string | Selector>).map(([name, one]) => {
    if (!usableName.test(name)) throw refusal('extract', 'bad_value', badName)
    const isText = typeof one === 'string'
    const selector = isText ? { selector: one } : one
    const field = isText ? `extract.${name}` : `extract.${name}.selector`
    const fault = selectorFault(selector.selector)
    if (fault !== null) throw refusal(field, 'bad_value', `${field} is not a CSS selector: ${fault}.`)
    return [name, selector] as const
  })
  return Object.fromEntries(entries)
}

const badName = 'A name in extract must have 1 to 64 letters, digits, dots, hyphens and underscores.'
