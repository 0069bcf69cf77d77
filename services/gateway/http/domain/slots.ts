/**
 * Limits the concurrent long responses of each holder, so that none uses all capacity: a project, or the readers of its
 * shares.
 */

export class Slots {
  readonly #taken = new Map<number | string, number>()
  readonly #max: number

  constructor(maxOfHolder: number) {
    this.#max = maxOfHolder
  }

  /** Acquires a slot. Returns the function that releases it, to be called once; null if the holder has no free slot. */
  take(holder: number | string): (() => void) | null {
    const taken = this.#taken.get(holder) ?? 0
    if (taken >= this.#max) return null
    this.#taken.set(holder, taken + 1)
    return () => {
      const left = (this.#taken.get(holder) ?? 1) - 1
      if (left > 0) this.#taken.set(holder, left)
      else this.#taken.delete(holder)
    }
  }
}
