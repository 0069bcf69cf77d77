/**
 * Deletes what no grant needs: the reservations of requests that never ended, because a killed gateway releases nothing;
 * the holds of runs that are billed completely; the counts of free results of earlier days. A request that ended holds its
 * units until the ledger counts them, however long the ledger is down. Otherwise the same units would be granted twice.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import type { Pool } from 'pg'
import { sweepFree } from '../adapters/free-results.ts'
import { sweepHolds } from '../adapters/holds.ts'
import { sweep } from '../adapters/reservations.ts'

export type Ports = {
  bus: Pick<Bus, 'nc'>
  pool: Pool
  now: () => number
  /** Waits until all earlier served requests are in the ledger. Resolves with false if the signal aborts before. */
  untilRecorded: () => Promise<boolean>
  signal: AbortSignal
  report: (error: unknown) => void
}

const everyMs = 60_000

/** Sweeps once a minute until the signal aborts. */
export async function sweepReservations(ports: Ports): Promise<void> {
  const { bus, pool, signal, report } = ports
  const repetition = { bus, isSpare: true, pauseMs: everyMs, pausesFirst: true, signal, report }
  await Promise.all([
    repeat(() => sweepExpired(ports), { name: 'the sweep of reservations', ...repetition }),
    repeat(() => sweepHolds(pool), { name: 'the sweep of holds', ...repetition }),
    repeat(() => sweepFree(pool), { name: 'the sweep of free results', ...repetition }),
  ])
}

/** Deletes the reservations that had expired when the call began. */
export async function sweepExpired({ pool, now, untilRecorded }: Omit<Ports, 'bus' | 'signal' | 'report'>) {
  const at = now()
  if (await untilRecorded()) await sweep(pool, at)
}
