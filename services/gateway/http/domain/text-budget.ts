/** Limits the memory of long answers, in characters or bytes: for each answer, for those of an owner, and for all at once. */

type Limits = {
  each: number
  /** Default: `all`. */
  perOwner?: number
  all: number
}

export class TextBudget {
  readonly #most: Limits
  readonly #ofOwners = new Map<number, number>()
  #held = 0

  constructor(most: Limits) {
    this.#most = most
  }

  /**
   * Opens a share. Its disposal returns all that it took, and then it can take no more.
   * @param owner the project, if the budget has a limit for each
   */
  open(owner = 0): TextShare {
    const { each, all, perOwner = all } = this.#most
    let own = 0
    let isOver = false
    return {
      take: size => {
        const ofOwner = this.#ofOwners.get(owner) ?? 0
        if (isOver || own + size > each || ofOwner + size > perOwner || this.#held + size > all) return false
        own += size
        this.#add(owner, size)
        return true
      },
      [Symbol.dispose]: () => {
        this.#add(owner, -own)
        own = 0
        isOver = true
      },
    }
  }

  #add(owner: number, size: number): void {
    this.#held += size
    const ofOwner = (this.#ofOwners.get(owner) ?? 0) + size
    if (ofOwner > 0) this.#ofOwners.set(owner, ofOwner)
    else this.#ofOwners.delete(owner)
  }
}

export type TextShare = Disposable & {
  /** Returns false if the size exceeds a limit; then nothing is taken. */
  take(size: number): boolean
}
