import type { OfProject } from '@tidemark/db/of-project'
import type { RunOutcome } from '../domain/monitor-run.ts'

/** Reads the state of runs from the read model, by id. Missing runs are absent. */
export type ReadRunOutcomes = (
  projectId: number,
  runIds: readonly number[],
) => Promise<ReadonlyMap<number, RunOutcome>>

export const runOutcomesOf =
  (reads: OfProject): ReadRunOutcomes =>
  async (projectId, runIds) => {
    if (runIds.length === 0) return new Map()
    const { rows } = await reads(projectId).query<RunOutcome>({
      name: 'run-outcomes',
      text: `select id, status, page_count, error_count from read.run
             where project_id = $1 and id = any($2::bigint[])`,
      values: [projectId, runIds],
    })
    return new Map(rows.map(row => [row.id, row]))
  }
