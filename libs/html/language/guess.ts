/** In which language a page is written that does not say so. */

/** Characters: more text makes the guess no better. */
const mostText = 4_000
/** Below this any guess is a bad one. */
const leastText = 40

/** ISO 639-1, or null where the text is too short or too mixed to tell. Its data is loaded when it is first wanted. */
export async function languageOf(text: string): Promise<string | null> {
  if (text.length < leastText) return null
  const { eld } = await import('eld/extrasmall')
  const guess = eld.detect(text.slice(0, mostText))
  return guess.isReliable() ? guess.language || null : null
}
