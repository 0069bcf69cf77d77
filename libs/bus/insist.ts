/**
 * Retries an action that must succeed: while the infrastructure is away or full it is repeated with growing pauses,
 * until the signal aborts.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export type Insistence = {
  /** Ends the waiting; the last error is then thrown. */
  signal: AbortSignal
  /** Called for the first failure only. */
  report: (error: unknown) => void
}

const firstPauseMs = 100
/** Maximum milliseconds between two tries. */
const maxPauseMs = 2_000

/** Returns the result of `act`. Throws its last error after the signal aborts. */
export async function insist<T>(act: () => Promise<T>, { signal, report }: Insistence): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await act()
    } catch (error) {
      if (pauseMs === firstPauseMs) report(error)
      if (signal.aborted) throw error
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
