/** Limits concurrency by a number of permits, which are granted in the order of the requests. */
import { createWaiter, type Waiter } from './waiter.ts'

export type Semaphore = {
  /** Waits for a permit. Rejects with the signal's reason if it aborts first. */
  acquire(signal: AbortSignal): Promise<void>
  release(): void
  /** Sets the number of permits. Permits in use stay valid. */
  resize(permits: number): void
  /** Number of permits in use. */
  readonly out: number
}

export function createSemaphore(permits: number): Semaphore {
  let out = 0
  const waiters = new Set<Waiter>()

  return {
    async acquire(signal) {
      signal.throwIfAborted()
      if (out < permits && waiters.size === 0) out += 1
      else await queueUp(signal)
    },
    release() {
      out -= 1
      admitNext()
    },
    resize(wanted) {
      permits = wanted
      admitNext()
    },
    get out() {
      return out
    },
  }

  function queueUp(signal: AbortSignal): Promise<void> {
    const waiter = createWaiter(signal, left => waiters.delete(left))
    waiters.add(waiter)
    return waiter.admitted
  }

  function admitNext(): void {
    for (const waiter of waiters) {
      if (out >= permits) return
      out += 1
      waiters.delete(waiter)
      waiter.admit()
    }
  }
}
