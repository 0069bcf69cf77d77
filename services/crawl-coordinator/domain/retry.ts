/**
 * How often and after which delays a request of a run is retried: one table for all kinds.
 *
 * A failure is a result: it counts as an attempt, and after the last one the page has failed. A silence is not. It says
 * nothing about the site, only that a part of the system is stuck. Orders in flight are then repeated as the same
 * attempt, after growing delays.
 */

/** After each attempt except the last, in milliseconds. */
const waits = {
  page: [1_000, 5_000],
  sitemap: [1_000, 5_000],
  robots: [1_000, 2_000],
}

/** Min wait between a server error and the second request of its page, in milliseconds. */
const recheckWaitMs = 1_000

/**
 * Durations without any outcome before all orders in flight are repeated; the last applies to all further times. FETCH
 * keeps message ids for ten minutes: the second time is beyond them, so lost orders are certainly sent again.
 */
const silencesMs = [120_000, 490_000, 1_800_000]
/** After this number of consecutive silences, some eleven hours, the orders in flight are abandoned. */
export const maxSilences = 24

/** Maximum delay, whatever a server requests. */
const maxWaitMs = 120_000

export type Asked = keyof typeof waits
export type Again = { attempt: number; notBefore: string }

/** The number of attempts of each kind. */
export const attemptsOf = (kind: Asked): number => waits[kind].length + 1

/**
 * Returns the attempt after one that failed at `now` (epoch milliseconds), and its earliest time; null after the last.
 */
export function attemptAfter(
  kind: Asked,
  attempt: number,
  { now, retryAfterMs = 0 }: { now: number; retryAfterMs?: number },
): Again | null {
  const wait = waits[kind][attempt - 1]
  if (wait === undefined) return null
  const notBefore = now + Math.min(Math.max(wait, retryAfterMs), maxWaitMs)
  return { attempt: attempt + 1, notBefore: new Date(notBefore).toISOString() }
}

/** Returns the second request of a page that answered with a server error on this attempt, at `now` (epoch milliseconds). */
export const recheckAfter = (attempt: number, now: number): Again => ({
  attempt: attempt + 1,
  notBefore: new Date(now + recheckWaitMs).toISOString(),
})

/** Whether a time is further away than any delay: the clock has since been set back. */
export const isFarAhead = (moment: number, now: number): boolean => moment - now > maxWaitMs

/** Whether a waiting item is due. */
export const isDue = (notBefore: number, now: number): boolean =>
  notBefore <= now || isFarAhead(notBefore, now)

/** Returns when it is due at the latest, whatever the clock does after `since`. */
export const dueBy = (notBefore: number, since: number): number => Math.min(notBefore, since + maxWaitMs)

/** Returns how long a silence lasts before it counts, after this number of counted ones. */
export const silenceMs = (times: number): number =>
  silencesMs[Math.min(times, silencesMs.length - 1)] ?? maxWaitMs
