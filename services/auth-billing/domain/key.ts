/**
 * API keys: `tmk_`, forty random characters, and six that check them (api decisions, Keys). The fixed beginning
 * lets secret scanners find a leaked key, the check finds a typing error without asking the database.
 */
import { hash } from 'node:crypto'

const fixed = 'tmk_'
const randomLength = 40
const checkLength = 6
const prefixLength = 12
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = new RegExp(`^${fixed}[0-9A-Za-z]{${randomLength + checkLength}}$`)

/** A fresh key. `below(n)` gives an integer from 0 to n - 1, each as likely as any other, that nobody can guess. */
export function makeKey(below: (n: number) => number): string {
  const random = Array.from({ length: randomLength }, () => alphabet[below(alphabet.length)])
  const text = fixed + random.join('')
  return text + checkOf(text)
}

/** Whether this can be a key at all: its form is right and its check fits. */
export const checkKeyShape = (key: string): boolean =>
  shape.test(key) && key.endsWith(checkOf(key.slice(0, -checkLength)))

/** What a key is found and named by: its first 12 characters. */
export const prefixOf = (key: string): string => key.slice(0, prefixLength)

/** SHA-256 in lower-case hex: a fast hash is right for 238 random bits. */
export const hashOf = (key: string): string => hash('sha256', key)

function checkOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let n = 0; n < checkLength; n++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}

/** CRC-32 of ASCII text, with the polynomial of ISO/IEC 8802-3 in reversed bit order. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const character of text) {
    crc ^= character.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
