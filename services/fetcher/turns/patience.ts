/**
 * How long somebody waits, and who may call it off: one signal of both, of which nothing is left once it is disposed of.
 * A signal of `AbortSignal.timeout` and what hangs on it stay until its time has passed: a thousand requests a second
 * with twenty seconds each held 50 MB so.
 */
export type Patience = Disposable & {
  /** Aborts when the time has passed, or one of the others has. */
  signal: AbortSignal
  /** Whether it was the time. */
  isOver: boolean
}

export function openPatience(ms: number, others: readonly AbortSignal[]): Patience {
  const either = new AbortController()
  const stop = ({ target }: Event) => either.abort((target as AbortSignal).reason)
  const patience: Patience = {
    signal: either.signal,
    isOver: false,
    [Symbol.dispose]() {
      clearTimeout(timer)
      for (const other of others) other.removeEventListener('abort', stop)
    },
  }
  const timer = setTimeout(() => {
    patience.isOver = !either.signal.aborted
    either.abort(new DOMException('The time is over.', 'TimeoutError'))
  }, ms)
  for (const other of others) {
    if (other.aborted) either.abort(other.reason)
    else other.addEventListener('abort', stop, { once: true })
  }
  return patience
}
