/**
 * Slots for messages that wait long, so that others can overtake them. A message without a slot is put back with an
 * estimate of its next turn, based on the durations of earlier ones.
 */
import { createShares } from './shares.ts'

export type Slots = {
  /**
   * Called before a message is begun. Returns the milliseconds until its redelivery if it was put back and its run
   * still has no free slot; else null.
   */
  tooSoon(sequence: number): number | null
  /** Returns null without a free slot for this run. Disposing frees the slot. */
  take(sequence: number, runId: number): Disposable | null
  /** Puts the message back. Returns the milliseconds until its redelivery. */
  putBack(sequence: number, runId: number): number
}

const minMs = 100
const maxMs = 30_000
/** Milliseconds after which a message that was put back is forgotten, because another process has received it. */
const forgottenMs = 2 * maxMs
/** Weight of the newest duration in the moving average. */
const weight = 0.2

/** @param max slots in total, and for one run */
export function createSlots(max: { all: number; each: number }): Slots {
  const shares = createShares(max)
  /** Messages that were put back, by stream sequence. The newest is last. */
  const waiting = new Map<number, { runId: number; since: number }>()
  let meanMs = minMs

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
          meanMs += weight * ((performance.now() - since) / max.each - meanMs)
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
    return Math.min(Math.max(minMs, meanMs * waiting.size), maxMs)
  }
}
