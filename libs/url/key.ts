/** The short name of a URL, which sets, orders and rows contain instead of the text. */
import { hash } from 'node:crypto'

/**
 * The first 8 bytes of the SHA-256 of a normal form, in base64url without padding: 11 characters.
 * Among a million URLs two share a key with a probability of about 3 in 100 million.
 */
export function urlKey(normal: string): string {
  const digest = hash('sha256', normal, 'base64url')
  return digest.slice(0, 10) + lastCharacters[digest.charCodeAt(10)]
}

/** The 11th character of the whole digest holds two bits of the 9th byte; here they are cleared. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const lastCharacters: string[] = []
for (let value = 0; value < 64; value++) {
  lastCharacters[alphabet.charCodeAt(value)] = alphabet.charAt(value & 0b111100)
}
