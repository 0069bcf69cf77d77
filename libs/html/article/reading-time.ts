/** How long a text is to its readers. */
import { measure } from './text-measure.ts'

/** What people read, as far as nobody says how they do. */
export const wordsPerMinute = 230

/** Words; two characters of a script without spaces count as one. */
export function countWords(text: string): number {
  const found = { size: 0, words: 0, marks: 0 }
  measure(text, found)
  return found.words
}

/** Whole minutes, at least one for any text. */
export const readingTime = (words: number): number => Math.ceil(words / wordsPerMinute)

/** Whole seconds at so many words a minute, rounded up. */
export const readingSeconds = (words: number, perMinute: number): number =>
  Math.ceil((words * 60) / perMinute)
