/** Computes the days of bills. They are UTC days, independent of the time zone of the machine. */

export const dayMs = 86_400_000

/** Returns the UTC day as `YYYY-MM-DD`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/**
 * Returns the seconds to the next UTC midnight. The result is never 0, so a client that waits this long is in the
 * next day.
 */
export const secondsToMidnight = (at: number): number => Math.ceil((dayMs - (at % dayMs)) / 1000)
