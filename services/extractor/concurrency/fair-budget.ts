/**
 * A byte budget that owners share. No owner holds more than its share, and requests beyond the share wait. The waiting
 * request of the owner that holds the fewest bytes is granted first, so an owner with many requests delays others only
 * by its granted requests.
 */
import type { Owner } from '@tidemark/bus/fair-line'

export type FairBudget = {
  /** Resolves when the bytes are available. Disposing returns them. Rejects only when the signal aborts earlier. */
  enter(owner: Owner, bytes: number, signal?: AbortSignal): Promise<Disposable>
}

type Outside = { owner: Owner; bytes: number; enter: () => void }

/**
 * Limits the bytes of all owners together, and of each one (unlimited by default). A request above a limit enters when
 * its owner, or every owner, holds none.
 */
export function createFairBudget({
  all: maxAll,
  each: maxEach = Number.POSITIVE_INFINITY,
}: {
  all: number
  each?: number
}): FairBudget {
  const outside = new Set<Outside>()
  const held = new Map<Owner, number>()
  let all = 0

  return {
    async enter(owner, bytes, signal) {
      signal?.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const mine: Outside = { owner, bytes, enter: resolve }
      const leave = () => {
        if (outside.delete(mine)) reject(signal?.reason)
        letIn()
      }
      signal?.addEventListener('abort', leave, { once: true })
      outside.add(mine)
      letIn()
      await promise.finally(() => signal?.removeEventListener('abort', leave))
      return {
        [Symbol.dispose]() {
          hold(owner, -bytes)
          letIn()
        },
      }
    },
  }

  function letIn(): void {
    for (let next = first(); next !== undefined; next = first()) {
      if (all > 0 && all + next.bytes > maxAll) return
      outside.delete(next)
      hold(next.owner, next.bytes)
      next.enter()
    }
  }

  /** Returns the next request that its owner's share allows. */
  function first(): Outside | undefined {
    let best: Outside | undefined
    for (const one of outside) {
      const own = heldBy(one.owner)
      if (own > 0 && own + one.bytes > maxEach) continue
      if (best === undefined || own < heldBy(best.owner)) best = one
    }
    return best
  }

  function heldBy(owner: Owner): number {
    return held.get(owner) ?? 0
  }

  function hold(owner: Owner, bytes: number): void {
    all += bytes
    const own = heldBy(owner) + bytes
    if (own > 0) held.set(owner, own)
    else held.delete(owner)
  }
}
