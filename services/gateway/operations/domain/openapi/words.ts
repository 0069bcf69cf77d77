/** Writes plain schemas as readers of OpenAPI 3.1 expect them; they accept the same values. */
import { isObject } from '../../../http/domain/input.ts'

/** Call it for each schema, innermost first. */
export function inOpenApiWords(schema: Record<string, unknown>): Record<string, unknown> {
  return nullableChoice(anyNames(schema)) ?? anyNames(schema)
}

/** Names that may be anything are no pattern. */
function anyNames(schema: Record<string, unknown>): Record<string, unknown> {
  const { patternProperties, ...rest } = schema
  if (!isObject(patternProperties)) return schema
  const [[pattern, value] = [], ...others] = Object.entries(patternProperties)
  return others.length === 0 && pattern !== undefined && anything.has(pattern)
    ? { ...rest, additionalProperties: value }
    : schema
}

const anything = new Set(['^.*$', '^(.*)$', '^[\\s\\S]*$'])

/** "One of these words, or null" is one list of types and one list of values. */
function nullableChoice({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const choice = anyOf.find(option => isObject(option) && Array.isArray(option.enum))
  const isNullable = anyOf.some(option => isObject(option) && option.type === 'null')
  if (!isObject(choice) || !isNullable || !Array.isArray(choice.enum)) return null
  return { ...choice, ...rest, type: [choice.type, 'null'], enum: [...choice.enum, null] }
}
