/** Creates API keys. A key is shown once, and only its hash is stored. */
import { hash } from 'node:crypto'
import { apiKey, base62, checkOf } from '@tidemark/contracts/api-key'

/** Returns a new key. `below(n)` returns an unpredictable integer from 0 to n - 1, uniformly distributed. */
export function makeKey(below: (n: number) => number): string {
  const random = Array.from({ length: apiKey.random }, () => base62[below(base62.length)])
  const text = apiKey.fixed + random.join('')
  return text + checkOf(text)
}

/** Returns the SHA-256 in lower-case hex. A fast hash is sufficient for 238 random bits. */
export const hashOf = (key: string): string => hash('sha256', key)
