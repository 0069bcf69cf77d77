/**
 * Completes an OpenAPI document that was generated from schemas: each response with its meaning, an example and its
 * headers, each operation with its possible refusals. It adds only statuses of refusals and of unchanged content, and
 * leaves operations without words unchanged.
 */
import { isObject } from '@tidemark/schema/bounds'
import {
  type AnswerWords,
  answersOf,
  type OperationWords,
} from '../../../reference/domain/operation-words.ts'
import { headersOfAnswer } from './answer-headers.ts'
import {
  type Content,
  type Described,
  type Document,
  headersOf,
  type Parameter,
  type Response,
  type Responses,
  reference,
} from './document.ts'
import { type Envelope, refusalAnswers } from './refusal-answers.ts'

export type Words = {
  /** Texts of the operations by `operationId`. */
  operations: Readonly<Record<string, OperationWords>>
  envelope: Envelope
}

export function completed(document: Document, { operations, envelope }: Words): Document {
  const refusals = refusalAnswers(envelope)
  const complete = (described: Described, method: string) => {
    const words = operations[described.operationId] ?? {}
    return completeOne(described, words, refusals.of(described, method, words))
  }
  const paths = mapped(document.paths, methods => mapped(methods, complete))
  const { examples, responses } = refusals
  return { ...document, paths, components: { ...document.components, examples, responses } }
}

function completeOne(described: Described, words: OperationWords, refused: Responses): Described {
  const { requestBody, responses, security = [] } = described
  const parameters = described.parameters?.map(asWritten) ?? []
  const answers = answersOf(words)
  const { headers = [] } = answers[200] ?? {}
  const isTagged = headers.includes('ETag')
  const answered = mapped(responses, (response, status) =>
    answerOf(described, response as Response, answers[Number(status)]),
  )
  return {
    ...described,
    security,
    parameters: isTagged ? [...parameters, ifNoneMatch] : parameters,
    ...(requestBody && { requestBody: bodyOf(requestBody, words.body) }),
    responses: { ...answered, ...(isTagged && { 304: notModified(described, headers) }), ...refused },
  }
}

const mapped = <From, To>(record: Record<string, From>, change: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)] as const))

function answerOf(described: Described, response: Response, answer: AnswerWords | undefined): Response {
  if (answer === undefined) return response
  const { description, example, otherwise = {}, headers } = answer
  const { examples = example === undefined ? {} : { example } } = answer
  const others = Object.entries(otherwise).map(
    ([type, { description, example }]) =>
      [type, { schema: { type: 'string', description }, example }] as const,
  )
  const content = { ...withExamples(response.content ?? {}, examples), ...Object.fromEntries(others) }
  return {
    ...response,
    description,
    headers: headersOf(headersOfAnswer(described, headers)),
    ...(response.content && { content }),
  }
}

function withExamples(content: Content, examples: Readonly<Record<string, unknown>>): Content {
  const [[name, only] = [], ...others] = Object.entries(examples)
  if (name === undefined) return content
  const shown =
    others.length === 0
      ? { example: only }
      : { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) }
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, ...shown }]))
}

/** Returns a header parameter with its usual capitals. */
function asWritten(parameter: Parameter | { $ref: string }): Parameter | { $ref: string } {
  if (!('in' in parameter) || parameter.in !== 'header') return parameter
  return { ...parameter, name: parameter.name.replace(/(?<=^|-)[a-z]/g, letter => letter.toUpperCase()) }
}

/** Returns the request body. It is optional if no field is required. */
function bodyOf({ content }: { content: Content }, example: unknown) {
  const [media] = Object.values(content)
  const { required: fields } = isObject(media?.schema) ? media.schema : {}
  return {
    required: Array.isArray(fields) && fields.length > 0,
    content: example === undefined ? content : withExamples(content, { body: example }),
  }
}

/** The parameter of conditional requests, for responses with an ETag. */
const ifNoneMatch = reference('parameters', 'IfNoneMatch')
const notModified = (described: Described, headers: readonly string[]): Response => ({
  description: 'The resource has not changed since the ETag in `If-None-Match`. No body.',
  headers: headersOf(headersOfAnswer(described, headers)),
})
