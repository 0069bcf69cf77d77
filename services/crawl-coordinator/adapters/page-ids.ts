/**
 * Assigns page ids, unique over all runs, from blocks of a Postgres sequence. Unused ids are never given back, so ids
 * have gaps. Blocks are dropped whenever the instance takes a shard, so the ids of a run only increase.
 */
import type { Pool } from 'pg'

const blockSize = 1000

export type PageIds = {
  /** Reserves this number of ids for the caller, which takes them one by one. Taking more throws. */
  reserve(count: number): Promise<() => number>
  /** Drops the rest of the block, because another instance may have used later ids. */
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
      // An earlier caller may have taken the leased block.
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
