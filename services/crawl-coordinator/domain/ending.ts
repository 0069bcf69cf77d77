/** Decides when a run is over, and emits its end. */
import type { RunEventData, Totals } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import { usualConcurrency } from '@tidemark/contracts/run-settings'
import type { Decision } from './circumstances.ts'
import { mayGetStored } from './fork/stored-pages.ts'
import { isBytesOver } from './limits/byte-budget.ts'
import { canPay } from './limits/cost-budget.ts'
import { lostLoginOf } from './login/lost-login.ts'
import type { LostLogin } from './login/state.ts'
import { plainLeftOf } from './needed-units.ts'
import { settleFirstAnswers } from './recheck.ts'
import { cloudLeftOf, unpaidOf } from './rendering.ts'
import { type Running, totals } from './run.ts'
import { type Failure, refusalOfList, seedFailureOf } from './seed-failure.ts'
import { awaitsSitemaps, faultySitemaps, listNothing, unreadSitemaps } from './sitemaps.ts'

/**
 * Ends the run once nothing is pending: as failed if it has no page because its seed failed, otherwise as done with its
 * stop reason.
 */
export function finishIfOver(decision: Decision): void {
  const { run } = decision
  if (run.pending.size > 0 || awaitsSitemaps(run)) return
  const failure = failureOf(run)
  const unread = unreadSitemaps(run)
  const reason = failure === null ? stopReason(run, unread) : 'failed'
  const isShort = reason === 'max_pages' && run.sitemaps.size > 0
  finish(decision, reason, failure, isShort ? { unreadSitemaps: unread } : {})
}

/**
 * Ends the run in its current state because the client cancels it. First responses of pages that wait for a second
 * request become pages, at most about 2,000 of them. The other pages count as not reached.
 */
export function cancel(decision: Decision): void {
  settleFirstAnswers(decision)
  finish(decision, 'cancelled', null, { status: 'cancelled', ...droppedBy(decision.run) })
}

/** Ends the run as failed because its login failed or was lost. The pages that were fetched before stay. */
export function endByLogin(decision: Decision, lost: LostLogin): void {
  if (!settleFirstAnswers(decision)) return
  finish(decision, 'failed', lostLoginOf(lost), droppedBy(decision.run))
}

/** Ends the run in its current state because it has reached the maximum duration. */
export const endByTime = (decision: Decision): void => endEarly(decision, 'time_limit')

/** Ends the run once no order is in flight, because it has used up its pattern time. */
export function endByPatterns(decision: Decision): void {
  if (decision.run.out === 0) endEarly(decision, 'pattern_time')
}

/**
 * Ends the run if it may spend no more pages and no order is in flight, and returns whether it did. A run that only
 * waits for second requests continues, because their pages are paid already.
 */
export function endByQuota(decision: Decision): boolean {
  const { run } = decision
  const { pending, out, rechecks } = run
  const waiting = pending.size - rechecks.waiting.size
  if (out > 0 || waiting === 0) return false
  const toBeRendered = unpaidOf(run)
  const isOver =
    (isPlainOver(decision) || waiting === toBeRendered) &&
    (isCloudOver(decision) || toBeRendered === 0) &&
    !mayGetStored(decision)
  if (isOver) endEarly(decision, 'quota')
  return isOver
}

/** Returns whether the project's quota pays for no further page over plain HTTP. */
const isPlainOver = (decision: Decision): boolean => decision.allowance.isFinal && plainLeftOf(decision) <= 0

/** Returns whether the project's quota pays for no further page in a browser. */
const isCloudOver = (decision: Decision): boolean =>
  decision.cloudAllowance.isFinal && cloudLeftOf(decision) <= 0

/**
 * Ends the run if no order is in flight and none of its waiting pages can be paid, and returns whether it did. A page
 * that the quota refuses for good counts as a page that cannot be paid: quota and maximum cost together may stop a run
 * that neither of them stops alone.
 */
export function endByCost(decision: Decision): boolean {
  const { run } = decision
  if (run.cost === null || run.out > 0 || mayGetStored(decision)) return false
  const isOver = { http: isPlainOver(decision), browser: isCloudOver(decision) }
  let isUnpaid = false
  for (const [key, pending] of run.pending) {
    if (run.rechecks.waiting.has(key)) continue
    if (!canPay(run, pending)) isUnpaid = true
    else if (!isOver[pending.lane ?? 'http']) return false
  }
  if (isUnpaid) endEarly(decision, 'max_cost_usd')
  return isUnpaid
}

/**
 * Ends the run if no order is in flight and no page can be ordered within its maximum of bytes, and returns whether it
 * did.
 */
export function endByBytes(decision: Decision): boolean {
  const { run } = decision
  if (!isBytesOver(run) || run.out > 0 || run.pending.size === 0 || mayGetStored(decision)) return false
  endEarly(decision, 'max_bytes')
  return true
}

/**
 * Ends the run at a limit: as failed if the seed could not be fetched, otherwise as done. If one decision cannot
 * settle all first responses as pages, the run continues until the next decision.
 */
function endEarly(decision: Decision, stopReason: StopReason): void {
  if (settleFirstAnswers(decision)) finish(decision, stopReason, failureOf(decision.run))
}

/** Ends the run in its current state, by default as failed if there is a failure, otherwise as done. */
function finish(
  { run, emit }: Decision,
  stopReason: StopReason,
  failure: Failure | null,
  more: Partial<RunEventData<'RunFinished'>> = {},
): void {
  const status = failure === null ? 'done' : 'failed'
  const error =
    failure === null ? { errorMessage: null } : { errorMessage: failure.message, errorReason: failure.reason }
  const data: RunEventData<'RunFinished'> = {
    status,
    stopReason,
    ...error,
    totals: asItStands(run),
    ...besides(run),
    ...more,
  }
  emit({ type: 'RunFinished', data })
}

/** Returns the totals, in which pending URLs count as not reached. */
function asItStands(run: Running): Totals {
  const { pending, notReached, ...ends } = totals(run)
  return { ...ends, notReached: notReached + pending, pending: 0 }
}

/**
 * Returns further facts about the run, except numbers that are 0: how many fetched pages were blocked, rendered or
 * taken from the store, how often it was reopened, and the sitemaps that were read in part because of a fault.
 */
function besides(run: Running) {
  const { blocked, rendered, carried, reopenings } = run
  const faulty = faultySitemaps(run)
  return {
    ...(blocked > 0 && { blocked }),
    ...(rendered > 0 && { rendered }),
    ...(carried > 0 && { carried }),
    ...(reopenings > 0 && { reopenings }),
    ...(faulty.length > 0 && { faultySitemaps: faulty }),
  }
}

/**
 * Returns the number of requests that the end of a run drops: at most as many as are sent at once. The other orders in
 * flight probably still wait for their hosts, and the fetchers drop them without a request.
 */
function droppedBy({ out, storedOut, settings }: Running): { dropped?: number } {
  const dropped = Math.min(out - storedOut, settings.concurrency ?? usualConcurrency)
  return dropped > 0 ? { dropped } : {}
}

/**
 * Returns why a run is over. URLs that were left at an earlier end of the run determine the reason. `deferred.count`
 * also counts URLs above `max_pages` that were too many to keep.
 */
function stopReason({ deferred, left }: Running, unread: readonly string[]): StopReason {
  for (const reason of left.values()) return reason
  if (deferred.count > deferred.depth.size || unread.length > 0) return 'max_pages'
  return deferred.depth.size > 0 ? 'depth' : 'exhausted'
}

/**
 * Returns the failure of a run without pages: its seed could not be fetched, or its sitemaps list nothing that may be
 * fetched. Null if it has pages, or the reason was never recorded.
 */
function failureOf(run: Running): Failure | null {
  if (run.counts.fetched > 0) return null
  const failure = run.seedFailure ?? (listNothing(run) ? { reason: 'empty_sitemap' } : null)
  return failure === null ? refusalOfList(run) : seedFailureOf(run, failure)
}
