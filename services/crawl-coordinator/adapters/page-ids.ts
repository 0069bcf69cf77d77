/**
 * Assigns page ids, unique over all runs, from blocks of a Postgres sequence. Unused ids are never given back, so ids
 * have gaps. The ids of a run only increase, also if several instances write it: each takes ids after the run's last.
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

export function pageIds(pool: Pick<Pool, 'query'>): PageIds {
  let blocks: { next: number; end: number }[] = []
  let leasing: Promise<void> = Promise.resolve()
  const left = () => blocks.reduce((sum, { next, end }) => sum + end - next, 0)

  async function lease(count: number): Promise<void> {
    while (left() < count) {
      const { rows } = await pool.query(`select nextval('coordinator.page_id') as first`)
      const first = Number(rows[0].first)
      blocks.push({ next: first, end: first + blockSize })
    }
  }

  /** Later blocks have greater ids. */
  function dropUpTo(last: number): void {
    blocks = blocks
      .map(({ next, end }) => ({ next: Math.max(next, last + 1), end }))
      .filter(({ next, end }) => next < end)
  }

  function next(): number {
    while (blocks[0] && blocks[0].next >= blocks[0].end) blocks.shift()
    const block = blocks[0]
    if (!block) throw new Error('No page id is left.')
    return block.next++
  }

  return {
    async reserve(count, after) {
      for (;;) {
        if (count > 0) dropUpTo(after)
        // An earlier caller may have taken the leased block.
        if (left() >= count) break
        leasing = leasing.catch(() => undefined).then(() => lease(count))
        await leasing
      }
      const ids = Array.from({ length: count }, next)
      let taken = 0
      return () => {
        const id = ids[taken++]
        if (id === undefined) throw new RangeError(`Only ${count} page ids were reserved.`)
        return id
      }
    },
  }
}
