/** The reading time of a text. */

/** Default words per minute. */
export const wordsPerMinute = 230

/** Returns whole minutes, at least one for any text. */
export const readingTime = (words: number): number => Math.ceil(words / wordsPerMinute)

/** Returns whole seconds at this number of words per minute, rounded up. */
export const readingSeconds = (words: number, perMinute: number): number =>
  Math.ceil((words * 60) / perMinute)
