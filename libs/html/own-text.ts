/**
 * Creates strings to keep: with collapsed white space, limited length, and copied, so that they keep no page in
 * memory.
 */
import { CollapsedText } from './collapsed-text.ts'

/** Returns at most `limit` characters of the collapsed text. */
export function ownText(text: string, limit: number): string {
  collector.reset()
  collector.addString(text)
  return collector.take(limit)
}

/** Returns the same as `ownText`, or null if the text is missing or empty. */
export const ownTextOrNull = (text: string | null, limit: number): string | null =>
  text === null ? null : ownText(text, limit) || null

const collector = new CollapsedText(16_384)
