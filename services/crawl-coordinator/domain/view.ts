/** Converts a run to the form of the API, for requests that come before the read model has the run. */
import type { RunView } from '@tidemark/contracts/http/crawls'
import { baseOf } from './fork/stored-pages.ts'
import { isKnown, type Known, type Run } from './run.ts'

/** Returns the view of a run, or null for an unknown or deleted one. */
export function viewOf(run: Run): RunView | null {
  if (!isKnown(run)) return null
  return {
    id: run.runId,
    url: run.url,
    ...stateFieldsOf(run),
    ...countsOf(run),
    enqueued_at: run.enqueuedAt,
    started_at: run.status === 'queued' ? null : run.startedAt,
    finished_at: 'finishedAt' in run ? run.finishedAt : null,
    proxy_url: run.settings.proxy?.shown ?? null,
    ai_bot_policy: null,
    llms_txt: null,
    llms_full_txt: null,
    webhook_status: null,
    webhook_attempts: 0,
    webhook_last_error: null,
    previous_run_id: run.tick?.previousRunId ?? null,
    forked_from: baseOf(run),
  }
}

/** Returns the fields about the state of a run that its coverage has too. */
export const stateFieldsOf = (run: Known) => ({
  status: run.status,
  paused_at: run.status === 'running' ? run.pausedAt : null,
  stop_reason: 'stopReason' in run ? run.stopReason : null,
  error_message: 'errorMessage' in run ? run.errorMessage : null,
  error_reason: ('errorReason' in run && run.errorReason) || null,
  pages_reused: run.status === 'queued' ? 0 : run.carried,
})

function countsOf(run: Known): { page_count: number; error_count: number } {
  if (run.status === 'queued') return { page_count: 0, error_count: 0 }
  const { fetched, failed } = run.status === 'running' ? run.counts : run.totals
  return { page_count: fetched, error_count: failed }
}
