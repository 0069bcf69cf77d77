/**
 * Checks a JSON Schema of a client before it is compiled: its size, its depth, its references and its patterns. Reading a
 * schema that passes takes little time, fetches nothing, and ends although schemas may refer to themselves.
 */

export type JsonObject = { [name: string]: unknown }

/** `path` is the place in the schema, such as `properties.price.pattern`; empty for the schema itself. */
export type SchemaFault = { path: string; because: string }

/** Rules of other libraries: each returns the fault of a text, or null. */
export type TextRules = {
  patterns: (patterns: readonly string[]) => { at: number; because: string } | null
  selector: (selector: string) => string | null
}

export const bounds = { characters: 32 * 1024, depth: 16, nodes: 1_000, references: 50, patterns: 20 }

const draft = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/
/** Keywords by which a schema gets another base, or refers to more than a place in itself. */
const foreign = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$async', 'id', 'nullable']

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the first fault, or null. The schema must come from JSON. */
export function boundsFault(schema: JsonObject, rules: TextRules): SchemaFault | null {
  const length = JSON.stringify(schema).length
  if (length > bounds.characters)
    return fault('', `is ${length} characters long, and may have at most ${bounds.characters}`)
  if (!isObject(schema.properties) || Object.keys(schema.properties).length === 0)
    return fault('properties', 'must name at least one property')
  const patterns: { path: string; pattern: string }[] = []
  let [nodes, references] = [0, 0]
  const open = [{ value: schema as unknown, path: '', depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next
    if (++nodes > bounds.nodes) return fault('', `has more than ${bounds.nodes} parts`)
    if (depth > bounds.depth) return fault(path, `is nested more than ${bounds.depth} levels deep`)
    if (isObject(value)) {
      const found = keywordFault(value, path, schema, rules)
      if (found !== null) return found
      if (typeof value.$ref === 'string' && ++references > bounds.references)
        return fault(path, `has more than ${bounds.references} references`)
      for (const pattern of patternsIn(value)) patterns.push({ path, pattern })
    }
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value).reverse())
        if (typeof inner === 'object' && inner !== null)
          open.push({ value: inner, path: path === '' ? name : `${path}.${name}`, depth: depth + 1 })
  }
  return patternFault(patterns, rules)
}

const fault = (path: string, because: string): SchemaFault => ({ path, because })

function keywordFault(
  node: JsonObject,
  path: string,
  schema: JsonObject,
  { selector }: TextRules,
): SchemaFault | null {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const spare = foreign.find(name => typeof node[name] === 'string' || node[name] === true)
  if (spare !== undefined) return fault(at(spare), 'is not supported. Leave it out')
  const { $schema, $ref, 'x-selector': chosen } = node
  const css = isObject(chosen) ? chosen.selector : chosen
  if (typeof $schema === 'string' && !draft.test($schema))
    return fault(at('$schema'), 'must be https://json-schema.org/draft/2020-12/schema')
  if (Array.isArray(node.enum) && node.enum.length === 0)
    return fault(at('enum'), 'must list at least one value')
  if (typeof $ref === 'string' && resolvePointer(schema, $ref) === undefined)
    return fault(at('$ref'), 'must be a place in this schema, such as #/$defs/price. Nothing is fetched')
  const because = typeof css === 'string' ? selector(css) : null
  return because === null ? null : fault(at('x-selector'), `is not a CSS selector: ${because}`)
}

const patternsIn = ({ pattern, patternProperties }: JsonObject): string[] => [
  ...(typeof pattern === 'string' ? [pattern] : []),
  ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
]

function patternFault(
  found: readonly { path: string; pattern: string }[],
  { patterns }: TextRules,
): SchemaFault | null {
  if (found.length > bounds.patterns) return fault('', `has more than ${bounds.patterns} patterns`)
  const wrong = patterns(found.map(({ pattern }) => pattern))
  if (wrong === null) return null
  const path = found[wrong.at]?.path ?? ''
  return fault(
    path === '' ? 'pattern' : `${path}.pattern`,
    `is not a pattern in RE2 syntax: ${wrong.because}`,
  )
}

/** Returns the schema that a reference such as `#/$defs/price` names, or undefined. */
export function resolvePointer(schema: JsonObject, reference: string): JsonObject | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  let value: unknown = schema
  for (const part of reference.split('/').slice(1)) {
    const name = decoded(part)?.replaceAll('~1', '/').replaceAll('~0', '~')
    const isThere =
      name !== undefined && typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    value = isThere ? Reflect.get(value as object, name) : undefined
  }
  return isObject(value) ? value : undefined
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
