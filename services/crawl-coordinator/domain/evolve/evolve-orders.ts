/**
 * Applies the orders of pages to a run. Each order reserves what its response may cost, unless the page is taken from
 * the store.
 */
import type { StoredAnswer } from '@tidemark/contracts/work/revisit'
import { holdBytes } from '../limits/byte-budget.ts'
import { holdPrice } from '../limits/cost-budget.ts'
import { countOut, removeFromQueue } from '../queues.ts'
import { leaveRechecks } from '../recheck.ts'
import { changeLane, firstLane, leaveLane } from '../rendering.ts'
import type { Pending, Running } from '../run.ts'

type Order = { message: number; maxBytes: number | undefined; stored: StoredAnswer | undefined }

/** Orders a page. A page from the store has no price and no lane, because the copy of the earlier run is used. */
export function order(run: Running, key: string, { message, maxBytes, ...how }: Order): void {
  const pending = run.pending.get(key)
  if (!pending) return
  const { stored = pending.order?.stored } = how
  if (stored) leaveLane(run, pending)
  else {
    holdPrice(run, pending)
    holdBytes(run, pending, maxBytes)
  }
  const isOut = pending.order !== null
  pending.order = { message, ...(stored && { stored }) }
  if (!isOut) countOut(run, pending, 1)
  removeFromQueue(run, key, pending.found.url)
  leaveRechecks(run, key)
  run.later.delete(key)
}

/** Lets a page that the store no longer has be fetched like any other, with as many attempts. */
export function fetchInstead(run: Running, pending: Pending): void {
  const lane = firstLane(run)
  if (lane) changeLane(run, pending, lane)
  pending.earlier = pending.attempt
}
