/** Lets a request wait in a queue for a permit, until it is admitted or its signal aborts. */
export type Waiter = {
  /** Resolves when it is admitted. Rejects with the signal's reason if that aborts first. */
  admitted: Promise<void>
  admit(): void
}

/**
 * Returns a waiter.
 * @param left called with the waiter to remove it from its queue when the signal aborts before it is admitted
 */
export function createWaiter(signal: AbortSignal, left: (waiter: Waiter) => void): Waiter {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const waiter: Waiter = {
    admitted: promise,
    admit() {
      signal.removeEventListener('abort', leave)
      resolve()
    },
  }
  function leave(): void {
    left(waiter)
    reject(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  return waiter
}
