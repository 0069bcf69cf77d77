/**
 * Decides how often and after which delays a request of a run is retried.
 *
 * A failure is a result: it counts as an attempt, and after the last attempt the page has failed. A silence, in which
 * no outcome arrives, is not a result. It means that a part of the system is stuck. Orders in flight are then sent
 * again as the same attempt, after growing delays.
 */
import { maxBackOffMs } from '@tidemark/contracts/work/fetch'

/** Minimum milliseconds after each attempt except the last: a page has `maxPageAttempts`. */
const waits = {
  page: [1_000, 5_000],
  sitemap: [1_000, 5_000],
  robots: [1_000, 2_000],
}

/** Minimum milliseconds between a server error and the second request of its page. */
const recheckWaitMs = 1_000

/**
 * Milliseconds without any outcome before all orders in flight are sent again; the last value applies to all further
 * times. FETCH keeps message ids for ten minutes: the second time is later, so lost orders are certainly sent again.
 */
const silencesMs = [120_000, 490_000, 1_800_000]
/** Number of consecutive silences, about eleven hours, after which the orders in flight fail. */
export const maxSilences = 24

export type RetriedKind = keyof typeof waits
export type Again = { attempt: number; notBefore: string }

/** Returns the maximum number of attempts of a kind. */
export const attemptsOf = (kind: RetriedKind): number => waits[kind].length + 1

/**
 * Returns the number of the first attempt after a reopening of the run. All attempts of a run have different numbers,
 * because an order is recognized by its number.
 */
export const firstAfter = (kind: 'sitemap' | 'robots', attempts: number): number =>
  Math.ceil(attempts / attemptsOf(kind)) * attemptsOf(kind) + 1

/** Returns the number of attempts before the reopening in which this attempt was made. */
export const earlierThan = (kind: 'sitemap' | 'robots', attempt: number): number =>
  Math.floor((attempt - 1) / attemptsOf(kind)) * attemptsOf(kind)

/**
 * Returns the attempt after one that failed at `now` (epoch milliseconds), and its earliest time; null after the last.
 * @param earlier number of attempts before the last reopening of the run
 */
export function attemptAfter(
  kind: RetriedKind,
  attempt: number,
  { now, retryAfterMs = 0, earlier = 0 }: { now: number; retryAfterMs?: number; earlier?: number },
): Again | null {
  const wait = waits[kind][attempt - earlier - 1]
  if (wait === undefined) return null
  const notBefore = now + Math.min(Math.max(wait, retryAfterMs), maxBackOffMs)
  return { attempt: attempt + 1, notBefore: new Date(notBefore).toISOString() }
}

/**
 * Returns the second request of a page that answered with a server error on this attempt, at `now` (epoch
 * milliseconds).
 */
export const recheckAfter = (attempt: number, now: number): Again => ({
  attempt: attempt + 1,
  notBefore: new Date(now + recheckWaitMs).toISOString(),
})

/** Returns whether a time is further away than any delay, because the clock has since been set back. */
export const isFarAhead = (moment: number, now: number): boolean => moment - now > maxBackOffMs

/** Returns whether a waiting item is due. */
export const isDue = (notBefore: number, now: number): boolean =>
  notBefore <= now || isFarAhead(notBefore, now)

/** Returns the latest time at which an item becomes due, even if the clock is changed after `since`. */
export const dueBy = (notBefore: number, since: number): number => Math.min(notBefore, since + maxBackOffMs)

/**
 * Returns the milliseconds without an outcome until the next silence counts, if `times` silences were counted before.
 */
export const silenceMs = (times: number): number =>
  silencesMs[Math.min(times, silencesMs.length - 1)] ?? maxBackOffMs
