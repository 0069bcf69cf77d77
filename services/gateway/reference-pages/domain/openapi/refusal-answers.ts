/** Writes the error responses of an operation for OpenAPI: by status, each reason with an example. */
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'
import { answersOf, type OperationWords } from '../../../reference/domain/operation-words.ts'
import { headersOfRefusal } from './answer-headers.ts'
import { type Described, headersOf, type Response, type Responses, reference } from './document.ts'
import { listed, merged, type Refused, refusalsOf } from './refusals.ts'

/** Returns the status, the text and the body of an error. */
export type Envelope = (
  code: ProblemCode,
  reason?: Reason,
) => { status: number; description: string; body: unknown }

/**
 * Returns a collector. `responses` contains every response that operations refer to, by name, and `examples` all bodies
 * of these.
 */
export function refusalAnswers(envelope: Envelope) {
  const examples: Record<string, unknown> = {}
  const responses: Record<string, Response> = {}
  const names = new Map<string, string>()
  return { examples, responses, of: refusalsByStatus }

  function refusalsByStatus(described: Described, method: string, words: OperationWords): Responses {
    const { refuses, refusesAs = {}, statuses } = words
    const byStatus = Map.groupBy(
      refusalsOf(described, method, refuses),
      ({ code }) => statuses?.[code] ?? envelope(code).status,
    )
    for (const [status, refusals] of Object.entries(refusesAs)) {
      const others = byStatus.get(Number(status)) ?? []
      byStatus.set(Number(status), merged([...others, ...listed(refusals)]))
    }
    // A status that the operation documents itself is not a refusal of ours.
    for (const status of Object.keys(answersOf(words))) byStatus.delete(Number(status))
    return Object.fromEntries(
      [...byStatus].map(([status, refused]) => {
        const codes = refused.map(({ code }) => code)
        return [status, shared(codes, answerOf(refused, headersOfRefusal(described, words, codes)))]
      }),
    )
  }

  function answerOf(refused: Refused[], headers: string[]): Response {
    const names = refused.flatMap(({ code, reasons }) =>
      reasons.length === 0 ? [exampleOf(code)] : reasons.map(reason => exampleOf(code, reason)),
    )
    const description = refused.map(({ code }) => `\`${code}\`: ${asMarkdown(envelope(code).description)}`)
    return {
      description: description.join(' '),
      headers: headersOf(headers),
      content: {
        'application/json': {
          schema: reference('schemas', 'Problem'),
          examples: Object.fromEntries(names.map(name => [name, reference('examples', name)])),
        },
        'application/problem+json': { schema: reference('schemas', 'ProblemDetails') },
      },
    }
  }

  /** Returns a reference to a shared response, because most operations have the same errors. */
  function shared(codes: ProblemCode[], answer: Response) {
    const text = JSON.stringify(answer)
    const name = names.get(text) ?? unusedName([...names.values()], codes.join('.'))
    names.set(text, name)
    responses[name] = answer
    return reference('responses', name)
  }

  function exampleOf(code: ProblemCode, reason: Reason | null = null): string {
    const name = reason === null ? code : `${code}.${reason}`
    examples[name] ??= { summary: reason ?? code, value: envelope(code, reason ?? undefined).body }
    return name
  }
}

function unusedName(names: readonly string[], wanted: string): string {
  const alike = names.filter(name => name.replace(/-\d+$/, '') === wanted)
  return alike.length === 0 ? wanted : `${wanted}-${alike.length + 1}`
}

/** Escapes `<`, because Markdown would read text in angle brackets as HTML. */
const asMarkdown = (text: string) => text.replaceAll('<', '\\<')
