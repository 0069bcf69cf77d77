/** How long a host asks to be left alone (RFC 9110, 10.2.3; with 429 by RFC 6585). */

/** No host keeps us waiting for longer than this, whatever it says. */
const longestBackOffMs = 120_000

const throttling = new Set([429, 503])

/**
 * Milliseconds from `now` until the host may be asked again; null when it does not throttle, or throttles
 * without saying for how long.
 * @param retryAfter the field's value: whole seconds or an HTTP date
 * @param now milliseconds since 1970
 */
export function backOffOf(status: number, retryAfter: string | undefined, now: number): number | null {
  if (!throttling.has(status) || retryAfter === undefined) return null
  const value = retryAfter.trim()
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), longestBackOffMs)
}
