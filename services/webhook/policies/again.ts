/** Does something again and again with pauses, and goes on after what fails. */
import { setTimeout as sleep } from 'node:timers/promises'

type Until = { signal: AbortSignal; report: (error: unknown) => void; pauseMs: number }

const pauseAfterFailureMs = 5_000

/** Until the signal aborts; the first time after a pause. */
export async function again(work: () => Promise<void>, { signal, report, pauseMs }: Until): Promise<void> {
  for (let restMs = pauseMs; !signal.aborted; ) {
    await sleep(restMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      await work()
      restMs = pauseMs
    } catch (error) {
      report(error)
      restMs = pauseAfterFailureMs
    }
  }
}
