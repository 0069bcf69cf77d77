/**
 * Decides which waiting pages may be ordered: those that no rule excludes any more, and that the project's quota and
 * the run's budget can pay.
 */
import type { RunEvent } from '@tidemark/contracts/run'
import type { Decision } from '../circumstances.ts'
import { forbiddenBy, isExempt, pruned } from '../discover.ts'
import { storedOf } from '../fork/stored-pages.ts'
import { delayOf, hostWindow } from '../host-rate.ts'
import { plainLeftOf } from '../needed-units.ts'
import { isAtEnd } from '../recheck.ts'
import { freeBrowsers, idleBrowsers, unpaidOf } from '../rendering.ts'
import { endOfForbidden } from '../robots.ts'
import { originOf, type Pending, type Running } from '../run.ts'
import { judgeWaiting } from '../traps/traps.ts'
import { remainingBytesOf } from './byte-budget.ts'
import { remainingCostOf } from './cost-budget.ts'

/** The budgets from which one decision takes what its orders reserve. */
export type Remaining = {
  fits(pending: Pending): boolean
  /** Takes what the page reserves. Call it only if `fits` returned true. */
  take(key: string, pending: Pending): void
  /** Returns whether no page fits, except pages that already hold their price or bytes. */
  isEmpty(): boolean
  /** The maximum bytes of the body of each page that was taken; null: there is no maximum. */
  limits: ReadonlyMap<string, number> | null
}

/** Returns what remains for a decision; null: the run has no budget. */
export function remainingOf(run: Running): Remaining | null {
  const [cost, bytes] = [remainingCostOf(run), remainingBytesOf(run)]
  if (cost === null && bytes === null) return null
  return {
    fits: pending => cost?.fits(pending) !== false && bytes?.fits(pending) !== false,
    take(key, pending) {
      cost?.take(pending)
      bytes?.take(key, pending)
    },
    isEmpty: () => cost?.isEmpty() === true || bytes?.isEmpty() === true,
    limits: bytes?.limits ?? null,
  }
}

/**
 * Returns a function that reserves a page, or a cloud page, from the remaining quota, and its price and bytes from the
 * run's budgets. It returns false if one of them has not enough left.
 */
export function createReserve(decision: Decision, remaining: Remaining | null): (key: string) => boolean {
  const { run } = decision
  const isInQuota = withinQuota(decision)
  return key => {
    if (storedOf(decision, key) !== undefined) return true
    const pending = run.pending.get(key)
    if (remaining === null || pending === undefined) return isInQuota(pending)
    if (!remaining.fits(pending) || !isInQuota(pending)) return false
    remaining.take(key, pending)
    return true
  }
}

/** Returns a function that reserves a page, or a cloud page, from the remaining quota. */
function withinQuota(decision: Decision): (pending: Pending | undefined) => boolean {
  const { run } = decision
  let pages = plainLeftOf(decision)
  let rendered = 0
  return pending => {
    if (pending?.lane !== 'browser') return pending?.answer !== undefined || pages-- > 0
    const window = hostWindow(delayOf(run, originOf(pending.found.url)))
    const free = pending.answer ? idleBrowsers(run, window) : freeBrowsers(decision, window)
    if (free <= rendered) return false
    rendered++
    return true
  }
}

/**
 * Yields the keys of a queue that may be ordered now. Forbidden pages are skipped with an event, while the decision
 * may emit more events. Pages without quota wait.
 */
export function* orderable(
  decision: Decision,
  keys: Iterable<string>,
  { reserve, remaining }: { reserve: (key: string) => boolean; remaining: Remaining | null },
): Generator<string, undefined> {
  // Without quota, a run orders only second requests, which have already reserved their pages. The queue may be long,
  // so it is not searched, except in a fork: pages from the store cost nothing and may be at any position.
  const { run } = decision
  const isFork = decision.stored !== undefined
  const isOutOfQuota = plainLeftOf(decision) <= 0 && unpaidOf(run) === 0 && !isAtEnd(run)
  if (isOutOfQuota && !isFork) return
  for (const key of keys) {
    const costs = storedOf(decision, key) === undefined
    if (costs && isOutOfQuota) continue
    // Pages that hold their price come first in the queue. If nothing remains, no later page that costs something can
    // be ordered.
    if (costs && remaining !== null && !fitsRemaining(run, remaining, key)) {
      if (remaining.isEmpty() && !isFork) return
      continue
    }
    const end = endInsteadOfOrder(decision, key)
    if (end === null) {
      if (reserve(key)) yield key
    } else if (decision.mayEmit()) decision.emit(end)
    else return
  }
}

function fitsRemaining({ pending }: Running, remaining: Remaining, key: string): boolean {
  const page = pending.get(key)
  return page === undefined || remaining.fits(page)
}

/**
 * Returns the event that ends a page instead of its order, or null. Since its admission, its robots.txt was read, and
 * pages of its kind may have proved to be equal.
 */
function endInsteadOfOrder({ run, trapsOff }: Decision, key: string): RunEvent | null {
  const pending = run.pending.get(key)
  if (pending === undefined) return null
  const { found, answer } = pending
  // A page with a first response has passed the rules before its first request.
  if (answer) return null
  const forbidden = forbiddenBy(run, found.url)
  if (forbidden) return endOfForbidden(run, pending, forbidden)
  const trap = run.traps && !isExempt(run, found) ? judgeWaiting(run.traps, found.url, trapsOff) : null
  return trap && pruned(found, trap)
}
