/** A binary heap of pairs of adjacent parts: the lowest rank first, then the leftmost position. */

/** Exceeds every position. Its product with a rank below 2^18 is exact (below 2^53). */
const positions = 2 ** 32

export class MergeQueue {
  readonly #keys: number[] = []

  add(rank: number, at: number): void {
    const keys = this.#keys
    const key = rank * positions + at
    let hole = keys.length
    keys.push(key)
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = keys[parent] as number
      if (above <= key) break
      keys[hole] = above
      hole = parent
    }
    keys[hole] = key
  }

  /** Removes and returns the first pair, or null if the queue is empty. */
  take(): { rank: number; at: number } | null {
    const keys = this.#keys
    const [first] = keys
    const last = keys.pop()
    if (first === undefined || last === undefined) return null
    if (keys.length > 0) this.#sink(last)
    return { rank: Math.floor(first / positions), at: first % positions }
  }

  #sink(key: number): void {
    const keys = this.#keys
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= keys.length) break
      if (child + 1 < keys.length && (keys[child + 1] as number) < (keys[child] as number)) child++
      const below = keys[child] as number
      if (below >= key) break
      keys[hole] = below
      hole = child
    }
    keys[hole] = key
  }
}
