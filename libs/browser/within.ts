/** Waits in bounded time for operations that may never settle. */

/**
 * Returns whether the work settled within `ms`, also by a failure. It continues anyway, and its failure is ignored.
 */
export const answersWithin = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  valueWithin(
    ms,
    work.catch(() => {}).then(() => true),
    false,
  )

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
