/** Failed work and the growing wait before its next attempt, so that other work does not wait for it. */

type Failed = { times: number; until: number }

/** Maximum number of doublings of a wait. */
const maxDoublings = 10

export class SetAside {
  readonly #failed = new Map<number, Failed>()
  readonly #firstMs: number
  readonly #most: number

  /**
   * @param firstMs after the first failure; each further one in a row doubles it
   * @param most maximum number of entries; beyond it the oldest is dropped, and so retried at once
   */
  constructor({ firstMs, most }: { firstMs: number; most: number }) {
    this.#firstMs = firstMs
    this.#most = most
  }

  /** @param now in milliseconds, on the same clock as for `waiting` */
  failed(id: number, now: number): void {
    const times = (this.#failed.get(id)?.times ?? 0) + 1
    const waitMs = this.#firstMs * 2 ** Math.min(times - 1, maxDoublings)
    this.#failed.set(id, { times, until: now + waitMs })
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > this.#most && oldest !== undefined) this.#failed.delete(oldest)
  }

  succeeded(id: number): void {
    this.#failed.delete(id)
  }

  /** Entries whose wait is not over. */
  waiting(now: number): number[] {
    return [...this.#failed].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
