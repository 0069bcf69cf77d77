/** The similarity of two short texts by their words. In scripts without spaces, each character counts as a word. */

/** Returns 0 if no word is common, up to 1 for the same words (the F1 of both shares). */
export const likeness = (one: string, other: string): number => likenessTo(one)(other)

/**
 * Returns a function that compares many texts with one, like `likeness`. It returns 0 for texts whose similarity
 * cannot exceed `least`.
 */
export function likenessTo(one: string): (other: string, least?: number) => number {
  const left = wordsIn(one)
  const counts = new Map<string, number>()
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1)
  return (other, least = 0) => {
    const right = wordsIn(other)
    if (left.length === 0 || right.length === 0) return 0
    const maxShare = (2 * Math.min(left.length, right.length)) / (left.length + right.length)
    if (maxShare < least) return 0
    const seen = new Map<string, number>()
    let common = 0
    for (const word of right) {
      const count = (seen.get(word) ?? 0) + 1
      seen.set(word, count)
      if (count <= (counts.get(word) ?? 0)) common++
    }
    return (2 * common) / (left.length + right.length)
  }
}

/** Returns the words in lower case, without marks. */
export function wordsIn(text: string): string[] {
  const short = text.slice(0, maxTextLength)
  const words = ascii.test(short)
    ? short.toLowerCase().match(/[a-z\d]+/g)
    : short.normalize('NFKC').toLowerCase().match(word)
  return words ?? []
}

/** One character of a script without spaces, or a word of another script beside it: 7 words in "IPA独立行政法人". */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}]]+/gv

const maxTextLength = 1000
/** ASCII texts need no normalization. */
const ascii = /^\p{ASCII}*$/u
