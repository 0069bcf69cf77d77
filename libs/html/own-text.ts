/** Strings to keep: white space collapsed, bounded, and copied, so that none is a window on a whole page. */
import { CollapsedText } from './collapsed-text.ts'

/** The collapsed text, at most `limit` characters of it. */
export function ownText(text: string, limit: number): string {
  collector.reset()
  collector.addString(text)
  return collector.take(limit)
}

/** As `ownText`; null for what is missing or empty. */
export const ownTextOrNull = (text: string | null, limit: number): string | null =>
  text === null ? null : ownText(text, limit) || null

const collector = new CollapsedText(16_384)
