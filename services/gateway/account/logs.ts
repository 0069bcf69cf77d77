/** The route that lists the API calls of a project. */
import { LogList, LogQuery } from '@tidemark/contracts/http/logs'
import type { App } from '../app.ts'
import type { ReadLog } from './adapters/account-reads.ts'

export type LogPorts = { readLog: ReadLog }

export function logRoutes(app: App, { readLog }: LogPorts): void {
  app.get(
    '/v1/logs',
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
    async ({ caller, query, warnings }) => {
      const { status_min: min, status_max: max } = query
      if (min !== undefined && max !== undefined && min > max) warnings.push(matchesNothing(min, max))
      return { items: await readLog(caller.projectId, query) }
    },
  )
}

const matchesNothing = (min: number, max: number) =>
  `no call can match: status_min (${min}) is greater than status_max (${max})`
