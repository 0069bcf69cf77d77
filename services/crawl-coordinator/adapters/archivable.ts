/**
 * Finds runs that ended long ago, whose events may be moved to the archive. An archived run may still grow, because a
 * webhook can be redelivered at any time. A run is therefore checked again whenever the time since its end has
 * doubled, which is rare and bounds the events in the stream.
 */
import type { Pool } from 'pg'

export type Archivable = {
  /** Returns runs that ended at least this many seconds ago, the oldest first, except deleted ones. */
  due(olderThanSeconds: number, limit: number): Promise<number[]>
  /** Records that the run is archived now. */
  archived(runId: number): Promise<void>
}

/** Pause between two searches for archived runs, as a share of `olderThanSeconds`. Each scans the whole table. */
const shareOfStay = 0.01

const isKept = `not exists (select from coordinator.deletion where deletion.run_id = admission.run_id)`

const findNew = `
  select run_id from coordinator.admission
  where archived_at is null and released_at < now() - make_interval(secs => $1) and ${isKept}
  order by released_at limit $2`

const findAgain = `
  select run_id from coordinator.admission
  where archived_at < now() - make_interval(secs => $1) and now() - released_at > 2 * (archived_at - released_at)
    and ${isKept}
  order by archived_at limit $2`

export function archivable(pool: Pick<Pool, 'query'>): Archivable {
  let lookAgainAt = 0
  const find = async (statement: string, olderThanSeconds: number, limit: number): Promise<number[]> => {
    const { rows } = await pool.query(statement, [olderThanSeconds, limit])
    return rows.map(row => Number(row.run_id))
  }

  return {
    async due(olderThanSeconds, limit) {
      const fresh = await find(findNew, olderThanSeconds, limit)
      if (fresh.length > 0 || performance.now() < lookAgainAt) return fresh
      const again = await find(findAgain, olderThanSeconds, limit)
      if (again.length < limit) lookAgainAt = performance.now() + olderThanSeconds * 1_000 * shareOfStay
      return again
    },
    async archived(runId) {
      await pool.query(`update coordinator.admission set archived_at = now() where run_id = $1`, [runId])
    },
  }
}
