/**
 * Which words of one text stand in another among the same neighbours. Blocks may come in any order, more than once, and
 * be parted otherwise; a word that changed makes no more than those beside it unknown. Linear in both texts.
 */

/** A letter of a script without spaces is a word, for nobody can tell where one ends. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv

/** Of each text: what stands beyond is not compared. */
export const mostWords = 50_000
/** More than there are different words. */
const shift = 2 ** 17

/** Texts without a break between them, in their order. */
type Blocks = readonly string[]

/** Letters and digits, and how many of them belong to words that the other text does not have. */
export type Measured = { chars: number; unknown: number; isCut: boolean }

/** Says of blocks how much of them is not in `known`, of which each is a text by itself. */
export function measureUnknown(blocks: Blocks, known: readonly Blocks[]): Measured {
  const runs = runsOf(known)
  const { words, isCut } = wordsOf(blocks)
  const measured: Measured = { chars: 0, unknown: 0, isCut: isCut || runs.isCut }
  for (const block of words) {
    const ids = block.map(text => runs.numbers.get(text) ?? 0)
    for (const [at, { length }] of block.entries()) {
      measured.chars += length
      if (!isKnown(runs, ids, at)) measured.unknown += length
    }
  }
  return measured
}

export const countLetters = (blocks: Blocks): number =>
  wordsOf(blocks).words.reduce((sum, block) => sum + block.join('').length, 0)

function wordsOf(blocks: Blocks): { words: string[][]; isCut: boolean } {
  const found: string[][] = []
  let left = mostWords
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

/** Each run of one, two and three words, as a number. */
type Runs = { numbers: Map<string, number>; singles: Set<number>; pairs: Set<number>; triples: Set<number> }

/** Across the ends of blocks too, for another text may have them in one. */
function runsOf(texts: readonly Blocks[]): Runs & { isCut: boolean } {
  const runs: Runs = { numbers: new Map(), singles: new Set(), pairs: new Set(), triples: new Set() }
  const all = texts.map(wordsOf)
  for (const { words } of all) {
    const ids = words.flat().map(text => numbered(runs.numbers, text))
    for (const at of ids.keys()) {
      runs.singles.add(runAt(ids, at, 1))
      if (at + 2 <= ids.length) runs.pairs.add(runAt(ids, at, 2))
      if (at + 3 <= ids.length) runs.triples.add(runAt(ids, at, 3))
    }
  }
  return { ...runs, isCut: all.some(({ isCut }) => isCut) }
}

/** From 1. */
function numbered(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size + 1
  numbers.set(text, number)
  return number
}

/** In a block of fewer than three words the whole block must be known. */
function isKnown({ singles, pairs, triples }: Runs, ids: readonly number[], at: number): boolean {
  if (ids.length === 1) return singles.has(runAt(ids, 0, 1))
  if (ids.length === 2) return pairs.has(runAt(ids, 0, 2))
  for (let from = Math.max(0, at - 2); from <= at && from + 3 <= ids.length; from++) {
    if (triples.has(runAt(ids, from, 3))) return true
  }
  return false
}

/** Exact for up to three. */
function runAt(ids: readonly number[], from: number, length: number): number {
  let run = 0
  for (let at = from; at < from + length; at++) run = run * shift + (ids[at] ?? 0)
  return run
}
