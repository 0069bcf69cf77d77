/** Makes API keys. A key is shown once; afterwards only its hash is known. */
import { hash } from 'node:crypto'
import { apiKey, base62, checkOf } from '@tidemark/contracts/api-key'

/** A fresh key. `below(n)` gives an integer from 0 to n - 1, each as likely as any other, that nobody can guess. */
export function makeKey(below: (n: number) => number): string {
  const random = Array.from({ length: apiKey.random }, () => base62[below(base62.length)])
  const text = apiKey.fixed + random.join('')
  return text + checkOf(text)
}

/** SHA-256 in lower-case hex: a fast hash is right for 238 random bits. */
export const hashOf = (key: string): string => hash('sha256', key)
