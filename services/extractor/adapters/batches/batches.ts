/**
 * Stores the batches that clients request. The limits and the idempotency key are checked under one lock per project,
 * and every change is stored together with its event.
 */
import { type BatchRow, batchColumns, batchView, countsOf } from '@tidemark/content/batches'
import type { RequestBatch, StoredBatch } from '@tidemark/contracts/rpc/batches'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { exceededLimit, findByKey, forgetProject, type JobLimits } from '../jobs.ts'
import { enqueueBatchEvents } from './batch-events.ts'

export type Requested =
  | { type: 'created'; batch: StoredBatch }
  | { type: 'replayed'; batch: StoredBatch; sameRequest: boolean }
  /** The batch of the key was deleted. */
  | { type: 'deleted' }
  /** The request itself is refused, and its key has no batch. */
  | { type: 'refused' }
  | { type: 'too_many' }
  | { type: 'too_many_today' }

export type Batches = {
  request(wanted: RequestBatch, trace: string | undefined): Promise<Requested>
  /** Ends a batch and keeps its results. Returns null if the project has no such batch. */
  cancel(projectId: number, batchId: number): Promise<StoredBatch | null>
  /** Hides a batch at once. The sweep removes its rows. Returns false if the project has no such batch. */
  remove(projectId: number, batchId: number): Promise<boolean>
  /** Hides all batches of a project, with their idempotency keys. Returns their number. */
  removeAll(projectId: number): Promise<number>
  /** Returns whether rows are left after `removeAll`. */
  isForgetting(projectId: number): Promise<boolean>
}

const lockOfBatches = 0x6273

/** @param daysOf days for which a batch of this tier is kept after its end; null: forever */
export const batchesIn = (
  { transaction, pool }: Pick<Database, 'pool' | 'transaction'>,
  limits: JobLimits,
  daysOf: (tier: RequestBatch['terms']['tier']) => number | null,
): Batches => ({
  request: (wanted, trace) => transaction(client => request(client, wanted, limits, trace)),

  cancel: (projectId, batchId) =>
    transaction(async client => {
      const { rows } = await client.query<BatchRow & { terms: RequestBatch['terms'] }>(
        `select ${batchColumns}, terms from content.batch
         where id = $1 and project_id = $2 and state <> 'deleted' for update`,
        [batchId, projectId],
      )
      const [row] = rows
      if (row === undefined) return null
      if (row.state !== 'queued' && row.state !== 'running') return batchView(row)
      return batchView(await cancel(client, row, daysOf(row.terms.tier)))
    }),

  remove: (projectId, batchId) => transaction(async client => (await hide(client, projectId, batchId)) === 1),

  removeAll: projectId =>
    transaction(async client => {
      const hidden = await hide(client, projectId, null)
      await forgetProject(client, 'batch', projectId)
      return hidden
    }),

  async isForgetting(projectId) {
    const { rowCount } = await pool.query(
      'select from content.batch where project_id = $1 and is_forgotten limit 1',
      [projectId],
    )
    return rowCount === 1
  },
})

async function request(
  client: PoolClient,
  wanted: RequestBatch,
  limits: JobLimits,
  trace: string | undefined,
): Promise<Requested> {
  const { projectId, terms, urls, options, webhookUrl } = wanted
  await client.query('select pg_advisory_xact_lock($1, $2)', [lockOfBatches, projectId % 2 ** 31])
  const earlier = await earlierOf(client, wanted)
  if (earlier !== null) return earlier
  if (wanted.refusal !== undefined) return { type: 'refused' }
  const exceeded = await exceededLimit(client, 'batch', projectId, limits)
  if (exceeded !== null) return { type: exceeded }
  const batch = await insert(client, wanted, trace)
  const data = {
    ...{ batchId: batch.id, projectId, tier: terms.tier, urls: urls.length, options },
    ...(webhookUrl !== null && { webhookUrl }),
  }
  const event = { type: 'BatchRequested' as const, data }
  await enqueueBatchEvents(client, [{ batchId: batch.id, event, trace: trace ?? null }])
  return { type: 'created', batch }
}

async function insert(
  client: PoolClient,
  { projectId, terms, options, webhookUrl, urls, idempotencyKey, fingerprint }: RequestBatch,
  trace: string | undefined,
): Promise<StoredBatch> {
  const { rows } = await client.query<BatchRow>(
    `insert into content.batch
       (project_id, terms, options, webhook_url, total, idempotency_key, fingerprint, trace)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${batchColumns}`,
    [projectId, terms, options, webhookUrl, urls.length, idempotencyKey, fingerprint, trace ?? null],
  )
  const row = rows[0] as BatchRow
  await client.query(
    `insert into content.batch_item (batch_id, number, project_id, url)
     select $1, place - 1, $2, url from unnest($3::text[]) with ordinality as item (url, place)`,
    [row.id, projectId, urls.map(url => JSON.stringify(url))],
  )
  return batchView(row)
}

async function cancel(client: PoolClient, { id }: BatchRow, days: number | null): Promise<BatchRow> {
  const { rowCount } = await client.query(
    `update content.batch_item set state = 'cancelled' where batch_id = $1 and state = 'pending'`,
    [id],
  )
  const { rows } = await client.query<BatchRow>(
    `update content.batch set state = 'cancelled', lease = null, cancelled = cancelled + $2, ended_at = now(),
       expires_at = now() + make_interval(days => $3)
     where id = $1 returning ${batchColumns}`,
    [id, rowCount, days],
  )
  const row = rows[0] as BatchRow
  const data = { batchId: id, projectId: row.project_id, counts: countsOf(row) }
  await enqueueBatchEvents(client, [{ batchId: id, event: { type: 'BatchCancelled', data } }])
  return row
}

async function hide(client: PoolClient, projectId: number, batchId: number | null): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `update content.batch set state = 'deleted', lease = null, due_at = now(),
       ended_at = coalesce(ended_at, now()), webhook_url = null
     where project_id = $1 and ($2::bigint is null or id = $2) and state <> 'deleted' returning id`,
    [projectId, batchId],
  )
  await enqueueDeleted(client, rows, 'request')
  return rows.length
}

export const enqueueDeleted = (
  client: PoolClient,
  batches: readonly { id: number }[],
  because: 'age' | 'request',
): Promise<void> =>
  enqueueBatchEvents(
    client,
    batches.map(({ id: batchId }) => ({
      batchId,
      event: { type: 'BatchDeleted', data: { batchId, because } },
    })),
  )

async function earlierOf(client: PoolClient, wanted: RequestBatch): Promise<Requested | null> {
  type Row = BatchRow & { fingerprint: string }
  const row = await findByKey<Row>(client, 'batch', `${batchColumns}, fingerprint`, wanted)
  if (row === null) return null
  if (row.state === 'deleted') return { type: 'deleted' }
  return { type: 'replayed', batch: batchView(row), sameRequest: row.fingerprint === wanted.fingerprint }
}
