/** Stores the project of each run. Only the first event of a run contains it, and all later bills need it. */
import type { PoolClient } from 'pg'

export type RunProject = { runId: number; projectId: number }

export async function storeProjects(client: PoolClient, runs: RunProject[]): Promise<void> {
  if (runs.length === 0) return
  await client.query(
    `insert into ledger.run (run_id, project_id, reopenings) select *, 0 from unnest($1::bigint[], $2::bigint[])
     on conflict do nothing`,
    [runs.map(({ runId }) => runId), runs.map(({ projectId }) => projectId)],
  )
}

/** Returns the projects by run id, without unknown runs. */
export async function projectsOf(client: PoolClient, runIds: number[]): Promise<Map<number, number>> {
  if (runIds.length === 0) return new Map()
  const { rows } = await client.query(`select run_id, project_id from ledger.run where run_id = any($1)`, [
    runIds,
  ])
  return new Map(rows.map(row => [Number(row.run_id), Number(row.project_id)]))
}
