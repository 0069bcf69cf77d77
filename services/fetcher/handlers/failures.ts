/** Creates the outcomes of orders that produced no page. */

import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchError } from '@tidemark/http/fetch-error'
import { ProxyRefusal } from '@tidemark/http/proxies/proxy-refusal'
import type { Attempt } from '../domain/names.ts'

/** Returns the outcome of an order whose fetch failed, with the refusal of its proxy if there was one. */
export const failureOf = (attempt: Attempt, error: FetchError): Outcome => {
  const { code: reason, transient, retryAfterMs, cause } = error
  // Other causes are for operators. This one names no address and no login, and the client can act on it.
  const because = reason === 'proxy' && cause instanceof ProxyRefusal ? { because: cause.message } : {}
  return { type: 'failed', ...attempt, reason, transient, retryAfterMs, ...because }
}

/** Returns the outcome of an order whose body exceeds the bytes that its run has reserved for it. */
export const overLimitOf = (attempt: Attempt): Outcome => failed(attempt, 'max_bytes')

/** Returns the outcome of an order in a message that is terminated. */
export const givenUpOf = (attempt: Attempt): Outcome => failed(attempt, 'given_up')

/** Returns the outcome of an order whose host requests a back-off in milliseconds. */
export const throttledOf = (attempt: Attempt, retryAfterMs: number): Outcome =>
  failed(attempt, 'throttled', retryAfterMs)

const storeFullRetryMs = 60_000

/** Returns the outcome if the object store has no capacity for a body that is too large for a message. */
export const storeFullOf = (attempt: Attempt): Outcome => failed(attempt, 'no_room', storeFullRetryMs)

/** Returns a failure: transient after `retryAfterMs`, or final without. */
const failed = (attempt: Attempt, reason: string, retryAfterMs: number | null = null): Outcome => ({
  type: 'failed',
  ...attempt,
  reason,
  transient: retryAfterMs !== null,
  retryAfterMs: retryAfterMs ?? 0,
})
