/**
 * Counts the words that differ between two texts. Their order does not matter, so text that only moves is not a change.
 */
import { kindOf, quartersShift } from '@tidemark/html/words'

/** A character of a script without spaces between words, or other text between white space. */
const pieces =
  /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[^\s\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+/gu
const word = /[\p{L}\p{N}]/u
const quartersOfWord = 4

/** Returns the number of added or of removed words, whichever is greater, so that a replaced word counts once. */
export function changedWords(before: string, after: string): number {
  const counts = new Map<string, number>()
  for (const [piece] of before.matchAll(pieces)) counts.set(piece, (counts.get(piece) ?? 0) - 1)
  for (const [piece] of after.matchAll(pieces)) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  let [added, removed] = [0, 0]
  for (const [piece, count] of counts) {
    if (count > 0) added += count * quartersOf(piece)
    else removed -= count * quartersOf(piece)
  }
  return Math.ceil(Math.max(added, removed) / quartersOfWord)
}

function quartersOf(piece: string): number {
  const quarters = (kindOf[piece.charCodeAt(0)] ?? 0) >> quartersShift
  if (quarters > 0) return quarters
  return word.test(piece) ? quartersOfWord : 0
}
