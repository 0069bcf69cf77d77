/**
 * Computes when a host may receive its next request. A run keeps its own delay between its own requests. Requests of
 * two runs are separated by the shorter of their delays: a run with a delay of a minute neither starves beside a run
 * with a delay of a second, nor slows it. Times are milliseconds on any one clock.
 */

export type HostTimes = {
  /** Time of the last request of any run. `gap` is the delay of that run. */
  last: number
  gap: number
  /** Time of the last request of this run. */
  ownLast: number
  /** Time until which the host has requested a back-off. */
  until: number
}

export const noRequests: HostTimes = { last: -Infinity, gap: 0, ownLast: -Infinity, until: -Infinity }

/** Returns the earliest time for a request of a run with `delayMs`. */
export const earliestRequestAt = ({ last, gap, ownLast, until }: HostTimes, delayMs: number): number =>
  Math.max(ownLast + delayMs, last + Math.min(gap, delayMs), until)
