/** Connected pages: disjoint sets that are joined pairwise. */

export class UnionFind {
  /** Parent of each page. A page that is its own parent represents its set. */
  readonly #parents: Int32Array
  /** Number of sets. */
  sets: number

  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_, n) => n)
    this.sets = size
  }

  /** Returns the representative of the set, its smallest member. */
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
