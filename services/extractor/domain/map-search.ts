/** Finds addresses by words: in their path and query, and in the title where one is known. */
import type { MapItem } from '@tidemark/contracts/http/map'

const word = /[\p{L}\p{N}]+/gu
const mostWords = 20
/** Items that are weighed at a time. */
const perStep = 500
/** What a word is worth that stands as a whole, and as a part of another. */
const worth = { path: { whole: 4, part: 2 }, title: { whole: 3, part: 1 } }

/** Those with one of the words at least, the best first and equal ones as they came; all where there is no word. */
export function* searchSteps(items: MapItem[], search: string): Generator<void, MapItem[]> {
  const words = [...wordsOf(search)].slice(0, mostWords)
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

/** As a person reads it; what is no UTF-8 stays escaped. */
function readable(path: string): string {
  try {
    return fold(path.includes('%') ? decodeURIComponent(path) : path)
  } catch {
    return fold(path)
  }
}
