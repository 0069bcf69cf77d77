/** Rewrites schemas to the usual form of OpenAPI 3.1, without changing the accepted values. */
import { isObject } from '@tidemark/schema/bounds'

/** Returns a rewritten schema. Call it for each schema, innermost first. */
export function inOpenApiWords(schema: Record<string, unknown>): Record<string, unknown> {
  return nullableChoice(anyNames(schema)) ?? anyNames(schema)
}

/** Replaces a pattern that matches every name by `additionalProperties`. */
function anyNames(schema: Record<string, unknown>): Record<string, unknown> {
  const { patternProperties, ...rest } = schema
  if (!isObject(patternProperties)) return schema
  const [[pattern, value] = [], ...others] = Object.entries(patternProperties)
  return others.length === 0 && pattern !== undefined && anything.has(pattern)
    ? { ...rest, additionalProperties: value }
    : schema
}

const anything = new Set(['^.*$', '^(.*)$', '^[\\s\\S]*$'])

/** Converts "an enum or null" to one list of types and one list of values; null: the schema is not of this form. */
function nullableChoice({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const choice = anyOf.find(option => isObject(option) && Array.isArray(option.enum))
  const isNullable = anyOf.some(option => isObject(option) && option.type === 'null')
  if (!isObject(choice) || !isNullable || !Array.isArray(choice.enum)) return null
  return { ...choice, ...rest, type: [choice.type, 'null'], enum: [...choice.enum, null] }
}
