/**
 * Removes reservations of requests that never came to their end, for a gateway that was killed gives nothing back,
 * and what runs held that are billed to their end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { sweepHolds } from '../adapters/holds.ts'
import { sweep } from '../adapters/reservations.ts'

type Ports = { pool: Pool; now: () => number; signal: AbortSignal; report: (error: unknown) => void }

const everyMs = 60_000

/** Goes on until the signal aborts. */
export async function sweepReservations({ pool, now, signal, report }: Ports): Promise<void> {
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await sweep(pool, now()).catch(report)
    await sweepHolds(pool).catch(report)
  }
}
