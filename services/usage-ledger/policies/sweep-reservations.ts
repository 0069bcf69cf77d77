/**
 * Removes reservations of requests that never came to their end, for a gateway that was killed gives nothing back,
 * and what runs held that are billed to their end. A request that did come to its end holds its units until they are
 * counted, however long the ledger stands still: else a cap would be granted twice.
 */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Pool } from 'pg'
import { sweepHolds } from '../adapters/holds.ts'
import { sweep } from '../adapters/reservations.ts'

export type Ports = {
  bus: Pick<Bus, 'nc'>
  pool: Pool
  now: () => number
  /** Waits until all that was served before is in the ledger; false where that does not come. */
  untilRecorded: () => Promise<boolean>
  signal: AbortSignal
  report: (error: unknown) => void
}

const everyMs = 60_000

/** Goes on until the signal aborts. */
export async function sweepReservations(ports: Ports): Promise<void> {
  const { bus, pool, signal, report } = ports
  const repetition = { bus, isSpare: true, pauseMs: everyMs, pausesFirst: true, signal, report }
  await Promise.all([
    again(() => sweepExpired(ports), { name: 'the sweep of reservations', ...repetition }),
    again(() => sweepHolds(pool), { name: 'the sweep of holds', ...repetition }),
  ])
}

/** What had expired when it began. */
export async function sweepExpired({ pool, now, untilRecorded }: Omit<Ports, 'bus' | 'signal' | 'report'>) {
  const at = now()
  if (await untilRecorded()) await sweep(pool, at)
}
