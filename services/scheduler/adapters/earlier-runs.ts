/** Reads the earlier runs of a monitor from its ticks, and records which of them are deleted. */
import type { PoolClient } from 'pg'

export type EarlierRuns = {
  /** Returns the latest runs of the monitor, at most ten, the latest first. Runs that are known to be deleted are left out. */
  latest(): Promise<number[]>
  /** Records that a run is deleted, so that neither `latest` nor retention counts it. */
  markDeleted(runId: number): Promise<void>
}

/** As many as the gateway checks for a baseline, and retention keeps. */
const maxRuns = 10

export const earlierRuns = (client: Pick<PoolClient, 'query'>, monitorId: number): EarlierRuns => ({
  async latest() {
    const { rows } = await client.query<{ run_id: number }>(
      `select run_id from scheduler.tick
       where monitor_id = $1 and run_id is not null and not run_deleted and run_status is distinct from 'deleted'
       order by begun_at desc, minute desc limit ${maxRuns}`,
      [monitorId],
    )
    return rows.map(({ run_id }) => Number(run_id))
  },

  // `run_status` stays as it is: the consecutive failures begin after the last run that was done, even if it is deleted.
  async markDeleted(runId) {
    await client.query(`update scheduler.tick set run_deleted = true where monitor_id = $1 and run_id = $2`, [
      monitorId,
      runId,
    ])
  },
})
