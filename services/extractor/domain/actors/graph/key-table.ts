/**
 * Numbers by 64-bit names, in an open hash table on one typed array: whatever is asked for lies in one place. Where a
 * name lies depends on a secret, for else pages could be written whose names all lie in one place, and looking for
 * those takes time by the square of how many there are.
 */

/** A name that leads to no page. */
export const nowhere = -1

/** Words of a slot: two of the name, and the value; one is left, so that no slot lies across two lines of the cache. */
const widthBits = 2
const width = 1 << widthBits
/** Half of the slots stay free, so that what is not there is soon known not to be. */
const load = 0.5
/** A value as it is kept: 0 is a free slot. */
const keptMore = 2

/** Three numbers of 32 bits that nobody can guess. */
export type Secret = ArrayLike<number>

export class KeyTable {
  size = 0
  #slots: Int32Array
  /** Of where slots begin. */
  #mask: number
  /** How far 32 bits are shifted for the highest to be where a slot begins. */
  #shift: number
  readonly #lowFactor: number
  readonly #highFactor: number
  readonly #factor: number

  /** @param expected how many there will be at the least */
  constructor(expected: number, secret: Secret) {
    const bits = Math.ceil(Math.log2(Math.max(expected, 8) / load))
    this.#slots = new Int32Array(width << bits)
    this.#mask = this.#slots.length - width
    this.#shift = 32 - bits - widthBits
    const [low, high, both] = Array.from(secret, factor => factor | 1) // no bit is lost by an odd factor
    this.#lowFactor = low ?? 1
    this.#highFactor = high ?? 1
    this.#factor = both ?? 1
  }

  /** What was set for a name, both halves of which have 32 bits; undefined where nothing was. */
  get(low: number, high: number): number | undefined {
    const value = this.#slots[this.#slotOf(low | 0, high | 0) + 2] as number
    return value === 0 ? undefined : value - keptMore
  }

  /** Keeps a value of -1 or more. */
  set(low: number, high: number, value: number): void {
    if (this.size > this.#mask * (load / width)) this.#grow()
    const slot = this.#slotOf(low | 0, high | 0)
    if (this.#slots[slot + 2] === 0) this.size++
    this.#put(slot, low, high, value + keptMore)
  }

  #put(slot: number, low: number, high: number, kept: number): void {
    this.#slots[slot] = low
    this.#slots[slot + 1] = high
    this.#slots[slot + 2] = kept
  }

  /** Where its slot begins, or the free one in which it would be. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots
    let slot = this.#homeOf(low, high)
    for (;;) {
      if (slots[slot + 2] === 0 || (slots[slot] === low && slots[slot + 1] === high)) return slot
      slot = (slot + width) & this.#mask
    }
  }

  /**
   * From which slot on it is looked for: the highest bits, for in a product they depend on all others. Both halves are
   * folded, each in its own way, before they are added: names that differ in high bits alone would else share sums.
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
