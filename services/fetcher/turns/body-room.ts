/**
 * Room in memory for a body that is being read. A small one needs none of its own; a large one claims what it is going
 * to be before more of it is read, or where it does not say that, twice of what it is, again and again. The small ones
 * go past those that wait.
 */
import type { ByteBudget, Claim } from './byte-budget.ts'

/** One body's, until disposed. */
export type BodyRoom = Disposable & {
  /** For a body of so many bytes, in place of another one's before. Resolves when it may be read on; null where that is now. */
  claim(bytes: number): Promise<void> | null
  /** For the same body, which proves to be larger. */
  grow(bytes: number): Promise<void> | null
  /** Whether there is none yet: what takes long is then no fault of its host. */
  readonly isWaiting: boolean
}

/** A body up to here is read without asking. */
export const smallBody = 1024 ** 2

export function openBodyRoom(budget: ByteBudget): BodyRoom {
  let held: Claim | null = null
  let waitsFor: Promise<void> | null = null
  const giveBack = () => held?.[Symbol.dispose]()

  function wait(granted: Promise<void> | null): Promise<void> | null {
    waitsFor = granted
    void granted?.then(() => {
      if (waitsFor === granted) waitsFor = null
    })
    return granted
  }

  function claim(bytes: number): Promise<void> | null {
    giveBack()
    held = budget.claim(bytes)
    return wait(held.granted)
  }

  return {
    get isWaiting() {
      return waitsFor !== null
    },
    claim,
    grow: bytes => (held === null ? claim(bytes) : wait(held.grow(bytes))),
    [Symbol.dispose]: giveBack,
  }
}
