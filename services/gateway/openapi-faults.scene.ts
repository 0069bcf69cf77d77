/** Finds the defects of an OpenAPI document. Each defect is a sentence that names its position in the document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type {
  Described,
  Document,
  Media,
  Parameter,
  Response,
} from './reference-pages/domain/openapi/document.ts'

type Part = Record<string, unknown>
export type Whole = Document & {
  info: { version: string; license: object; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  components: Record<string, Record<string, Part>>
}
type LocatedOperation = { at: string; operation: Described }

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null

export function faultsOf(document: Whole): string[] {
  const all = operationsOf(document)
  return [
    ...all.flatMap(located => faultsOfOperation(document, located)),
    ...operationsIn(document.webhooks).flatMap(located => faultsOfRequest(document, located)),
    ...undescribed(document),
    ...repeated(document),
    ...badExamples(document),
  ]
}

export const operationsOf = ({ paths }: Document): LocatedOperation[] => operationsIn(paths)

const operationsIn = (items: Document['paths'] = {}): LocatedOperation[] =>
  Object.entries(items).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path} (${operation.operationId})`,
      operation,
    })),
  )

const words = ['operationId', 'summary', 'description', 'tags', 'security'] as const

function faultsOfOperation(document: Whole, located: LocatedOperation): string[] {
  const { operationId, responses } = located.operation
  const answers = Object.entries(responses).flatMap(([status, response]) =>
    faultsOfAnswer(document, `${located.at} ${status}`, resolved(document, response) as unknown as Response),
  )
  const withoutWarnings = Object.entries(responses)
    .filter(([status, response]) => status < '300' && 'content' in response)
    .filter(() => !withoutReader.has(operationId))
    .filter(([, response]) =>
      lacksWarnings(document, (response as Response).content?.['application/json']?.schema),
    )
    .map(([status]) => `${located.at} ${status} has no field warnings (contracts/http/lists.ts)`)
  return [...faultsOfRequest(document, located), ...withoutWarnings, ...answers]
}

/** Returns the faults of an operation: a request to the API, or a request that a webhook sends. */
function faultsOfRequest(document: Whole, { at, operation }: LocatedOperation): string[] {
  const { parameters = [], requestBody, tags = [] } = operation
  const names = new Set(document.tags.map(({ name }) => name))
  const bodies = Object.values(requestBody?.content ?? {})
  const all = parameters.map(parameter => resolved(document, parameter) as unknown as Parameter)
  return [
    ...words.filter(word => !(word in operation)).map(word => `${at} has no ${word}`),
    ...tags.filter(tag => !names.has(tag)).map(tag => `${at}: reference/tags.ts has no "${tag}"`),
    ...all
      .filter(({ description }) => !description)
      .map(({ name }) => `${at}: parameter ${name} has no description`),
    ...all.filter(hasNoWords).map(({ name }) => `${at}: parameter ${name} has a pattern and no mustBe(…)`),
    ...all.filter(hasNoValue).map(({ name }) => `${at}: parameter ${name} has no example (examples: […])`),
    ...bodies.filter(media => !hasExample(media)).map(() => `${at}: its body has no example in reference/`),
  ]
}

function faultsOfAnswer(document: Whole, at: string, { description, headers, content }: Response): string[] {
  const lacking = Object.entries(content ?? {}).filter(
    ([type, media]) => !hasExample(media) && type !== 'application/problem+json',
  )
  return [
    ...(!description || description === 'Default Response' ? [`${at} is not described in reference/`] : []),
    ...(headers?.['X-Request-Id'] ? [] : [`${at} has no header X-Request-Id`]),
    ...lacking.map(([type]) => `${at}: ${type} has no example in reference/`),
    ...Object.entries(headers ?? {})
      .filter(([, header]) => !resolved(document, header as Part).description)
      .map(([name]) => `${at}: header ${name} has no description`),
  ]
}

/** Returns whether a JSON object lacks the field for warnings. */
function lacksWarnings(document: Whole, schema: unknown): boolean {
  if (!isPart(schema)) return false
  const { properties, anyOf = [] } = resolved(document, schema)
  return isPart(properties)
    ? !('warnings' in properties)
    : (anyOf as unknown[]).some(each => lacksWarnings(document, each))
}

/** This answer goes to the payment provider, which only uses its status. */
const withoutReader = new Set(['takePaymentEvent'])

/**
 * Returns whether a parameter has neither an example nor a default. Optional headers need no value: samples would send
 * it, although it belongs to another request.
 */
const hasNoValue = ({ schema, ...parameter }: Parameter) =>
  !(parameter.in === 'header' && parameter.required !== true) &&
  !hasExample(parameter as Media) &&
  !(isPart(schema) && 'default' in schema)

/** Returns whether a parameter has a pattern but no text for the error message. */
const hasNoWords = ({ schema, in: location }: Parameter) =>
  location === 'query' && isPart(schema) && 'pattern' in schema && !('x-must-be' in schema)

const hasExample = ({ example, examples = {} }: Media) =>
  example !== undefined || Object.keys(examples).length > 0

function resolved(document: Whole, part: object): Part {
  if (!('$ref' in part)) return part as Part
  const [, , kind = '', name = ''] = String(part.$ref).split('/')
  return document.components[kind]?.[name] ?? {}
}

/** Returns the fields that are described neither in place nor by the schema to which they refer. */
function undescribed(document: Whole): string[] {
  return schemasIn(document).flatMap(([at, { properties = {} }]) =>
    Object.entries(properties as Record<string, Part>)
      .filter(([, field]) => !field.description && !resolved(document, field).description)
      .map(([name]) => `${at}: field ${name} has no description`),
  )
}

/**
 * Finds equal schemas at two positions, which need a name. Extensions are exempt, because no schema can refer to them.
 */
function repeated(document: Whole): string[] {
  const seen = new Map<string, string>()
  return schemasIn(document).flatMap(([at, { description, ...schema }]) => {
    if (Object.keys((schema.properties as object) ?? {}).length < 2 || at.includes('/x-')) return []
    const text = JSON.stringify(schema)
    const before = seen.get(text)
    seen.set(text, before ?? at)
    return before === undefined ? [] : [`${at} repeats ${before}: give it a name ($id)`]
  })
}

/** Returns every schema with fields, in components and in operations. */
function schemasIn(document: Whole): [at: string, schema: Part][] {
  const found: [string, Part][] = []
  visit(document.components.schemas, '')
  visit(document.paths, '')
  visit(document.webhooks, '')
  return found

  function visit(part: unknown, at: string): void {
    if (!isPart(part)) return
    if (isPart(part.properties) && !Array.isArray(part.properties)) found.push([at, part])
    for (const [name, value] of Object.entries(part)) {
      if (!notSchemas.has(name)) visit(value, `${at}/${name}`)
    }
  }
}

const notSchemas = new Set(['example', 'examples', 'default', 'enum'])

/** Finds examples that violate their schema or have fields that it does not name. */
function badExamples(document: Whole): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
  addFormats.default(ajv)
  ajv.addSchema(closed(document) as object, 'document')
  const problem = ajv.getSchema('document#/components/schemas/Problem') as ValidateFunction
  const refusals = Object.entries(document.components.examples ?? {})
    .filter(([, { value }]) => !problem(value))
    .map(([name]) => `refusal ${name}: ${ajv.errorsText(problem.errors)}`)
  return [...refusals, ...mediaIn(document).flatMap(([at, media]) => faultsOfExamples(at, media))]

  function faultsOfExamples(at: string, media: Media): string[] {
    const validate = ajv.compile({ $ref: `document#${at}/schema` })
    const examples = Object.values(media.examples ?? {}) as Part[]
    const values = [
      ...('example' in media ? [media.example] : []),
      ...examples.filter(({ $ref }) => $ref === undefined).map(({ value }) => value),
    ]
    return values
      .filter(value => !validate(value))
      .map(() => `${decodeURIComponent(at)}: ${ajv.errorsText(validate.errors)}`)
  }
}

/** Returns the media types, each with its pointer as the fragment of a URI. */
function mediaIn(document: Whole): [pointer: string, media: Media][] {
  const step = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
  const items = (['paths', 'webhooks'] as const).flatMap(part =>
    Object.entries(document[part] ?? {}).map(
      ([name, operations]) => [`/${part}/${step(name)}`, operations] as const,
    ),
  )
  return items.flatMap(([item, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody, responses }]) => {
      const at = `${item}/${method}`
      const answers = Object.entries(responses).map(
        ([status, response]) => [`responses/${status}`, 'content' in response && response.content] as const,
      )
      return [['requestBody', requestBody?.content] as const, ...answers].flatMap(([path, content]) =>
        Object.entries(content || {}).map(
          ([type, media]) => [`${at}/${path}/content/${step(type)}`, media] as [string, Media],
        ),
      )
    }),
  )
}

/** Returns the schema with objects closed to fields that it does not name. */
export function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (!isPart(part)) return part
  const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]))
  const isObject = isPart(part.properties) && part.type === 'object' && !('additionalProperties' in part)
  return isObject ? { ...inner, additionalProperties: false } : inner
}
