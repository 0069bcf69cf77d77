/**
 * Counts tokens of the encoding o200k_base with the ranks and the split pattern of `gpt-tokenizer`. Its own merge is
 * quadratic in the length of a word, and pages can contain words of megabytes; this one takes n log n. Loading the ranks
 * takes a moment and 40 MB, so import this module on first use.
 */
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { MergeQueue } from './merge-queue.ts'

/** Ranks by the bytes of the token, each byte as one character. */
const rankOf = new Map<string, number>()
/** Ranks of tokens of two bytes, which form the index. -1: not a token. Most pairs to merge consist of single bytes. */
const rankOfTwo = new Int32Array(2 ** 16).fill(-1)
let maxBytes = 0
for (const [rank, token] of ranks.entries()) {
  if (token === undefined) continue
  const bytes = typeof token === 'string' ? bytesIn(token) : Buffer.from(token).toString('latin1')
  rankOf.set(bytes, rank)
  if (bytes.length === 2) rankOfTwo[twoAt(bytes, 0)] = rank
  maxBytes = Math.max(maxBytes, bytes.length)
}

const cache = new Map<string, number>()
/**
 * Long words hardly repeat. V8 stores a substring of 13 or more characters as a slice that keeps the whole text in memory,
 * so only shorter words are cached.
 */
const cached = { words: 20_000, characters: 12 }

/**
 * Returns the number of tokens, or any number above `max` as soon as it is known to exceed `max`. Names of special
 * tokens are counted as text.
 */
export function countTokens(text: string, max = Number.POSITIVE_INFINITY): number {
  const minCount = text.length / maxBytes
  if (minCount > max) return minCount
  let count = 0
  for (const [word] of text.matchAll(O200K_TOKEN_SPLIT_REGEX)) {
    count += tokensIn(word)
    if (count > max) break
  }
  return count
}

function tokensIn(word: string): number {
  const known = cache.get(word)
  if (known !== undefined) return known
  const bytes = bytesIn(word)
  const count = rankOf.has(bytes) ? 1 : mergedCount(bytes)
  if (word.length > cached.characters) return count
  if (cache.size === cached.words) cache.clear()
  cache.set(word, count)
  return count
}

function bytesIn(text: string): string {
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > 0x7f) return Buffer.from(text).toString('latin1')
  return text
}

/** Returns the rank of a part of the bytes, or -1 if it is not a token. */
function rankBetween(bytes: string, at: number, end: number): number {
  if (end - at === 2) return rankOfTwo[twoAt(bytes, at)] ?? -1
  return end - at <= maxBytes ? (rankOf.get(bytes.slice(at, end)) ?? -1) : -1
}

function twoAt(bytes: string, at: number): number {
  return bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1)
}

/**
 * Merges the adjacent pair with the lowest rank, the leftmost of equal ones, until no pair is a token. `next` and
 * `previous` link the parts that are left.
 */
function mergedCount(bytes: string): number {
  const length = bytes.length
  const next = new Int32Array(length + 1)
  const previous = new Int32Array(length + 1)
  for (let at = 0; at <= length; at++) {
    next[at] = at + 1
    previous[at] = at - 1
  }
  const pairRank = new Int32Array(length).fill(-1)
  const queue = new MergeQueue()
  /** Adds the pair that begins at `at`, if the pair is a token. */
  const offer = (at: number): void => {
    const middle = next[at] as number
    const end = middle < length ? (next[middle] as number) : length + 1
    const rank = end <= length ? rankBetween(bytes, at, end) : -1
    pairRank[at] = rank
    if (rank >= 0) queue.add(rank, at)
  }
  for (let at = 0; at < length; at++) offer(at)
  let parts = length
  for (let best = queue.take(); best !== null; best = queue.take()) {
    const { rank, at } = best
    if (pairRank[at] !== rank) continue // a part of the pair was merged meanwhile
    const right = next[at] as number
    const after = next[right] as number
    next[at] = after
    previous[after] = at
    pairRank[right] = -1
    parts--
    offer(at)
    const before = previous[at] as number
    if (before >= 0) offer(before)
  }
  return parts
}
