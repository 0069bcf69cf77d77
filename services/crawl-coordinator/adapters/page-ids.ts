/**
 * Assigns page ids, unique over all runs, from blocks of a Postgres sequence. Unused ids are never given back, so ids
 * have gaps. The ids of a run only increase, even if several instances write it: each takes ids after the run's last.
 */
import type { Pool } from 'pg'

const blockSize = 1000

export type PageIds = {
  /**
   * Reserves this number of ids above `after` for the caller, which takes them one by one. Taking more throws. Smaller
   * ids are dropped.
   */
  reserve(count: number, after: number): Promise<() => number>
}

export const pageIds = (pool: Pick<Pool, 'query'>): PageIds => new LeasedIds(pool)

class LeasedIds implements PageIds {
  readonly #pool: Pick<Pool, 'query'>
  #blocks: { next: number; end: number }[] = []
  /** Resolves when the last caller that lacked ids has leased its blocks. */
  #leasing: Promise<void> = Promise.resolve()

  constructor(pool: Pick<Pool, 'query'>) {
    this.#pool = pool
  }

  async reserve(count: number, after: number): Promise<() => number> {
    for (;;) {
      if (count > 0) this.#dropUpTo(after)
      // An earlier caller may have taken the leased block.
      if (this.#left() >= count) break
      this.#leasing = this.#leasing.catch(() => undefined).then(() => this.#lease(count))
      await this.#leasing
    }
    const ids = Array.from({ length: count }, () => this.#next())
    let taken = 0
    return () => {
      const id = ids[taken++]
      if (id === undefined) throw new RangeError(`Only ${count} page ids were reserved.`)
      return id
    }
  }

  #left(): number {
    return this.#blocks.reduce((sum, { next, end }) => sum + end - next, 0)
  }

  async #lease(count: number): Promise<void> {
    while (this.#left() < count) {
      const { rows } = await this.#pool.query(`select nextval('coordinator.page_id') as first`)
      const first = Number(rows[0].first)
      this.#blocks.push({ next: first, end: first + blockSize })
    }
  }

  /** Later blocks have greater ids. */
  #dropUpTo(last: number): void {
    this.#blocks = this.#blocks
      .map(({ next, end }) => ({ next: Math.max(next, last + 1), end }))
      .filter(({ next, end }) => next < end)
  }

  #next(): number {
    while (this.#blocks[0] && this.#blocks[0].next >= this.#blocks[0].end) this.#blocks.shift()
    const block = this.#blocks[0]
    if (!block) throw new Error('No page id is left.')
    return block.next++
  }
}
