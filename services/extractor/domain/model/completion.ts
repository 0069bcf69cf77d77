/** Reads the response of a server with `/chat/completions`. Servers differ, so nothing in it is trusted. */
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import { isObject } from '@tidemark/schema/bounds'

/** `why` continues the sentence "the model …". */
export type Completion =
  | { is: 'answered'; text: string; use: ModelUse }
  | { is: 'failed'; why: string; use: ModelUse | null }
  /** Another attempt may succeed. */
  | { is: 'again'; why: string; retryAfter: string | undefined }

type Response = { status: number; text: string; retryAfter: string | undefined }
type Request = { model: string; maxTokens: number; sent: string }

export function completionOf({ status, text, retryAfter }: Response, request: Request): Completion {
  if (status === 429) return { is: 'again', why: 'refused the request (429)', retryAfter }
  if (status >= 500) return { is: 'again', why: `failed (${status})`, retryAfter }
  if (status !== 200) return { is: 'failed', why: `refused the request (${status})`, use: null }
  const body = parsed(text)
  const choice = isObject(body) && Array.isArray(body.choices) ? body.choices[0] : undefined
  const message = isObject(choice) ? choice.message : undefined
  const content = isObject(message) ? message.content : undefined
  if (!isObject(body) || !isObject(choice) || typeof content !== 'string')
    return { is: 'failed', why: 'sent no valid response', use: null }
  const use = useOf(body.usage, content, request)
  if (choice.finish_reason === 'length')
    return { is: 'failed', why: `was cut off after ${request.maxTokens} tokens`, use }
  return { is: 'answered', text: content, use }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Characters of a token, for servers that count none. */
const charactersOfToken = 4
/** No request has more. A larger number is an error of the server. */
const maxCounted = 10_000_000

function useOf(usage: unknown, content: string, { model, sent }: Request): ModelUse {
  const counted = (name: string, text: string) => {
    const tokens = isObject(usage) ? usage[name] : undefined
    const isCount =
      typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= maxCounted
    return isCount ? tokens : Math.ceil(text.length / charactersOfToken)
  }
  return {
    name: model,
    input_tokens: counted('prompt_tokens', sent),
    output_tokens: counted('completion_tokens', content),
  }
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
