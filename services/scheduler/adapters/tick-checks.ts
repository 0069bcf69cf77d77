/**
 * Selects the ticks that a scheduler has to check again: ticks whose run is not known to have ended, the latest tick of
 * a monitor if its run failed (its failed URLs may be retried), and abandoned ticks that a client requested. Any number
 * of schedulers share these checks.
 */
import type { Database } from '@tidemark/db/database'
import type { Tick } from '../domain/tick.ts'
import { recount, type TickRow, tickColumns, tickOf } from './tick-rows.ts'

/** `runId` is null for a requested tick that has no run yet. */
export type TickCheck = { tick: Tick; projectId: number; runId: number | null }

export type TickChecks = {
  /**
   * Returns the tick that has waited longest, and hides it from other schedulers for a while; null when none is due.
   */
  next(now: number): Promise<TickCheck | null>
  /** Stores the final status of a tick's run. A later final status replaces only a failure. */
  ended(tick: Tick, status: string): Promise<void>
}

/** Long runs are checked less often: after a tenth of their age, within these limits. */
const minPause = '2 seconds'
const maxPause = '60 seconds'
/**
 * A failed run is checked again after a pause that equals its age, within these limits. The checks end after 7 days,
 * the time for which all ticks are kept.
 */
const minFailedPause = '1 minute'
const maxFailedPause = '1 hour'
const failedFor = '7 days'

const pause = `greatest(interval '${minPause}', least(interval '${maxPause}', ($1 - begun_at) / 10))`
const failedPause = `greatest(interval '${minFailedPause}', least(interval '${maxFailedPause}', $1 - begun_at))`

const isLatest = `not exists (
  select from scheduler.tick as later
  where later.monitor_id = tick.monitor_id and later.begun_at > tick.begun_at and later.run_id is not null)`

export const tickChecks = ({ pool, transaction }: Pick<Database, 'pool' | 'transaction'>): TickChecks => ({
  async next(now) {
    const { rows } = await pool.query<TickRow & { project_id: number; run_id: number | null }>(
      `with due as (
         select monitor_id as id, minute as at from scheduler.tick where look_at <= $1
         order by look_at limit 1 for update skip locked
       )
       update scheduler.tick set look_at = case
         when run_status is null then $1::timestamptz + ${pause}
         when begun_at > $1::timestamptz - interval '${failedFor}' and ${isLatest} then $1 + ${failedPause}
       end
       from due join scheduler.monitor using (id) where monitor_id = due.id and minute = due.at
       returning ${tickColumns}, run_id, project_id`,
      [new Date(now)],
    )
    const [row] = rows
    return row ? { tick: tickOf(row), projectId: row.project_id, runId: row.run_id } : null
  },

  ended: ({ monitorId, minute }, status) =>
    transaction(async client => {
      await client.query(`select from scheduler.monitor where id = $1 for no key update`, [monitorId])
      const { rowCount } = await client.query(
        `update scheduler.tick set run_status = $3, look_at = case when $3 = 'failed' then look_at end
         where monitor_id = $1 and minute = $2
           and (run_status is null or run_status = 'failed' and $3 in ('done', 'cancelled'))`,
        [monitorId, new Date(minute), status],
      )
      if (rowCount === 1) await recount(client, monitorId)
    }),
})
