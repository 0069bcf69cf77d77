/** Waits in bounded time for operations that may never settle. */

/**
 * Returns whether the work settled within `ms`, also by a failure. It continues anyway, and its failure is ignored.
 */
export async function answersWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, false)
  const done = () => true
  try {
    return await Promise.race([work.then(done, done), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the result, or `otherwise` if it is late or fails. */
export async function valueWithin<T, U>(ms: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  const { promise: late, resolve } = Promise.withResolvers<U>()
  const timer = setTimeout(resolve, Math.max(0, ms), otherwise)
  try {
    return await Promise.race([work.catch(() => otherwise), late])
  } finally {
    clearTimeout(timer)
  }
}
