/** What a service does again and again for as long as it lives: sweeps, looks, renewals. */
import { setTimeout as sleep } from 'node:timers/promises'

export type Repetition = {
  /** Between two turns, in milliseconds. */
  pauseMs: number | (() => number)
  /** The same after a turn that failed; without it no other. */
  afterFailureMs?: number
  /** Whether the first turn comes after a pause, and not at once. */
  pausesFirst?: boolean
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Of failures in a row the first is told, and then one in so long. */
const tellEveryMs = 60_000

/**
 * Resolves when the signal has aborted and the turn that was under way has ended. A turn that answers `'more'` is
 * followed by the next one at once. What a turn throws ends none of it, and is told unless the signal has aborted.
 */
export async function again(
  work: () => Promise<unknown>,
  { pauseMs, afterFailureMs, pausesFirst = false, signal, report }: Repetition,
): Promise<void> {
  const pause = () => (typeof pauseMs === 'number' ? pauseMs : pauseMs())
  let toldAt = Number.NEGATIVE_INFINITY
  let restMs = pausesFirst ? pause() : 0
  for (;;) {
    if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      const left = await work()
      restMs = left === 'more' ? 0 : pause()
      toldAt = Number.NEGATIVE_INFINITY
    } catch (error) {
      const now = performance.now()
      if (!signal.aborted && now - toldAt >= tellEveryMs) {
        report(error)
        toldAt = now
      }
      restMs = afterFailureMs ?? pause()
    }
  }
}
