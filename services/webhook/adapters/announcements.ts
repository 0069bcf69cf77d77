/**
 * Puts deliveries into the queue DELIVERIES. A message is only a reminder of a row: one that is lost is published
 * again when its row is overdue, and one too many finds nothing to do.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { subjects } from '@tidemark/contracts/subjects'
import type { Delivery } from '@tidemark/contracts/work/delivery'
import type { Pool } from 'pg'
import type { Waiting } from '../turns/outstanding.ts'

/** A row, and how many messages it had. */
export type Unannounced = { runId: number; announced: number }

/** One to be tried, and one more for a retry that is overdue. */
const ofBroken = 2
const foundAtOnce = 2_000

const mark = `
  with made as (select * from unnest($1::bigint[], $2::integer[]) as made (run_id, announced)),
  locked as materialized (
    select run_id from webhook.delivery where run_id = any($1) order by run_id for update
  )
  update webhook.delivery as d set announced = made.announced + 1, announced_at = clock_timestamp()
  from made join locked using (run_id)
  where d.run_id = made.run_id and d.announced = made.announced`

/**
 * Due, and without a message that could know it: never announced or put off; and after a while, announced before it
 * fell due (whoever had that message is overdue himself), or so long ago that the message must be lost. Of one host
 * only so many, of a broken one as few as are let through; the projects in turn at each host and over all, and the
 * hosts in turn within a project.
 */
const due = `
  select run_id, project_id, host, is_retry, announced from (
    select run_id, project_id, host, is_retry, announced, next_at,
      row_number() over (partition by host order by own, next_at) as place,
      row_number() over (partition by project_id order by own, next_at) as turn
    from (
      select run_id, project_id, host, attempts > 0 as is_retry, announced, next_at,
        row_number() over (partition by host, project_id order by next_at) as own
      from webhook.delivery
      where state = 'pending' and next_at <= clock_timestamp() and (
        announced_at is null
        or next_at < clock_timestamp() - make_interval(secs => $1)
          and (announced_at < next_at or announced_at < clock_timestamp() - interval '10 minutes')
      )
    ) as own
  ) as waiting
  where place <= case when host = any($3) then ${ofBroken} else $2 end
  order by turn, next_at limit ${foundAtOnce}`

const live = `
  select run_id from webhook.delivery
  where run_id = any($1) and state = 'pending'
    and (is_sending or attempts = 0 and announced_at > clock_timestamp() - interval '30 seconds')`

/** The number in the message's name lets only one of several announcers through. */
export async function announce(bus: Bus, pool: Pool, rows: readonly Unannounced[]): Promise<void> {
  if (rows.length === 0) return
  await Promise.all(
    rows.map(({ runId, announced }) => {
      const delivery: Delivery = { runId }
      return publish(bus, subjects.deliveries, encodeJson(delivery), { id: `delivery:${runId}:${announced}` })
    }),
  )
  await pool.query(mark, [rows.map(({ runId }) => runId), rows.map(({ announced }) => announced)])
}

/** Rows that are due and without a message; those that had one, only when they are overdue by `graceMs`. */
export async function findDue(
  pool: Pool,
  { graceMs, perHost, broken }: { graceMs: number; perHost: number; broken: string[] },
): Promise<(Unannounced & Waiting)[]> {
  const { rows } = await pool.query<Row>({
    name: 'find due',
    text: due,
    values: [graceMs / 1000, perHost, broken],
  })
  return rows.map(({ run_id: runId, project_id: projectId, is_retry: isRetry, ...row }) => ({
    ...row,
    runId,
    projectId,
    isRetry,
  }))
}

/** Those whose first attempt is under way, or was announced so lately that it will be. */
export async function stillOut(pool: Pool, runIds: readonly number[]): Promise<number[]> {
  if (runIds.length === 0) return []
  const { rows } = await pool.query<{ run_id: number }>(live, [runIds])
  return rows.map(row => row.run_id)
}

type Row = { run_id: number; project_id: number; host: string; is_retry: boolean; announced: number }
