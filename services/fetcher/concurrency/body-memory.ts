/**
 * Claims memory for a body that is being read. A small body needs no claim. A large one claims its final size before
 * more of it is read. If that is unknown, it claims twice its current size, repeatedly. Waiting bodies do not block
 * small ones.
 */
import type { ByteBudget, Claim } from './byte-budget.ts'

/** The claim of one body, until disposed. */
export type BodyMemory = Disposable & {
  /**
   * Claims memory for a body of this size, in place of the previous body. Resolves when reading may continue; null if
   * it may now.
   */
  claim(bytes: number): Promise<void> | null
  /** Enlarges the claim of the same body to this size. Resolves when reading may continue; null if it may now. */
  grow(bytes: number): Promise<void> | null
  /** Whether the body waits for memory. A slow response is then not the fault of its host. */
  readonly isWaiting: boolean
}

/** Maximum bytes of a body that is read without a claim. */
export const smallBody = 1024 ** 2

export function openBodyMemory(budget: ByteBudget): BodyMemory {
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
