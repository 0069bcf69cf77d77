/**
 * Checks a JSON Schema of a client before it is compiled: its size, its depth, its references and its patterns. Reading a
 * schema that passes takes little time, fetches nothing, and ends although schemas may refer to themselves.
 */

export type JsonObject = { [name: string]: unknown }

/** `path` is the position in the schema, such as `properties.price.pattern`; empty for the schema itself. */
export type SchemaFault = { path: string; because: string }

/** Rules of other libraries: each returns the fault of a text, or null. */
export type TextRules = {
  patterns: (patterns: readonly string[]) => { at: number; because: string } | null
  selector: (selector: string) => string | null
}

export const bounds = {
  characters: 32 * 1024,
  depth: 16,
  nodes: 1_000,
  references: 50,
  patterns: 20,
  /** Characters of all selectors and patterns. Checking the costliest ones takes about 50 ms of the caller's thread. */
  ruleCharacters: 8_000,
  expansions: 1_000,
}

const draft = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/
/**
 * Keywords that are rejected: they change the base of references, refer to other schemas, or are not of draft
 * 2020-12.
 */
const foreign = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$async', 'id', 'nullable']
/** Keywords whose members are schemas under names of the client. */
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
/** Keywords whose values are data: names in them are not schema keywords. */
const data = ['const', 'default', 'enum', 'examples']
/** Keywords whose schemas apply to the same value. */
const singles = ['not', 'if', 'then', 'else']
const choices = ['allOf', 'anyOf', 'oneOf']
const dependents = ['dependentSchemas', 'dependencies']

type Part = { value: unknown; path: string; depth: number; kind: 'schema' | 'map' | 'data' }
type Found = { schemas: Map<JsonObject, string>; patterns: { path: string; pattern: string }[] }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the first fault, or null. The schema must come from JSON. */
export function boundsFault(schema: JsonObject, rules: TextRules): SchemaFault | null {
  const length = lengthOf(schema)
  if (length === null) return fault('', tooDeep)
  if (length > bounds.characters)
    return fault('', `is ${length} characters long, and may have at most ${bounds.characters}`)
  if (!isObject(schema.properties) || Object.keys(schema.properties).length === 0)
    return fault('properties', 'must name at least one property')
  const found: Found = { schemas: new Map(), patterns: [] }
  return (
    partsFault(schema, rules, found) ??
    referenceFault(schema, found) ??
    expansionFault(schema, found) ??
    patternFault(found.patterns, rules)
  )
}

const tooDeep = `is nested more than ${bounds.depth} levels deep`
const tooManyCharacters = `has more than ${bounds.ruleCharacters} characters of selectors and patterns. Use fewer or shorter ones`

/** Returns the length as JSON; null for a value that is nested too deep for the stack of the serializer. */
function lengthOf(schema: JsonObject): number | null {
  try {
    return JSON.stringify(schema).length
  } catch {
    return null
  }
}

/** Visits every part of the schema, and collects the schemas in it with their paths, and the patterns. */
function partsFault(schema: JsonObject, rules: TextRules, found: Found): SchemaFault | null {
  let [nodes, references, characters] = [0, 0, 0]
  const open: Part[] = [{ value: schema, path: '', depth: 0, kind: 'schema' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth, kind } = next
    if (++nodes > bounds.nodes) return fault('', `has more than ${bounds.nodes} parts`)
    if (depth > bounds.depth) return fault(path, tooDeep)
    if (isObject(value) && kind === 'schema') {
      characters += ruleCharactersOf(value)
      if (characters > bounds.ruleCharacters) return fault('', tooManyCharacters)
      const wrong = keywordFault(value, path, rules)
      if (wrong !== null) return wrong
      if (typeof value.$ref === 'string' && ++references > bounds.references)
        return fault(path, `has more than ${bounds.references} references`)
      found.schemas.set(value, path)
      for (const pattern of patternsIn(value)) found.patterns.push({ path, pattern })
    }
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value).reverse())
        if (typeof inner === 'object' && inner !== null)
          open.push({ value: inner, path: within(path, name), depth: depth + 1, kind: kindOf(name, next) })
  }
  return null
}

function kindOf(name: string, { kind, value }: Part): Part['kind'] {
  if (kind === 'data') return 'data'
  if (kind === 'map' || Array.isArray(value)) return 'schema'
  return data.includes(name) ? 'data' : maps.includes(name) ? 'map' : 'schema'
}

export const within = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Ajv would also follow a reference into data, which is not checked. */
function referenceFault(root: JsonObject, { schemas }: Found): SchemaFault | null {
  for (const [{ $ref }, path] of schemas) {
    if (typeof $ref !== 'string') continue
    const target = resolvePointer(root, $ref)
    if (target === undefined || !schemas.has(target))
      return fault(
        within(path, '$ref'),
        'must be a place in this schema, such as #/$defs/price. Nothing is fetched',
      )
  }
  return null
}

const fault = (path: string, because: string): SchemaFault => ({ path, because })

/**
 * Bounds the schemas that apply to one and the same value. `$ref`, `allOf` and their like add schemas without a step
 * into the value, so their number may double with each reference, and may be endless.
 */
function expansionFault(root: JsonObject, { schemas }: Found): SchemaFault | null {
  const counts = new Map<JsonObject, number>()
  const count = (schema: JsonObject): number => {
    const known = counts.get(schema)
    if (known !== undefined) return known
    // A schema that is reached again while it is counted contains itself.
    counts.set(schema, Number.POSITIVE_INFINITY)
    const all = sameValueSchemas(schema, root).reduce((sum, inner) => sum + count(inner), 1)
    counts.set(schema, all)
    return all
  }
  for (const [schema, path] of schemas) {
    const expanded = count(schema)
    if (expanded === Number.POSITIVE_INFINITY)
      return fault(
        path,
        'applies itself to the same value without end. Refer to it from a property or from items',
      )
    if (expanded > bounds.expansions)
      return fault(
        path,
        `applies more than ${bounds.expansions} schemas to one value. Refer to fewer schemas that refer to others`,
      )
  }
  return null
}

/** Returns the schemas that apply to the value of this one, too. */
function sameValueSchemas(schema: JsonObject, root: JsonObject): JsonObject[] {
  const target = typeof schema.$ref === 'string' ? resolvePointer(root, schema.$ref) : undefined
  const values: unknown[] = [
    target,
    ...singles.map(name => schema[name]),
    ...choices.flatMap(name => (Array.isArray(schema[name]) ? schema[name] : [])),
    ...dependents.flatMap(name => (isObject(schema[name]) ? Object.values(schema[name]) : [])),
  ]
  return values.filter(isObject)
}

function keywordFault(node: JsonObject, path: string, { selector }: TextRules): SchemaFault | null {
  const at = (name: string) => within(path, name)
  const spare = foreign.find(name => typeof node[name] === 'string' || node[name] === true)
  if (spare !== undefined) return fault(at(spare), 'is not supported. Leave it out')
  const { $schema } = node
  const css = selectorIn(node)
  if (typeof $schema === 'string' && !draft.test($schema))
    return fault(at('$schema'), 'must be https://json-schema.org/draft/2020-12/schema')
  if (Array.isArray(node.enum) && node.enum.length === 0)
    return fault(at('enum'), 'must list at least one value')
  const because = css === null ? null : selector(css)
  return because === null ? null : fault(at('x-selector'), `is not a CSS selector: ${because}`)
}

/** Returns the CSS selector of a schema, or null. */
export function selectorIn({ 'x-selector': chosen }: JsonObject): string | null {
  const css = isObject(chosen) ? chosen.selector : chosen
  return typeof css === 'string' ? css : null
}

const ruleCharactersOf = (node: JsonObject): number =>
  [selectorIn(node) ?? '', ...patternsIn(node)].reduce((sum, { length }) => sum + length, 0)

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
