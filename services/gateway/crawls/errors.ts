/** The route that lists the failed URLs of a crawl. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import { errorColumns, RunErrorList, RunErrorQuery } from '@tidemark/contracts/http/errors'
import type { App } from '../app.ts'
import { formatOf } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { found } from '../http/domain/problem.ts'
import type { Window } from '../http/domain/window.ts'
import { sharedBy } from '../http/requests/share-access.ts'
import { vary } from '../http/requests/vary.ts'
import { sendRows } from '../http/responses/row-list.ts'
import type { RunsAsOf } from '../read-model/adapters/runs-as-of.ts'
import type { RunAnswers } from './adapters/run-answers.ts'

export type ErrorPorts = {
  runAnswers: Pick<RunAnswers, 'errors'>
  runsAsOf: Pick<RunsAsOf, 'errors'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

export function errorRoutes(app: App, ports: ErrorPorts): void {
  app.get(
    '/v1/crawls/:id/errors',
    {
      schema: {
        operationId: 'listErrors',
        summary: 'List the failed URLs of a crawl',
        description: 'URLs that got no HTTP response. A 404 is a response, so it is listed as a page.',
        tags: ['Crawls'],
        params: RunParams,
        querystring: RunErrorQuery,
        response: { 200: RunErrorList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, headers, raw }, reply) => {
      const { limit, as_of } = query
      const run = { projectId, runId: id, ...sharedBy(raw) }
      const offset = Math.min(query.offset, Number.MAX_SAFE_INTEGER)
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const errors =
        as_of === undefined
          ? await currentErrors(ports, run, { limit, offset })
          : await ports.runsAsOf.errors(run, as_of, { limit, offset })
      if (format === 'json') return errors
      const rows = rowsText(format, errorShape, [errors.items])
      return sendRows(reply, {
        format,
        rows,
        next: errors.next_offset,
        path: `/v1/crawls/${id}/errors`,
        query,
      })
    },
  )
}

async function currentErrors(
  { runAnswers, hasRun }: ErrorPorts,
  run: Parameters<RunAnswers['errors']>[0],
  window: Window,
): Promise<RunErrorList> {
  return found((await hasRun(run.projectId, run.runId)) ? await runAnswers.errors(run, window) : null)
}

/** `reason` and `sentence` may quote a server. */
const errorShape = { columns: errorColumns, freeText: ['reason', 'sentence'] }
