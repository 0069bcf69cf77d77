/** When a run is over, and how that is told. */
import type { StopReason, Totals } from '@tidemark/contracts/run'
import type { Decision } from './decision.ts'
import { leftOf } from './orders.ts'
import { cloudLeftOf } from './rendering.ts'
import { type Running, totals } from './run.ts'
import { sentenceOf } from './sentences.ts'
import { awaitsSitemaps } from './sitemaps.ts'

/** Ends the run once nothing is pending: without the seed as failed, else as done with the reason why it stopped. */
export function finishIfOver({ run, emit }: Decision): void {
  if (run.pending.size > 0 || awaitsSitemaps(run) || run.isUnfinished) return
  const failure = failureOf(run)
  emit({
    type: 'RunFinished',
    data: {
      status: failure === null ? 'done' : 'failed',
      stopReason: failure === null ? stopReason(run) : 'failed',
      errorMessage: failure,
      totals: totals(run),
      ...besides(run),
    },
  })
}

/** Ends the run as it stands, because somebody wants so. */
export function cancel({ run, emit }: Decision): void {
  emit({
    type: 'RunFinished',
    data: {
      status: 'cancelled',
      stopReason: 'cancelled',
      errorMessage: null,
      totals: asItStands(run),
      ...besides(run),
    },
  })
}

/** Ends the run as it stands, because it took as long as a run may. */
export const endByTime = (decision: Decision): void => endEarly(decision, 'time_limit')

/** Ends the run where no page may be spent on it any more and none is on its way; answers whether it did. */
export function endByQuota(decision: Decision): boolean {
  const { run, allowance, cloudAllowance } = decision
  const { pending, out, rendering } = run
  if (out > 0 || pending.size === 0) return false
  const isPlainOver = allowance.isFinal && leftOf(decision) <= 0
  const isCloudOver = cloudAllowance.isFinal && cloudLeftOf(decision) <= 0
  const isOver =
    (isPlainOver || pending.size === rendering.pending) && (isCloudOver || rendering.pending === 0)
  if (isOver) endEarly(decision, 'quota')
  return isOver
}

/** With what it has as done, be it nothing: that a limit was met is no failure. Without the seed as failed. */
function endEarly({ run, emit }: Decision, stopReason: StopReason): void {
  const failure = failureOf(run)
  emit({
    type: 'RunFinished',
    data: {
      status: failure === null ? 'done' : 'failed',
      stopReason,
      errorMessage: failure,
      totals: asItStands(run),
      ...besides(run),
    },
  })
}

/** What was admitted and has no end yet is not reached any more. */
function asItStands(run: Running): Totals {
  const { pending, notReached, ...ends } = totals(run)
  return { ...ends, notReached: notReached + pending, pending: 0 }
}

/** What of the pages fetched was not simply had. */
const besides = ({ blocked, rendered }: Running) => ({
  ...(blocked > 0 && { blocked }),
  ...(rendered > 0 && { rendered }),
})

const stopReason = ({ deferred }: Running): StopReason =>
  deferred.max_pages.size > 0 ? 'max_pages' : deferred.depth.size > 0 ? 'depth' : 'exhausted'

/** Why a run that has no page could not have its seed, in a sentence; null where it has one, or was never told. */
const failureOf = ({ counts, seedFailure }: Running): string | null =>
  counts.fetched > 0 || seedFailure === null ? null : explain(seedFailure)

const explain = (reason: string): string => sentenceOf(reason) ?? `The seed could not be crawled: ${reason}.`
