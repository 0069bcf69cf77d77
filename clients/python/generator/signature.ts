/** The parameters of a method: those of the path first, then required fields, then keywords. */
import {
  type Document,
  isIdentifier,
  nameOf,
  type Operation,
  type Parameter,
  type Schema,
  typesOf,
} from './document.ts'
import type { Types } from './types.ts'
import { pascal } from './types.ts'

export type Argument = {
  /** The name in the API. */
  key: string
  /** The name in Python. */
  name: string
  type: string
  isRequired: boolean
  summary: string
  location: 'path' | 'query' | 'body'
}

const pythonName = (key: string): string => (isIdentifier(key) ? key : `${key.replaceAll(/\W/g, '_')}_`)

/** Returns the schema that a reference leads to. */
export const resolved = (document: Document, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {})

/** Returns the arguments of an operation, required ones first. Formats of rows and `If-None-Match` are left out. */
export function argumentsOf(document: Document, operation: Operation, types: Types): Argument[] {
  const parameters = (operation.parameters ?? []).filter(({ $ref }) => $ref === undefined)
  const path = parameters.filter(parameter => parameter.in === 'path').map(one => ofParameter(one, 'path'))
  const query = parameters
    .filter(
      ({ in: location, name, schema }) => location === 'query' && rowFormatsIn(name, schema).length === 0,
    )
    .map(one => ofParameter(one, 'query'))
  const all = [...path, ...query, ...ofBody(document, operation, types)]
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)]
}

/** Returns the formats of rows that an operation has beside JSON. Methods do not take them: rows are a text, not objects. */
export function rowFormatsOf(document: Document, operation: Operation): string[] {
  const query = (operation.parameters ?? []).flatMap(({ name, schema }) => rowFormatsIn(name, schema))
  const body = resolved(document, operation.requestBody?.content['application/json']?.schema ?? {})
  return [...query, ...rowFormatsIn('format', body.properties?.format)]
}

const rowFormatsIn = (name: string | undefined, schema: Schema | undefined): string[] =>
  name === 'format' ? ['csv', 'ndjson'].filter(format => schema?.enum?.includes(format)) : []

function ofParameter(
  { name = '', schema = {}, required, description }: Parameter,
  location: 'path' | 'query',
) {
  const type = parameterType(schema)
  return {
    key: name,
    name: pythonName(name),
    type,
    isRequired: required === true,
    summary: description ?? '',
    location,
  }
}

function parameterType(schema: Schema): string {
  const { enum: values, pattern, type } = schema
  if (values?.every(value => value === 'true' || value === 'false')) return 'bool'
  if (values !== undefined) return `Literal[${values.map(value => JSON.stringify(value)).join(', ')}]`
  // A comma list: `^(?:a|b)(?:,(?:a|b))*$`.
  if (pattern?.endsWith('))*$')) return 'Union[str, Sequence[str]]'
  return type === 'integer' ? 'int' : type === 'number' ? 'float' : type === 'boolean' ? 'bool' : 'str'
}

function ofBody(document: Document, operation: Operation, types: Types): Argument[] {
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema === undefined) return []
  const { properties = {}, required = [] } = resolved(document, schema)
  const owner = schema.$ref === undefined ? pascal(operation.operationId) : nameOf(schema.$ref)
  const given = Object.entries(properties).filter(([key, of]) => rowFormatsIn(key, of).length === 0)
  return given.map(([key, of]) => ({
    key,
    name: pythonName(key),
    type: bodyType(of, types, owner + pascal(key)),
    isRequired: required.includes(key),
    summary: of.description ?? resolved(document, of).description ?? '',
    location: 'body',
  }))
}

/** Arguments accept any sequence and mapping. */
function bodyType(schema: Schema, types: Types, name: string): string {
  const { names } = typesOf(schema)
  if (names[0] === 'object' && schema.properties !== undefined) return qualified(name, types)
  return qualified(types.typeOf(schema, name), types)
    .replaceAll('List[', 'Sequence[')
    .replaceAll('Dict[', 'Mapping[')
}

/** Prefixes the names of generated classes with their module. */
export const qualified = (type: string, types: Types): string =>
  type.replaceAll(/(?<!["\w])[A-Z]\w*(?!["\w])/g, name => (types.has(name) ? `types.${name}` : name))
