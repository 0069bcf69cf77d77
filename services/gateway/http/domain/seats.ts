/** How many long answers of a kind each project holds open, so that none takes all there are. */

export class Seats {
  readonly #taken = new Map<number, number>()
  readonly #most: number

  constructor(maxOfProject: number) {
    this.#most = maxOfProject
  }

  /** What gives the seat back, to be called once; null where the project has all of its seats. */
  take(projectId: number): (() => void) | null {
    const taken = this.#taken.get(projectId) ?? 0
    if (taken >= this.#most) return null
    this.#taken.set(projectId, taken + 1)
    return () => {
      const left = (this.#taken.get(projectId) ?? 1) - 1
      if (left > 0) this.#taken.set(projectId, left)
      else this.#taken.delete(projectId)
    }
  }
}
