/**
 * Simhash (Charikar, 2002; Manku and others, 2007): 64 bits that differ in few places for similar texts. The features
 * are runs of three words, each counted once, so a repeated menu weighs no more than one sentence.
 */

/** Words that are read. Texts that differ only beyond them have equal hashes. */
const maxWords = 20_000
const runLength = 3
const word = /[\p{L}\p{M}\p{N}]+/gu

/** Returns the upper and the lower 32 bits as unsigned numbers, or [0, 0] for a text without words. */
export function simhashOf(text: string): [high: number, low: number] {
  const words = wordHashes(text)
  if (words.length === 0) return [0, 0]
  const counters = new Int32Array(64)
  const known = new Set<number>()
  for (let at = 0; at === 0 || at + runLength <= words.length; at++) {
    const run = runHash(words, at)
    if (known.has(run)) continue
    known.add(run)
    addBits(counters, 0, mixed(run))
    addBits(counters, 32, mixed(run ^ 0x9e3779b9))
  }
  return [bitsOf(counters, 32), bitsOf(counters, 0)]
}

/** FNV-1a of each word in lower case. */
function wordHashes(text: string): number[] {
  const hashes: number[] = []
  for (const [found] of text.toLowerCase().matchAll(word)) {
    let hash = 0x811c9dc5
    for (let at = 0; at < found.length; at++) hash = Math.imul(hash ^ found.charCodeAt(at), 0x01000193)
    hashes.push(hash)
    if (hashes.length === maxWords) break
  }
  return hashes
}

function runHash(words: readonly number[], from: number): number {
  let hash = 0
  for (let at = from; at < Math.min(from + runLength, words.length); at++)
    hash = mixed(Math.imul(hash, 31) + (words[at] as number))
  return hash
}

/** The end of MurmurHash3: each bit of the result depends on all bits. */
function mixed(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function addBits(counters: Int32Array, from: number, bits: number): void {
  for (let bit = 0; bit < 32; bit++) {
    const at = from + bit
    counters[at] = (counters[at] as number) + ((bits >>> bit) & 1) * 2 - 1
  }
}

function bitsOf(counters: Int32Array, from: number): number {
  let bits = 0
  for (let bit = 0; bit < 32; bit++) if ((counters[from + bit] as number) > 0) bits |= 1 << bit
  return bits >>> 0
}
