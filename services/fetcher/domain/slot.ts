/**
 * When a host may receive its next request. A run keeps its own delay between its own requests. Between requests of two
 * runs lies the shorter of their delays: a run with a delay of a minute neither starves beside a run with a second, nor
 * slows it. Times are milliseconds on any one clock.
 */

export type Pace = {
  /** When any run last sent a request, and that run's delay. */
  last: number
  gap: number
  /** When this run last sent a request. */
  ownLast: number
  /** The host wants no requests until then. */
  until: number
}

export const never: Pace = { last: -Infinity, gap: 0, ownLast: -Infinity, until: -Infinity }

/** Returns the earliest time for a request of a run with `delayMs`. */
export const slotOf = ({ last, gap, ownLast, until }: Pace, delayMs: number): number =>
  Math.max(ownLast + delayMs, last + Math.min(gap, delayMs), until)
