/** Finds URLs by words in the path and query, and in the title if known. */

import type { MapItem } from '@tidemark/contracts/http/map'
import { decodedWord } from '@tidemark/url/escapes'

const word = /[\p{L}\p{N}]+/gu
const maxWords = 20
/** Items scored per step. */
const perStep = 500
/** Scores of a whole word and of a part of a word. */
const worth = { path: { whole: 4, part: 2 }, title: { whole: 3, part: 1 } }

/**
 * Returns the items with at least one of the words, best first. Equally good items stay in input order. Returns all
 * items if the search has no words.
 */
export function* searchSteps(items: MapItem[], search: string): Generator<void, MapItem[]> {
  const words = [...wordsOf(search)].slice(0, maxWords)
  if (words.length === 0) return items
  const weighed: { item: MapItem; weight: number }[] = []
  for (const [n, item] of items.entries()) {
    const weight = weightOf(item, words)
    if (weight > 0) weighed.push({ item, weight })
    if (n % perStep === perStep - 1) yield
  }
  weighed.sort((a, b) => b.weight - a.weight)
  return weighed.map(({ item }) => item)
}

function weightOf({ url, title = '' }: MapItem, words: string[]): number {
  const path = readable(url.slice(url.indexOf('/', url.indexOf('//') + 2)))
  return weightIn(path, words, worth.path) + (title === '' ? 0 : weightIn(fold(title), words, worth.title))
}

function weightIn(text: string, words: string[], { whole, part }: { whole: number; part: number }): number {
  const present = words.filter(one => text.includes(one))
  if (present.length === 0) return 0
  const all = wordsOf(text)
  return present.reduce((sum, one) => sum + (all.has(one) ? whole : part), 0)
}

const wordsOf = (text: string): Set<string> => new Set(fold(text).match(word))

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Returns the path with escapes decoded. Escapes that are not UTF-8 stay. */
const readable = (path: string): string => fold(decodedWord(path))
