/** The state of runs that are named elsewhere, from the read model. */
import type { OfProject } from '@tidemark/db/of-project'
import type { RunOutcome } from '../domain/monitor-run.ts'

/** By id, without missing ones. */
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
