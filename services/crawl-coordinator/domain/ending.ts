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
  const failed = run.counts.fetched === 0 && run.seedFailure !== null
  emit({
    type: 'RunFinished',
    data: {
      status: failed ? 'failed' : 'done',
      stopReason: failed ? 'failed' : stopReason(run),
      errorMessage: failed ? explain(run.seedFailure ?? '') : null,
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
export const endByTime = (decision: Decision): void =>
  endEarly(decision, 'time_limit', 'No page could be had in the time that a run may take.')

/** Ends the run where no page may be spent on it any more and none is on its way; answers whether it did. */
export function endByQuota(decision: Decision): boolean {
  const { run, allowance, cloudAllowance } = decision
  const { pending, out, rendering } = run
  if (out > 0 || pending.size === 0) return false
  const isPlainOver = allowance.isFinal && leftOf(decision) <= 0
  const isCloudOver = cloudAllowance.isFinal && cloudLeftOf(decision) <= 0
  const isOver =
    (isPlainOver || pending.size === rendering.pending) && (isCloudOver || rendering.pending === 0)
  if (isOver)
    endEarly(decision, 'quota', 'The pages that the project may have were used up before the first one.')
  return isOver
}

/** With what it has as done; without any page as failed, and why. */
function endEarly({ run, emit }: Decision, stopReason: StopReason, whyEmpty: string): void {
  const isEmpty = run.counts.fetched === 0
  emit({
    type: 'RunFinished',
    data: {
      status: isEmpty ? 'failed' : 'done',
      stopReason,
      errorMessage: isEmpty ? whyEmpty : null,
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

const explain = (reason: string): string => sentenceOf(reason) ?? `The seed could not be crawled: ${reason}.`
