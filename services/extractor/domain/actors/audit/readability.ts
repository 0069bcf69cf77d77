/** How hard an English text is to read, by Flesch's formula of 1948. */

/** `ease`: 100 is very easy, below 30 very hard; syllables are estimated. */
export function fleschOf(texts: readonly string[]): { ease: number; words: number } {
  let [sentences, words, syllables] = [0, 0, 0]
  for (const text of texts) {
    const found = text.match(/[A-Za-z][A-Za-z'’]*/g) ?? []
    sentences += Math.max(1, text.match(/[.!?]+(?=\s|$)/g)?.length ?? 0)
    words += found.length
    for (const word of found) syllables += syllablesIn(word.toLowerCase())
  }
  if (words === 0) return { ease: 100, words }
  return { ease: 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words), words }
}

/** Groups of vowels, without an e that is not spoken. */
function syllablesIn(word: string): number {
  const groups = word.replace(/(?:[^laeiouy]es|[^laeiouy]e|ed)$/, '').match(/[aeiouy]{1,2}/g)
  return Math.max(1, groups?.length ?? 0)
}
