/** Does something again and again with pauses, and goes on after what fails. */
import { setTimeout as sleep } from 'node:timers/promises'

type Until = { signal: AbortSignal; report: (error: unknown) => void; pauseMs: number | (() => number) }

const pauseAfterFailureMs = 5_000

/** Until the signal aborts; the first time after a pause. */
export async function again(work: () => Promise<void>, { signal, report, pauseMs }: Until): Promise<void> {
  const pause = typeof pauseMs === 'number' ? () => pauseMs : pauseMs
  for (let restMs = pause(); !signal.aborted; ) {
    await sleep(restMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      await work()
      restMs = pause()
    } catch (error) {
      report(error)
      restMs = pauseAfterFailureMs
    }
  }
}
