/** Creates the state of a run at its end. */
import type { RunEventData } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import type { Account } from '../account.ts'
import { accountOf } from '../coverage.ts'
import { hasFailures } from '../reopening.ts'
import type { Run, Running } from '../run.ts'

/** Returns the ended run, or the same run if it has not begun or has ended before. */
export function ended(run: Run, data: RunEventData<'RunFinished'>, at: string): Run {
  if (run.status !== 'queued' && run.status !== 'running') return run
  const { runId, projectId, tier, url, settings, tick, unitPrices, enqueuedAt, trace } = run
  const startedAt = run.status === 'running' ? run.startedAt : null
  const optional = { ...(tick && { tick }), ...(unitPrices && { unitPrices }) }
  const identity = { runId, projectId, tier, url, settings, enqueuedAt, trace, ...optional }
  const blocked = run.status === 'running' ? run.blocked : 0
  const account = run.status === 'running' ? finalAccount(run, data.stopReason) : null
  const rendered = run.status === 'running' ? run.rendered : 0
  const carried = run.status === 'running' ? run.carried : 0
  // Only a run with failures keeps its maps, so that they can be retried.
  const before = run.status === 'running' && data.status !== 'cancelled' && hasFailures(run) ? run : null
  return { ...identity, startedAt, finishedAt: at, ...data, account, blocked, rendered, carried, before }
}

/** Returns the counts of a run that ends now. Pending URLs count as not reached, for the reason of the end. */
function finalAccount(run: Running, stopReason: StopReason): Account {
  const account = accountOf(run)
  const waiting = run.pending.size + run.listed.waiting.size
  if (waiting === 0) return account
  const { [stopReason]: before = 0 } = account.notReached
  return { ...account, notReached: { ...account.notReached, [stopReason]: before + waiting } }
}
