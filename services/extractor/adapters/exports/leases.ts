/**
 * Distributes due exports among any number of processes. A process takes a lease of an export, and only the holder of
 * the lease changes the export. After the lease of a dead process has expired, another process continues from the
 * stored parts.
 */
import type { ExportEvent } from '@tidemark/contracts/exports/events'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { ExportFault, type ExportJob } from '../../domain/exports/export-job.ts'
import { isOtherDue, takeDue } from '../jobs.ts'
import { LeaseLost } from '../lease-lost.ts'
import { columns, enqueueEvents, isOfDeletedRun, type State, withoutCredentials } from './export-rows.ts'
import { keptBytes, lockExports } from './kept-bytes.ts'

export type Written = { bytes: number; sha256: string; records: number; parts: number }
type Held = Pick<ExportJob, 'id' | 'lease'>

/** A part that is stored at the sink. `tag` is its ETag at the bucket. */
export type StoredPart = { number: number; size: number; sha256: string; tag: string | null }

/** The bytes of a part, and the maximum of all bytes of the project that are kept here. */
export type KeptPart = { data: Uint8Array; maxKeptBytes: number }

/** The methods that change an export, and `failures`, reject with `LeaseLost` if the caller does not hold it. */
export type Leases = {
  /** Takes the export that has been due longest, of the project with the fewest in progress; null without one. */
  take(): Promise<ExportJob | null>
  /** Extends the lease, unless the run was deleted: also rejects with `LeaseLost` then. */
  renew(held: Held): Promise<void>
  parts(held: Held): Promise<StoredPart[]>
  /**
   * Stores a part. Resets the counters of starts and outages if the file has come further than ever before. A part that
   * is stored again is not progress: a bucket could lose it any number of times. Rejects with `ExportFault`
   * (`export_bytes`) and stores nothing if the project would exceed its maximum.
   * @param kept null if the bytes are at the bucket
   */
  storePart(held: Held & Pick<ExportJob, 'projectId'>, part: StoredPart, kept: KeptPart | null): Promise<void>
  /** Returns the number of consecutive outages. */
  failures(held: Held): Promise<number>
  /** Returns whether another export is due that no free process takes and that `take` would prefer to this one. */
  areOthersDue(held: Held): Promise<boolean>
  /** Stores the id of an upload. Null removes the id, and the records of the stored parts. */
  setUpload(held: Held, upload: string | null): Promise<void>
  /** Ends the export as done, unless its run was deleted. The parts of an export to a bucket are deleted. */
  done(held: Held, written: Written): Promise<void>
  fail(held: Held, reason: string, message: string): Promise<void>
  /** Gives the lease back. The export is due again after the pause. Outages count, interrupted writing does not. */
  later(held: Held, pauseMs: number, isOutage: boolean): Promise<void>
}

const ofKeptRun = `and not ${isOfDeletedRun}`
const progress = `highest_part = greatest(highest_part, $3),
  attempts = case when $3 > highest_part then 0 else attempts end,
  failures = case when $3 > highest_part then 0 else failures end`

type Times = { leaseSeconds: number; keptDays: number }

export function leasesIn(
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  { leaseSeconds, keptDays }: Times,
): Leases {
  return {
    take: () => takeDue<ExportJob>(pool, 'export', leaseSeconds, { columns }),

    renew: held =>
      change(pool, held, 'due_at = now() + make_interval(secs => $3)', [leaseSeconds], ofKeptRun),

    async parts({ id }) {
      const { rows } = await pool.query<StoredPart>(
        'select number, size, sha256, tag from content.export_part where export_id = $1 order by number',
        [id],
      )
      return rows
    },

    storePart: (held, { number, size, sha256, tag }, kept) =>
      transaction(async client => {
        if (kept !== null) await lockExports(client, held.projectId)
        await change(client, held, progress, [number])
        if (kept !== null) {
          const others = await keptBytes(client, held.projectId, { exportId: held.id, number })
          if (others + size > kept.maxKeptBytes) throw tooManyKept(kept.maxKeptBytes)
        }
        await client.query(
          `insert into content.export_part (export_id, number, project_id, size, sha256, tag, data)
           select id, $2, project_id, $3, $4, $5, $6 from content.export where id = $1
           on conflict (export_id, number) do update set
             size = excluded.size, sha256 = excluded.sha256, tag = excluded.tag, data = excluded.data`,
          [held.id, number, size, sha256, tag, kept?.data ?? null],
        )
      }),

    async failures({ id, lease }) {
      const { rows } = await pool.query<{ failures: number }>(
        'select failures from content.export where id = $1 and lease = $2',
        [id, lease],
      )
      if (rows[0] === undefined) throw new LeaseLost(`export ${id} is not held by this process`)
      return rows[0].failures
    },

    areOthersDue: ({ id }) => isOtherDue(pool, 'export', id),

    setUpload: (held, upload) =>
      transaction(async client => {
        await change(client, held, 'upload = $3', [upload])
        if (upload === null)
          await client.query('delete from content.export_part where export_id = $1', [held.id])
      }),

    done: (held, { bytes, sha256, records, parts }) =>
      transaction(async client => {
        const set = `bytes = $3, sha256 = $4, records = $5, upload = null, credentials = null,
          expires_at = case when sink ->> 'type' = 'download' then now() + make_interval(days => $6) end`
        await end(client, held, 'done', set, [bytes, sha256, records, keptDays], ofKeptRun)
        await client.query(
          `delete from content.export_part as part using content.export
           where export.id = part.export_id and export.id = $1
             and (part.number > $2 or export.sink ->> 'type' <> 'download')`,
          [held.id, parts],
        )
        await enqueueEvents(client, [held.id], { type: 'ExportStored', data: { bytes, sha256, records } })
      }),

    fail: (held, reason, message) =>
      transaction(async client => {
        await end(client, held, 'failed', `${withoutCredentials}, reason = $3, message = $4`, [
          reason,
          message,
        ])
        const event: ExportEvent = { type: 'ExportFailed', data: { reason, message } }
        await enqueueEvents(client, [held.id], event)
      }),

    later: (held, pauseMs, isOutage) =>
      change(
        pool,
        held,
        `state = 'queued', lease = null, due_at = now() + make_interval(secs => $3),
         failures = failures + $4, attempts = case when $4 = 0 then greatest(attempts - 1, 0) else attempts end`,
        [pauseMs / 1000, isOutage ? 1 : 0],
      ),
  }
}

const tooManyKept = (maxBytes: number) =>
  new ExportFault(
    'export_bytes',
    `With this file the exports of the project would exceed ${maxBytes} bytes, the maximum. Unfinished ones count. Delete an export, select fewer pages, or send it to S3.`,
  )

const end = (
  client: PoolClient,
  held: Held,
  state: State,
  set: string,
  values: unknown[],
  condition?: string,
) =>
  change(
    client,
    held,
    `state = '${state}', lease = null, ended_at = now(), due_at = now(), ${set}`,
    values,
    condition,
  )

/** Changes an export that the caller holds. Throws `LeaseLost`. Values begin at `$3`. */
export async function change(
  client: Pick<PoolClient, 'query'>,
  { id, lease }: Held,
  set: string,
  values: unknown[],
  condition = '',
): Promise<void> {
  const { rowCount } = await client.query(
    `update content.export set ${set} where id = $1 and lease = $2 and state = 'running' ${condition}`,
    [id, lease, ...values],
  )
  if (rowCount === 0) throw new LeaseLost(`export ${id} is not held by this process`)
}
