/**
 * Defines words for all code that counts them. A word is a text between white space with a letter or a digit. A
 * character of a script without spaces ends the word before it. Such characters are counted apart: two of Chinese or
 * Japanese, or four of Thai, Lao, Khmer or Burmese, count as one word, which are averages of the prose of dictionaries.
 * A text may be counted in pieces.
 */

/** Begins a word outside of a word. */
export const letter = 1
/** Continues a word within a word. */
export const joint = 2
/** The higher bits are the number of quarters of a word: none, one or two. */
export const quartersShift = 2

export const letters = letter | joint
const quarter = 1 << quartersShift
const half = 2 << quartersShift

/** Later patterns override earlier ones. */
const patterns: readonly [pattern: RegExp, kind: number][] = [
  [/[\p{L}\p{N}]+/gu, letters],
  [/[[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}]]+/gv, quarter],
  [/[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]&&[\p{L}\p{N}]]+/gv, half],
  [/[\p{White_Space}\p{Cc}\ufeff]+/gu, 0],
]
/**
 * Kinds by the first unit of a surrogate pair, which identifies a block: letters, except signs and pictographs, and
 * Chinese.
 */
const pairs: readonly [from: number, to: number, kind: number][] = [
  [0xd800, 0xdbff, letters],
  [0xd83c, 0xd83e, joint],
  [0xd840, 0xd88d, half],
]

/** Kind of each UTF-16 unit in these bits, or 0 for separators. */
export const kindOf: Uint8Array<ArrayBuffer> = new Uint8Array(0x1_0000).fill(joint)

const units = Buffer.from(Uint16Array.from(kindOf, (_, unit) => unit).buffer).toString('utf16le')
for (const [pattern, kind] of patterns) {
  for (const { index, 0: run } of units.matchAll(pattern)) kindOf.fill(kind, index, index + run.length)
}
for (const [from, to, kind] of pairs) kindOf.fill(kind, from, to + 1)

/** Returns the number of words of a whole text. */
export function countWords(text: string): number {
  let runs = 0
  let quarters = 0
  let inWord = 0
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf[text.charCodeAt(at)] as number
    runs += kind & letter & ~inWord
    inWord = (kind & letter) | (inWord & (kind >> 1))
    quarters += kind >> quartersShift
  }
  return wordsOf(runs, quarters)
}

/** Returns the number of words from runs of letters and quarters of words, rounded up. */
export const wordsOf = (runs: number, quarters: number): number => runs + Math.ceil(quarters / 4)
