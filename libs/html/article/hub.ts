/** Recognizes pages that lead on by cards: links to other pages, each with a sentence. */
import type { Reading } from './reading.ts'

const minWords = 8
const minLinked = 0.8
/**
 * Minimum ratio of the text in cards to the prose of a hub. Cards of related articles have less text than the article.
 */
const muchMore = 2

/** Returns whether the cards in an element have much more text than its prose. */
export function isHub({ page, prose, pageKind }: Reading, at: number): boolean {
  if (pageKind !== 'article') return false
  let cards = 0
  for (const { marks, words, linked, size } of page.blocks.slice(page.firstBlock[at], page.lastBlock[at]))
    if (marks > 0 && words >= minWords && linked > size * minLinked) cards += size
  return cards > prose.of(at) * muchMore
}
