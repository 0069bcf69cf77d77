/** Tracks callers that wait for a row of an outbox to be published, and caches the latest sequences. */

const cachedRows = 1_000

export class Waiters {
  readonly #waiting = new Map<number, PromiseWithResolvers<number>>()
  readonly #published = new Map<number, number>()

  /** Rows with waiting callers. */
  get ids(): number[] {
    return [...this.#waiting.keys()]
  }

  /** Returns the row's sequence in the stream, or undefined if it is not among the latest published rows. */
  sequenceOf(id: number): number | undefined {
    return this.#published.get(id)
  }

  /** Resolves to the row's sequence in the stream, or rejects with the error of `fail`. */
  wait(id: number): Promise<number> {
    const waiter = this.#waiting.get(id) ?? Promise.withResolvers<number>()
    this.#waiting.set(id, waiter)
    return waiter.promise
  }

  /** Resolves the waiting callers of a row that is published. */
  done(id: number, sequence: number): void {
    this.#published.set(id, sequence)
    const [oldest] = this.#published.keys()
    if (this.#published.size > cachedRows && oldest !== undefined) this.#published.delete(oldest)
    this.#waiting.get(id)?.resolve(sequence)
    this.#waiting.delete(id)
  }

  fail(id: number, error: unknown): void {
    this.#waiting.get(id)?.reject(error)
    this.#waiting.delete(id)
  }
}
