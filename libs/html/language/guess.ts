/** Guesses the language of a page that declares none. */

/** Maximum characters that are read. More text does not improve the guess. */
const maxText = 4_000
/** Minimum characters of a text. Guesses from shorter texts are unreliable. */
const minText = 40

/**
 * Returns the ISO 639-1 code, or null if the text is too short or too mixed. The data is loaded at the first call.
 */
export async function languageOf(text: string): Promise<string | null> {
  if (text.length < minText) return null
  const { eld } = await import('eld/extrasmall')
  const guess = eld.detect(text.slice(0, maxText))
  return guess.isReliable() ? guess.language || null : null
}
