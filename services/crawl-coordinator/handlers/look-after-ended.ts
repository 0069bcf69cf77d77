/**
 * Looks after what ended runs leave in the stream: the deleted ones are purged, the old ones archived. One
 * instance at a time does so, in one place, so that no run is archived while it is purged.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@tidemark/db/database'
import { type Ports as ArchivePorts, archiveRuns } from './archive-runs.ts'
import { type Ports as PurgePorts, purgeDeleted } from './purge-deleted.ts'

type Ports = PurgePorts &
  ArchivePorts & {
    db: Pick<Database, 'transaction'>
    signal: AbortSignal
    report: (error: unknown) => void
  }

const everyMs = 1_000
const lockOfSweeps = 0x73776570

/** Goes on until the signal aborts. */
export async function lookAfterEnded(ports: Ports): Promise<void> {
  const { signal, report } = ports
  while (!signal.aborted) {
    await alone(ports, async () => {
      await purgeDeleted(ports)
      await archiveRuns(ports)
    }).catch(report)
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

async function alone({ db }: Ports, work: () => Promise<void>): Promise<void> {
  await db.transaction(async client => {
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as ours', [lockOfSweeps])
    if (rows[0]?.ours === true) await work()
  })
}
