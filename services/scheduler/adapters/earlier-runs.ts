/** Reads the earlier runs of a monitor from its ticks. */
import type { PoolClient } from 'pg'

/**
 * Returns the latest runs of a monitor except the given one, the latest first. Runs that are known to be deleted are left
 * out.
 */
export type EarlierRuns = (exceptRunId: number) => Promise<number[]>

/** As many as the gateway checks for a baseline, and retention keeps. */
const maxRuns = 10

export const earlierRuns =
  (client: Pick<PoolClient, 'query'>, monitorId: number): EarlierRuns =>
  async exceptRunId => {
    const { rows } = await client.query<{ run_id: number }>(
      `select run_id from scheduler.tick
       where monitor_id = $1 and run_id is not null and run_id <> $2 and run_status is distinct from 'deleted'
       order by begun_at desc, minute desc limit ${maxRuns}`,
      [monitorId, exceptRunId],
    )
    return rows.map(({ run_id }) => Number(run_id))
  }
