/** How alike two short texts are, by their words; characters of scripts without spaces are words of their own. */

/** 0 for no word in common, 1 for the same words (the F1 of both shares). */
export const likeness = (one: string, other: string): number => likenessTo(one)(other)

/** As `likeness`, of many texts to the same one; 0 for those that cannot be more alike than `least`. */
export function likenessTo(one: string): (other: string, least?: number) => number {
  const left = wordsIn(one)
  const counts = new Map<string, number>()
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1)
  return (other, least = 0) => {
    const right = wordsIn(other)
    if (left.length === 0 || right.length === 0) return 0
    const most = (2 * Math.min(left.length, right.length)) / (left.length + right.length)
    if (most < least) return 0
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

/** In lower case, without marks. */
export function wordsIn(text: string): string[] {
  const short = text.slice(0, longest)
  const words = ascii.test(short)
    ? short.toLowerCase().match(/[a-z\d]+/g)
    : short
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu)
  return words ?? []
}

const longest = 1000
/** No normalization changes ASCII. */
const ascii = /^\p{ASCII}*$/u
