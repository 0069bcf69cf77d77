/** The route that lists the API calls of a project. */
import { LogList, LogQuery, logColumns } from '@tidemark/contracts/http/logs'
import type { App } from '../app.ts'
import { sendRows } from '../http/answers/row-list.ts'
import { formatOf } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { vary } from '../http/plugins/vary.ts'
import type { ReadLog } from './adapters/account-reads.ts'

export type LogPorts = {
  readLog: ReadLog
  /** Resolves when the log contains the calls of the project so far, or shortly later. */
  untilLogged: (projectId: number) => Promise<void>
}

const path = '/v1/logs'
/** A client may have requested any path. */
const shape = { columns: logColumns, freeText: ['path'] }

export function logRoutes(app: App, { readLog, untilLogged }: LogPorts): void {
  app.get(
    path,
    {
      schema: {
        operationId: 'listLogs',
        summary: 'List the API calls of this project',
        description:
          'Newest first. A call is listed shortly after its response. Queries, bodies and keys are not stored.',
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
      const window = { ...query, ...oneMore(query) }
      await untilLogged(caller.projectId)
      const { items, next_offset } = partOf(query, await readLog(caller.projectId, window))
      if (format === 'json') return { items, next_offset }
      const rows = rowsText(format, shape, [items])
      return sendRows(reply, { format, rows, next: next_offset, path, query })
    },
  )
}

const matchesNothing = (min: number, max: number) =>
  `no call can match: status_min (${min}) is greater than status_max (${max})`
