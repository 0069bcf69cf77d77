/**
 * Ends exports at the end of their retention or with their run, and removes their parts, vectors and rows. The
 * statements are short, because a file has thousands of megabytes, and any number of processes may run them.
 */
import type { ExportEvent } from '@tidemark/contracts/exports/events'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { runDeleted } from '../../domain/exports/export-job.ts'
import { isForgettable, isUnfinished } from '../jobs.ts'
import { enqueueEvents, isKeptFile, isOfDeletedRun, withoutCredentials } from './export-rows.ts'

const rowsAtOnce = 100
const partsAtOnce = 8
const vectorsAtOnce = 1_000
/** Time for which a client can read how an export ended. */
const rowDays = 90

/** Removes all events of an export from their stream. */
export type PurgeEvents = (exportId: number) => Promise<void>

/** Rows that no client can read, and that no limit counts. */
const isSpare = `upload is null and (
    (${isForgettable})
    or (state in ('failed', 'expired', 'done') and ended_at < now() - interval '${rowDays} days'))
  and not exists (select from content.export_part where export_id = export.id)
  and not exists (select from content.outbox where subject = 'exports.' || export.id)`

/** An end that no client requests: the SQL condition of its exports, assignments with their values, and the event. */
type End = { which: string; set: string; values?: string[]; event: ExportEvent }

const { reason, message } = runDeleted

const ends: readonly End[] = [
  {
    // An export without a file does not expire.
    which: `state = 'done' and expires_at <= now()`,
    set: `state = 'expired'`,
    event: { type: 'ExportExpired', data: { because: 'age' } },
  },
  {
    which: `${isKeptFile} and ${isOfDeletedRun}`,
    set: `state = 'expired'`,
    event: { type: 'ExportExpired', data: { because: 'run_deleted' } },
  },
  {
    which: `${isUnfinished} and ${isOfDeletedRun}`,
    set: `state = 'failed', lease = null, ended_at = now(), due_at = now(),
      ${withoutCredentials}, reason = $1, message = $2`,
    values: [reason, message],
    event: { type: 'ExportFailed', data: { reason, message } },
  },
]

/** Sweeps until nothing is due or the signal aborts. */
export async function sweepExports(
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  purgeEvents: PurgeEvents,
  signal: AbortSignal,
): Promise<void> {
  for (const one of ends)
    while (!signal.aborted && (await transaction(client => end(client, one))) === rowsAtOnce);
  while (!signal.aborted && (await removeParts(pool)) === partsAtOnce);
  while (!signal.aborted && (await removeVectors(pool)) === vectorsAtOnce);
  while (!signal.aborted && (await transaction(client => removeRows(client, purgeEvents))) === rowsAtOnce);
}

/**
 * Removes rows with the events of their exports. An export of the current day stays, because it counts for the daily
 * limit. An export with an unpublished event stays, because the event would begin its subject again. The lock prevents
 * further events.
 */
async function removeRows(client: PoolClient, purgeEvents: PurgeEvents): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `select id from content.export where ${isSpare} order by id limit ${rowsAtOnce} for update`,
  )
  for (const { id } of rows) await purgeEvents(id)
  await client.query('delete from content.export where id = any($1::bigint[])', [rows.map(({ id }) => id)])
  return rows.length
}

/** Ends up to a hundred exports. Returns their number. */
async function end(client: PoolClient, { which, set, values, event }: End): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `update content.export set ${set} where id in (
       select id from content.export where ${which} order by id limit ${rowsAtOnce} for update skip locked)
     returning id`,
    values,
  )
  const ids = rows.map(({ id }) => id)
  await enqueueEvents(client, ids, event)
  return rows.length
}

async function removeParts(pool: Database['pool']): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from content.export_part where (export_id, number) in (
       select export_id, number from content.export_part join content.export on export.id = export_id
       where state in ('failed', 'expired', 'deleted') limit ${partsAtOnce})`,
  )
  return rowCount ?? 0
}

/** Removes the vectors of exports that have ended. A finished file contains its vectors. */
async function removeVectors(pool: Database['pool']): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from content.export_vector where (export_id, text_hash) in (
       select id, text_hash from content.export, lateral (
         select text_hash from content.export_vector where export_id = export.id limit ${vectorsAtOnce}) as vector
       where embeddings is not null and not ${isUnfinished} limit ${vectorsAtOnce})`,
  )
  return rowCount ?? 0
}

/** Number of exports that are due and wait for a process. */
export async function countWaiting(pool: Database['pool']): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from content.export where state = 'queued' and due_at <= now()`,
  )
  return rows[0]?.count ?? 0
}
