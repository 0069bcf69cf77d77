/**
 * Removes what has ended: files at their end or with their run, parts of failed exports, and rows. In short statements
 * that any number of processes may run, because a file has thousands of megabytes.
 */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { ExportJob } from '../../domain/exports/export-job.ts'
import { columns, type ExportRow, enqueueEvents, jobOf, withoutCredentials } from './export-rows.ts'

const rowsAtOnce = 100
const partsAtOnce = 8
/** Time for which a client can read how an export ended. */
const rowDays = 90
/** Time for which the upload of an ended export is tried to be aborted. */
const uploadHours = 24

/** An export without a file has no such time. */
const isOver = `state = 'done' and expires_at <= now()`
const ofDeletedRun = `exists (select from content.deletion where deletion.run_id = export.run_id)`

const failed = {
  reason: 'run_deleted',
  message: 'The crawl was deleted before its export was complete. Crawl the site again.',
}

/** Sweeps until nothing is due or the signal aborts. */
export async function sweepExports(
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  signal: AbortSignal,
): Promise<void> {
  await transaction(expire)
  await transaction(failOfDeletedRuns)
  while (!signal.aborted && (await removeParts(pool)) === partsAtOnce);
  await pool.query(
    `delete from content.export where upload is null
     and ((state = 'deleted' and (idempotency_key is null or created_at < now() - interval '1 day')) or (state in ('failed', 'expired', 'done') and ended_at < now() - interval '${rowDays} days'))
     and not exists (select from content.export_part where export_id = export.id)`,
  )
}

async function expire(client: PoolClient): Promise<void> {
  const isKept = `state = 'done' and sink ->> 'type' = 'download'`
  for (const [because, which] of [
    ['age', isOver],
    ['run_deleted', `${isKept} and ${ofDeletedRun}`],
  ] as const) {
    const ids = await mark(client, `state = 'expired'`, which)
    await enqueueEvents(client, ids, { type: 'ExportExpired', data: { because } })
  }
}

async function failOfDeletedRuns(client: PoolClient): Promise<void> {
  const { reason, message } = failed
  const set = `state = 'failed', lease = null, ended_at = now(), due_at = now(),
    ${withoutCredentials}, reason = $1, message = $2`
  const ids = await mark(client, set, `state in ('queued', 'running') and ${ofDeletedRun}`, [reason, message])
  await enqueueEvents(client, ids, { type: 'ExportFailed', data: { reason, message } })
}

async function mark(
  client: PoolClient,
  set: string,
  which: string,
  values: unknown[] = [],
): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `update content.export set ${set} where id in (
       select id from content.export where ${which} order by id limit ${rowsAtOnce} for update skip locked)
     returning id`,
    values,
  )
  return rows.map(({ id }) => id)
}

async function removeParts(pool: Database['pool']): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from content.export_part where (export_id, number) in (
       select export_id, number from content.export_part join content.export on export.id = export_id
       where state in ('failed', 'expired', 'deleted') limit ${partsAtOnce})`,
  )
  return rowCount ?? 0
}

/** Number of exports that wait for a process. */
export async function countWaiting(pool: Database['pool']): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from content.export where state = 'queued'`,
  )
  return rows[0]?.count ?? 0
}

/** Returns an ended export whose upload is still open at the bucket, hidden from others for a minute; null without one. */
export async function nextOpenUpload(pool: Database['pool']): Promise<ExportJob | null> {
  await pool.query(
    `update content.export set upload = null, credentials = null
     where upload is not null and state in ('failed', 'deleted') and coalesce(ended_at, created_at) < now() - interval '${uploadHours} hours'`,
  )
  const { rows } = await pool.query<ExportRow>(
    `update content.export set due_at = now() + interval '1 minute' where id = (
       select id from content.export where upload is not null and state in ('failed', 'deleted') and due_at <= now()
       order by id limit 1 for update skip locked)
     returning ${columns}`,
  )
  return rows[0] ? jobOf(rows[0]) : null
}

/** Records that it has no open upload, so that its credentials are no longer needed. */
export async function closeUpload(pool: Database['pool'], exportId: number): Promise<void> {
  await pool.query(
    `update content.export set upload = null, credentials = null where id = $1 and state in ('failed', 'deleted')`,
    [exportId],
  )
}
