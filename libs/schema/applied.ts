/** Finds the schemas that describe one value together, through references, `allOf`, `anyOf` and `oneOf`. */
import { isObject, type JsonObject, resolvePointer } from './bounds.ts'

const limits = { depth: 8, schemas: 200 }

/**
 * Returns the schema, the target of its reference, all members of `allOf`, and the first choice of `anyOf` and of `oneOf`
 * that is not null, each with the schemas that apply through it. Outer schemas come first. At most 8 levels are followed.
 */
export function appliedSchemas(schema: JsonObject, root: JsonObject): JsonObject[] {
  const found = new Set<JsonObject>()
  const visit = (one: JsonObject, depth: number) => {
    if (found.has(one) || found.size === limits.schemas) return
    found.add(one)
    if (depth < limits.depth) for (const inner of innerOf(one, root)) visit(inner, depth + 1)
  }
  visit(schema, 0)
  return [...found]
}

function innerOf({ $ref, allOf, anyOf, oneOf }: JsonObject, root: JsonObject): JsonObject[] {
  const chosen = [anyOf, oneOf].map(choices =>
    Array.isArray(choices) ? choices.filter(isObject).find(one => !isOnlyNull(one, root)) : undefined,
  )
  const target = typeof $ref === 'string' ? resolvePointer(root, $ref) : undefined
  return [target, ...(Array.isArray(allOf) ? allOf : []), ...chosen].filter(isObject)
}

function isOnlyNull(schema: JsonObject, root: JsonObject): boolean {
  const target = typeof schema.$ref === 'string' ? resolvePointer(root, schema.$ref) : undefined
  const { type, const: value, enum: values } = target ?? schema
  return type === 'null' || value === null || (Array.isArray(values) && values.every(one => one === null))
}
