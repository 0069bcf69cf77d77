/** Limits the memory of long answers, in characters or bytes: for each answer, and for all at once. */

export class TextBudget {
  readonly #most: { each: number; all: number }
  #held = 0

  constructor(most: { each: number; all: number }) {
    this.#most = most
  }

  /** Opens a share. Its disposal returns all that it took, and then it can take no more. */
  open(): TextShare {
    let own = 0
    let isOver = false
    return {
      take: size => {
        if (isOver) return false
        const fits = own + size <= this.#most.each && this.#held + size <= this.#most.all
        if (!fits) return false
        own += size
        this.#held += size
        return true
      },
      [Symbol.dispose]: () => {
        this.#held -= own
        own = 0
        isOver = true
      },
    }
  }
}

export type TextShare = Disposable & {
  /** Returns false if the size exceeds a limit; then nothing is taken. */
  take(size: number): boolean
}
