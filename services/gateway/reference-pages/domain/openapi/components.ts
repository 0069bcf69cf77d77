/** Moves the named schemas of an OpenAPI document to its components, and refers to them everywhere else. */
import { isObject } from '@tidemark/schema/bounds'
import { nameKeyword } from '../../../http/domain/plain-schema.ts'
import { inOpenApiWords } from './words.ts'

/** Returns the document with references to the components, and the components. They may refer to each other. */
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
    const { type, description } = referring
    const canBeNull = Array.isArray(type) && type.length === 2 && type[1] === 'null'
    schemas[name] = canBeNull ? { ...referring, type: type[0] } : referring
    const reference = { $ref: `#/components/schemas/${name}` }
    // Null is allowed in this place, and so is not part of the named schema.
    return canBeNull ? { description, anyOf: [reference, { type: 'null' }] } : reference
  }
}
