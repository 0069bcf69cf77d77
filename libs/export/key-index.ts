/** Maps texts to numbers in 23 to 46 bytes each, where a Map costs 150. Texts are compared by 64 bits of SHA-256. */
import { hash } from 'node:crypto'

const minSlots = 1024
const maxLoad = 0.7

export class KeyIndex {
  #high = new Uint32Array(minSlots)
  #low = new Uint32Array(minSlots)
  /** 0: the slot is empty; otherwise the number plus 1. */
  #numbers = new Float64Array(minSlots)
  #count = 0

  get(text: string): number | undefined {
    const found = this.#numbers[this.#slotOf(...halvesOf(text))] ?? 0
    return found === 0 ? undefined : found - 1
  }

  /** Stores an integer of at least 0, also over an earlier one. */
  set(text: string, number: number): void {
    if (this.#count >= this.#numbers.length * maxLoad) this.#grow()
    this.#put(...halvesOf(text), number + 1)
  }

  #put(high: number, low: number, stored: number): void {
    const slot = this.#slotOf(high, low)
    if (this.#numbers[slot] === 0) this.#count += 1
    this.#high[slot] = high
    this.#low[slot] = low
    this.#numbers[slot] = stored
  }

  /** Returns the slot of a key, or the empty slot where it belongs. */
  #slotOf(high: number, low: number): number {
    const mask = this.#numbers.length - 1
    let slot = low & mask
    while (this.#numbers[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low))
      slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [high, low, numbers] = [this.#high, this.#low, this.#numbers]
    const slots = numbers.length * 2
    this.#high = new Uint32Array(slots)
    this.#low = new Uint32Array(slots)
    this.#numbers = new Float64Array(slots)
    this.#count = 0
    for (const [slot, stored] of numbers.entries())
      if (stored !== 0) this.#put(high[slot] as number, low[slot] as number, stored)
  }
}

function halvesOf(text: string): [high: number, low: number] {
  const digest = hash('sha256', text, 'buffer')
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)]
}
