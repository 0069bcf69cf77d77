/**
 * Makes the rows of one projection anew while the instance runs. All of it is one transaction under the lock of
 * the checkpoint: readers see the old rows until the new ones are complete, the running projector waits and then
 * finds itself overtaken, and a rebuild that is killed has never happened.
 */
import { tells } from '@tidemark/contracts/subjects'
import type { Projected } from '@tidemark/contracts/tells'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { parted, Unprojectable } from '@tidemark/db/set-aside'
import { inTransaction } from '@tidemark/db/transaction'
import { replayAll } from './archives.ts'
import type { Client, OpenInstance } from './open-instance.ts'
import type { Rebuildable } from './rebuildable.ts'
import { lastSequence } from './replay.ts'

export type Progress = (sequence: number, end: number) => void

const partition = 'all'

/** Returns the sequence up to which the rows are made. What cannot be read is reported and skipped, as it was before. */
export async function rebuild(
  instance: OpenInstance,
  projection: Rebuildable,
  { report, progress }: { report: (error: unknown) => void; progress: Progress },
): Promise<number> {
  const { bus, pool } = instance
  const { schema, name, stream } = projection
  await readCheckpoint(pool, { schema, projection: name, partition, stream })
  const end = await inTransaction(pool, async client => {
    await client.query(
      `select from ${schema}.checkpoint where projection = $1 and partition = $2 and stream = $3 for update`,
      [name, partition, stream],
    )
    // Not truncated: that would keep readers out until the end. Backwards, as whoever sweeps a table's rows locks them.
    for (const table of projection.tables.toReversed()) await client.query(`delete from ${schema}.${table}`)
    const end = await lastSequence(bus, stream, projection.filter)
    await fill({ instance, client, projection, to: end, report, progress })
    await client.query(
      `update ${schema}.checkpoint set sequence = $4 where projection = $1 and partition = $2 and stream = $3`,
      [name, partition, stream, end],
    )
    return end
  })
  // The projector will not tell of what it need not read again.
  bus.nc.publish(tells.projected(name), JSON.stringify({ stream, sequence: end } satisfies Projected))
  return end
}

type Filling = {
  /** Where streams and archive are read. */
  instance: OpenInstance
  /** Where rows are written. */
  client: Client
  projection: Rebuildable
  to: number
  report: (error: unknown) => void
  progress?: Progress
}

/** Applies archive and stream, up to this sequence, to tables that are empty. Throws `ArchivedMeanwhile`. */
export async function fill({ instance, client, projection, to, report, progress }: Filling): Promise<void> {
  const { stream, filter } = projection
  const apply = projection.apply(report)
  await replayAll(instance, { stream, filter, to }, async messages => {
    await parted(messages, {
      write: some => atomically(client, () => apply(client, some)),
      passOver: async (message, cause) => report(new Unprojectable(projection.name, stream, message, cause)),
    })
    progress?.(messages.at(-1)?.sequence ?? 0, to)
  })
}

/** All of it or nothing, within a transaction that goes on either way. */
async function atomically(client: Client, write: () => Promise<void>): Promise<void> {
  await client.query('savepoint batch')
  try {
    await write()
    await client.query('release savepoint batch')
  } catch (error) {
    await client.query('rollback to savepoint batch')
    throw error
  }
}
