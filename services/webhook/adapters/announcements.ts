/**
 * Publishes deliveries to the queue DELIVERIES. A message is only a reminder of a row: a lost message is published
 * again when its row is overdue, and a duplicate has no effect.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { subjects } from '@tidemark/contracts/subjects'
import type { Delivery } from '@tidemark/contracts/work/delivery'
import type { Pool } from 'pg'
import type { Endpoint } from '../concurrency/breakers.ts'
import { maxAtBroken, type Waiting } from '../concurrency/outstanding.ts'
import { columnsOf } from './endpoint-columns.ts'

/** A row and the number of messages published for it. */
export type Unannounced = { runId: number; announced: number }

const foundAtOnce = 2_000

/**
 * A duplicate does not count as announced: its message may have been handled, and the row postponed, before the announcer
 * died. So the next search publishes the next number.
 */
const mark = `
  with made as (
    select * from unnest($1::bigint[], $2::integer[], $3::boolean[]) as made (run_id, announced, is_duplicate)
  ),
  locked as materialized (
    select run_id from webhook.delivery where run_id = any($1) order by run_id for update
  )
  update webhook.delivery as d set announced = made.announced + 1,
    announced_at = case when made.is_duplicate then null else clock_timestamp() end
  from made join locked using (run_id)
  where d.run_id = made.run_id and d.announced = made.announced`

/**
 * Finds due rows without a message: rows that were never announced, were postponed, or had a wait that is too long for
 * a message in the queue. After the grace period it also finds rows that were announced before they fell due (the
 * process with the message is overdue), and rows with an announcement so old that the message must be lost. The number
 * of rows per host is capped, and lower for new deliveries of a project at an endpoint that is broken for the project.
 * Projects alternate at each host and over all hosts. Hosts alternate within a project.
 */
const due = `
  select run_id as "runId", project_id as "projectId", host, is_retry as "isRetry", announced from (
    select run_id, project_id, host, is_retry, announced, next_at,
      row_number() over (partition by host order by own, next_at) as host_rank,
      row_number() over (partition by project_id order by own, next_at) as project_rank
    from (
      select run_id, project_id, host, attempts > 0 as is_retry, announced, next_at,
        row_number() over (partition by host, project_id, attempts > 0 order by next_at) as own
      from webhook.delivery
      where state = 'pending' and next_at <= clock_timestamp() and (
        announced_at is null
        or next_at < clock_timestamp() - make_interval(secs => $1)
          and (announced_at < next_at or announced_at < clock_timestamp() - interval '10 minutes')
      )
    ) as own
    where is_retry or own <= ${maxAtBroken} or (project_id, host) not in (select * from unnest($3::bigint[], $4::text[]))
  ) as waiting
  where host_rank <= $2
  order by project_rank, next_at limit ${foundAtOnce}`

const live = `
  select run_id from webhook.delivery
  where run_id = any($1) and state = 'pending'
    and (is_sending or attempts = 0 and announced_at > clock_timestamp() - interval '30 seconds')`

/**
 * Publishes a message for each row. The number in the message's id deduplicates concurrent announcers. Rejects with the
 * first error when messages fail, after it has recorded the others.
 */
export async function announce(bus: Bus, pool: Pool, rows: readonly Unannounced[]): Promise<void> {
  if (rows.length === 0) return
  const published = await Promise.allSettled(
    rows.map(async ({ runId, announced }) => {
      const delivery: Delivery = { runId }
      const id = `delivery:${runId}:${announced}`
      const { duplicate } = await publish(bus, subjects.deliveries, encodeJson(delivery), { id })
      return { runId, announced, duplicate }
    }),
  )
  const made = published.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
  const column = <Name extends keyof (typeof made)[number]>(name: Name) => made.map(row => row[name])
  await pool.query(mark, [column('runId'), column('announced'), column('duplicate')])
  const failed = published.find(result => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Returns due rows without a message. Rows that had a message are returned only if they are overdue by `graceMs`. */
export async function findDue(
  pool: Pool,
  { graceMs, perHost, broken }: { graceMs: number; perHost: number; broken: Endpoint[] },
): Promise<(Unannounced & Waiting)[]> {
  const { rows } = await pool.query<Unannounced & Waiting>({
    name: 'find due',
    text: due,
    values: [graceMs / 1000, perHost, ...columnsOf(broken)],
  })
  return rows
}

/** Returns the runs with an attempt in progress, or with a first attempt that was announced in the last 30 seconds. */
export async function stillInProgress(pool: Pool, runIds: readonly number[]): Promise<number[]> {
  if (runIds.length === 0) return []
  const { rows } = await pool.query<{ run_id: number }>(live, [runIds])
  return rows.map(row => row.run_id)
}
