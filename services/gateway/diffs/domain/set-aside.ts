/** What failed, set aside for ever longer before it is tried again, so that nothing else waits for it. */

type Failed = { times: number; until: number }

/** Beyond so many doublings a wait grows no more. */
const maxDoublings = 10

export class SetAside {
  readonly #failed = new Map<number, Failed>()
  readonly #firstMs: number
  readonly #most: number

  /**
   * @param firstMs after the first failure; each further one in a row doubles it
   * @param most are remembered; of more the one that has been known for longest is forgotten, and so tried at once
   */
  constructor({ firstMs, most }: { firstMs: number; most: number }) {
    this.#firstMs = firstMs
    this.#most = most
  }

  /** @param now in milliseconds, as `waiting` is asked */
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

  /** Those whose time has not come. */
  waiting(now: number): number[] {
    return [...this.#failed].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
