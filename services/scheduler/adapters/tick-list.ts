/** Reads the ticks of a monitor for clients. */
import type { ListTicks, TickView } from '@tidemark/contracts/rpc/monitors'
import type { Pool } from 'pg'

/** Returns ticks of a monitor, the latest first; null when the project has no such monitor. */
export type ReadTicks = (request: ListTicks) => Promise<TickView[] | null>

export const readTicks =
  (pool: Pool): ReadTicks =>
  async ({ projectId, monitorId, limit, offset }) => {
    const { rowCount } = await pool.query(`select from scheduler.monitor where id = $1 and project_id = $2`, [
      monitorId,
      projectId,
    ])
    if (rowCount === 0) return null
    const { rows } = await pool.query<Omit<TickView, 'minute'> & { minute: Date }>(
      `select minute, asked, outcome, reason, run_id as "runId", run_status as "runStatus" from scheduler.tick
       where monitor_id = $1 order by begun_at desc, minute desc limit $2 offset $3`,
      [monitorId, limit, offset],
    )
    return rows.map(row => ({ ...row, minute: row.minute.toISOString() }))
  }
