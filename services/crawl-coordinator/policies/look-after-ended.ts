/**
 * Cleans up after ended runs: purges deleted ones, archives old ones, deletes those whose retention is over, and
 * removes expired keys. One instance at a time does so, in sequence, so that no run is archived while it is purged.
 */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Database } from '@tidemark/db/database'
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
/** Delay before a reader that is behind or away is checked again; at most the time after which new runs are due. */
const maxRestMs = 30_000
/** Held by readers that read archive and stream as one: no events move between them meanwhile. */
export const lockOfSweeps = 0x73776570

/** Runs until the signal aborts. */
export async function lookAfterEnded(ports: Ports): Promise<void> {
  const { bus, signal, report, keys, expiring, archiveAfter } = ports
  const restMs = Math.min(maxRestMs, archiveAfter * 1_000)
  let archiveAt = 0
  let trimAt = 0
  let expireAt = 0
  const look = async (signal: AbortSignal) => {
    await purgeDeleted(ports, signal)
    if (Date.now() >= archiveAt && !(await archiveRuns(ports, signal))) archiveAt = Date.now() + restMs
    if (Date.now() >= expireAt && !(await expiring.step(signal))) expireAt = Date.now() + expireEveryMs
    if (Date.now() < trimAt) return
    await keys.trim()
    trimAt = Date.now() + trimEveryMs
  }
  const name = 'the cleanup of ended runs'
  await again(() => alone(ports, look), { name, bus, isSpare: true, pauseMs: everyMs, signal, report })
}

/**
 * Does the work if no other instance does. Its signal also aborts with the connection, because others may start then.
 */
async function alone({ db, signal }: Ports, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await db.transaction(async client => {
    const lost = new AbortController()
    const lose = () => lost.abort()
    client.on('error', lose)
    try {
      const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as ours', [lockOfSweeps])
      if (rows[0]?.ours === true) await work(AbortSignal.any([signal, lost.signal]))
    } finally {
      client.off('error', lose)
    }
  })
}
