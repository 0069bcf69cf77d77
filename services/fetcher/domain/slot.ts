/**
 * When a host may be asked next. A run keeps its own delay between its own requests, and between those of
 * two runs lies the shorter of their delays: so a run that wants a minute is not pushed back for ever by one
 * that wants a second, and does not slow it either. Times are milliseconds on any one clock.
 */

export type Pace = {
  /** When anybody last asked the host, and the delay of who did. */
  last: number
  gap: number
  /** When this run last asked it. */
  ownLast: number
  /** The host wants to be left alone until then. */
  until: number
}

export const never: Pace = { last: -Infinity, gap: 0, ownLast: -Infinity, until: -Infinity }

/** The earliest time for a request of a run that wants `delayMs`. */
export const slotOf = ({ last, gap, ownLast, until }: Pace, delayMs: number): number =>
  Math.max(ownLast + delayMs, last + Math.min(gap, delayMs), until)
