/** Repeatable randomness: the generator sfc32. One seed makes the same choices on every machine. */

export class Random {
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(seed: number) {
    this.#a = seed | 0
    this.#b = Math.floor(seed / 2 ** 32) | 0
    this.#c = 0x9e3779b9
    for (let n = 0; n < 12; n++) this.next()
  }

  /** Returns a number from 0 up to 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }

  /** Returns whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns a whole number, both bounds included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)]
    if (picked === undefined) throw new RangeError('Nothing to pick from.')
    return picked
  }

  /** Returns an independent generator, so that more choices in one part do not change those of another. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32) + Math.floor(this.next() * 2 ** 20) * 2 ** 32)
  }
}
