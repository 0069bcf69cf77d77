/** Room for what long answers are made of, in characters: so much for each, and so much for all of them at once. */

export class TextRoom {
  readonly #most: { each: number; all: number }
  #held = 0

  constructor(most: { each: number; all: number }) {
    this.#most = most
  }

  /** A share in it, given back as a whole when it is disposed of. */
  open(): TextShare {
    let own = 0
    return {
      take: characters => {
        const fits = own + characters <= this.#most.each && this.#held + characters <= this.#most.all
        if (!fits) return false
        own += characters
        this.#held += characters
        return true
      },
      [Symbol.dispose]: () => {
        this.#held -= own
        own = 0
      },
    }
  }
}

export type TextShare = Disposable & {
  /** False where there is no room for so many: nothing is taken then. */
  take(characters: number): boolean
}
