/** How many orders a run may have out: its part of the room that all runs looked after here share. */
import { type Sharer, type Sharing, sharingOf, windowOf } from '../domain/window.ts'

/** Who shares the room is counted for so small a part of the time. */
const countingPart = 20

/**
 * @param room orders that all runs together may have out
 * @param sharers who shares it at this moment
 */
export function sharedRoom(room: number, sharers: () => Iterable<Sharer>): (run: Sharer) => number {
  let sharing = sharingOf([])
  let [countedAt, tookMs] = [0, 0]

  /** Each decision wants it: where runs are many, it is counted anew only as often as takes a small part of the time. */
  function latest(): Sharing {
    const now = performance.now()
    if (now - countedAt >= countingPart * tookMs) {
      sharing = sharingOf(sharers())
      countedAt = performance.now()
      tookMs = countedAt - now
    }
    return sharing
  }

  return run => windowOf(run, latest(), room)
}
