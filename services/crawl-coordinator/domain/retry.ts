/**
 * How often something is asked for again, and after how long: one table for all that a run asks for.
 *
 * A failure is an answer: it counts as an attempt, and after the last one its page has failed. Silence is none. It
 * says nothing of the site, only that something between us and it stands still; so what is out is handed out again as
 * the same attempt, after waits that grow.
 */

/** After each attempt but the last, in milliseconds. */
const waits = {
  page: [1_000, 5_000],
  sitemap: [1_000, 5_000],
  robots: [1_000, 2_000],
}

/**
 * For so long nothing may come back before all that is out is handed out again; the last holds for all further times.
 * FETCH remembers the names of ten minutes: the second time is beyond them, so what was lost then goes out for sure.
 */
const silencesMs = [120_000, 490_000, 1_800_000]
/** After so many in a row, some eleven hours, what is out is given up. */
export const mostSilences = 24

/** No server makes us wait longer, whatever it asks for. */
const longestWaitMs = 120_000

export type Asked = keyof typeof waits
export type Again = { attempt: number; notBefore: string }

/** The attempts that each kind has. */
export const attemptsOf = (kind: Asked): number => waits[kind].length + 1

/** The attempt after one that failed at `now` (epoch milliseconds), and when it may begin; null after the last. */
export function attemptAfter(
  kind: Asked,
  attempt: number,
  { now, retryAfterMs = 0 }: { now: number; retryAfterMs?: number },
): Again | null {
  const wait = waits[kind][attempt - 1]
  if (wait === undefined) return null
  const notBefore = now + Math.min(Math.max(wait, retryAfterMs), longestWaitMs)
  return { attempt: attempt + 1, notBefore: new Date(notBefore).toISOString() }
}

/** Whether a moment is further away than any wait: the clock that set it has gone back since. */
export const isFarAhead = (moment: number, now: number): boolean => moment - now > longestWaitMs

/** Whether the moment of something that waits has come. */
export const isDue = (notBefore: number, now: number): boolean =>
  notBefore <= now || isFarAhead(notBefore, now)

/** The moment by which it is due, whatever the clock does after `since`, when it was set at the latest. */
export const dueBy = (notBefore: number, since: number): number => Math.min(notBefore, since + longestWaitMs)

/** How long a silence lasts before it counts, after so many that have counted. */
export const silenceMs = (times: number): number =>
  silencesMs[Math.min(times, silencesMs.length - 1)] ?? longestWaitMs
