/** How long a text is to its readers. */

/** What people read, as far as nobody says how they do. */
export const wordsPerMinute = 230

/** Whole minutes, at least one for any text. */
export const readingTime = (words: number): number => Math.ceil(words / wordsPerMinute)

/** Whole seconds at so many words a minute, rounded up. */
export const readingSeconds = (words: number, perMinute: number): number =>
  Math.ceil((words * 60) / perMinute)
