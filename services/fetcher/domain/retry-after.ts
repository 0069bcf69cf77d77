/** Reads how long a host requests to wait: Retry-After (RFC 9110, 10.2.3; with 429 by RFC 6585). */
import { maxBackOffMs } from '@tidemark/contracts/work/fetch'

const throttling = new Set([429, 503])

/**
 * Returns milliseconds from `now` until the next request to the host; null if it does not throttle, or throttles
 * without a duration.
 * @param retryAfter the field's value: whole seconds or an HTTP date
 * @param now milliseconds since 1970
 */
export function backOffOf(status: number, retryAfter: string | undefined, now: number): number | null {
  if (!throttling.has(status) || retryAfter === undefined) return null
  const value = retryAfter.trim()
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), maxBackOffMs)
}
