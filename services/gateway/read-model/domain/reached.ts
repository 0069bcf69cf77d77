/** Records the position of the read model in each stream, and wakes callers that wait for a later one. */

type Waiter = { stream: string; sequence: number; wake: () => void }

export class Reached {
  readonly #highest = new Map<string, number>()
  readonly #waiters = new Set<Waiter>()

  /** Records that the read model has this stream up to this sequence. An older sequence changes nothing. */
  note(stream: string, sequence: number): void {
    if (sequence <= (this.#highest.get(stream) ?? 0)) return
    this.#highest.set(stream, sequence)
    for (const waiter of this.#waiters) {
      if (waiter.stream !== stream || waiter.sequence > sequence) continue
      this.#waiters.delete(waiter)
      waiter.wake()
    }
  }

  has(stream: string, sequence: number): boolean {
    return (this.#highest.get(stream) ?? 0) >= sequence
  }

  /** Calls `wake` once when the read model has reached the sequence. Returns a function that stops the waiting. */
  when(stream: string, sequence: number, wake: () => void): () => void {
    const waiter = { stream, sequence, wake }
    this.#waiters.add(waiter)
    return () => void this.#waiters.delete(waiter)
  }
}
