/** A number of permits, given out in the order in which they were asked for. */

export type Semaphore = {
  /** Waits for a permit. Rejects with the signal's reason when it is aborted before. */
  acquire(signal: AbortSignal): Promise<void>
  release(): void
  /** How many permits there are from now on; those given out stay out. */
  resize(permits: number): void
  /** How many are given out. */
  readonly out: number
}

type Waiter = { admit: () => void }

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
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = {
      admit() {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    const leave = () => {
      waiters.delete(waiter)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    waiters.add(waiter)
    return promise
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
