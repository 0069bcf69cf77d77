/** Creates API keys. A key is shown once, and only its hash is stored. */
import { hash } from 'node:crypto'
import { apiKey, base62, checkOf, prefixOf } from '@tidemark/contracts/api-key'

/** A key as it is stored, with its SHA-256 in lower-case hex. A fast hash is sufficient for 238 random bits. */
export type StoredKey = { prefix: string; hash: string; label: string }

/**
 * Returns a new key, and its stored fields.
 * @param below returns for `n` an unpredictable integer from 0 to n - 1, uniformly distributed
 */
export function makeKey(label: string, below: (n: number) => number): { plaintext: string; key: StoredKey } {
  const random = Array.from({ length: apiKey.random }, () => base62[below(base62.length)])
  const text = apiKey.fixed + random.join('')
  const plaintext = text + checkOf(text)
  return { plaintext, key: { prefix: prefixOf(plaintext), hash: hash('sha256', plaintext), label } }
}
