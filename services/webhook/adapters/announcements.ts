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

/** A row, and how many messages it had. */
export type Unannounced = { runId: number; announced: number }

/** One to be tried, and one more for a retry that is overdue. */
const ofBroken = 2

const mark = `
  update webhook.delivery as d set announced = made.announced + 1, announced_at = clock_timestamp()
  from unnest($1::bigint[], $2::integer[]) as made (run_id, announced)
  where d.run_id = made.run_id and d.announced = made.announced`

/**
 * Due, and without a message that could know it: never announced, announced before it fell due (whoever had that
 * message is overdue himself), or so long ago that the message must be lost. Of one host only so many at once, of a
 * broken one as few as are let through, and the projects in turn.
 */
const overdue = `
  select run_id, announced from (
    select run_id, announced, host, next_at,
      row_number() over (partition by host order by next_at) as place,
      row_number() over (partition by project_id order by next_at) as turn
    from webhook.delivery
    where state = 'pending' and next_at < clock_timestamp() - make_interval(secs => $1)
      and (announced_at is null or announced_at < next_at or announced_at < clock_timestamp() - interval '10 minutes')
  ) as waiting
  where place <= case when host = any($3) then ${ofBroken} else $2 end
  order by turn, next_at limit 500`

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

/** Rows whose message is missing, for at least `graceMs`. */
export async function findOverdue(
  pool: Pool,
  { graceMs, perHost, broken }: { graceMs: number; perHost: number; broken: string[] },
): Promise<Unannounced[]> {
  const { rows } = await pool.query<{ run_id: number; announced: number }>(overdue, [
    graceMs / 1000,
    perHost,
    broken,
  ])
  return rows.map(({ run_id: runId, announced }) => ({ runId, announced }))
}
