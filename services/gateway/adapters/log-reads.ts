/** The calls of a project as the read model holds them, the latest first. */
import type { LogEntry, LogQuery } from '@tidemark/contracts/http/logs'
import type { Database } from '@tidemark/db/database'

export type ReadLog = (projectId: number, query: LogQuery) => Promise<LogEntry[]>

type Row = Omit<LogEntry, 'ts'> & { ts: Date }

const latest = `
  select ts, method, path, status, duration_ms, client_ip, request_id from read.log
  where project_id = $1 and status between $2 and $3
  order by ts desc, request_id desc limit $4 offset $5`

export const openLogReads =
  (pool: Database['pool']): ReadLog =>
  async (projectId, { limit, offset, status_min = 100, status_max = 599 }) => {
    const { rows } = await pool.query<Row>(latest, [projectId, status_min, status_max, limit, offset])
    return rows.map(({ ts, ...rest }) => ({ ts: ts.toISOString(), ...rest }))
  }
