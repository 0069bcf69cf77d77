/**
 * Rewrites the schemas of the contracts for the serializer and for OpenAPI, without changing the accepted values. "This
 * or null" becomes a list of types. A union of constants becomes an enum. The id of a schema becomes its name in the
 * OpenAPI document.
 */
import { isObject } from '@tidemark/schema/bounds'

/** The keyword for the name of a rewritten schema. */
export const nameKeyword = 'x-name'

export function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (!isObject(schema)) return schema
  const plainer = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, plain(part)]))
  const { anyOf, $id, ...others } = plainer
  const rest = typeof $id === 'string' ? { ...others, [nameKeyword]: $id } : others
  if (!Array.isArray(anyOf)) return rest
  return { ...rest, ...(constants(anyOf) ?? orNull(anyOf) ?? { anyOf }) }
}

function constants(options: unknown[]) {
  if (!options.every(option => isObject(option) && typeof option.const === 'string')) return null
  return { type: 'string', enum: options.map(option => (option as { const: string }).const) }
}

function orNull(options: unknown[]) {
  const [option, ...others] = options.filter(option => !isObject(option) || option.type !== 'null')
  if (others.length > 0 || options.length !== 2 || !isObject(option) || typeof option.type !== 'string')
    return null
  if (option.enum !== undefined) return null
  return { ...option, type: [option.type, 'null'] }
}

/** Rewrites a request's schema: fields with a default are not required, although the type after parsing has them. */
export function plainInput(schema: unknown): unknown {
  const plainer = plain(schema)
  if (!isObject(plainer) || !isObject(plainer.properties) || !Array.isArray(plainer.required)) return plainer
  const { properties, required } = plainer
  const hasDefault = (name: unknown) =>
    isObject(properties[String(name)]) && 'default' in (properties[String(name)] as object)
  return { ...plainer, required: required.filter(name => !hasDefault(name)) }
}
