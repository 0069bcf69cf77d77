/** Reads the OpenAPI document as a client does: its operations, and whether an answer conforms to it. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { SeenAnswer } from './checked-answers.scene.ts'
import { closed } from './openapi-faults.scene.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}
export type Parameter = { in: 'path' | 'query' | 'header'; name: string; required?: boolean; schema: Schema }
type Example = { $ref?: string; value?: unknown }
export type Media = { schema?: Schema; example?: unknown; examples?: Record<string, Example> }
type Described = {
  operationId: string
  parameters?: (Parameter & { $ref?: string })[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response & { $ref?: string }>
}
type Response = { headers?: Record<string, unknown>; content?: Record<string, Media> }
export type Document = {
  paths: Record<string, Record<string, Described>>
  components: {
    schemas: Record<string, Schema>
    parameters?: Record<string, Parameter>
    examples?: Record<string, Example>
    responses?: Record<string, Response>
  }
}

export type Operation = {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | null
  answers: Map<number, Promised>
}

/** The documented answers of one status. */
type Promised = {
  /** Each media type with its schema; a type without a schema allows any body. */
  types: ReadonlyMap<string, Schema | undefined>
  /** Names in lower case. */
  headers: ReadonlySet<string>
  /** Codes, each with its reason if it has one. */
  refusals: ReadonlySet<string>
}

/** Stands for a body that was not kept, so that its schema is not checked. */
const unread = Symbol('unread')

export type Answer = { status: number; headers: Headers; type: string; body: unknown }

export type Reference = {
  operations: Operation[]
  /** Returns the operation of a path without its query; undefined if the document has none. */
  operationOf: (method: string, path: string) => Operation | undefined
  /** Returns the schema after resolving its reference. */
  resolved: (schema: Schema) => Schema
  /** Returns the fault of a value under a schema, or null. */
  faultOf: (schema: Schema, value: unknown) => string | null
  /** Returns the fault of an answer, or null. */
  answerFault: (operation: Operation, answer: Answer) => string | null
}

export function readReference(document: Document): Reference {
  const faultOf = checkIn(document)
  const faultOfBody = checkIn(closed(document) as Document, { isFormatted: true })
  const operations = operationsOf(document)
  const parametersIn = ({ path }: Operation) => path.split('{').length
  const patterns = operations
    .toSorted((one, other) => parametersIn(one) - parametersIn(other))
    .map(operation => ({ operation, pattern: patternOf(operation.path) }))
  return {
    faultOf,
    operations,
    operationOf: (wanted, path) =>
      patterns.find(({ operation, pattern }) => operation.method === wanted && pattern.test(path))?.operation,
    resolved: ({ $ref, ...rest }) =>
      $ref === undefined ? rest : (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}),
    answerFault({ answers }, { status, headers, type, body }) {
      const promised = answers.get(status)
      if (promised === undefined) return `status ${status} is not documented`
      const { types } = promised
      const undocumented = undocumentedHeader(promised, headers) ?? undocumentedRefusal(promised, body)
      if (undocumented !== null) return `${undocumented} is not documented for ${status}`
      if (types.size === 0)
        return body === '' || body === unread ? null : 'has a body where none is documented'
      if (!types.has(type)) return `${type || 'no type'} is not documented for ${status}`
      const schema = types.get(type)
      if (schema === undefined || !isJson(type) || body === unread) return null
      return faultOfBody(closed(schema) as Schema, body)
    },
  }
}

/** Returns a function that checks values against schemas that refer to the document. */
function checkIn(document: Document, { isFormatted = false } = {}) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateFormats: isFormatted,
    validateSchema: false, // a test of the document does this once
  })
  addFormats.default(ajv)
  ajv.addSchema(document, 'api')
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
  return (schema: Schema, value: unknown): string | null => {
    const text = JSON.stringify(schema)
    const check =
      compiled.get(text) ?? ajv.compile(JSON.parse(text.replaceAll('"#/components', '"api#/components')))
    compiled.set(text, check)
    return check(value) ? null : ajv.errorsText(check.errors).slice(0, 300)
  }
}

/** Returns the pattern of a path. A parameter is one segment, except `{path}`, which matches the rest. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map(part => (part === '{path}' ? '.+' : part.replace(/^\{.*\}$/, '[^/]+')))
  return new RegExp(`^${parts.join('/')}$`)
}

const isJson = (type: string): boolean => /[/+]json$/.test(type)

/** Headers of HTTP itself and of the transport, which no operation documents. */
const ofTransport = new Set([
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['strict-transport-security', 'transfer-encoding', 'traceparent', 'x-accel-buffering'],
  'x-content-type-options',
])
/** CORS headers depend on the origin of the request and on the settings. */
const isOfBrowsers = (name: string, value: string) =>
  name.startsWith('access-control-') || (name === 'vary' && value.toLowerCase() === 'origin')

function undocumentedHeader(promised: Promised, headers: Headers): string | null {
  const found = [...headers].find(
    ([name, value]) => !promised.headers.has(name) && !ofTransport.has(name) && !isOfBrowsers(name, value),
  )
  return found?.[0] ?? null
}

function undocumentedRefusal({ refusals }: Promised, body: unknown): string | null {
  const refusal = refusalIn(body)
  return refusal === null || refusals.has(refusal) ? null : refusal
}

/** Returns the code and the reason of an error body in either form. */
function refusalIn(body: unknown): string | null {
  const { error, code, reason } = (body ?? {}) as { error?: unknown; code?: unknown; reason?: unknown }
  if (typeof error === 'object' && error !== null) return refusalIn(error)
  return typeof code === 'string' ? [code, reason].filter(Boolean).join('.') : null
}

const operationsOf = ({ paths, components }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, parameters = [], requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map(given =>
        given.$ref === undefined
          ? given
          : (components.parameters?.[given.$ref.split('/').at(-1) ?? ''] ?? given),
      ),
      body: requestBody?.content['application/json']?.schema ?? null,
      answers: new Map(
        Object.entries(responses).map(([status, { $ref, ...response }]) => {
          const shared = components.responses?.[$ref?.split('/').at(-1) ?? '']
          return [Number(status), promisedBy(shared ?? response, components)] as const
        }),
      ),
    })),
  )

const promisedBy = (
  { headers = {}, content = {} }: Response,
  components: Document['components'],
): Promised => ({
  types: new Map(Object.entries(content).map(([type, { schema }]) => [type, schema] as const)),
  headers: new Set(Object.keys(headers).map(name => name.toLowerCase())),
  refusals: new Set(Object.values(content).flatMap(media => refusalsShown(media, components))),
})

function refusalsShown({ example, examples = {} }: Media, components: Document['components']): string[] {
  const named = Object.values(examples).map(({ $ref, value }) =>
    $ref === undefined ? value : components.examples?.[$ref.split('/').at(-1) ?? '']?.value,
  )
  return [example, ...named].flatMap(shown => refusalIn(shown) ?? [])
}

/** Returns the fault of an answer, or null. Returns undefined if the document does not have the operation. */
export function faultOfAnswer(
  reference: Reference,
  { method, path, status, headers, text }: Omit<SeenAnswer, 'profile'>,
): string | null | undefined {
  const [pathname = ''] = path.split('?')
  const operation = reference.operationOf(method, pathname)
  if (operation === undefined) return undefined
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const fault = reference.answerFault(operation, { status, headers, type, body: bodyOf(type, text) })
  return fault && `${method} ${operation.path}: ${fault}`
}

function bodyOf(type: string, text: string | null): unknown {
  if (text === null) return unread
  return isJson(type) && text !== '' ? JSON.parse(text) : text
}
