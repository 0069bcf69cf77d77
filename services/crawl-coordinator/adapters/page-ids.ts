/**
 * Page ids, counted over all runs, from blocks leased from a Postgres sequence. What was set aside or leased is never
 * given back, so ids have gaps; and because it is dropped with every newly owned shard, those of a run only grow.
 */
import type { Pool } from 'pg'

const blockSize = 1000

export type PageIds = {
  /** Sets so many ids aside for the caller alone, who takes them one by one. Taking more than that throws. */
  reserve(count: number): Promise<() => number>
  /** Forgets what is left, because another instance may have used later ids. */
  drop(): void
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

  function next(): number {
    while (blocks[0] && blocks[0].next >= blocks[0].end) blocks.shift()
    const block = blocks[0]
    if (!block) throw new Error('No page id is left.')
    return block.next++
  }

  return {
    async reserve(count) {
      // Whoever waited before may have taken what was leased.
      while (left() < count) {
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
    drop() {
      blocks = []
    },
  }
}
