/** When a mail that could not be sent is tried again: soon at first, for about a day, and then no more. */

/** Seconds between one try and the next: together not quite a day, as long as a mail server may well be away. */
const pauses = [10, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]

/**
 * Seconds until the next try after so many that failed; null when there is none. `isFinal` says that the server has
 * refused this very mail, which RFC 5321, 4.2.1, asks not to be repeated.
 */
export const pauseAfter = (tries: number, isFinal: boolean): number | null =>
  isFinal ? null : (pauses[tries - 1] ?? null)
