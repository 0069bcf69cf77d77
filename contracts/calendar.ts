/** Days of billing: those of UTC, independent of the time zone of the machine. */

const dayMs = 86_400_000

/** `YYYY-MM-DD`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Never 0, so that a client that waits this long is in the next day. */
export const secondsToMidnight = (at: number): number => Math.ceil((dayMs - (at % dayMs)) / 1000)
