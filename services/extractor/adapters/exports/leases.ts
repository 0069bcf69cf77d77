/**
 * Due exports, shared by any number of processes. A process holds an export by a lease, and only its holder changes it:
 * after the lease of a dead process has expired, another one continues from the stored parts.
 */
import { randomUUID } from 'node:crypto'
import type { ExportEvent } from '@tidemark/contracts/exports/events'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { ExportJob } from '../../domain/exports/export-job.ts'
import {
  columns,
  type ExportRow,
  enqueueEvents,
  jobOf,
  type State,
  withoutCredentials,
} from './export-rows.ts'

/** Another process has the export, or its owner removed it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export type Written = { bytes: number; sha256: string; records: number; parts: number }
type Held = Pick<ExportJob, 'id' | 'lease'>

/** A part that is stored at the sink. `tag` is its ETag at the bucket. */
export type StoredPart = { number: number; size: number; sha256: string; tag: string | null }

export type Leases = {
  /** Takes the due export that has waited longest, of the project with the fewest in progress; null without one. */
  take(): Promise<ExportJob | null>
  /** Extends the lease. Throws `LeaseLost`, as all following. */
  renew(held: Held): Promise<void>
  parts(held: Held): Promise<StoredPart[]>
  /** @param data null if the bytes are at the bucket */
  storePart(held: Held, part: StoredPart, data: Uint8Array | null): Promise<void>
  /** Stores the id of an upload; with null also forgets its parts. */
  setUpload(held: Held, upload: string | null): Promise<void>
  /** Ends it as done. */
  done(held: Held, written: Written): Promise<void>
  fail(held: Held, reason: string, message: string): Promise<void>
  /** Gives the lease back; the export is due again after the pause. An outage counts, the end of a process does not. */
  later(held: Held, pauseMs: number, isOutage: boolean): Promise<void>
}

const take = `
  with due as (
    select id from content.export where state in ('queued', 'running') and due_at <= now()
    order by (
      select count(*) from content.export as busy
      where busy.project_id = export.project_id and busy.state = 'running' and busy.due_at > now()
    ), id
    limit 1 for update skip locked
  )
  update content.export set state = 'running', lease = $1, attempts = attempts + 1,
    due_at = now() + make_interval(secs => $2)
  from due where export.id = due.id
  returning ${columns
    .split(',')
    .map(column => `export.${column.trim()}`)
    .join()}`

type Times = { leaseSeconds: number; keptDays: number }

export function leasesIn(
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  { leaseSeconds, keptDays }: Times,
): Leases {
  return {
    async take() {
      const { rows } = await pool.query<ExportRow>(take, [randomUUID(), leaseSeconds])
      return rows[0] ? jobOf(rows[0]) : null
    },

    renew: held => change(pool, held, 'due_at = now() + make_interval(secs => $3)', [leaseSeconds]),

    async parts({ id }) {
      const { rows } = await pool.query<StoredPart>(
        'select number, size, sha256, tag from content.export_part where export_id = $1 order by number',
        [id],
      )
      return rows
    },

    storePart: (held, { number, size, sha256, tag }, data) =>
      transaction(async client => {
        await change(client, held, 'attempts = 0, failures = 0')
        await client.query(
          `insert into content.export_part (export_id, number, project_id, size, sha256, tag, data)
           select id, $2, project_id, $3, $4, $5, $6 from content.export where id = $1
           on conflict (export_id, number) do update set
             size = excluded.size, sha256 = excluded.sha256, tag = excluded.tag, data = excluded.data`,
          [held.id, number, size, sha256, tag, data],
        )
      }),

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
        await end(client, held, 'done', set, [bytes, sha256, records, keptDays])
        await client.query('delete from content.export_part where export_id = $1 and number > $2', [
          held.id,
          parts,
        ])
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

const end = (client: PoolClient, held: Held, state: State, set: string, values: unknown[]) =>
  change(client, held, `state = '${state}', lease = null, ended_at = now(), due_at = now(), ${set}`, values)

async function change(
  client: Pick<PoolClient, 'query'>,
  { id, lease }: Held,
  set: string,
  values: unknown[] = [],
): Promise<void> {
  const { rowCount } = await client.query(
    `update content.export set ${set} where id = $1 and lease = $2 and state = 'running'`,
    [id, lease, ...values],
  )
  if (rowCount === 0) throw new LeaseLost(`export ${id} is no longer held`)
}
