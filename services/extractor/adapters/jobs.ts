/**
 * SQL statements for the jobs of projects, which are exports and batches of scans. Any number of processes share the
 * jobs. Their tables have the columns `id`, `project_id`, `state`, `lease`, `attempts`, `due_at`, `created_at`,
 * `idempotency_key`, `fingerprint` and `is_forgotten`. While a process holds a job, `due_at` is the end of the lease.
 */
import { randomUUID } from 'node:crypto'
import { encodeJson } from '@tidemark/bus/codec'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueue } from '@tidemark/db/outbox'
import type { Pool, PoolClient } from 'pg'

/** Name of the table without its schema. */
type Table = 'batch' | 'export'

export type JobLimits = {
  /** Unfinished jobs of a project. */
  atOnce: number
  /** Requested jobs of a project and a day of UTC, also deleted ones. */
  perDay: number
}

export const isUnfinished = `state in ('queued', 'running')`
const isToday = `created_at >= date_trunc('day', now(), 'UTC')`
/** Time for which an idempotency key returns its job. */
const keyLifetime = `interval '24 hours'`

/** SQL condition for rows that no client can read, that no limit counts, and that no idempotency key returns. */
export const isForgettable = `state = 'deleted' and (is_forgotten or (not ${isToday}
    and (idempotency_key is null or created_at < now() - ${keyLifetime})))`

/** Seconds: several times the interval at which free processes look for due jobs. */
const freeSeconds = 2

/** SQL for the number of jobs of a project that processes work on. */
const busyOf = (table: Table, projectId: string) => `
  select count(*) from content.${table} as busy
  where busy.project_id = ${projectId} and busy.state = 'running' and busy.due_at > now()`

/**
 * Takes the job that has been due longest, of the project with the fewest in progress. Returns null without one.
 * @param columns returned columns
 * @param set assignments in addition to the assignments for every job
 */
export async function takeDue<Job extends object>(
  pool: Pick<Pool, 'query'>,
  table: Table,
  leaseSeconds: number,
  { columns, set = '' }: { columns: string; set?: string },
): Promise<Job | null> {
  const { rows } = await pool.query<Job>(
    `update content.${table} set state = 'running', lease = $1, attempts = attempts + 1, ${set}
       due_at = now() + make_interval(secs => $2)
     where id = (
       select id from content.${table} where ${isUnfinished} and due_at <= now()
       order by (${busyOf(table, `${table}.project_id`)}), due_at, id limit 1 for update skip locked)
     returning ${columns}`,
    [randomUUID(), leaseSeconds],
  )
  return rows[0] ?? null
}

/** Returns whether `takeDue` would choose another job than the held one, and no free process took that job. */
export async function isOtherDue(pool: Pick<Pool, 'query'>, table: Table, heldId: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from content.${table},
       (select id as held, project_id as held_project from content.${table} where id = $1) as own
     where ${isUnfinished} and due_at <= now() - interval '${freeSeconds} seconds' and id <> held
       and (${busyOf(table, `${table}.project_id`)} and busy.id <> held)
         <= (${busyOf(table, 'held_project')} and busy.id <> held)
     limit 1`,
    [heldId],
  )
  return rowCount === 1
}

/** Returns the limit that a further job of the project would exceed; null: none. */
export async function exceededLimit(
  client: PoolClient,
  table: Table,
  projectId: number,
  { atOnce, perDay }: JobLimits,
): Promise<'too_many' | 'too_many_today' | null> {
  const { rows } = await client.query<{ unfinished: number; today: number }>(
    `select count(*) filter (where ${isUnfinished})::int as unfinished,
       count(*) filter (where ${isToday})::int as today
     from content.${table} where project_id = $1`,
    [projectId],
  )
  const { unfinished, today } = rows[0] ?? { unfinished: 0, today: 0 }
  if (unfinished >= atOnce) return 'too_many'
  return today >= perDay ? 'too_many_today' : null
}

type Keyed = { projectId: number; idempotencyKey: string | null }

/** Returns the columns of the job that a key has created within its lifetime, or null. Releases an older key. */
export async function findByKey<Row extends object>(
  client: PoolClient,
  table: Table,
  columns: string,
  { projectId, idempotencyKey }: Keyed,
): Promise<Row | null> {
  if (idempotencyKey === null) return null
  await client.query(
    `update content.${table} set idempotency_key = null
     where project_id = $1 and idempotency_key = $2 and created_at < now() - ${keyLifetime}`,
    [projectId, idempotencyKey],
  )
  const { rows } = await client.query<Row>(
    `select ${columns} from content.${table} where project_id = $1 and idempotency_key = $2`,
    [projectId, idempotencyKey],
  )
  return rows[0] ?? null
}

/** Releases all keys of a project, and has the rows of its hidden jobs removed without the delay of limits. */
export async function forgetProject(client: PoolClient, table: Table, projectId: number): Promise<void> {
  await client.query(
    `update content.${table} set idempotency_key = null, is_forgotten = true where project_id = $1`,
    [projectId],
  )
}

/**
 * Stores the bill of a page or of a call of a model in the outbox. A row that was published before a crash may be
 * published again: the ledger counts it once, by its name and number.
 */
export async function enqueueBill(client: PoolClient, projectId: number, bill: object): Promise<void> {
  await enqueue(client, 'content', { subject: subjects.served(projectId), payload: encodeJson(bill) })
}
