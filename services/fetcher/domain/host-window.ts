/**
 * Limits the concurrent requests to a host if the run does not set the number. The limit grows by one after each full
 * round of good responses, and is halved when the host shows strain (additive increase, multiplicative decrease, as in
 * RFC 5681).
 */

/** Whether a response shows that its host is overloaded (`bad`) or not (`good`); null if it shows neither. */
export type Strain = 'good' | 'bad' | null

const begin = 2

export class HostWindow {
  #limit: number
  #inFlight = 0
  /** Good responses of this round. */
  #good = 0
  /** Whether a request found no free slot in this round. Without demand the limit does not grow. */
  #wasShort = false
  /** Number of requests that were in flight when the limit was halved. Their strain does not halve it again. */
  #oldNews = 0

  constructor(maxLimit: number) {
    this.#limit = Math.min(begin, maxLimit)
  }

  get limit(): number {
    return this.#limit
  }

  get isIdle(): boolean {
    return this.#inFlight === 0
  }

  /** Takes a slot. Returns false if none is free. */
  enter(): boolean {
    if (this.#inFlight >= this.#limit) {
      this.#wasShort = true
      return false
    }
    this.#inFlight += 1
    return true
  }

  /** Releases a slot that was not used. The limit stays the same. */
  withdraw(): void {
    this.#inFlight -= 1
  }

  /** Releases the slot and adapts the limit, which never exceeds `maxLimit`. */
  leave(strain: Strain, maxLimit: number): void {
    this.#inFlight -= 1
    const isOldNews = this.#oldNews > 0
    if (isOldNews) this.#oldNews -= 1
    if (strain === 'bad' && !isOldNews) this.#halve()
    if (strain === 'good') this.#good += 1
    if (this.#good >= this.#limit) this.#nextRound(maxLimit)
  }

  #halve(): void {
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    this.#good = 0
    this.#wasShort = false
    this.#oldNews = this.#inFlight
  }

  #nextRound(maxLimit: number): void {
    if (this.#wasShort && this.#limit < maxLimit) this.#limit += 1
    this.#good = 0
    this.#wasShort = false
  }
}
