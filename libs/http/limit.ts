/**
 * One clock for a whole fetch: every redirect, the connecting and the body down to its last byte. A caller's
 * signal ends it the same way. Idle timeouts do not stop a server that sends a byte now and then; this does.
 */
import { FetchError } from './fetch-error.ts'

export type Limit = Disposable & {
  /** Set once time is up or the caller has called it off. */
  over: FetchError | null
  /** What to stop at that moment: the exchange that is under way. */
  stop: ((error: FetchError) => void) | null
}

/** The clock runs from this call until it is disposed. */
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
