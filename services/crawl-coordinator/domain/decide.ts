/**
 * Decides the commands of a run, as a pure function with time and page ids as arguments. A command that would change
 * nothing emits no event, so that every command can be repeated.
 */
import { unitPrices, unitsOfCrawl } from '@tidemark/contracts/prices'
import type { RunEvent, RunEventData } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import { scopeOf } from '@tidemark/url/scope'
import { noTotals } from './account.ts'
import type { Circumstances, Decision } from './circumstances.ts'
import { deciding } from './decision.ts'
import { discover, refill } from './discover.ts'
import {
  cancel,
  endByBytes,
  endByCost,
  endByLogin,
  endByPatterns,
  endByQuota,
  endByTime,
  finishIfOver,
} from './ending.ts'
import { evolve } from './evolve/evolve.ts'
import { mayRefill } from './limits/slots.ts'
import { areDue, judgeListed } from './listed.ts'
import { orderAgain, orderNext } from './orders.ts'
import { leaveUnpaid } from './rendering.ts'
import { retriableOf } from './reopening.ts'
import { isKnown, isPaused, type Known, limitAt, type Queued, type Run, type Running } from './run.ts'
import { settleAll } from './settle.ts'
import { sitemapOf } from './sitemaps.ts'

export type RunCommand =
  /**
   * Starts a queued run. Continues a running one: orders due pages, orders lost pages again, and ends the run if it is
   * over.
   */
  | { type: 'LookAfterRun' }
  | { type: 'SettlePages'; outcomes: Outcome[] }
  /** Stops ordering. A queued run starts and pauses before its first page. */
  | { type: 'PauseRun' }
  /** Lets the run order again. Its next check, which is due at once, sends the orders. */
  | { type: 'ResumeRun' }
  /** Orders the failed URLs of an ended run again. Its next check, which is due at once, sends the orders. */
  | { type: 'ReopenRun' }
  | { type: 'CancelRun' }
  | { type: 'DeleteRun' }

type Decided = { run: Run; events: RunEvent[] }

/**
 * Returns the first event of a run with a new id. If the run has a maximum cost, the event stores the current prices.
 */
export const queueRun = (admitted: RunEventData<'RunQueued'>): RunEvent => ({
  type: 'RunQueued',
  data: admitted.settings.maxCost === undefined ? admitted : { ...admitted, unitPrices: { ...unitPrices } },
})

/**
 * Decides a command and applies the events to the run. Returns the changed run and the events, which the caller
 * appends. If that fails, the caller must drop the run, because it has already changed.
 */
export function decide(run: Run, command: RunCommand, circumstances: Circumstances): Decided {
  switch (command.type) {
    case 'LookAfterRun':
      if (run.status === 'queued')
        return isStale(run, circumstances) ? endQueued(run, circumstances, stale) : start(run, circumstances)
      return isPastLimit(run, circumstances)
        ? deciding(run, circumstances, endByTime)
        : whileRunning(run, circumstances, orderAgain)
    case 'SettlePages':
      return whileRunning(run, circumstances, decision => settleAll(decision, command.outcomes))
    case 'PauseRun':
      if (run.status === 'queued') return start(run, circumstances, [paused])
      return run.status === 'running' && !isPaused(run) ? deciding(run, circumstances, pause) : nothing(run)
    case 'ResumeRun':
      return run.status === 'running' && isPaused(run) ? deciding(run, circumstances, resume) : nothing(run)
    case 'ReopenRun':
      return reopen(run, circumstances)
    case 'CancelRun':
      if (run.status === 'queued') return endQueued(run, circumstances, cancelled)
      return run.status === 'running' ? deciding(run, circumstances, cancel) : nothing(run)
    case 'DeleteRun':
      return isKnown(run) ? remove(run, circumstances) : nothing(run)
  }
}

const paused: RunEvent = { type: 'RunPaused', data: {} }

const pause = ({ emit }: Decision): void => emit(paused)

function resume({ run, emit }: Decision): void {
  emit({ type: 'RunResumed', data: {} })
  run.isUnfinished = true
}

const nothing = (run: Run): Decided => ({ run, events: [] })

function reopen(run: Run, { at }: Circumstances): Decided {
  const retriable = retriableOf(run)
  if ('refused' in retriable) return nothing(run)
  const event: RunEvent = { type: 'RunReopened', data: retriable }
  const reopened = evolve(run, event, at)
  if (reopened.status === 'running') reopened.isUnfinished = true
  return { run: reopened, events: [event] }
}

function whileRunning(run: Run, circumstances: Circumstances, steps: (decision: Decision) => void): Decided {
  if (run.status !== 'running') return nothing(run)
  return deciding(run, circumstances, decision => {
    steps(decision)
    if (run.lost !== null) {
      if (!isPaused(run)) endByLogin(decision, run.lost)
      return
    }
    if (circumstances.isPatternTimeSpent) {
      if (!isPaused(run)) endByPatterns(decision)
      return
    }
    let waited: number
    do {
      judgeListed(decision)
      leaveUnpaid(decision)
      refill(decision)
      waited = run.pending.size
      if (!isPaused(run)) orderNext(decision)
      // A page that is skipped when it is due frees its slot. If it was the seed, the listed URLs become due. If it was
      // the last page, sitemaps or second requests become due.
    } while ((mayRefill(run) || areDue(run) || run.pending.size < waited) && !run.isUnfinished)
    // A paused run cannot end before the client resumes, cancels or deletes it. An unfinished run cannot end before its
    // next decision.
    if (isPaused(run) || run.isUnfinished) return
    if (!ends.some(end => end(decision))) finishIfOver(decision)
  })
}

/** The limits that end a run with pending pages. */
const ends = [endByQuota, endByCost, endByBytes]

/** Starts a run. `more` are events directly after its start. */
function start(run: Queued, circumstances: Circumstances, more: RunEvent[] = []): Decided {
  const { settings } = run
  const url = normalForm(run.url) ?? run.url
  const begun: RunEvent = { type: 'RunStarted', data: { scope: scopeOf(url, settings.subdomains) } }
  const head = [begun, ...more]
  const running = head.reduce((run: Run, event) => evolve(run, event, circumstances.at), run) as Running
  const { run: after, events } = whileRunning(running, circumstances, decision =>
    settings.seedKind === 'sitemap'
      ? decision.emit({ type: 'SitemapOrdered', data: { ...sitemapOf(url), depth: 0, attempt: 1 } })
      : discover(decision, { key: urlKey(url), url, depth: 0, from: null, hops: 0 }),
  )
  return { run: after, events: [...head, ...events] }
}

const cancelled: RunEventData<'RunFinished'> = {
  status: 'cancelled',
  stopReason: 'cancelled',
  errorMessage: null,
  totals: noTotals,
}
const stale: RunEventData<'RunFinished'> = {
  status: 'failed',
  stopReason: 'time_limit',
  errorMessage: 'The run could not be started within 24 hours.',
  errorReason: 'time_limit',
  totals: noTotals,
}

function endQueued(run: Queued, { at }: Circumstances, data: RunEventData<'RunFinished'>): Decided {
  const event: RunEvent = { type: 'RunFinished', data }
  return { run: evolve(run, event, at), events: [event] }
}

/** Age in ms above which a queued run is not started, because its client no longer expects that. */
const staleAfterMs = 24 * 3_600_000

const isStale = ({ enqueuedAt }: Queued, { at }: Circumstances): boolean =>
  Date.parse(at) - Date.parse(enqueuedAt) > staleAfterMs

const isPastLimit = (run: Run, { at, runLimitMs }: Circumstances): run is Running =>
  run.status === 'running' && Date.parse(at) >= limitAt(run, runLimitMs)

/** Deletes a run. Its last event repeats the billed units, because deleted runs keep only that event. */
function remove(run: Known, circumstances: Circumstances): Decided {
  const { run: ended, events } = decide(run, { type: 'CancelRun' }, circumstances)
  const { projectId } = run
  const fetched = 'totals' in ended ? ended.totals.fetched : 0
  const { blocked, rendered, carried } = 'totals' in ended ? ended : { blocked: 0, rendered: 0, carried: 0 }
  const units = unitsOfCrawl({ fetched, blocked, rendered, carried })
  const cloud = units.cloud_page > 0 && { billedCloudPages: units.cloud_page }
  const event: RunEvent = { type: 'RunDeleted', data: { projectId, billedPages: units.page, ...cloud } }
  return { run: evolve(ended, event, circumstances.at), events: [...events, event] }
}

/** Returns the event that deletes a run without any other event. Its units are unknown, because pages are events. */
export const removeLost = (projectId: number): RunEvent => ({
  type: 'RunDeleted',
  data: { projectId, billedPages: 0 },
})
