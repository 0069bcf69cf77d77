/**
 * Whether this machine keeps its hours. Where timers come late requests do too, now more and now less, and a pause that
 * is counted from their leaving says little about what their host sees.
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

  /** A timer came so many milliseconds after its time. */
  note(byMs: number): void {
    if (byMs > lateMs) this.#lateAt = this.#now()
  }

  isLate(): boolean {
    return this.#now() - this.#lateAt < rememberedMs
  }
}
