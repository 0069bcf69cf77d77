/** Numbers by 64-bit names, in an open hash table on one typed array: whatever is asked for lies in one place. */

/** A name that leads to no page. */
export const nowhere = -1

/** Words of a slot: two of the name, and the value; one is left, so that no slot lies across two lines of the cache. */
const width = 4
/** Half of the slots stay free, so that what is not there is soon known not to be. */
const load = 0.5
/** A value as it is kept: 0 is a free slot. */
const shift = 2

export class KeyTable {
  size = 0
  #slots: Int32Array
  #mask: number

  /** @param expected how many there will be at the least */
  constructor(expected: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(expected, 8) / load))
    this.#slots = new Int32Array(slots * width)
    this.#mask = slots - 1
  }

  /** What was set for a name, both halves of which have 32 bits; undefined where nothing was. */
  get(low: number, high: number): number | undefined {
    const value = this.#slots[this.#slotOf(low | 0, high | 0) + 2] as number
    return value === 0 ? undefined : value - shift
  }

  /** Keeps a value of -1 or more. */
  set(low: number, high: number, value: number): void {
    if (this.size > this.#mask * load) this.#grow()
    const slot = this.#slotOf(low | 0, high | 0)
    if (this.#slots[slot + 2] === 0) this.size++
    this.#put(slot, low, high, value + shift)
  }

  #put(slot: number, low: number, high: number, kept: number): void {
    this.#slots[slot] = low
    this.#slots[slot + 1] = high
    this.#slots[slot + 2] = kept
  }

  /** Where its slot begins, or the free one in which it would be. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots
    let n = low & this.#mask
    for (;;) {
      const slot = n * width
      if (slots[slot + 2] === 0 || (slots[slot] === low && slots[slot + 1] === high)) return slot
      n = (n + 1) & this.#mask
    }
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 2)
    this.#mask = this.#slots.length / width - 1
    for (let at = 0; at < old.length; at += width) {
      const [low, high, kept] = [old[at] as number, old[at + 1] as number, old[at + 2] as number]
      if (kept !== 0) this.#put(this.#slotOf(low, high), low, high, kept)
    }
  }
}
