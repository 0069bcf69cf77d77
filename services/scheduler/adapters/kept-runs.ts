/**
 * Finds the runs that must not be deleted while their monitor exists, because its next run is compared with one of
 * them. Only the gateway can choose that run, so all its candidates are kept
 * (services/gateway/diffs/adapters/baseline.ts).
 */
import type { Pool } from 'pg'

/** Number of runs among which the gateway searches for a baseline. */
const maxSteps = 10

const find = `
  select last_run_id as run_id from scheduler.monitor where project_id = $1 and last_run_id is not null
  union
  select fired.run_id from scheduler.monitor cross join lateral (
    select run_id from scheduler.tick where monitor_id = monitor.id and run_id is not null
      and not run_deleted and run_status is distinct from 'deleted'
    order by minute desc limit ${maxSteps}
  ) as fired
  where project_id = $1`

/** Returns a function that returns the ids of the kept runs of a project's monitors. */
export const keptRunsIn =
  (pool: Pick<Pool, 'query'>) =>
  async (projectId: number): Promise<number[]> => {
    const { rows } = await pool.query<{ run_id: number }>(find, [projectId])
    return rows.map(({ run_id }) => Number(run_id))
  }
