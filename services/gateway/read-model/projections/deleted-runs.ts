/**
 * Deletes runs from the read model. The run's own row is deleted with the event, and rows without a run are not shown.
 * The rows of its pages, up to a hundred thousand, are deleted afterwards in small transactions.
 */
import { repeat } from '@tidemark/bus/repeat'
import type { Projection } from '@tidemark/db/projector'
import { inTransaction } from '@tidemark/db/transaction'
import type { Client } from './table.ts'

/** Tables whose rows belong to a run by `run_id`. */
const tables = ['page', 'pageless'] as const

const rowsAtOnce = 1_000
const runsAtOnce = 100
const everyMs = 1_000

/** Deletes the rows of runs, and marks the runs for the sweep. Call it in the transaction of the batch with the events. */
export async function deleteRuns(client: Client, runIds: readonly number[]): Promise<void> {
  await client.query(`insert into read.deleted_run select unnest($1::bigint[]) on conflict do nothing`, [
    runIds,
  ])
  await client.query(`delete from read.run where id = any($1)`, [runIds])
}

/** Removes the remaining rows of deleted runs every second, until the signal aborts. */
export async function sweepDeletedRuns({
  bus,
  pool,
  signal,
  report,
}: Pick<Projection, 'bus' | 'pool' | 'signal' | 'report'>): Promise<void> {
  const name = 'the sweep of deleted runs'
  const sweep = async () => ((await hasDeleted(pool)) ? inTransaction(pool, sweepOnce) : null)
  await repeat(sweep, {
    ...{ name, bus, isSpare: true },
    ...{ pauseMs: everyMs, signal, report },
  })
}

async function hasDeleted(pool: Projection['pool']): Promise<boolean> {
  const { rowCount } = await pool.query('select from read.deleted_run limit 1')
  return (rowCount ?? 0) > 0
}

/** Removes some rows. Skips runs that another projector sweeps. */
async function sweepOnce(client: Client): Promise<'more' | null> {
  const { rows } = await client.query<{ run_id: number }>(
    `select run_id from read.deleted_run order by run_id limit ${runsAtOnce} for update skip locked`,
  )
  if (rows.length === 0) return null
  const runIds = rows.map(({ run_id }) => run_id)
  for (const table of tables) {
    const { rowCount } = await client.query(
      `delete from read.${table} where ctid = any(array(
         select ctid from read.${table} where run_id = any($1) limit ${rowsAtOnce}))`,
      [runIds],
    )
    if ((rowCount ?? 0) >= rowsAtOnce) return 'more'
  }
  await client.query(`delete from read.deleted_run where run_id = any($1)`, [runIds])
  return 'more'
}
