/** Makes the beginning of an untrusted response safe to store and show: one line of text, or nothing. */

const maxCharacters = 100
/** UTF-8 has at most 4 bytes per character. */
const maxBytes = 4 * maxCharacters

/**
 * Returns the first 100 characters on one line, without control characters and format characters (which can reorder
 * text). Returns null if the body is empty or not UTF-8.
 */
export function excerptOf(body: Uint8Array): string | null {
  const text = decoded(body.subarray(0, maxBytes))
  const line = text?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  if (!line) return null
  return Array.from(line).slice(0, maxCharacters).join('')
}

/** Returns the text without a character that is incomplete at the end; null: the bytes are not UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}
