/** Reads the time of the query field `as_of`. */
import type { ApiProblem } from '../../http/domain/problem.ts'
import { refusal } from '../../http/domain/refusal.ts'

/** Clocks of clients and of the writers of events may be ahead of this one. */
const maxAheadMs = 5_000

/**
 * Returns the time in UTC with milliseconds. Throws `ApiProblem` for a time in the future, and for an impossible one, such
 * as a leap second.
 * @param now milliseconds since 1970
 */
export function readAsOf(text: string, now: number): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw refusal('as_of', 'bad_value', 'as_of is outside the range of supported times.')
  if (ms > now + maxAheadMs) throw inFuture(text, now)
  return new Date(Math.max(ms, earliest)).toISOString()
}

const earliest = Date.UTC(1970)

const inFuture = (text: string, now: number): ApiProblem =>
  refusal(
    'as_of',
    'out_of_range',
    `as_of must not be in the future: ${text} is after ${new Date(now).toISOString()}, the time of the service. Leave it out to read the crawl as it is now.`,
  )
