/**
 * Limits the time of a fetch. One deadline covers all of it: all redirects, connecting, and the body to its last byte. A
 * caller's signal ends the fetch in the same way. Unlike idle timeouts, the deadline also stops a server that sends a
 * byte now and then.
 */
import { FetchError } from './fetch-error.ts'

export type Limit = Disposable & {
  /** The error of the fetch after the deadline or the caller's signal, else null. */
  over: FetchError | null
  /** Called at that moment, to stop the current exchange. */
  stop: ((error: FetchError) => void) | null
}

/** Starts a deadline, which is active until it is disposed. */
export function startLimit(timeoutMs: number, signal: AbortSignal | undefined): Limit {
  const timer = setTimeout(
    () => end(new FetchError('timeout', { because: `after ${timeoutMs} ms` })),
    timeoutMs,
  )
  const onAbort = () => end(new FetchError('aborted', { cause: signal?.reason }))
  const limit: Limit = {
    over: null,
    stop: null,
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }

  function end(error: FetchError) {
    limit.over ??= error
    limit.stop?.(limit.over)
  }

  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return limit
}

/** Returns the result of the promise, or rejects after `ms` with a `timeout` that names the target. */
export async function inTime<T>(ms: number, target: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = () => new FetchError('timeout', { because: `no connection to ${target} in time`, target })
    timer = setTimeout(() => reject(error()), Math.max(ms, 0))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
