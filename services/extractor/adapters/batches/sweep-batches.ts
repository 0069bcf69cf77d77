/** Deletes batches at the end of their retention, and the rows of deleted ones, in short statements. */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { isForgettable } from '../jobs.ts'
import { enqueueDeleted } from './batches.ts'

const batchesAtOnce = 100
const itemsAtOnce = 500

/** Days that a tier keeps batches; null: forever. */
export type Retention = { [tier: string]: number | null }

/**
 * Removes the events of a batch from their stream, except the last one, which the webhook service may not have read.
 */
export type PurgeBatch = (batchId: number) => Promise<void>

/**
 * SQL condition for rows to remove. A row with unpublished events stays, because they would begin the subject again.
 */
const isSpare = `${isForgettable}
  and not exists (select from content.batch_item where batch_id = batch.id)
  and not exists (select from content.outbox where subject = 'batches.' || batch.id)`

/** Sweeps until nothing is due or the signal aborts. */
export async function sweepBatches(
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  { purge, retention }: { purge: PurgeBatch; retention: Retention },
  signal: AbortSignal,
): Promise<void> {
  await date(pool, retention)
  while (!signal.aborted && (await transaction(expire)) === batchesAtOnce);
  while (!signal.aborted && (await removeItems(pool)) === itemsAtOnce);
  while (!signal.aborted && (await transaction(client => removeBatches(client, purge))) === batchesAtOnce);
}

/** Sets the expiry of batches that ended while their tier kept batches without limit. */
async function date(pool: Database['pool'], retention: Retention): Promise<void> {
  for (const [tier, days] of Object.entries(retention)) {
    if (days === null) continue
    await pool.query(
      `update content.batch set expires_at = ended_at + make_interval(days => $2)
       where state in ('done', 'cancelled') and expires_at is null and terms ->> 'tier' = $1`,
      [tier, days],
    )
  }
}

async function expire(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `update content.batch set state = 'deleted', webhook_url = null where id in (
       select id from content.batch where state in ('done', 'cancelled') and expires_at <= now()
       order by id limit ${batchesAtOnce} for update skip locked)
     returning id`,
  )
  await enqueueDeleted(client, rows, 'age')
  return rows.length
}

async function removeItems(pool: Database['pool']): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from content.batch_item where (batch_id, number) in (
       select batch_id, number from content.batch_item join content.batch on batch.id = batch_id
       where batch.state = 'deleted' limit ${itemsAtOnce})`,
  )
  return rowCount ?? 0
}

async function removeBatches(client: PoolClient, purge: PurgeBatch): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `select id from content.batch where ${isSpare} order by id limit ${batchesAtOnce} for update`,
  )
  for (const { id } of rows) await purge(id)
  await client.query('delete from content.batch where id = any($1::bigint[])', [rows.map(({ id }) => id)])
  return rows.length
}
