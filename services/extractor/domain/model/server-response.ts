/** Responses of a server of models. Servers differ, so nothing in them is trusted. */
import { isObject } from '@tidemark/schema/bounds'

export type ServerResponse = { status: number; text: string; retryAfter: string | undefined }

/** Another attempt may succeed. `why` continues the sentence "the model …". */
export type Again = { type: 'again'; why: string; retryAfter: string | undefined }

/** Returns the failure of a response by its status; null for status 200. */
export function failureOf({
  status,
  retryAfter,
}: Omit<ServerResponse, 'text'>): Again | { type: 'failed'; why: string } | null {
  if (status === 429) return { type: 'again', why: 'refused the request (429)', retryAfter }
  if (status >= 500) return { type: 'again', why: `failed (${status})`, retryAfter }
  return status === 200 ? null : { type: 'failed', why: `refused the request (${status})` }
}

/** Returns the value of a JSON text; null: the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Estimated characters of a token, for servers that do not count tokens. */
const charactersOfToken = 4
/** Maximum number of tokens of a response that is plausible. A larger number is an error of the server. */
const maxCounted = 10_000_000

/** Returns the tokens that the server has counted under this name, or an estimate by the length of the text. */
export function tokensIn(usage: unknown, name: string, { length }: { length: number }): number {
  const tokens = isObject(usage) ? usage[name] : undefined
  const isCount =
    typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= maxCounted
  return isCount ? tokens : Math.ceil(length / charactersOfToken)
}
