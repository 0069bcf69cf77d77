/** Checks that a run holds one of its project's concurrency slots exactly while it is queued or running. */
import type { RunHistory } from '../rebuild/run-histories.ts'
import { count, type Findings } from './check.ts'

/**
 * Returns the runs with a superfluous or missing slot. `before` and `after` are the runs that held a slot before and
 * after the histories were read to their end, so a run that begins or ends in between is not a fault.
 */
export function checkSlots(
  histories: ReadonlyMap<number, RunHistory>,
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
): Findings {
  const active = [...histories.values()].filter(isActive).map(({ runId }) => runId)
  const isRunning = new Set(active)
  const kept = [...before].filter(runId => after.has(runId) && !isRunning.has(runId))
  const without = active.filter(runId => !before.has(runId) && !after.has(runId))
  return {
    looked: count(after.size, 'slot'),
    wrong: [
      ...kept.map(
        runId => `run ${runId} is ${histories.get(runId)?.run.status ?? 'unknown'} and holds a slot`,
      ),
      ...without.map(runId => `run ${runId} is ${histories.get(runId)?.run.status} and holds no slot`),
    ],
  }
}

const isActive = ({ run, deletedWith }: RunHistory): boolean =>
  deletedWith === null && (run.status === 'queued' || run.status === 'running')
