/**
 * Reads rows of a project from the read model: its calls, the latest first, and the URLs of pages on a bill. No index has
 * the status of a call, because it would slow down the storage of every call and could not order a range of statuses by
 * time. So a read that filters, or skips many calls, may inspect millions of rows: one such read runs at a time, for a few
 * seconds at most, and projects take turns.
 */
import { createFairLine } from '@tidemark/bus/fair-line'
import type { LogEntry, LogQuery } from '@tidemark/contracts/http/logs'
import type { OfProject } from '@tidemark/db/of-project'
import { isTooSlow } from '@tidemark/db/too-slow'

/** Returns null if the calls were not found in time. A read whose signal aborts while it waits returns no calls. */
export type ReadLog = (projectId: number, query: LogQuery, signal: AbortSignal) => Promise<LogEntry[] | null>

type Row = Omit<LogEntry, 'ts'> & { ts: Date }

const latest = `
  select ts, method, path, status, duration_ms, client_ip, request_id from read.log
  where project_id = $1 and status between $2::bigint and $3::bigint and ts <= $6::timestamptz
  order by ts desc, request_id desc limit $4 offset $5`

const max = Number.MAX_SAFE_INTEGER
/** Limits a number to the range of the database. No call has a value beyond it. */
const within = (n: number): number => Math.min(Math.max(n, -max), max)

/** Number of calls that a read can skip within milliseconds. */
const maxQuickOffset = 10_000

/** Returns whether a read is quick: one without a filter stops as soon as it has its calls. */
const isQuick = ({ offset, status_min, status_max }: LogQuery): boolean =>
  status_min === undefined && status_max === undefined && offset <= maxQuickOffset

/** @param maxMs maximum time of a read, without its wait in the queue */
export function openLogReads(reads: OfProject, maxMs: number): ReadLog {
  const line = createFairLine()
  return (projectId, query, signal) => {
    const find = async () => (signal.aborted ? [] : read(reads(projectId, maxMs), projectId, query))
    return isQuick(query) ? find() : line.join(projectId, find)
  }
}

async function read(
  pool: ReturnType<OfProject>,
  projectId: number,
  { limit, offset, status_min = 0, status_max = max, until = 'infinity' }: LogQuery,
): Promise<LogEntry[] | null> {
  const values = [projectId, within(status_min), within(status_max), limit, within(offset), until]
  try {
    const { rows } = await pool.query<Row>(latest, values)
    return rows.map(({ ts, ...rest }) => ({ ts: ts.toISOString(), ...rest }))
  } catch (error) {
    if (isTooSlow(error)) return null
    throw error
  }
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
