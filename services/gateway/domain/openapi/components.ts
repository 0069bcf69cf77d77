/** Gives the named schemas of an OpenAPI document one place each, and refers to them everywhere else. */
import { isObject } from '../input.ts'
import { nameKeyword } from './plain-schema.ts'
import { inOpenApiWords } from './words.ts'

/** The document with references, and the components that they refer to, which may refer to each other. */
export function withComponents(document: unknown): { document: unknown; schemas: Record<string, unknown> } {
  const schemas: Record<string, unknown> = {}
  return { document: refer(document), schemas }

  function refer(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(refer)
    if (!isObject(part)) return part
    const { [nameKeyword]: name, ...rest } = part
    const referred = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, refer(value)]))
    const referring = inOpenApiWords(referred)
    if (typeof name !== 'string') return referring
    schemas[name] = referring
    return { $ref: `#/components/schemas/${name}` }
  }
}
