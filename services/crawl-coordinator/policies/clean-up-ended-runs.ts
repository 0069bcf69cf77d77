/**
 * Cleans up after ended runs: purges deleted ones, archives old ones, deletes those whose retention is over, and
 * removes expired idempotency keys. One instance at a time does so, in sequence, so that no run is archived while it
 * is purged.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import type { Database } from '@tidemark/db/database'
import { ifAlone } from '@tidemark/db/try-lock'
import type { Keys } from '../adapters/keys.ts'
import { type Ports as ArchivePorts, archiveRuns } from './archive-runs.ts'
import type { Expiring } from './expire-runs.ts'
import { type Ports as PurgePorts, purgeDeleted } from './purge-deleted.ts'

type Ports = PurgePorts &
  ArchivePorts & {
    bus: Pick<Bus, 'nc'>
    db: Pick<Database, 'transaction'>
    keys: Keys
    expiring: Expiring
    signal: AbortSignal
    report: (error: unknown) => void
  }

const everyMs = 1_000
const trimEveryMs = 3_600_000
const expireEveryMs = 3_600_000
/** Maximum milliseconds to the next search for runs to archive if none was found, or a reader was behind or away. */
const maxRestMs = 30_000
/** Advisory lock of the cleanup. Processes that read archive and stream together take it, so that no events move. */
export const lockOfSweeps = 0x73776570

/** Cleans up until the signal aborts. */
export async function cleanUpEndedRuns(ports: Ports): Promise<void> {
  const { bus, db, signal, report, deletions, keys, expiring, archiveAfter } = ports
  const restMs = Math.min(maxRestMs, archiveAfter * 1_000)
  // Times of the monotonic clock, so that the cleanup continues if the calendar clock is set back.
  let archiveAt = 0
  let trimAt = 0
  let expireAt = 0
  const look = async (signal: AbortSignal) => {
    await purgeDeleted(ports, signal)
    if (performance.now() >= archiveAt && !(await archiveRuns(ports, signal)))
      archiveAt = performance.now() + restMs
    if (performance.now() >= expireAt && !(await expiring.step(signal)))
      expireAt = performance.now() + expireEveryMs
    if (performance.now() < trimAt) return
    await keys.trim()
    trimAt = performance.now() + trimEveryMs
  }
  const round = async () => {
    // Most rounds have nothing to do, and then take no lock.
    const isTime = performance.now() >= Math.min(archiveAt, trimAt, expireAt)
    if (isTime || (await deletions.due(1)).length > 0)
      await db.transaction(client => ifAlone(client, { lock: lockOfSweeps, signal }, look))
  }
  const name = 'the cleanup of ended runs'
  await repeat(round, { name, bus, isSpare: true, pauseMs: everyMs, signal, report })
}
