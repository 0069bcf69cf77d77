/** How long a text is to its readers. */

/** Reading speeds, as far as they are known. */
export const wordsPerMinute = 230

/** Whole minutes, at least one for any text. */
export const readingTime = (words: number): number => Math.ceil(words / wordsPerMinute)

/** Returns the time in seconds at a number of words per minute, rounded up. */
export const readingSeconds = (words: number, perMinute: number): number =>
  Math.ceil((words * 60) / perMinute)
