/** Schedules the retries of a mail that could not be sent: soon at first, and for about a day. */

/** Seconds between two attempts. Together they are almost a day, because a mail server may be down that long. */
const pauses = [10, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]

/**
 * Returns the seconds until the next attempt; null after the last one. `isFinal`: the server has refused this mail for
 * good, and RFC 5321, 4.2.1, discourages a repetition.
 */
export const pauseAfter = (failedAttempts: number, isFinal: boolean): number | null =>
  isFinal ? null : (pauses[failedAttempts - 1] ?? null)
