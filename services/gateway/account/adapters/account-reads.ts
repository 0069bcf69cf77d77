/** Reads rows of a project from the read model: its calls, the latest first, and the URLs of pages on a bill. */
import type { LogEntry, LogQuery } from '@tidemark/contracts/http/logs'
import type { OfProject } from '@tidemark/db/of-project'

export type ReadLog = (projectId: number, query: LogQuery) => Promise<LogEntry[]>

type Row = Omit<LogEntry, 'ts'> & { ts: Date }

const latest = `
  select ts, method, path, status, duration_ms, client_ip, request_id from read.log
  where project_id = $1 and status between $2::bigint and $3::bigint
  order by ts desc, request_id desc limit $4 offset $5`

const max = Number.MAX_SAFE_INTEGER
/** Limits a number to the range of the database. No call is beyond it. */
const within = (n: number): number => Math.min(Math.max(n, -max), max)

export const openLogReads =
  (reads: OfProject): ReadLog =>
  async (projectId, { limit, offset, status_min = 0, status_max = max }) => {
    const values = [projectId, within(status_min), within(status_max), limit, within(offset)]
    const { rows } = await reads(projectId).query<Row>(latest, values)
    return rows.map(({ ts, ...rest }) => ({ ts: ts.toISOString(), ...rest }))
  }

/** Returns the URLs of pages by id. Those of deleted runs are absent. */
export const pageUrlsOf =
  (reads: OfProject) =>
  async (projectId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    if (ids.length === 0) return new Map()
    const { rows } = await reads(projectId).query<{ id: number; url: string }>({
      name: 'page-urls',
      text: 'select id, url from read.page where project_id = $1 and id = any($2::bigint[])',
      values: [projectId, ids],
    })
    return new Map(rows.map(({ id, url }) => [id, url]))
  }
