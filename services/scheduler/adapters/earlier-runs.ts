/** Reads the earlier runs of monitors from their ticks, and records which of them are deleted. */
import type { Pool, PoolClient } from 'pg'

export type EarlierRuns = {
  /** Returns the latest runs of the monitor, at most ten, the latest first. Runs that are known to be deleted are left out. */
  latest(): Promise<number[]>
  /** Records that a run is deleted, so that neither `latest` nor retention counts it. */
  markDeleted(runId: number): Promise<void>
}

/** Number of runs among which the gateway searches for a baseline (services/gateway/diffs/adapters/baseline.ts). */
const maxRuns = 10

/** SQL condition: the tick has a run that is not known to be deleted. */
const hasRun = `run_id is not null and not run_deleted and run_status is distinct from 'deleted'`

type Row = { run_id: number }

export const earlierRuns = (client: Pick<PoolClient, 'query'>, monitorId: number): EarlierRuns => ({
  async latest() {
    const { rows } = await client.query<Row>(
      `select run_id from scheduler.tick where monitor_id = $1 and ${hasRun}
       order by begun_at desc, minute desc limit ${maxRuns}`,
      [monitorId],
    )
    return rows.map(({ run_id }) => run_id)
  },

  // `run_status` does not change: failures are counted since the last run with the status `done`, even if it is
  // deleted.
  async markDeleted(runId) {
    await client.query(`update scheduler.tick set run_deleted = true where monitor_id = $1 and run_id = $2`, [
      monitorId,
      runId,
    ])
  },
})

const kept = `
  select last_run_id as run_id from scheduler.monitor where project_id = $1 and last_run_id is not null
  union
  select fired.run_id from scheduler.monitor cross join lateral (
    select run_id from scheduler.tick where monitor_id = monitor.id and ${hasRun}
    order by minute desc limit ${maxRuns}
  ) as fired
  where project_id = $1`

/**
 * Returns a function that returns the ids of the runs that must not be deleted while their monitors exist: the next run of
 * a monitor is compared with one of them. Only the gateway can choose that run, so all its candidates are kept.
 */
export const keptRunsIn =
  (pool: Pick<Pool, 'query'>) =>
  async (projectId: number): Promise<number[]> => {
    const { rows } = await pool.query<Row>(kept, [projectId])
    return rows.map(({ run_id }) => run_id)
  }
