/** Limits the concurrent long responses of each project, so that no project uses all capacity. */

export class Slots {
  readonly #taken = new Map<number, number>()
  readonly #max: number

  constructor(maxOfProject: number) {
    this.#max = maxOfProject
  }

  /** Acquires a slot. Returns the function that releases it, to be called once; null if the project has no free slot. */
  take(projectId: number): (() => void) | null {
    const taken = this.#taken.get(projectId) ?? 0
    if (taken >= this.#max) return null
    this.#taken.set(projectId, taken + 1)
    return () => {
      const left = (this.#taken.get(projectId) ?? 1) - 1
      if (left > 0) this.#taken.set(projectId, left)
      else this.#taken.delete(projectId)
    }
  }
}
