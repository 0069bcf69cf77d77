/** A monitor's tick as clients read it: the scheduler's record, and the state of its run. */

import type { RunStatus } from '@tidemark/contracts/http/crawls'
import type { MonitorRun } from '@tidemark/contracts/http/crons'
import type { TickView } from '@tidemark/contracts/rpc/monitors'

/** The state of a run, from its row. */
export type RunOutcome = { id: number; status: RunStatus; page_count: number; error_count: number }

/** `run` is its run's row, if it exists. */
export const monitorRun = (tick: TickView, run: RunOutcome | undefined): MonitorRun => ({
  minute: tick.minute,
  asked: tick.asked,
  run_id: tick.runId,
  status: run?.status ?? withoutRun(tick),
  reason: tick.reason,
  page_count: run?.page_count ?? null,
  error_count: run?.error_count ?? null,
})

/** A run has its row a moment after its start, and long before its end. */
function withoutRun({ outcome, runStatus }: TickView): MonitorRun['status'] {
  if (outcome === null) return 'starting'
  if (outcome === 'skipped') return 'skipped'
  return runStatus === null ? 'queued' : 'deleted'
}
