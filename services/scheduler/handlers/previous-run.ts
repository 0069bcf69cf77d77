/** Finds the previous run of a monitor, with which its next run is compared. */
import type { EarlierRuns } from '../adapters/earlier-runs.ts'
import type { Runs } from '../adapters/runs.ts'
import type { Monitor } from '../domain/monitor.ts'

export type PreviousRun = { id: number | null; isActive: boolean }

/** Each round reads ten runs. If a monitor has more deleted runs in a row, its later runs continue the search. */
const maxRounds = 10

/**
 * Returns the latest run of the monitor that is not deleted. If all are deleted, returns the last run and not null,
 * because null means the first run of a monitor, whose webhook may be suppressed. `earlier` is read only if the last
 * run is deleted, so that the usual tick sends one request. Rejects as `stateOf` does.
 */
export async function previousRun(
  runs: Pick<Runs, 'stateOf'>,
  { projectId, lastRunId }: Monitor,
  earlier: EarlierRuns,
): Promise<PreviousRun> {
  if (lastRunId === null) return { id: null, isActive: false }
  let ids = [lastRunId]
  for (let round = 0; round <= maxRounds && ids.length > 0; round++) {
    for (const id of ids) {
      const { active, status } = await runs.stateOf(projectId, id)
      if (status !== 'deleted') return { id, isActive: active }
      await earlier.markDeleted(id)
    }
    ids = await earlier.latest()
  }
  return { id: lastRunId, isActive: false }
}
