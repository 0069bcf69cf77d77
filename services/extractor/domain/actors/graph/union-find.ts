/** Which pages hang together: sets that are joined, two at a time. */

export class UnionFind {
  /** Of each its parent; who is its own stands for its set. */
  readonly #parents: Int32Array
  /** How many sets there are. */
  sets: number

  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_, n) => n)
    this.sets = size
  }

  /** Who stands for the set: the smallest of it. */
  find(one: number): number {
    const parents = this.#parents
    let at = one
    for (let parent = parents[at] as number; parent !== at; parent = parents[at] as number) {
      const grandparent = parents[parent] as number
      parents[at] = grandparent
      at = grandparent
    }
    return at
  }

  join(one: number, other: number): void {
    const [a, b] = [this.find(one), this.find(other)]
    if (a === b) return
    this.#parents[Math.max(a, b)] = Math.min(a, b)
    this.sets--
  }
}
