/**
 * Generates the types and the table of operations of the TypeScript client from the OpenAPI document of a gateway. As a
 * program this file writes both; `clients/typescript/generated.test.ts` fails when a stored file differs. The generator
 * is our own, because `openapi-typescript` needs the compiler interface of TypeScript 5, which TypeScript 7 does not
 * have.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servedDocument } from '@tidemark/gateway/document.scene'
import {
  type Content,
  type Document,
  hasWarnings,
  type Operation,
  type Parameter,
  type Schema,
} from '../clients/python/generator/document.ts'
import { isIdempotentPost, itemKeys, statuses, warned } from './client-rules.ts'

const folder = join(import.meta.dirname, '../clients/typescript')
export const typesFile = join(folder, 'schema.ts')
export const operationsFile = join(folder, 'operations.ts')

/** Schemas whose names are also names of JavaScript, each with the name to use instead. */
const renamed: Record<string, string> = { Map: 'SiteMap' }
const note = 'Generated from the OpenAPI document by test/client-types.ts (`npm run docs`): do not edit.'

/** Returns the document that a gateway serves. */
export const currentDocument = async (): Promise<Document> => JSON.parse(await servedDocument())

/** Returns the text of `schema.ts`. */
export function typesText(document: Document): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `${commentOf(schema.description, '')}export type ${nameOf(name)} = ${typeOf(schema, '')}\n`,
  )
  const all = operationsOf(document)
  const operations = all.map(({ operation }) => operationText(document, operation))
  const events = all.flatMap(({ operation }) => Object.entries(dataOf(operation)))
  const data = events.map(([name, schema]) => `  ${name}: ${typeOf(schema, '  ')}\n`)
  return [
    `/** ${note} */\n/* biome-ignore-all format: the generator lays it out */\n`,
    `${commentOf(warned.description, '')}export type Warned = ${objectText(warned, '')}\n`,
    ...schemas,
    `/** The data of the events of a crawl, by the name of the event. */\nexport type StreamData = {\n${data.join('')}}\n`,
    defaultsOfOperations,
    `/** The parameters, the body and the result of each operation. */\nexport type Operations = {\n${operations.join('')}}\n`,
  ].join('\n')
}

const dataOf = ({ responses }: Operation): Record<string, Schema> =>
  responses['200']?.content?.['text/event-stream']?.schema['x-data'] ?? {}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

function operationText(document: Document, operation: Operation): string {
  const { operationId, summary, requestBody, responses } = operation
  const parameters = parametersOf(document, operation)
  const inside = (place: string) => objectOf(parameters.filter(parameter => parameter.in === place))
  const body = requestBody?.content['application/json']?.schema
  const results = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? resultsOf(content) : [],
  )
  const parts = {
    path: inside('path'),
    query: inside('query'),
    body: body && `${typeOf(body, '    ')}${requestBody?.required === true ? '' : ' | undefined'}`,
    result: [...new Set(results)].join(' | '),
  }
  const lines = Object.entries(parts).flatMap(([name, type]) => (type ? [`    ${name}: ${type}\n`] : []))
  return `  /** ${summary}. */\n  ${operationId}: OperationWith<{\n${lines.join('')}  }>\n`
}

/** Most operations lack some of the parts. */
const defaultsOfOperations = `type NoParts = { path: object; query: object; body: undefined; result: undefined }
type OperationWith<Parts> = Omit<NoParts, keyof Parts> & Parts
`

const parametersOf = ({ components }: Document, { parameters = [] }: Operation): Parameter[] =>
  parameters.map(one => components.parameters[one.$ref?.split('/').at(-1) ?? ''] ?? one)

/** Returns the types of results in JSON and plain text. Other forms of a result need a call for the raw response. */
const resultsOf = (content: Content): string[] => [
  ...(content['application/json'] ? [typeOf(content['application/json'].schema, '    ')] : []),
  ...(content['text/plain'] ? ['string'] : []),
]

function objectOf(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const lines = parameters.map(
    ({ name, required, schema, description }) =>
      `${commentOf(description, '      ')}      ${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema, '      ')}\n`,
  )
  return `{\n${lines.join('')}    }`
}

/** Returns the type of a schema. `indent` is the indentation of the line where the type begins. */
function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOf(schema.$ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(one => typeOf(one, indent)))].join(' | ')
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? 'unknown' : types.map(type => plain(type, schema, indent)).join(' | ')
}

function plain(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, indent))
  if (type !== 'object') return type
  const { properties = {}, additionalProperties } = schema
  const others = typeOf(typeof additionalProperties === 'object' ? additionalProperties : {}, indent)
  if (Object.keys(properties).length === 0) return `Record<string, ${others}>`
  if (!hasWarnings(schema, warned)) return objectText(schema, indent)
  const { warnings, ...own } = properties
  return `Warned & ${objectText({ ...schema, properties: own }, indent)}`
}

function objectText({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name)
    return `${commentOf(property.description, inner)}${inner}${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(property, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

const arrayOf = (item: string): string => (/^[\w<>, ]+$/.test(item) ? `${item}[]` : `Array<${item}>`)
const nameOf = (name: string): string => renamed[name] ?? name
const keyOf = (name: string): string => (/^\w+$/.test(name) ? name : literal(name))
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value)
const commentOf = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n`

/** Returns the text of `operations.ts`. */
export function operationsText(document: Document): string {
  const rows = operationsOf(document).map(({ path, method, operation }) => {
    const fields = Object.entries(factsOf(document, { method, path, operation })).filter(
      ([, value]) => value !== undefined,
    )
    const facts = fields.map(([name, value]) => `, ${name}: ${literal(value)}`).join('')
    return `  ${operation.operationId}: { method: '${method}', path: '${path}'${facts} },\n`
  })
  return [
    `/** ${note} */\n/* biome-ignore-all format: one line for each operation */\n`,
    "import type { Operation } from './operation.ts'\n\n",
    `/** The version of the service that the client was generated for. */\nexport const version = '${document.info.version}'\n\n`,
    `/** The requests of the API. */\nexport const operations = {\n${rows.join('')}} as const satisfies Record<string, Operation>\n\n`,
    `/** The HTTP status of each error code. An error in a stream has only its code. */\nexport const statuses: Readonly<Record<string, number>> = {\n${statuses.map(([code, status]) => `  ${code}: ${status},\n`).join('')}}\n`,
  ].join('')
}

function factsOf(document: Document, { method, path, operation }: ReturnType<typeof operationsOf>[number]) {
  const parameters = parametersOf(document, operation)
  const has = (name: string) => parameters.some(parameter => parameter.name === name)
  const success = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const pagedBy = ['until', 'before', 'offset', 'page'].find(has)
  const flag = (holds: boolean) => (holds ? true : undefined)
  return {
    isPublic: flag(operation.security?.length === 0),
    isKeyed: flag(has('Idempotency-Key')),
    isIdempotent: flag(method === 'POST' && isIdempotentPost(path)),
    isEmpty: flag(method === 'DELETE' && success.every(([, { content }]) => content === undefined)),
    isText: flag(success.some(([, { content = {} }]) => 'text/plain' in content)),
    pagedBy,
    itemKey: itemKeys[operation.operationId],
  }
}

if (import.meta.main) {
  const document = await currentDocument()
  writeFileSync(typesFile, typesText(document))
  writeFileSync(operationsFile, operationsText(document))
}
