/**
 * Room in memory for a body that is being read. A small one needs none of its own; a large one claims all that it may
 * become before more of it is read, so that those that have begun can always end, and the small ones go past those that wait.
 */
import type { ByteBudget, Claim } from './byte-budget.ts'

/** One body's, until disposed. */
export type BodyRoom = Disposable & {
  /** For a body of so many bytes at most, in place of what it had before. Resolves when it may be read on; null where that is now. */
  claim(bytes: number): Promise<void> | null
}

/** A body up to here is read without asking. */
export const smallBody = 1024 ** 2

export function openBodyRoom(budget: ByteBudget): BodyRoom {
  let held: Claim | null = null
  const giveBack = () => held?.[Symbol.dispose]()
  return {
    claim(bytes) {
      giveBack()
      held = budget.claim(bytes)
      return held.granted
    },
    [Symbol.dispose]: giveBack,
  }
}
