/**
 * Keeps the bytes of a run's pages within `max_bytes`. Every order reserves the bytes that its body may have, and the
 * fetcher reads no more. Usual orders reserve a share, so that many are in flight. A page above its share is ordered
 * again, with as much as a body may have, or alone with all remaining bytes. If the page exceeds the remaining bytes
 * too, the run ends. A second request reserves as much as a body may have from the start, so that no share truncates
 * its response.
 *
 * A fetcher counts the bytes on the wire, but a page counts with its decoded bytes. The remaining bytes are therefore
 * checked again when a page arrives, which makes the maximum exact.
 */
import type { PageResponse } from '@tidemark/contracts/run'
import { maxBodyBytes } from '@tidemark/contracts/work/fetch'
import type { Pending, Queued, Running } from '../run.ts'
import type { ByteBudget } from './state.ts'

/** Reason of a failure or retry: the body exceeds the bytes that its order may have. */
export const overBytes = 'max_bytes'

/** Usual number of orders in flight, and the minimum bytes for each: more than most pages have. */
const shares = 32
const minShare = 256 * 1024

/** Returns the budget of a run that starts; null: it has none. */
export const byteBudgetOf = ({ settings: { maxBytes: max } }: Queued): ByteBudget | null =>
  max === undefined ? null : { max, spent: 0, held: 0, over: 0 }

/**
 * Returns the bytes that a response counts. A page from the store, or one that its origin did not send again, counts
 * none.
 */
const bytesOf = ({ bytes, notModified, carried }: PageResponse): number =>
  notModified || carried ? 0 : bytes

/** Returns the bytes that are neither spent nor held by other pages. */
const leftFor = ({ max, spent, held }: ByteBudget, { bytes = 0 }: Pick<Pending, 'bytes'>): number =>
  max - spent - held + bytes

/** Reserves the bytes of an ordered page. If the same order is sent again, the page already holds its bytes. */
export function holdBytes(
  { bytes: budget, out }: Running,
  pending: Pending,
  maxBytes: number | undefined,
): void {
  if (budget === null || maxBytes === undefined) return
  pending.isRest = out === 0 && maxBytes >= leftFor(budget, pending)
  setHeld(budget, pending, heldFor(pending, maxBytes))
}

/**
 * Returns the bytes that an order holds: at least the bytes of the page's first response, which counts if no second
 * response arrives.
 */
const heldFor = ({ answer }: Partial<Pending>, maxBytes: number): number =>
  Math.max(maxBytes, answer ? bytesOf(answer) : 0)

/**
 * Releases the bytes of a page that is retried, except those of its first response. Records whether its body was too
 * large.
 */
export function adjustBytes({ bytes: budget }: Running, pending: Pending, reason: string): void {
  if (budget === null) return
  setHeld(budget, pending, pending.answer ? bytesOf(pending.answer) : 0)
  if (reason !== overBytes) return
  pending.isLarge = true
  if (!pending.isRest || pending.isOver) return
  pending.isOver = true
  budget.over++
}

/** Releases the bytes that a page still holds, when it is settled. */
export function releaseBytes({ bytes: budget }: Running, pending: Pending): void {
  if (budget === null) return
  setHeld(budget, pending, 0)
  if (pending.isOver) budget.over--
}

/** Counts the bytes of a fetched page. */
export function countBytes({ bytes: budget }: Running, page: PageResponse): void {
  if (budget !== null) budget.spent += bytesOf(page)
}

function setHeld(budget: ByteBudget, pending: Pending, bytes: number): void {
  budget.held += bytes - (pending.bytes ?? 0)
  pending.bytes = bytes
}

/** Returns whether a response fits into the bytes that the page holds and those that are left. */
export const fitsBytes = ({ bytes: budget }: Running, pending: Pending, page: PageResponse): boolean =>
  budget === null || bytesOf(page) <= leftFor(budget, pending)

/** Returns whether a page that exceeded its bytes had already reserved the maximum of a body. */
export const reachedBodyLimit = ({ bytes = 0, isRest }: Pending): boolean => !isRest && bytes >= maxBodyBytes

/** Returns whether no page can be ordered, now or later. */
export const isBytesOver = ({ bytes: budget }: Running): boolean =>
  budget !== null && (budget.over > 0 || budget.max - budget.spent - budget.held <= 0)

/** Returns whether the fetched pages leave no bytes for another page. Call it for a run without pending pages. */
export const areBytesSpent = ({ bytes: budget }: Running): boolean =>
  budget !== null && budget.spent >= budget.max

/** The bytes that one decision may still reserve for its orders. */
export type RemainingBytes = {
  fits(pending: Pending): boolean
  /** Takes the bytes of a page that fits. */
  take(key: string, pending: Pending): void
  /** Returns whether no page that is ordered for the first time fits. */
  isEmpty(): boolean
  /** The maximum bytes of the body of each page that was taken. */
  limits: ReadonlyMap<string, number>
}

/** Returns what remains for a decision; null: the run has no budget. */
export function remainingBytesOf({ bytes: budget, out }: Running): RemainingBytes | null {
  if (budget === null) return null
  const share = Math.min(maxBodyBytes, Math.max(minShare, Math.floor((budget.max - budget.spent) / shares)))
  const limits = new Map<string, number>()
  let taken = 0
  const first = {}
  /** Returns the bytes that an order of the page may have now; 0: none. */
  function limitOf({ bytes, answer, isLarge }: Partial<Pending>): number {
    const left = leftFor(budget as ByteBudget, { bytes: bytes ?? 0 }) - taken
    const wanted = isLarge || answer ? maxBodyBytes : share
    if (wanted <= left) return wanted
    return out === 0 && limits.size === 0 ? left : 0
  }
  return {
    limits,
    fits: pending => budget.over === 0 && limitOf(pending) > 0,
    take(key, pending) {
      const limit = limitOf(pending)
      limits.set(key, limit)
      taken += heldFor(pending, limit) - (pending.bytes ?? 0)
    },
    isEmpty: () => budget.over > 0 || limitOf(first) <= 0,
  }
}
