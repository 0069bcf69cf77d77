/**
 * Orders the failed URLs of an ended run again. Another instance may own the run's shard: it is notified and reads the
 * run again. The run acquires a slot first, so a crash leaves at most an unneeded slot, which is released later.
 */
import { refuse } from '@tidemark/bus/refusal'
import { mayContinue, narrowedKey } from '@tidemark/contracts/limits'
import type { ReopenRun, ReopenRunResponse } from '@tidemark/contracts/rpc/runs'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions, Reopening } from '../adapters/admissions.ts'
import { type Refused, retriableOf } from '../domain/reopening.ts'
import { isKnown, type Run } from '../domain/run.ts'
import { viewOf } from '../domain/view.ts'
import type { RunKeeper } from './run-keeper.ts'
import { noFreeSlot, releaseIfEnded } from './start-run.ts'

type Ports = {
  store: Pick<EventStore, 'last'>
  admissions: Pick<Admissions, 'find' | 'reserve' | 'settle' | 'release'>
  keeper: (runId: number) => RunKeeper
  notifyAwaits: (runId: number) => void
}

const unchanged: ReopenRunResponse = { run: null, retried: 0, sequence: 0 }

/** Returns the handler. It rejects a run without URLs to retry with 409, and a project without a free slot with 429. */
export function reopenRun(ports: Ports) {
  const { admissions, keeper, notifyAwaits } = ports
  return async ({ projectId, runId, keyCaps }: ReopenRun): Promise<ReopenRunResponse> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return unchanged
    const kept = keeper(runId)
    const before = await kept.look(stateOf)
    if (before.view === null) return unchanged
    const { retriable } = before
    if (!mayContinue(keyCaps, before.keyCaps))
      throw refuse('conflict', { reason: 'narrowed_key', message: narrowedKey('crawl') })
    if ('refused' in retriable) throw refused(retriable.refused)
    await acquireSlot(ports, { runId, projectId, nth: retriable.nth })
    await kept.reopen()
    const after = await kept.look(stateOf)
    const isReopened = after.version > before.version && after.view !== null
    await admissions.settle(runId, isReopened)
    notifyAwaits(runId)
    if (after.view === null) return unchanged
    if (!isReopened) throw refused('refused' in after.retriable ? after.retriable.refused : 'run_active')
    return { run: after.view, retried: retriable.retried, sequence: after.version }
  }
}

const stateOf = (run: Run, version: number) => ({
  view: viewOf(run),
  retriable: retriableOf(run),
  keyCaps: isKnown(run) ? run.settings.keyCaps : undefined,
  version,
})

/** Acquires a slot. Before it rejects the request, it releases the slots of runs that have just ended. */
async function acquireSlot(ports: Ports, run: Reopening): Promise<void> {
  const first = await ports.admissions.reserve(run)
  if (first.type === 'reserved') return
  const ended = await Promise.all(first.runIds.map(holder => releaseIfEnded(ports, holder)))
  if (ended.includes(true) && (await ports.admissions.reserve(run)).type === 'reserved') return
  throw noFreeSlot()
}

const messages: Record<Refused, string> = {
  run_active: 'The crawl has not ended. Retry its failed URLs after its end, or cancel it.',
  run_cancelled: 'The crawl was cancelled, so its URLs are not retried. Start another crawl.',
  no_failures:
    'No URL of the crawl has failed, so nothing can be retried. GET /v1/crawls/{id}/errors lists failed URLs.',
  max_pages_reached:
    'The crawl has as many pages as max_pages allows, so no failed URL can be fetched. Start a crawl with a larger max_pages.',
  max_cost_reached:
    'The rest of max_cost_usd does not pay for another page, so no failed URL can be fetched. Start a crawl with a larger max_cost_usd.',
  max_bytes_reached:
    'The rest of max_bytes is too small for another page, so no failed URL can be fetched. Start a crawl with a larger max_bytes.',
}

const refused = (reason: Refused) => refuse('conflict', { reason, message: messages[reason] })
