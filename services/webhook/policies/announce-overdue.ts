/**
 * Whenever a delivery is overdue and nobody can know it, it is announced again: after a crash between a decision and
 * its message, after the death of a sender, and when a receiver that had too many at once may have the next ones.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Unannounced } from '../adapters/announcements.ts'

export type Ports = {
  findOverdue: () => Promise<Unannounced[]>
  announce: (rows: Unannounced[]) => Promise<void>
  signal: AbortSignal
  report: (error: unknown) => void
}

const pauseMs = 500
const pauseAfterFailureMs = 5_000

/** Looks until the signal aborts. */
export async function announceOverdue({ findOverdue, announce, signal, report }: Ports): Promise<void> {
  for (let restMs = pauseMs; !signal.aborted; ) {
    await sleep(restMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      await announce(await findOverdue())
      restMs = pauseMs
    } catch (error) {
      report(error)
      restMs = pauseAfterFailureMs
    }
  }
}
