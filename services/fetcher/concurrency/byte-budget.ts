/**
 * Grants memory for bodies from a budget of bytes, in the order of the claims. Claims that grow go before new ones, so
 * that started work ends.
 */

/** A part of the budget, or a position in its queue. Disposing returns it. */
export type Claim = Disposable & {
  /** Resolves when the bytes may be used; null if they may now. */
  granted: Promise<void> | null
  /** Enlarges the claim to this total. Resolves when the bytes may be used; null if they may now. */
  grow(bytes: number): Promise<void> | null
}

type Part = { held: number; wanted: number; wait: PromiseWithResolvers<void> | null; isOver: boolean }

export class ByteBudget {
  readonly #max: number
  #used = 0
  /** Parts that hold bytes, the oldest first. */
  readonly #holders = new Set<Part>()
  readonly #growing = new Set<Part>()
  readonly #beginning = new Set<Part>()

  constructor(max: number) {
    this.#max = max
  }

  /**
   * Claims bytes. A claim above the whole budget is granted when nothing else is held. An empty claim needs no
   * capacity. If every holder waits for more, the oldest is granted anyway: the budget is exceeded by one claim at
   * most.
   */
  claim(bytes: number): Claim {
    const part: Part = { held: 0, wanted: 0, wait: null, isOver: false }
    return {
      granted: this.#want(part, bytes, this.#beginning),
      grow: more => this.#want(part, more, this.#growing),
      [Symbol.dispose]: () => this.#giveBack(part),
    }
  }

  #fits({ wanted, held }: Part): boolean {
    return this.#used === 0 || this.#used + wanted - held <= this.#max
  }

  #grantNext(): void {
    for (const part of this.#inLine()) {
      if (!this.#fits(part)) break
      this.#grant(part)
    }
    const [oldest] = this.#holders
    if (oldest !== undefined && this.#growing.size === this.#holders.size) this.#grant(oldest)
  }

  *#inLine(): Generator<Part> {
    yield* this.#growing
    yield* this.#beginning
  }

  #grant(part: Part): void {
    this.#growing.delete(part)
    this.#beginning.delete(part)
    this.#used += part.wanted - part.held
    part.held = part.wanted
    this.#holders.add(part)
    part.wait?.resolve()
    part.wait = null
  }

  #want(part: Part, bytes: number, line: Set<Part>): Promise<void> | null {
    if (part.isOver || bytes <= part.wanted) return part.wait?.promise ?? null
    part.wanted = bytes
    if (part.wait === null) {
      part.wait = Promise.withResolvers()
      line.add(part)
    }
    const { promise } = part.wait
    this.#grantNext()
    return part.wait && promise
  }

  #giveBack(part: Part): void {
    part.isOver = true
    this.#growing.delete(part)
    this.#beginning.delete(part)
    this.#holders.delete(part)
    this.#used -= part.held
    part.held = 0
    this.#grantNext()
  }
}
