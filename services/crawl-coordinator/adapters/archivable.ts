/** Runs that ended long ago and whose events may leave the stream for the archive. */
import type { Pool } from 'pg'

export type Archivable = {
  /** Runs that ended at least so many seconds ago, the oldest first; none that was deleted. */
  due(olderThanSeconds: number, limit: number): Promise<number[]>
  archived(runId: number): Promise<void>
}

export const archivable = (pool: Pick<Pool, 'query'>): Archivable => ({
  async due(olderThanSeconds, limit) {
    const { rows } = await pool.query(
      `select run_id from coordinator.admission
       where archived_at is null and released_at < now() - make_interval(secs => $1)
         and not exists (select from coordinator.deletion where deletion.run_id = admission.run_id)
       order by released_at limit $2`,
      [olderThanSeconds, limit],
    )
    return rows.map(row => Number(row.run_id))
  },
  async archived(runId) {
    await pool.query(`update coordinator.admission set archived_at = now() where run_id = $1`, [runId])
  },
})
