/** Delays the next attempt of failed work with growing pauses, so that other work does not wait for it. */

type Failed = { times: number; until: number }

/** Maximum number of doublings of a wait. */
const maxDoublings = 10

export class RetryPauses {
  readonly #failed = new Map<number, Failed>()
  readonly #firstMs: number
  readonly #max: number

  /**
   * @param firstMs pause after the first failure; each further one in a row doubles it
   * @param max maximum number of entries; beyond it the oldest is dropped, and so retried at once
   */
  constructor({ firstMs, max }: { firstMs: number; max: number }) {
    this.#firstMs = firstMs
    this.#max = max
  }

  /**
   * Records a failure.
   * @param now in milliseconds, on the same clock as for `waiting`
   */
  failed(id: number, now: number): void {
    const times = (this.#failed.get(id)?.times ?? 0) + 1
    const waitMs = this.#firstMs * 2 ** Math.min(times - 1, maxDoublings)
    this.#failed.set(id, { times, until: now + waitMs })
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > this.#max && oldest !== undefined) this.#failed.delete(oldest)
  }

  succeeded(id: number): void {
    this.#failed.delete(id)
  }

  /** Returns the entries whose pause is not over. */
  waiting(now: number): number[] {
    return [...this.#failed].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
