/** Finds the previous run of a monitor, with which its next run is compared. */
import type { EarlierRuns } from '../adapters/earlier-runs.ts'
import type { Runs } from '../adapters/runs.ts'
import type { Monitor } from '../domain/monitor.ts'

export type PreviousRun = { id: number | null; isActive: boolean }

/**
 * Returns the latest run of the monitor that is not deleted, or its last run if all are: null means the first run of a
 * chain, whose webhook is suppressed. `earlier` is read only if the last run is deleted, so that the usual tick sends one
 * request. Rejects as `stateOf` does.
 */
export async function previousRun(
  runs: Pick<Runs, 'stateOf'>,
  { projectId, lastRunId }: Monitor,
  earlier: EarlierRuns,
): Promise<PreviousRun> {
  if (lastRunId === null) return { id: null, isActive: false }
  const last = await runs.stateOf(projectId, lastRunId)
  if (last.status !== 'deleted') return { id: lastRunId, isActive: last.active }
  for (const id of await earlier(lastRunId)) {
    const { active, status } = await runs.stateOf(projectId, id)
    if (status !== 'deleted') return { id, isActive: active }
  }
  return { id: lastRunId, isActive: false }
}
