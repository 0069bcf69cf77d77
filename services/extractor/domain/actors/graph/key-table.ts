/**
 * Maps 64-bit names to numbers: an open-addressed hash table in one typed array, so that a lookup touches one memory
 * location. Slots depend on a secret. Otherwise an attacker could write pages whose names collide, and lookups would
 * take quadratic time.
 */

/** Value of a name that leads to no page. */
export const nowhere = -1

/** Words of a slot: two for the name, one for the value, and one for padding, so that no slot spans two cache lines. */
const widthBits = 2
const width = 1 << widthBits
/** Maximum load factor, low enough for quick lookups of absent names. */
const load = 0.5
/** Offset of stored values: a value is -1 or more, and a stored 0 marks a free slot. */
const offset = 2

/** Three secret random 32-bit numbers. */
export type Secret = ArrayLike<number>

export class KeyTable {
  size = 0
  #slots: Int32Array
  /** Mask of the first word of a slot. */
  #mask: number
  /** Shift that turns the highest of 32 bits into a slot number. */
  #shift: number
  readonly #lowFactor: number
  readonly #highFactor: number
  readonly #factor: number

  /** @param expected minimum number of entries */
  constructor(expected: number, secret: Secret) {
    const bits = Math.ceil(Math.log2(Math.max(expected, 8) / load))
    this.#slots = new Int32Array(width << bits)
    this.#mask = this.#slots.length - width
    this.#shift = 32 - bits - widthBits
    const [low, high, both] = Array.from(secret, factor => factor | 1) // multiplication by an odd factor loses no bits
    this.#lowFactor = low ?? 1
    this.#highFactor = high ?? 1
    this.#factor = both ?? 1
  }

  /** Returns the value of a name with two 32-bit halves, or undefined. */
  get(low: number, high: number): number | undefined {
    const value = this.#slots[this.#slotOf(low | 0, high | 0) + 2] as number
    return value === 0 ? undefined : value - offset
  }

  /** Stores a value of -1 or more. */
  set(low: number, high: number, value: number): void {
    if (this.size > this.#mask * (load / width)) this.#grow()
    const slot = this.#slotOf(low | 0, high | 0)
    if (this.#slots[slot + 2] === 0) this.size++
    this.#put(slot, low, high, value + offset)
  }

  #put(slot: number, low: number, high: number, kept: number): void {
    this.#slots[slot] = low
    this.#slots[slot + 1] = high
    this.#slots[slot + 2] = kept
  }

  /** Returns the first word of the name's slot, or of the free slot for it. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots
    let slot = this.#homeOf(low, high)
    for (;;) {
      if (slots[slot + 2] === 0 || (slots[slot] === low && slots[slot + 1] === high)) return slot
      slot = (slot + width) & this.#mask
    }
  }

  /**
   * Returns the first slot to probe: the highest bits, because in a product they depend on all others. Each half is
   * folded differently before they are added, because names that differ only in high bits would otherwise have equal
   * sums.
   */
  #homeOf(low: number, high: number): number {
    const a = Math.imul(low, this.#lowFactor)
    const b = Math.imul(high, this.#highFactor)
    return (Math.imul((a ^ (a >>> 16)) + (b ^ (b >>> 15)), this.#factor) >>> this.#shift) & this.#mask
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 2)
    this.#mask = this.#slots.length - width
    this.#shift--
    for (let at = 0; at < old.length; at += width) {
      const [low, high, kept] = [old[at] as number, old[at + 1] as number, old[at + 2] as number]
      if (kept !== 0) this.#put(this.#slotOf(low, high), low, high, kept)
    }
  }
}
