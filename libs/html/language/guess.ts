/** In which language a page is written that does not say so. */

/** Characters: more text makes the guess no better. */
const maxText = 4_000
/** Below this any guess is a bad one. */
const minText = 40

/**
 * Returns the language in ISO 639-1, or null for a text that is too short or too mixed. The data is loaded on first
 * use.
 */
export async function languageOf(text: string): Promise<string | null> {
  if (text.length < minText) return null
  const { eld } = await import('eld/extrasmall')
  const guess = eld.detect(text.slice(0, maxText))
  return guess.isReliable() ? guess.language || null : null
}
