/** Reads the response of a server with `/chat/completions`. */
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import { isObject } from '@tidemark/schema/bounds'
import { type Again, failureOf, parsed, type ServerResponse, tokensIn } from './server-response.ts'

/** `why` continues the sentence "the model …". */
export type Completion =
  | { type: 'answered'; text: string; use: ModelUse }
  | { type: 'failed'; why: string; use: ModelUse | null }

type Request = { model: string; maxTokens: number; sent: string }

export function completionOf(response: ServerResponse, request: Request): Completion | Again {
  const failure = failureOf(response)
  if (failure?.type === 'again') return failure
  if (failure !== null) return { ...failure, use: null }
  const body = parsed(response.text)
  const choice = isObject(body) && Array.isArray(body.choices) ? body.choices[0] : undefined
  const message = isObject(choice) ? choice.message : undefined
  const content = isObject(message) ? message.content : undefined
  if (!isObject(body) || !isObject(choice) || typeof content !== 'string')
    return { type: 'failed', why: 'sent no valid response', use: null }
  const use = {
    name: request.model,
    input_tokens: tokensIn(body.usage, 'prompt_tokens', request.sent),
    output_tokens: tokensIn(body.usage, 'completion_tokens', content),
  }
  if (choice.finish_reason === 'length')
    return { type: 'failed', why: `was cut off after ${request.maxTokens} tokens`, use }
  return { type: 'answered', text: content, use }
}

const firstWaitMs = 500

/**
 * Returns the milliseconds to wait after a failed attempt.
 * @param attempt number of the failed attempt, from 1
 * @param retryAfter whole seconds or an HTTP date; it can only lengthen the wait
 * @param now milliseconds since 1970
 */
export function waitBefore(attempt: number, retryAfter: string | undefined, now: number): number {
  const own = firstWaitMs * 2 ** (attempt - 1)
  const value = retryAfter?.trim() ?? ''
  const sent = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(sent) ? own : Math.max(own, sent)
}
