/** The OpenAPI document as a fuzzer reads it: what can be asked, and whether an answer is one that it promised. */
import { Ajv2020 } from 'ajv/dist/2020.js'

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
type Media = { schema?: Schema }
type Described = {
  operationId: string
  parameters?: (Parameter & { $ref?: string })[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>
}
export type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

export type Operation = {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | null
  /** Statuses, each with its media types; a type whose schema is none may hold anything. */
  answers: Map<number, string[]>
}

export type Reference = {
  operations: Operation[]
  /** A schema behind its references. */
  resolved: (schema: Schema) => Schema
  /** What is wrong with a value beside a schema, or null. */
  faultOf: (schema: Schema, value: unknown) => string | null
  /** What is wrong with the body of an answer, or null. */
  answerFault: (operation: Operation, status: number, type: string, body: unknown) => string | null
}

export function readReference(document: Document): Reference {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  ajv.addSchema(document, 'api')
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
  const at = (pointer: string) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  const own = (schema: Schema) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'))
  const told = (check: ReturnType<typeof at>, value: unknown) =>
    check(value) ? null : ajv.errorsText(check.errors).slice(0, 300)
  const bodies = new Map<Schema, ReturnType<typeof ajv.compile>>()
  return {
    operations: operationsOf(document),
    resolved: ({ $ref, ...rest }) =>
      $ref === undefined ? rest : (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}),
    faultOf(schema, value) {
      const check = bodies.get(schema) ?? ajv.compile(own(schema))
      bodies.set(schema, check)
      return told(check, value)
    },
    answerFault({ path, method, answers }, status, type, body) {
      const types = answers.get(status)
      if (types === undefined) return `status ${status} is not documented`
      if (types.length === 0) return body === '' ? null : 'has a body where none is documented'
      if (!types.includes(type)) return `${type || 'no type'} is not documented for ${status}`
      if (!type.includes('json') || type.includes('ndjson')) return null
      const names = [
        'paths',
        path,
        method.toLowerCase(),
        'responses',
        String(status),
        'content',
        type,
        'schema',
      ]
      return told(at(`/${names.map(escaped).join('/')}`), body)
    },
  }
}

const escaped = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

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
        Object.entries(responses).map(
          ([status, { content = {} }]) => [Number(status), Object.keys(content)] as const,
        ),
      ),
    })),
  )
