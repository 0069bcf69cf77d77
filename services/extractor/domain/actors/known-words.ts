/**
 * Finds the words of one text that occur in another between the same neighbors. Blocks may be in any order, repeated or
 * split differently. A changed word makes only its neighbors unknown. Linear in both texts.
 */

/** Matches a word. In scripts without spaces each letter counts as a word, because word boundaries are unknown. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv

/** Maximum number of words compared in each text. */
export const maxWords = 50_000
/** Factor between the numbers of two words in `ngramId`. It exceeds the number of distinct words in two texts. */
const shift = 2 ** 17

/** The texts of blocks, in page order. */
type Blocks = readonly string[]

/** Number of letters and digits, and how many of them belong to words that the other text does not contain. */
export type Measured = { chars: number; unknown: number; isCut: boolean }

/** Returns how much of all blocks together is missing in the two texts of `known`. */
export function measureUnknown(blocks: Blocks, known: readonly [Blocks, Blocks]): Measured {
  const ngrams = ngramsOf(known)
  const { words, isCut } = wordsOf(blocks)
  const measured: Measured = { chars: 0, unknown: 0, isCut: isCut || ngrams.isCut }
  for (const block of words) {
    const ids = block.map(text => ngrams.numbers.get(text) ?? 0)
    for (const [at, { length }] of block.entries()) {
      measured.chars += length
      if (!isKnown(ngrams, ids, at)) measured.unknown += length
    }
  }
  return measured
}

export const countLetters = (blocks: Blocks): number =>
  wordsOf(blocks).words.reduce((sum, block) => sum + block.join('').length, 0)

function wordsOf(blocks: Blocks): { words: string[][]; isCut: boolean } {
  const found: string[][] = []
  let left = maxWords
  for (const block of blocks) {
    const words: string[] = []
    for (const [text] of block.matchAll(word)) {
      if (words.length === left) return { words: [...found, words], isCut: true }
      words.push(text)
    }
    found.push(words)
    left -= words.length
  }
  return { words: found, isCut: false }
}

/** Each sequence of one, two and three words, as a number. */
type Ngrams = { numbers: Map<string, number>; singles: Set<number>; pairs: Set<number>; triples: Set<number> }

/** Sequences cross the ends of blocks, because another text may have them in one block. */
function ngramsOf(texts: readonly Blocks[]): Ngrams & { isCut: boolean } {
  const ngrams: Ngrams = { numbers: new Map(), singles: new Set(), pairs: new Set(), triples: new Set() }
  const all = texts.map(wordsOf)
  for (const { words } of all) {
    const ids = words.flat().map(text => numbered(ngrams.numbers, text))
    for (const at of ids.keys()) {
      ngrams.singles.add(ngramId(ids, at, 1))
      if (at + 2 <= ids.length) ngrams.pairs.add(ngramId(ids, at, 2))
      if (at + 3 <= ids.length) ngrams.triples.add(ngramId(ids, at, 3))
    }
  }
  return { ...ngrams, isCut: all.some(({ isCut }) => isCut) }
}

/** Numbers begin at 1. */
function numbered(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size + 1
  numbers.set(text, number)
  return number
}

/** A block of fewer than three words must be known as a whole. */
function isKnown({ singles, pairs, triples }: Ngrams, ids: readonly number[], at: number): boolean {
  if (ids.length === 1) return singles.has(ngramId(ids, 0, 1))
  if (ids.length === 2) return pairs.has(ngramId(ids, 0, 2))
  for (let from = Math.max(0, at - 2); from <= at && from + 3 <= ids.length; from++) {
    if (triples.has(ngramId(ids, from, 3))) return true
  }
  return false
}

/** Exact for up to three words, because `shift` ** 3 is below 2 ** 53. */
function ngramId(ids: readonly number[], from: number, length: number): number {
  let id = 0
  for (let at = from; at < from + length; at++) id = id * shift + (ids[at] ?? 0)
  return id
}
