/** Sends a request to a receiver through the guarded HTTP client, and returns its outcome with a stable reason. */
import type { HttpClient } from '@tidemark/http/client'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError, fetchCodes } from '@tidemark/http/fetch-error'
import { excerptOf } from '../domain/excerpt.ts'
import type { Outcome } from '../domain/verdict.ts'

export type Post = { url: string; headers: Record<string, string>; body: string }

/** Sends a request and returns its outcome. Never throws. */
export type Receiver = (post: Post) => Promise<Outcome>

/** Maximum bytes that are read of a response, because only its status counts. */
const maxAnswerBytes = 16_384

const refusals = new Set(['private_address', 'bad_url'])

/** Opens a receiver. `signal` aborts requests in progress. */
export function openReceiver(
  client: HttpClient,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Receiver {
  return async ({ url, headers, body }) => {
    const started = performance.now()
    const outcomeOf = (
      status: number | null,
      error: string | null,
      more: Partial<Outcome> = {},
    ): Outcome => ({
      status,
      error,
      isRefused: false,
      excerpt: null,
      elapsedMs: performance.now() - started,
      ...more,
    })
    try {
      const request = { url, method: 'POST' as const, headers, body: Buffer.from(body) }
      const limits = { maxBytes: maxAnswerBytes, cuts: true, maxHops: 0, timeoutMs, signal }
      const answer = await fetchPage(client, { ...request, ...limits })
      const error = errorOf(answer.status)
      return outcomeOf(answer.status, error, { excerpt: error === null ? null : textOf(answer) })
    } catch (thrown) {
      const { code, hops, status: begun } = FetchError.from(thrown)
      // A receiver that breaks off its response has received the webhook, so the status decides.
      const status = hops[0]?.status ?? begun
      if (status !== null) return outcomeOf(status, errorOf(status))
      if (code === 'aborted') return outcomeOf(null, 'interrupted: The service ended during this attempt.')
      // The cause is left out: it may reveal addresses of our internal network.
      return outcomeOf(null, `${code}: ${fetchCodes[code].sentence}`, { isRefused: refusals.has(code) })
    }
  }
}

const textOf = ({ body, encodings }: Fetched) => (encodings.length > 0 ? null : excerptOf(body))

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const isRedirect = status >= 300 && status < 400
  return `HTTP ${status}${isRedirect ? ': Redirects are not followed.' : ''}`
}
