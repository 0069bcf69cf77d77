/** A byte budget: requests beyond it wait outside and enter in order of arrival. */

export type ByteBudget = {
  /** Resolves when the bytes are available. Disposing returns them. Rejects only when the signal aborts earlier. */
  enter(bytes: number, signal?: AbortSignal): Promise<Disposable>
}

type Outside = { bytes: number; enter: () => void }

/** @param maxBytes a larger request enters alone */
export function createByteBudget(maxBytes: number): ByteBudget {
  const outside = new Set<Outside>()
  let held = 0

  return {
    async enter(bytes, signal) {
      signal?.throwIfAborted()
      if (outside.size > 0 || !fits(bytes)) await waitForTurn(bytes, signal)
      else held += bytes
      return {
        [Symbol.dispose]() {
          held -= bytes
          letIn()
        },
      }
    },
  }

  function fits(bytes: number): boolean {
    return held === 0 || held + bytes <= maxBytes
  }

  function letIn(): void {
    for (const next of outside) {
      if (!fits(next.bytes)) return
      outside.delete(next)
      held += next.bytes
      next.enter()
    }
  }

  function waitForTurn(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const mine: Outside = { bytes, enter: resolve }
    outside.add(mine)
    const leave = () => {
      if (outside.delete(mine)) reject(signal?.reason)
      letIn()
    }
    signal?.addEventListener('abort', leave, { once: true })
    return promise.finally(() => signal?.removeEventListener('abort', leave))
  }
}
