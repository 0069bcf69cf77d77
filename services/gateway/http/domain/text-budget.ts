/**
 * Limits the memory of long bodies and answers, in characters or bytes: for each text, for all texts of an owner, and
 * for all texts together.
 */

type Limits = {
  each: number
  /** Default: no limit. */
  perOwner?: number
  all: number
}

export class TextBudget {
  readonly #max: Limits
  readonly #ofOwners = new Map<number, number>()
  #held = 0

  constructor(max: Limits) {
    this.#max = max
  }

  /**
   * Opens a share. Its disposal returns all that it took, and then it can take no more.
   * @param owner the project, if the budget has a limit for each
   */
  open(owner = 0): TextShare {
    const { each, all, perOwner = Number.POSITIVE_INFINITY } = this.#max
    let own = 0
    let isOver = false
    const exceededBy = (size: number): TextShare['exceeded'] => {
      const ofOwner = this.#ofOwners.get(owner) ?? 0
      if (isOver || own + size > each || ofOwner + size > perOwner) return 'own'
      return this.#held + size > all ? 'shared' : null
    }
    const share: TextShare = {
      exceeded: null,
      take: size => {
        share.exceeded = exceededBy(size)
        if (share.exceeded !== null) return false
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
    return share
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
  /**
   * The limit that the last size exceeded. `own`: the limit of the text or of its owner; `shared`: the limit of all
   * texts; null: none.
   */
  exceeded: 'own' | 'shared' | null
}
