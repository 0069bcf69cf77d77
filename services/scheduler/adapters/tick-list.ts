/** Reads the ticks of a monitor for clients. */
import type { ListTicks, TickView } from '@tidemark/contracts/rpc/monitors'
import type { Pool } from 'pg'

/** Returns ticks of a monitor, the latest first; null when the project has no such monitor. */
export type ReadTicks = (request: ListTicks) => Promise<TickView[] | null>

type Row = {
  minute: Date
  asked: boolean
  outcome: TickView['outcome']
  reason: string | null
  run_id: number | null
  run_status: string | null
}

export const readTicks =
  (pool: Pool): ReadTicks =>
  async ({ projectId, monitorId, limit, offset }) => {
    const { rowCount } = await pool.query(`select from scheduler.monitor where id = $1 and project_id = $2`, [
      monitorId,
      projectId,
    ])
    if (rowCount === 0) return null
    const { rows } = await pool.query<Row>(
      `select minute, asked, outcome, reason, run_id, run_status from scheduler.tick
       where monitor_id = $1 order by begun_at desc, minute desc limit $2 offset $3`,
      [monitorId, limit, offset],
    )
    return rows.map(viewOf)
  }

const viewOf = ({ minute, asked, outcome, reason, run_id, run_status }: Row): TickView => ({
  minute: minute.toISOString(),
  asked,
  outcome,
  reason,
  runId: run_id,
  runStatus: run_status,
})
