/** Asks a receiver through the one egress, and says what came of it in stable words. */
import type { HttpClient } from '@tidemark/http/client'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError, fetchCodes } from '@tidemark/http/fetch-error'
import { excerptOf } from '../domain/excerpt.ts'
import type { Outcome } from '../domain/verdict.ts'

export type Post = { url: string; headers: Record<string, string>; body: string }

/** Never throws. */
export type Receiver = (post: Post) => Promise<Outcome>

/** An answer counts by its status: of a longer one the rest is not waited for. */
const maxAnswerBytes = 16_384

const refusals = new Set(['private_address', 'bad_url'])

/** `signal` ends what is under way. */
export function openReceiver(
  client: HttpClient,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Receiver {
  return async ({ url, headers, body }) => {
    const started = performance.now()
    const seen = (status: number | null, error: string | null, more: Partial<Outcome> = {}): Outcome => ({
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
      return seen(answer.status, error, { excerpt: error === null ? null : textOf(answer) })
    } catch (thrown) {
      const { code, hops } = FetchError.from(thrown)
      const [redirect] = hops
      if (redirect) return seen(redirect.status, errorOf(redirect.status))
      if (code === 'aborted') return seen(null, 'interrupted: The service ended during this attempt.')
      // Without the cause: it may name what a name means inside our network.
      return seen(null, `${code}: ${fetchCodes[code].says}`, { isRefused: refusals.has(code) })
    }
  }
}

const textOf = ({ body, encodings }: Fetched) => (encodings.length > 0 ? null : excerptOf(body))

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const isRedirect = status >= 300 && status < 400
  return `HTTP ${status}${isRedirect ? ': Redirects are not followed.' : ''}`
}
