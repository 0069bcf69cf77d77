/** The route that lists the API calls of a project. */
import { maxRefusalsPerMinute } from '@tidemark/contracts/audit'
import { LogList, LogQuery, logColumns } from '@tidemark/contracts/http/logs'
import type { App } from '../app.ts'
import { formatOf } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import { Slots } from '../http/domain/slots.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { vary } from '../http/requests/vary.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import { sendRows } from '../http/responses/row-list.ts'
import type { ReadLog } from './adapters/account-reads.ts'

export type LogPorts = {
  readLog: ReadLog
  /** Resolves when the log contains the calls of the project so far, or shortly later. */
  untilLogged: (projectId: number) => Promise<void>
}

const path = '/v1/logs'
/** Concurrent reads of a project at this gateway. */
const readsOfProject = 4
/** Maximum milliseconds of a read in the database. */
export const maxReadMs = 3_000

const noSlot = {
  reason: 'concurrent_requests',
  message: `This gateway already reads ${readsOfProject} parts of the log for the project. Try again when one has ended.`,
} as const
/** A client may have requested any path. */
const shape = { columns: logColumns, freeText: ['path'] }

export function logRoutes(app: App, { readLog, untilLogged }: LogPorts): void {
  const slots = new Slots(readsOfProject)
  app.get(
    path,
    {
      schema: {
        operationId: 'listLogs',
        summary: 'List the API calls of this project',
        description: `Newest first. A call is listed shortly after its response. Of the 429 responses of a minute, each gateway lists the first ${maxRefusalsPerMinute}. Queries, bodies and keys are not stored.`,
        tags: ['Logs'],
        querystring: LogQuery,
        response: { 200: LogList },
      },
    },
    async ({ caller, query, headers, warnings }, reply) => {
      const { status_min: min, status_max: max } = query
      if (min !== undefined && max !== undefined && min > max) warnings.push(matchesNothing(min, max))
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const until = query.until === undefined ? {} : { until: supportedTime(query.until) }
      const window = { ...query, ...oneMore(query), ...until }
      const signal = acquireSlot(slots, caller.projectId, reply, noSlot)
      await untilLogged(caller.projectId)
      const found = await readLog(caller.projectId, window, signal)
      if (found === null) throw tooLong()
      const { items, next_offset } = partOf(query, found)
      if (format === 'json') return { items, next_offset }
      const rows = rowsText(format, shape, [items])
      return sendRows(reply, { format, rows, next: next_offset, path, query })
    },
  )
}

const [earliest, latest] = [Date.UTC(1970), Date.UTC(10_000) - 1]

/** Returns the time of `until` as the database reads it. No call is before 1970. Throws `ApiProblem` for a leap second. */
function supportedTime(text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw refusal(
      'until',
      'bad_value',
      `until is outside the range of supported times: ${text}. Use a time such as 2026-01-02T03:04:05.678Z.`,
    )
  return new Date(Math.min(Math.max(ms, earliest), latest)).toISOString()
}

const tooLong = () =>
  new ApiProblem('unavailable', {
    message: `The calls were not found within ${maxReadMs / 1000} seconds, because the log of this project is long. Use a smaller offset with until, or leave status_min and status_max out.`,
  })

const matchesNothing = (min: number, max: number) =>
  `no call can match: status_min (${min}) is greater than status_max (${max})`
