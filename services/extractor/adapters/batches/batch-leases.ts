/**
 * Due batches, shared by any number of processes. A process holds a batch by a lease, and only the holder stores
 * results. A result, its count and its bill are stored in one transaction.
 */
import { type BatchRow, batchColumns, countsOf } from '@tidemark/content/batches'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { BatchJob, PendingUrl } from '../../domain/batches/batch-job.ts'
import { enqueueBill, isOtherDue, takeDue } from '../jobs.ts'
import { LeaseLost } from '../lease-lost.ts'
import { enqueueBatchEvents } from './batch-events.ts'

type Held = Pick<BatchJob, 'id' | 'lease'>

export type Result = {
  number: number
  state: 'ok' | 'failed' | 'refused'
  /** The item as compressed JSON. */
  item: Uint8Array
  /** The commit for SERVED; null: nothing to record. */
  bill: object | null
}

/** The methods that change a batch reject with `LeaseLost` if the caller does not hold it. */
export type BatchLeases = {
  /** Takes the batch that has been due longest, of the project with the fewest in progress; null without one. */
  take(): Promise<BatchJob | null>
  /** Extends the lease. */
  renew(held: Held): Promise<void>
  /** Returns the URLs without a result, in the order of the request. */
  pending(held: Held): Promise<PendingUrl[]>
  /** Stores a result and its bill. Returns the bytes of all results. */
  store(held: Held, result: Result): Promise<number>
  /** Returns whether `take` would choose another batch if this one were given back. */
  areOthersDue(held: Held): Promise<boolean>
  /**
   * Ends the batch as done. Rejects if a URL has no result.
   * @param days for which the batch is kept; null: forever
   */
  done(held: Held, days: number | null): Promise<void>
  /** Gives the lease back. The batch is due again after the pause, behind others. A failure counts as a start. */
  giveBack(held: Held, how: { pauseMs: number; isFailure: boolean }): Promise<void>
}

const taken = {
  columns: 'id, project_id as "projectId", terms, options, lease, attempts, bytes, trace',
  set: 'started_at = coalesce(started_at, now()),',
}

export function batchLeasesIn(
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  leaseSeconds: number,
): BatchLeases {
  return {
    take: () => takeDue<BatchJob>(pool, 'batch', leaseSeconds, taken),

    async renew(held) {
      await change(pool, held, 'due_at = now() + make_interval(secs => $3)', [leaseSeconds])
    },

    async pending({ id }) {
      const { rows } = await pool.query<PendingUrl>(
        `select number, url from content.batch_item where batch_id = $1 and state = 'pending' order by number`,
        [id],
      )
      return rows.map(({ number, url }) => ({ number, url: JSON.parse(url) }))
    },

    store: (held, result) => transaction(client => store(client, held, result)),

    areOthersDue: ({ id }) => isOtherDue(pool, 'batch', id),

    done: (held, days) => transaction(client => end(client, held, days)),

    async giveBack(held, { pauseMs, isFailure }) {
      const set = `state = 'queued', lease = null, due_at = now() + make_interval(secs => $3),
        attempts = greatest(attempts - $4, 0)`
      await change(pool, held, set, [pauseMs / 1000, isFailure ? 0 : 1])
    },
  }
}

async function store(client: PoolClient, held: Held, result: Result): Promise<number> {
  const { number, state, item, bill } = result
  const set = `${state} = ${state} + 1, bytes = bytes + $3, attempts = 0`
  const { project_id, bytes } = await change(client, held, set, [item.byteLength])
  const { rowCount } = await client.query(
    `update content.batch_item set state = $3, item = $4
     where batch_id = $1 and number = $2 and state = 'pending'`,
    [held.id, number, state, item],
  )
  if (rowCount === 0) throw new LeaseLost(`URL ${number} of batch ${held.id} has a result`)
  if (bill !== null) await enqueueBill(client, project_id, bill)
  return bytes
}

async function end(client: PoolClient, held: Held, days: number | null): Promise<void> {
  const set = `state = 'done', lease = null, ended_at = now(), expires_at = now() + make_interval(days => $3)`
  const row = await change(client, held, set, [days])
  const counts = countsOf(row)
  if (counts.pending > 0) throw new Error(`batch ${held.id} has ${counts.pending} URLs without a result`)
  const data = {
    ...{ batchId: held.id, projectId: row.project_id, counts, createdAt: row.created_at.toISOString() },
    ...(row.webhook_url !== null && { webhookUrl: row.webhook_url }),
  }
  const event = { type: 'BatchFinished' as const, data }
  await enqueueBatchEvents(client, [{ batchId: held.id, event, trace: row.trace }])
}

type Changed = BatchRow & { bytes: number; trace: string | null }

async function change(
  client: Pick<PoolClient, 'query'>,
  { id, lease }: Held,
  set: string,
  values: unknown[],
): Promise<Changed> {
  const { rows } = await client.query<Changed>(
    `update content.batch set ${set} where id = $1 and lease = $2 and state = 'running'
     returning ${batchColumns}, bytes, trace`,
    [id, lease, ...values],
  )
  if (rows[0] === undefined) throw new LeaseLost(`batch ${id} is not held by this process`)
  return rows[0]
}
