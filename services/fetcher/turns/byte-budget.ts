/** So many bytes of memory for bodies, given out in the order in which they were asked for. */

/** A part of the budget, or a place in its line; given back when disposed. */
export type Claim = Disposable & {
  /** Resolves when the bytes may be used; null where that is now. */
  granted: Promise<void> | null
}

export type ByteBudget = {
  /** What is larger than the whole budget is let through when nothing else is; nothing needs no room. */
  claim(bytes: number): Claim
}

type Waiter = { bytes: number; grant: () => void }

export function createByteBudget(most: number): ByteBudget {
  let used = 0
  const waiters = new Set<Waiter>()

  const fits = (bytes: number): boolean => used === 0 || used + bytes <= most

  function grantNext(): void {
    for (const waiter of waiters) {
      if (!fits(waiter.bytes)) return
      waiters.delete(waiter)
      used += waiter.bytes
      waiter.grant()
    }
  }

  function held(bytes: number, granted: Promise<void> | null, leave: () => boolean): Claim {
    let isHeld = true
    return {
      granted,
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        if (!leave()) used -= bytes
        grantNext()
      },
    }
  }

  return {
    claim(bytes) {
      if (bytes === 0 || (waiters.size === 0 && fits(bytes))) {
        used += bytes
        return held(bytes, null, () => false)
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const waiter = { bytes, grant: resolve }
      waiters.add(waiter)
      return held(bytes, promise, () => waiters.delete(waiter))
    },
  }
}
