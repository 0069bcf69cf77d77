/**
 * A set of texts that stores only 64 bits of each: 12 to 24 bytes per entry with free slots. With a million texts, the
 * probability of a false positive is 1 in 10^13.
 */
export class Fingerprints {
  readonly #capacity: number
  #count = 0
  /** Pairs of 32 bits; a pair of zeros is a free slot. */
  #table = new Uint32Array(2 * 64)

  /** @param capacity number of texts; additions to a full set are dropped */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#count
  }

  has(text: string): boolean {
    const [high, low] = fingerprintOf(text)
    const at = this.#slotOf(high, low)
    return this.#table[at] === high && this.#table[at + 1] === low
  }

  /** Returns whether the text was new and is stored now. */
  add(text: string): boolean {
    const [high, low] = fingerprintOf(text)
    const at = this.#slotOf(high, low)
    if (this.#table[at] !== 0 || this.#table[at + 1] !== 0 || this.#count >= this.#capacity) return false
    this.#table[at] = high
    this.#table[at + 1] = low
    this.#count++
    if (this.#count * 3 > this.#table.length) this.#grow()
    return true
  }

  #slotOf(high: number, low: number): number {
    const table = this.#table
    const mask = table.length - 1
    let at = (low << 1) & mask
    while ((table[at] !== 0 || table[at + 1] !== 0) && (table[at] !== high || table[at + 1] !== low)) {
      at = (at + 2) & mask
    }
    return at
  }

  #grow(): void {
    const old = this.#table
    this.#table = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]]
      if (high === 0 && low === 0) continue
      const slot = this.#slotOf(high, low)
      this.#table[slot] = high
      this.#table[slot + 1] = low
    }
  }
}

/** Returns two multiplicative hashes of the UTF-16 units, each mixed at its end; never both zero. */
function fingerprintOf(text: string): [high: number, low: number] {
  let high = 0x9e3779b9
  let low = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 0x85ebca6b)
    high ^= high >>> 15
    low = Math.imul(low ^ code, 0x01000193)
  }
  return [mixed(high ^ low), mixed(low) || 1]
}

function mixed(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
