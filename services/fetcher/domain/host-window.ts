/**
 * How many requests a host may be asked at once, where no run says so: one more after each full round of good
 * answers, half as many when it shows strain (additive increase, multiplicative decrease, as in RFC 5681).
 */

/** What an answer says about its host; null where it says nothing. */
export type Strain = 'good' | 'bad' | null

const begin = 2

export class HostWindow {
  #limit: number
  #inFlight = 0
  /** Good answers of this round. */
  #good = 0
  /** Whether more were wanted in this round: what nobody wants need not grow. */
  #wasShort = false
  /** Requests that were out when the limit was halved: they tell of the same strain once more. */
  #oldNews = 0

  constructor(most: number) {
    this.#limit = Math.min(begin, most)
  }

  get limit(): number {
    return this.#limit
  }

  get isIdle(): boolean {
    return this.#inFlight === 0
  }

  /** Takes a place, if there is one. */
  enter(): boolean {
    if (this.#inFlight >= this.#limit) {
      this.#wasShort = true
      return false
    }
    this.#inFlight += 1
    return true
  }

  /** Gives the place back unused. */
  withdraw(): void {
    this.#inFlight -= 1
  }

  /** Gives the place back. `most` is the highest that the limit may become. */
  leave(strain: Strain, most: number): void {
    this.#inFlight -= 1
    const isOldNews = this.#oldNews > 0
    if (isOldNews) this.#oldNews -= 1
    if (strain === 'bad' && !isOldNews) this.#halve()
    if (strain === 'good') this.#good += 1
    if (this.#good >= this.#limit) this.#nextRound(most)
  }

  #halve(): void {
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    this.#good = 0
    this.#wasShort = false
    this.#oldNews = this.#inFlight
  }

  #nextRound(most: number): void {
    if (this.#wasShort && this.#limit < most) this.#limit += 1
    this.#good = 0
    this.#wasShort = false
  }
}
