/** Limits the concurrency of work that needs much memory, in the order of the calls. */

export function fewAtATime(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let underWay = 0
  return async work => {
    if (underWay >= most) await new Promise<void>(resolve => waiting.push(resolve))
    else underWay++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }
}
