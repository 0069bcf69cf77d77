/** Determines the number of orders that a run may have in flight: its share of the capacity of this instance. */
import { type Sharer, type Sharing, sharingOf, windowOf } from '../domain/window.ts'

/** Minimum time between two counts of the sharers, as a multiple of the time that a count takes. */
const countingPart = 20

/**
 * Returns a function that returns the window of a run.
 * @param capacity maximum orders of all runs together
 * @param sharers returns the current sharers
 */
export function orderShare(capacity: number, sharers: () => Iterable<Sharer>): (run: Sharer) => number {
  let sharing = sharingOf([])
  let [countedAt, tookMs] = [0, 0]

  /**
   * Returns the latest counts. Each decision calls it, so with many runs the count is repeated less often.
   */
  function latest(): Sharing {
    const now = performance.now()
    if (now - countedAt >= countingPart * tookMs) {
      sharing = sharingOf(sharers())
      countedAt = performance.now()
      tookMs = countedAt - now
    }
    return sharing
  }

  return run => windowOf(run, latest(), capacity)
}
