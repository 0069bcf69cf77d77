/**
 * The few places of messages that have to wait long, so that the others go by. Whoever finds none is put back, and
 * told when its turn will have come about: by how long those before it took.
 */
import { createShares } from './shares.ts'

export type Places = {
  /**
   * Asked before a message is begun: in so many milliseconds it should come again, if it was put back before and there
   * is still no place for its run; else null.
   */
  tooSoon(sequence: number): number | null
  /** Null where there is none for this run; disposed of, it is free for the next. */
  take(sequence: number, runId: number): Disposable | null
  /** Puts it back: in so many milliseconds it should come again. */
  putBack(sequence: number, runId: number): number
}

const shortestMs = 100
const longestMs = 30_000
/** Who has not come by then has gone elsewhere. */
const forgottenMs = 2 * longestMs
/** Of the time that the newest one took, in the mean of all. */
const weight = 0.2

/** @param most places for all together, and for one run */
export function createPlaces(most: { all: number; each: number }): Places {
  const shares = createShares(most)
  /** By number in the stream; whoever was put back last stands last. */
  const waiting = new Map<number, { runId: number; since: number }>()
  let meanMs = shortestMs

  return {
    tooSoon(sequence) {
      const known = waiting.get(sequence)
      return known === undefined || shares.has(known.runId, 1) ? null : putBack(sequence, known.runId)
    },
    take(sequence, runId) {
      const share = shares.take(runId, 1)
      if (share === null) return null
      waiting.delete(sequence)
      const since = performance.now()
      return {
        [Symbol.dispose]() {
          meanMs += weight * ((performance.now() - since) / most.each - meanMs)
          share[Symbol.dispose]()
        },
      }
    },
    putBack,
  }

  function putBack(sequence: number, runId: number): number {
    const now = performance.now()
    waiting.delete(sequence)
    for (const [oldest, { since }] of waiting) {
      if (now - since < forgottenMs) break
      waiting.delete(oldest)
    }
    waiting.set(sequence, { runId, since: now })
    return Math.min(Math.max(shortestMs, meanMs * waiting.size), longestMs)
  }
}
