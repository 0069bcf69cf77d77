/**
 * Runs that must stay for as long as their monitor does: one of them is what its next run is compared with. Which one
 * only the read model knows, so all are kept that it may choose from (services/gateway/diffs/adapters/baseline.ts).
 */
import type { Pool } from 'pg'

/** As far back as a baseline is looked for. */
const steps = 10

const find = `
  select last_run_id as run_id from scheduler.monitor where project_id = $1 and last_run_id is not null
  union
  select fired.run_id from scheduler.monitor cross join lateral (
    select run_id from scheduler.tick where monitor_id = monitor.id and run_id is not null
    order by minute desc limit ${steps}
  ) as fired
  where project_id = $1`

/** Of all monitors of a project. */
export const keptRunsIn =
  (pool: Pick<Pool, 'query'>) =>
  async (projectId: number): Promise<number[]> => {
    const { rows } = await pool.query<{ run_id: number }>(find, [projectId])
    return rows.map(({ run_id }) => Number(run_id))
  }
