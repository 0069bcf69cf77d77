/** Reads, closes and deletes rows of ticks, and computes the last status and the failures of their monitor. */
import type { PoolClient } from 'pg'
import { type Outcome, previousRunActive, type Tick } from '../domain/tick.ts'

/** The columns that `tickOf` reads. */
export const tickColumns = 'monitor_id, minute, begun_at, attempts, outcome'

/** Milliseconds between the start of a run and its first check. */
const firstCheckMs = 2_000
const keptFor = '7 days'
const minKept = 1_000

export type TickRow = {
  monitor_id: number
  minute: Date
  begun_at: Date
  attempts: number
  outcome: string | null
}

export const tickOf = ({ monitor_id, minute, begun_at, attempts, outcome }: TickRow): Tick => ({
  monitorId: monitor_id,
  minute: minute.getTime(),
  begunAt: begun_at.getTime(),
  attempts,
  isSettled: outcome !== null,
})

/**
 * Returns whether a run of the due minute may have been started that is not recorded yet. The caller has locked the
 * monitor.
 */
export async function isFiring(client: PoolClient, monitorId: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from scheduler.tick join scheduler.monitor on monitor.id = monitor_id and next_minute = minute
     where monitor_id = $1 and outcome is null`,
    [monitorId],
  )
  return rowCount !== 0
}

/**
 * Stores the outcome of a tick. Deletes ticks that are older than 7 days and not among the latest 1000. The caller has
 * locked the monitor.
 */
export async function close(
  client: PoolClient,
  { monitorId, minute }: Tick,
  outcome: Exclude<Outcome, { type: 'known' }>,
  now: number,
): Promise<void> {
  const fired = outcome.type === 'fired' ? outcome : null
  const reason = outcome.type === 'skipped' ? outcome.reason : null
  const at = new Date(minute)
  await client.query(
    `update scheduler.tick set outcome = $3, run_id = $4, reason = $5, look_at = $6
     where monitor_id = $1 and minute = $2`,
    [monitorId, at, outcome.type, fired?.runId ?? null, reason, fired && new Date(now + firstCheckMs)],
  )
  await client.query(
    `delete from scheduler.tick where monitor_id = $1 and minute < $2::timestamptz - interval '${keptFor}'
       and minute < (select minute from scheduler.tick where monitor_id = $1
                     order by minute desc offset ${minKept - 1} limit 1)`,
    [monitorId, at],
  )
  if (reason !== null) await recount(client, monitorId)
}

/**
 * Recomputes the last status and the consecutive failures of a monitor, which the caller has locked. Ticks count in the
 * order in which they began: a due tick may begin up to a minute after its time, and thus after a requested tick with a
 * later time.
 */
export async function recount(client: PoolClient, monitorId: number): Promise<void> {
  await client.query(
    `update scheduler.monitor set
       last_status = (
         select run_status from scheduler.tick
         where monitor_id = $1 and run_status in ('done', 'failed', 'cancelled')
         order by begun_at desc, minute desc limit 1),
       consecutive_failures = (
         select count(*) from scheduler.tick
         where monitor_id = $1 and (run_status = 'failed' or (outcome = 'skipped' and reason <> $2))
           and begun_at > coalesce(
             (select max(begun_at) from scheduler.tick where monitor_id = $1 and run_status = 'done'), '-infinity'))
     where id = $1`,
    [monitorId, previousRunActive],
  )
}
