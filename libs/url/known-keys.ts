/**
 * Keys of URLs from a bounded cache. Pages of a site repeat the same links, and looking a key up takes a tenth of the
 * time of computing it. The cache has two generations: when the young one is full, the old one is dropped.
 */
import { urlKey } from './key.ts'

const maxYoung = 8192
/** Maximum characters of a cached URL. Longer ones are rare. With this limit a thread keeps a few megabytes at most. */
const maxLength = 256

let young = new Map<string, string>()
let old = new Map<string, string>()

/**
 * Returns `urlKey(normal)`.
 * @param normal a normal form that keeps no larger string in memory
 */
export function knownKey(normal: string): string {
  if (normal.length > maxLength) return urlKey(normal)
  const known = young.get(normal)
  if (known !== undefined) return known
  const key = old.get(normal) ?? urlKey(normal)
  if (young.size >= maxYoung) {
    old = young
    young = new Map()
  }
  young.set(normal, key)
  return key
}
