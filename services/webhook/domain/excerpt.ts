/** How an answer of a stranger began, as it may be stored and shown: a line of text, or nothing. */

const maxCharacters = 100
/** More than enough for the characters that are kept. */
const maxBytes = 4 * maxCharacters

/**
 * The first 100 characters on one line, without control and format characters (which reorder what is read); null
 * for what is not UTF-8 text, and for nothing.
 */
export function excerptOf(body: Uint8Array): string | null {
  const text = decoded(body.subarray(0, maxBytes))
  const line = text?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  if (!line) return null
  return Array.from(line).slice(0, maxCharacters).join('')
}

/** A character that the cut went through is left out. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}
