/**
 * Selects the ticks that a scheduler has to check again: those whose run is not known to have ended, and abandoned
 * ones that a client requested. Any number of schedulers share them.
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
  /** Stores the final status of a tick's run, once. */
  ended(tick: Tick, status: string): Promise<void>
}

/** Long runs are checked less often: after a tenth of their age, within these limits. */
const minPause = '2 seconds'
const maxPause = '60 seconds'

export const tickChecks = ({ pool, transaction }: Pick<Database, 'pool' | 'transaction'>): TickChecks => ({
  async next(now) {
    const { rows } = await pool.query<TickRow & { project_id: number; run_id: number | null }>(
      `with due as (
         select monitor_id as id, minute as at from scheduler.tick where look_at <= $1
         order by look_at limit 1 for update skip locked
       )
       update scheduler.tick set look_at =
         $1::timestamptz + greatest(interval '${minPause}', least(interval '${maxPause}', ($1 - begun_at) / 10))
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
        `update scheduler.tick set run_status = $3, look_at = null
         where monitor_id = $1 and minute = $2 and run_status is null`,
        [monitorId, new Date(minute), status],
      )
      if (rowCount === 1) await recount(client, monitorId)
    }),
})
