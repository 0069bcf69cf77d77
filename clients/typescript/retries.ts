/** Decides which failures are repeated, and when: only those that cannot cost twice. */
import { ApiError, AttemptTimedOutError, ConnectionFailedError } from './errors.ts'
import { countIn } from './meta.ts'
import type { Operation } from './operation.ts'

/** Returns the milliseconds to wait before a repeated attempt; null: the error is final. */
export function pauseAfter(error: unknown, operation: Operation, repeated: number, maxSeconds: number) {
  const jitter = backoff(repeated)
  if (error instanceof ConnectionFailedError) return !error.wasSent || isRepeatable(operation) ? jitter : null
  if (error instanceof AttemptTimedOutError) return isRepeatable(operation) ? jitter : null
  if (!(error instanceof ApiError) || error.retryAfter === null || error.retryAfter > maxSeconds) return null
  const isSafe = isRepeatable(operation) || isIdempotent(operation) || billsNothing(error.headers)
  if (error.status !== 429 && !(error.status === 503 && isSafe)) return null
  return error.retryAfter * 1000 + Math.random() * jitter
}

/** Half a second, doubled each time, less a random part up to its half. */
export const backoff = (repeated: number): number =>
  Math.min(500 * 2 ** repeated, 8000) * (1 - Math.random() / 2)

const isRepeatable = ({ method, isKeyed }: Operation): boolean => method === 'GET' || isKeyed === true

/** A 503 may come after the effect, such as a new key, so only operations whose repetition changes nothing are repeated. */
const isIdempotent = ({ method, isIdempotent }: Operation): boolean =>
  method === 'PUT' || method === 'DELETE' || isIdempotent === true

/**
 * Returns whether a repeated deletion finds nothing to delete: the attempt before it has succeeded, although its response
 * was a 503.
 */
export const isDeletedBefore = (error: unknown, before: unknown, { isEmpty }: Operation): boolean =>
  isEmpty === true && isAnswer(error, 404) && isAnswer(before, 503)

const isAnswer = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status

/** The service leaves the header out while a bill is open. */
const billsNothing = (headers: Headers): boolean =>
  countIn(headers, 'x-pages-billed') === 0 && !countIn(headers, 'x-cloud-pages-billed')

const refusals = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused', 'FailedToOpenSocket'],
])

/** Returns whether the connection was never established, as the runtimes report it. */
export function isRefusal(error: unknown): boolean {
  const { code, cause, errors } = (error ?? {}) as { code?: string; cause?: unknown; errors?: unknown[] }
  return refusals.has(code ?? '') || (cause !== undefined && isRefusal(cause)) || !!errors?.every(isRefusal)
}

/** Waits, or throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
