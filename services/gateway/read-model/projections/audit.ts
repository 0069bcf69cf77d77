/** AUDIT → `read.log`: the calls of each project. A repeated entry is stored once. */

import type { StreamMessage } from '@tidemark/bus/read'
import { repeat } from '@tidemark/bus/repeat'
import { ApiCalled } from '@tidemark/contracts/audit'
import { textOf } from '@tidemark/contracts/plain-text'
import type { Projection } from '@tidemark/db/projector'
import { Type } from 'typebox'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type Call = ApiCalled['data']

const needs = {
  ApiCalled: ['projectId', 'requestId', 'at', 'method', 'path', 'status', 'durationMs', 'clientIp'],
} as const

export function auditProjection(report: Report) {
  const read = commitReader<ApiCalled>(Type.Union([ApiCalled]), needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const calls: Call[] = []
    for (const { event } of read(messages)) calls.push(event.data)
    if (calls.length > 0)
      await client.query({ name: 'calls', text: insertCalls, values: columns(table, calls) })
  }
}

const table: Table<Call> = [
  ['project_id', 'bigint', call => call.projectId],
  ['ts', 'timestamptz', call => call.at],
  ['request_id', 'text', call => textOf(call.requestId)],
  ['method', 'text', call => textOf(call.method)],
  ['path', 'text', call => textOf(call.path)],
  ['status', 'integer', call => call.status],
  ['duration_ms', 'real', call => call.durationMs],
  ['client_ip', 'text', call => textOf(call.clientIp)],
]

const names = table.map(([name]) => name).join(', ')

const insertCalls = `
  insert into read.log (${names})
  select ${names} from ${unnest(table, 'call')}
  on conflict (project_id, ts, request_id) do nothing`

/** Removes entries older than these days, in batches every minute, until the signal aborts. */
export async function sweepLog({
  bus,
  pool,
  signal,
  report,
  days,
}: Pick<Projection, 'bus' | 'pool' | 'signal' | 'report'> & { days: number }): Promise<void> {
  const sweep = async () => {
    const { rowCount } = await pool.query(removeOld, [days])
    return (rowCount ?? 0) < removedAtOnce ? undefined : 'more'
  }
  const name = 'the sweep of the log'
  await repeat(sweep, { name, bus, isSpare: true, pauseMs: everyMs, signal, report })
}

/** Removes a batch of the entries of a project. Returns its number of entries; 0: none is left. */
export async function forgetCalls(
  pool: Pick<Projection['pool'], 'query'>,
  projectId: number,
): Promise<number> {
  return (await pool.query(removeOfProject, [projectId])).rowCount ?? 0
}

const everyMs = 60_000
const removedAtOnce = 5_000
const removeOld = `delete from read.log where ctid = any(array(
  select ctid from read.log where ts < now() - make_interval(days => $1) limit ${removedAtOnce}))`

const removeOfProject = `delete from read.log where ctid = any(array(
  select ctid from read.log where project_id = $1 limit ${removedAtOnce}))`
