/**
 * Percent-encoding in one normal form (RFC 3986, 6.2.2): hexadecimal digits are in upper case, and unreserved
 * characters are not escaped. Normalizing twice changes nothing.
 */

const percent = 0x25

/** Returns the decoded text of a percent-encoded word, or the word itself if its escapes are invalid. */
export function decodedWord(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/**
 * Returns a path or query with normalized escapes. A percent sign that starts no escape is kept. An escape is not
 * decoded if its character would complete a new escape after such a sign (`%%32%65`).
 */
export function normalEscapes(text: string): string {
  let at = text.indexOf('%')
  if (at === -1) return text

  let out = ''
  let done = 0
  // The last two characters of `out`. Reading them from the string itself would copy it each time.
  let [before, last] = [0, 0]
  while (at !== -1) {
    const octet = octetAt(text, at)
    if (octet === -1) {
      at = text.indexOf('%', at + 1)
      continue
    }
    if (at > done) {
      before = at - done > 1 ? text.charCodeAt(at - 2) : last
      last = text.charCodeAt(at - 1)
      out += text.slice(done, at)
    }
    if (isUnreserved(octet) && !isBarePercent(before, last)) {
      out += String.fromCharCode(octet)
      before = last
      last = octet
    } else {
      out += escapes[octet]
      before = last = 0
    }
    done = at + 3
    at = text.indexOf('%', done)
  }
  return out + text.slice(done)
}

const unreserved = new Uint8Array(256)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
  unreserved[character.charCodeAt(0)] = 1
}

/** Returns whether a character is unreserved (RFC 3986, 2.3). */
export const isUnreserved = (code: number): boolean => unreserved[code] === 1

const escapes = Array.from(
  { length: 256 },
  (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`,
)

/** Returns the octet of the escape at `at`, or -1 if no escape starts there. */
function octetAt(text: string, at: number): number {
  const high = hexadecimal(text.charCodeAt(at + 1))
  const low = hexadecimal(text.charCodeAt(at + 2))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexadecimal(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Returns whether another character could complete an escape after these two: `%`, or `%` and one digit. */
const isBarePercent = (before: number, last: number): boolean =>
  last === percent || (before === percent && hexadecimal(last) >= 0)
