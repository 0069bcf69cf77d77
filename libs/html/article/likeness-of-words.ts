/** How alike two short texts are, by their words; characters of scripts without spaces are words of their own. */

/** 0 for no word in common, 1 for the same words (the F1 of both shares). */
export const likeness = (one: string, other: string): number => likenessTo(one)(other)

/** As `likeness`, of many texts to the same one. */
export function likenessTo(one: string): (other: string) => number {
  const left = wordsIn(one)
  const counts = new Map<string, number>()
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1)
  return other => {
    const right = wordsIn(other)
    if (left.length === 0 || right.length === 0) return 0
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
export const wordsIn = (text: string): string[] =>
  text
    .slice(0, longest)
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu) ?? []

const longest = 1000
