/** The properties of a schema that a page does not state in a machine-readable form. A model may fill them. */
import { appliedSchemas } from '@tidemark/schema/applied'
import { isObject, type JsonObject } from '@tidemark/schema/bounds'
import { nodeOf, type SchemaNode } from '../extract/schema-node.ts'

/** `path` is a JSON pointer into the extracted object. */
export type Missing = { path: string; schema: JsonObject }

const limits = { fields: 100, depth: 8, parts: 300, description: 500 }

/** Returns the names in a JSON pointer (RFC 6901). */
export const namesIn = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Appends a name to a JSON pointer. */
export const pointerTo = (path: string, name: string): string =>
  `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/**
 * Returns the properties that are null, in the order of the schema, at most 100. Entries of lists are left out, because
 * no check could assign a value to the right entry. Booleans are left out, because no page states `true` word for word.
 */
export function missingIn(schema: JsonObject, data: JsonObject): Missing[] {
  const found: Missing[] = []
  const visit = (node: SchemaNode, object: JsonObject, path: string, depth: number) => {
    for (const [name, inner] of node.properties) {
      const own = nodeOf(inner, schema)
      const value = object[name]
      const at = pointerTo(path, name)
      if (value === null && own.type !== 'boolean') found.push({ path: at, schema: inner })
      else if (isObject(value) && depth < limits.depth) visit(own, value, at, depth + 1)
    }
  }
  visit(nodeOf(schema, schema), data, '', 0)
  return found.slice(0, limits.fields)
}

/** Returns the description of a property for a model: the keywords that define its valid values, without references. */
export function described(schema: JsonObject, root: JsonObject): JsonObject {
  let left = limits.parts
  const describe = (one: JsonObject, depth: number): JsonObject => {
    left -= 1
    const { type, properties, items, title, values, isAddress } = nodeOf(one, root)
    const { description, minimum, maximum, pattern }: JsonObject = Object.assign(
      {},
      ...appliedSchemas(one, root).toReversed(),
    )
    const mayNest = depth < limits.depth && left > 0
    return {
      ...(type !== 'any' && { type }),
      ...(title !== null && { title }),
      ...(typeof description === 'string' && { description: description.slice(0, limits.description) }),
      ...(values.length > 0 && { enum: values }),
      ...(isAddress && { format: 'uri' }),
      ...(typeof minimum === 'number' && { minimum }),
      ...(typeof maximum === 'number' && { maximum }),
      ...(typeof pattern === 'string' && { pattern }),
      ...(type === 'array' && mayNest && { items: describe(items, depth + 1) }),
      ...(type === 'object' && mayNest && { properties: describeAll(properties, depth) }),
    }
  }
  const describeAll = (properties: SchemaNode['properties'], depth: number): JsonObject =>
    Object.fromEntries(properties.map(([name, inner]) => [name, describe(inner, depth + 1)]))
  return describe(schema, 0)
}
