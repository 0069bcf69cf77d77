/** Computes the short key of a URL. Sets, fetch orders and database rows store it instead of the URL. */
import { hash } from 'node:crypto'

/**
 * Returns the first 8 bytes of the SHA-256 of a normal form, in base64url without padding: 11 characters. Among a
 * million URLs, the probability that two share a key is about 3 in 100 million.
 */
export function urlKey(normal: string): string {
  const digest = hash('sha256', normal, 'base64url')
  return digest.slice(0, 10) + lastCharacters[digest.charCodeAt(10)]
}

/** The 11th character of the whole digest contains two bits of the 9th byte, which are cleared here. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const lastCharacters: string[] = []
for (let value = 0; value < 64; value++) {
  lastCharacters[alphabet.charCodeAt(value)] = alphabet.charAt(value & 0b111100)
}
