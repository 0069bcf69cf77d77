/**
 * Whether timers of this machine are punctual. If they are late, requests leave late by a varying amount, and a pause
 * counted from their departure says little about what the host sees.
 */

const lateMs = 10
const rememberedMs = 2_000

export class Punctuality {
  #lateAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Records a timer that fired this many milliseconds late. */
  note(byMs: number): void {
    if (byMs > lateMs) this.#lateAt = this.#now()
  }

  isLate(): boolean {
    return this.#now() - this.#lateAt < rememberedMs
  }
}
