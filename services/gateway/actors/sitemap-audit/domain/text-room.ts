/** Room for what long answers are made of, in characters or bytes: so much for each, and so much for all of them at once. */

export class TextRoom {
  readonly #most: { each: number; all: number }
  #held = 0

  constructor(most: { each: number; all: number }) {
    this.#most = most
  }

  /** A share in it, given back as a whole when it is disposed of; then there is no room in it for more. */
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
  /** False where there is no room for so many: nothing is taken then. */
  take(size: number): boolean
}
