/** Number of orders that a run may have in flight: its share of the capacity of all runs of this instance. */
import { type Sharer, type Sharing, sharingOf, windowOf } from '../domain/window.ts'

/** The sharers are counted for at most this share of the time. */
const countingPart = 20

/**
 * @param capacity maximum orders of all runs together
 * @param sharers returns the current sharers
 */
export function sharedRoom(capacity: number, sharers: () => Iterable<Sharer>): (run: Sharer) => number {
  let sharing = sharingOf([])
  let [countedAt, tookMs] = [0, 0]

  /**
   * Called by each decision. With many runs, the count is repeated only as often as takes a small share of the time.
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
