/**
 * Simhash (Charikar, 2002; Manku and others, 2007): 64 bits, of which few differ for similar texts. The features
 * are runs of three words, each counted once, so a repeated menu weighs no more than one sentence.
 */
import { kindOf, letter, quartersShift } from '@tidemark/html/words'

/** Words that are read. Texts that differ only beyond them have equal hashes. */
const maxWords = 20_000
const runLength = 3
/** From this kind on, each character counts as a word: scripts without spaces. */
const ownWord = 1 << quartersShift

/** Returns the upper and the lower 32 bits as unsigned numbers, or [0, 0] for a text without words. */
export function simhashOf(text: string): [high: number, low: number] {
  const words = wordHashes(text)
  if (words.length === 0) return [0, 0]
  // The number of runs by each byte of their hash. A run changes eight counts instead of 64 bits.
  const counts = new Uint32Array(8 * 256)
  const known = new Set<number>()
  for (let at = 0; at === 0 || at + runLength <= words.length; at++) {
    const run = runHash(words, at)
    if (known.has(run)) continue
    known.add(run)
    count(counts, 0, mixed(run))
    count(counts, 4, mixed(run ^ 0x9e3779b9))
  }
  return [bitsOf(counts, 4, known.size), bitsOf(counts, 0, known.size)]
}

/** Returns the FNV-1a hash of each word in lower case. */
function wordHashes(text: string): number[] {
  const lower = text.toLowerCase()
  const hashes: number[] = []
  let hash = start
  for (let at = 0; at <= lower.length && hashes.length < maxWords; at++) {
    const unit = at < lower.length ? lower.charCodeAt(at) : 0
    const kind = kindOf[unit] as number
    if (kind & letter) hash = Math.imul(hash ^ unit, 0x01000193)
    else {
      if (hash !== start) hashes.push(hash)
      if (kind >= ownWord) hashes.push(Math.imul(start ^ unit, 0x01000193))
      hash = start
    }
  }
  return hashes
}

/** The hash of an empty word. */
const start = 0x811c9dc5 | 0

function runHash(words: readonly number[], from: number): number {
  let hash = 0
  for (let at = from; at < Math.min(from + runLength, words.length); at++)
    hash = mixed(Math.imul(hash, 31) + (words[at] as number))
  return hash
}

/** The finalizer of MurmurHash3: each bit of the result depends on all bits. */
function mixed(bits: number): number {
  let hash = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function count(counts: Uint32Array, firstByte: number, bits: number): void {
  for (let byte = 0; byte < 4; byte++) {
    const at = (firstByte + byte) * 256 + ((bits >>> (byte * 8)) & 0xff)
    counts[at] = (counts[at] as number) + 1
  }
}

/** Returns 32 bits, each set if it is set in more than half of all runs. */
function bitsOf(counts: Uint32Array, firstByte: number, runs: number): number {
  let bits = 0
  for (let bit = 0; bit < 32; bit++) {
    const byte = firstByte + (bit >>> 3)
    let set = 0
    for (let value = 0; value < 256; value++)
      if ((value >>> (bit & 7)) & 1) set += counts[byte * 256 + value] as number
    if (set * 2 > runs) bits |= 1 << bit
  }
  return bits >>> 0
}
