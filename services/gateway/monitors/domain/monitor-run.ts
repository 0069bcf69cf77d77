/** Formats a tick of a monitor for the API: the record of the scheduler, and the state of the run. */

import type { RunStatus } from '@tidemark/contracts/http/crawls'
import type { MonitorRun } from '@tidemark/contracts/http/crons'
import type { TickView } from '@tidemark/contracts/rpc/monitors'

/** The state of a run, from its row. */
export type RunOutcome = { id: number; status: RunStatus; page_count: number; error_count: number }

/** Returns the tick. `run` is the row of its run, if it exists. `isDeleted`: the project has no such run. */
export const monitorRun = (
  tick: TickView,
  { run, isDeleted }: { run: RunOutcome | undefined; isDeleted: boolean },
): MonitorRun => ({
  minute: tick.minute,
  asked: tick.asked,
  run_id: tick.runId,
  status: run?.status ?? withoutRun(tick, isDeleted),
  reason: tick.reason,
  page_count: run?.page_count ?? null,
  error_count: run?.error_count ?? null,
})

/**
 * Returns the status of a tick without a row of a run. The row appears shortly after the start and long before the end
 * of a run, so a run that has ended without a row was deleted.
 */
function withoutRun({ outcome, runStatus }: TickView, isDeleted: boolean): MonitorRun['status'] {
  if (outcome === null) return 'starting'
  if (outcome === 'skipped') return 'skipped'
  return runStatus === null && !isDeleted ? 'queued' : 'deleted'
}
