/** What a project asked of the API. */
import { LogList, LogQuery } from '@tidemark/contracts/http/logs'
import type { ReadLog } from '../adapters/log-reads.ts'
import type { App } from '../app.ts'

export type LogPorts = { readLog: ReadLog }

export function logRoutes(app: App, { readLog }: LogPorts): void {
  app.get(
    '/v1/logs',
    {
      schema: {
        operationId: 'listLogs',
        summary: 'List the calls of this project',
        description:
          'The latest first; a call is listed a moment after its answer. Neither queries nor bodies nor keys are kept.',
        tags: ['Logs'],
        querystring: LogQuery,
        response: { 200: LogList },
      },
    },
    async ({ caller, query }) => ({ items: await readLog(caller.projectId, query) }),
  )
}
