/**
 * Page ids, counted over all runs, from blocks leased from a Postgres sequence. A block is never given
 * back, so ids have gaps; and because it is dropped with every newly owned shard, those of a run only grow.
 */
import type { Pool } from 'pg'

const blockSize = 1000

export type PageIds = {
  /** Makes sure that at least this many ids can be taken without waiting. */
  reserve(count: number): Promise<void>
  take(): number
  /** Forgets what is left, because another instance may have used later ids. */
  drop(): void
}

export function pageIds(pool: Pool): PageIds {
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

  return {
    async reserve(count) {
      if (left() >= count) return
      leasing = leasing.catch(() => undefined).then(() => lease(count))
      await leasing
    },
    take() {
      while (blocks[0] && blocks[0].next >= blocks[0].end) blocks.shift()
      const block = blocks[0]
      if (!block) throw new Error('No page id was reserved.')
      return block.next++
    },
    drop() {
      blocks = []
    },
  }
}
