/** Waiting with an end, for what may never answer. */

/** Whether it came about in time; a failure is an answer too. The work goes on, and its failure troubles nobody. */
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

/** What it came to, or `otherwise` when it is not there in time or fails. */
export async function valueWithin<T, U>(ms: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  const { promise: late, resolve } = Promise.withResolvers<U>()
  const timer = setTimeout(resolve, Math.max(0, ms), otherwise)
  try {
    return await Promise.race([work.catch(() => otherwise), late])
  } finally {
    clearTimeout(timer)
  }
}
