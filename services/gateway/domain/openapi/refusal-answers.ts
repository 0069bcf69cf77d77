/** The refusals of an operation as its document has them: by status, each reason with an envelope to see. */
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'
import { type Described, headersOf, type Response, type Responses, reference } from './document.ts'
import type { OperationWords } from './operation-words.ts'
import { type Refused, refusalsOf } from './refusals.ts'

/** How a refusal goes out. */
export type Envelope = (code: ProblemCode, reason?: Reason) => { status: number; says: string; body: unknown }

const always = ['X-Request-Id']
const further: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  408: ['Location'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}
const ofLimits = ['RateLimit', 'RateLimit-Policy']

/** `examples` holds every envelope that an answer refers to, under its name. */
export function refusalAnswers(envelope: Envelope) {
  const examples: Record<string, unknown> = {}
  return { examples, of: answersOf }

  function answersOf(described: Described, { refuses, statuses, answers }: OperationWords): Responses {
    const byStatus = Map.groupBy(
      refusalsOf(described, refuses),
      ({ code }) => statuses?.[code] ?? envelope(code).status,
    )
    // What the operation says in a form of its own is no refusal of ours.
    for (const status of Object.keys(answers)) byStatus.delete(Number(status))
    return Object.fromEntries(
      [...byStatus].map(([status, refused]) => [status, answerOf(described, status, refused)]),
    )
  }

  function answerOf({ security }: Described, status: number, refused: Refused[]): Response {
    const isLimited = security !== undefined && status === 429
    const names = refused.flatMap(({ code, reasons }) =>
      reasons.length === 0 ? [exampleOf(code)] : reasons.map(reason => exampleOf(code, reason)),
    )
    const says = refused.map(({ code }) => `\`${code}\`: ${asMarkdown(envelope(code).says)}`)
    return {
      description: says.join(' '),
      headers: headersOf([...always, ...(isLimited ? ofLimits : []), ...(further[status] ?? [])]),
      content: {
        'application/json': {
          schema: reference('schemas', 'Problem'),
          examples: Object.fromEntries(names.map(name => [name, reference('examples', name)])),
        },
        'application/problem+json': { schema: reference('schemas', 'ProblemDetails') },
      },
    }
  }

  function exampleOf(code: ProblemCode, reason?: Reason): string {
    const name = reason === undefined ? code : `${code}.${reason}`
    examples[name] ??= { summary: reason ?? code, value: envelope(code, reason).body }
    return name
  }
}

/** What is in angle brackets would be taken for HTML. */
const asMarkdown = (text: string) => text.replaceAll('<', '\\<')
