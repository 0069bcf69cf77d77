/**
 * Percent-encoding in its one normal form (RFC 3986, 6.2.2): hexadecimal digits are upper case and
 * unreserved characters stand for themselves. Doing it twice changes nothing.
 */

const percent = 0x25

/** Returns the text that a percent-encoded word stands for; the word itself where its escapes are invalid. */
export function decodedWord(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/**
 * The same path or query with its escapes normalised. A percent sign that begins no escape stays, and an
 * escape is never decoded where its character would turn such a sign into a new escape (`%%32%65`).
 */
export function normalEscapes(text: string): string {
  let at = text.indexOf('%')
  if (at === -1) return text

  let out = ''
  let done = 0
  // The last two characters of `out`: reading them from the string would copy it each time.
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
    if (unreserved[octet] === 1 && !isBarePercent(before, last)) {
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

const escapes = Array.from(
  { length: 256 },
  (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`,
)

/** The octet that the escape at `at` stands for, or -1 when none begins there. */
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

/** Whether one more character could complete an escape, after these two: `%`, or `%` and one digit. */
const isBarePercent = (before: number, last: number): boolean =>
  last === percent || (before === percent && hexadecimal(last) >= 0)
