/**
 * One deadline for a whole fetch: all redirects, connecting, and the body to its last byte. A caller's signal ends it
 * in the same way. Unlike idle timeouts, it also stops a server that sends a byte now and then.
 */
import { FetchError } from './fetch-error.ts'

export type Limit = Disposable & {
  /** Set when the time is up or the caller has cancelled. */
  over: FetchError | null
  /** Stops the current exchange at that moment. */
  stop: ((error: FetchError) => void) | null
}

/** The deadline is active from this call until it is disposed. */
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
