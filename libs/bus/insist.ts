/**
 * Does a thing that must succeed in the end: while the infrastructure is away or full it is tried again,
 * with pauses that grow, until it is called off.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export type Insistence = {
  /** Ends the waiting; the last error is then thrown. */
  signal: AbortSignal
  /** Told of the first failure only. */
  report: (error: unknown) => void
}

const firstPauseMs = 100
/** What is mended is found within this. */
const longestPauseMs = 2_000

/** What `act` resolves to in the end. Throws its last error once it was called off. */
export async function insist<T>(act: () => Promise<T>, { signal, report }: Insistence): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await act()
    } catch (error) {
      if (pauseMs === firstPauseMs) report(error)
      if (signal.aborted) throw error
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
