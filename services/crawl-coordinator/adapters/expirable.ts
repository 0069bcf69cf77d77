/** Iterates over runs that ended long ago, by id and in pages, except deleted ones. */
import type { Pool } from 'pg'

export type EndedRun = { runId: number; projectId: number; endedAt: Date }

export type Expirable = {
  /** Returns runs that ended before `before`, with ids above `after` (0 for the first page); at most `limit`. */
  next(before: Date, after: number, limit: number): Promise<EndedRun[]>
}

const find = `
  select run_id, project_id, released_at from coordinator.admission
  where run_id > $2 and released_at < $1
    and not exists (select from coordinator.deletion where deletion.run_id = admission.run_id)
  order by run_id limit $3`

export const expirable = (pool: Pick<Pool, 'query'>): Expirable => ({
  async next(before, after, limit) {
    const { rows } = await pool.query(find, [before, after, limit])
    return rows.map(({ run_id, project_id, released_at }) => ({
      runId: Number(run_id),
      projectId: Number(project_id),
      endedAt: released_at,
    }))
  },
})
