/** The rules of `extract` that its contract cannot express: CSS selectors by name, or a JSON Schema. */
import type { Selector } from '@tidemark/contracts/rpc/content'
import { maxSelector, selectorFault } from '@tidemark/html/selection/select'
import { boundsFault, isObject, type JsonObject } from '@tidemark/schema/bounds'
import { listSelectorFault } from '@tidemark/schema/list-selectors'
import { checkPatterns } from '@tidemark/url/patterns'
import { refusal } from '../../http/domain/refusal.ts'

/** A request for the language model. At least one of the fields is set. */
export type ByModel = { prompt?: string; model?: string }

export type ExtractRequest =
  | { selectors: Record<string, Selector> }
  | { schema: JsonObject; byModel: ByModel | null }

/** Returns the request in one form. Throws `ApiProblem` with the field of the first fault. */
export async function extractOf(extract: Record<string, unknown>): Promise<ExtractRequest> {
  const { schema, ...others } = extract
  // An object with `selector` is the selector of a value named "schema": the API had selectors before JSON Schemas.
  if (!isObject(schema) || typeof schema.selector === 'string') return { selectors: selectorsOf(extract) }
  const { prompt, model, ...unknown } = others
  assertNothingElse(unknown)
  const texts = {
    prompt: textOf(prompt, 'extract.prompt', 4_000),
    model: textOf(model, 'extract.model', 200),
  }
  await assertSchema(schema, 'extract.schema')
  return { schema, byModel: byModelOf(texts) }
}

/** Returns the request for the language model; null: none is requested. */
export const byModelOf = ({
  prompt,
  model,
}: { [name in keyof ByModel]?: string | undefined }): ByModel | null =>
  prompt === undefined && model === undefined
    ? null
    : { ...(prompt !== undefined && { prompt }), ...(model !== undefined && { model }) }

function textOf(value: unknown, field: string, maxLength: number): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxLength) return value
  throw refusal(
    field,
    'bad_value',
    `${field} must be a text of 1 to ${maxLength} characters beside a schema.`,
  )
}

/** Throws `ApiProblem` with the path of the first fault in the schema, which is named `field`. */
export async function assertSchema(schema: JsonObject, field: string): Promise<void> {
  const fault = boundsFault(schema, rules) ?? listSelectorFault(schema) ?? (await metaFaultOf(schema))
  if (fault === null) return
  const faultyField = fault.path === '' ? field : `${field}.${fault.path}`
  throw refusal(faultyField, 'bad_value', `${faultyField} ${fault.because}.`)
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
 * Throws `ApiProblem` for unknown fields beside a schema.
 * @param prefix of the names of the fields
 */
function assertNothingElse(others: Record<string, unknown>): void {
  const [name] = Object.keys(others)
  if (name === undefined) return
  const field = `extract.${name}`
  throw refusal(
    field,
    'conflicting_fields',
    `${field} cannot stand beside extract.schema. Put it into the schema as a property with x-selector.`,
  )
}

/** Matches valid names in `extract`. */
const usableName = /^[A-Za-z0-9_.-]{1,64}$/

function selectorsOf(extract: Record<string, unknown>): Record<string, Selector> {
  const entries = Object.entries(extract as Record<string, string | Selector>).map(([name, one]) => {
    if (!usableName.test(name)) throw refusal('extract', 'bad_value', badName)
    const isText = typeof one === 'string'
    const selector = isText ? { selector: one } : one
    if (selector.selector.length > maxSelector)
      throw refusal(`extract.${name}`, 'out_of_range', tooLong(name))
    const field = isText ? `extract.${name}` : `extract.${name}.selector`
    const fault = selectorFault(selector.selector)
    if (fault !== null) throw refusal(field, 'bad_value', `${field} is not a CSS selector: ${fault}.`)
    return [name, selector] as const
  })
  return Object.fromEntries(entries)
}

const tooLong = (name: string) =>
  `extract.${name} must be a CSS selector of at most ${maxSelector} characters.`

const badName = 'A name in extract must have 1 to 64 letters, digits, dots, hyphens and underscores.'
