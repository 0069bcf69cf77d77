/**
 * Records whether the timers of this machine are late. If they are, requests leave late by a varying amount, and a
 * pause counted from their departure says little about the pause that the host sees.
 */

const lateMs = 10
const lateForMs = 2_000

export class Punctuality {
  #lateAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Records a timer that fired this many milliseconds late. */
  record(byMs: number): void {
    if (byMs > lateMs) this.#lateAt = this.#now()
  }

  /** Returns whether a timer was late in the last two seconds. */
  isLate(): boolean {
    return this.#now() - this.#lateAt < lateForMs
  }
}
