/** URLs of a crawl that failed on the way. */

import { RunParams } from '@tidemark/contracts/http/crawls'
import { csvLine, defused } from '@tidemark/contracts/http/csv'
import { errorColumns, type RunError, RunErrorList, RunErrorQuery } from '@tidemark/contracts/http/errors'
import type { App } from '../app.ts'
import { sendRows } from '../http/answers/row-list.ts'
import { formatOf, type ListFormat } from '../http/domain/list-format.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { vary } from '../http/plugins/vary.ts'
import type { RunAnswers } from './adapters/run-answers.ts'

export type ErrorPorts = {
  runAnswers: Pick<RunAnswers, 'errors'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

export function errorRoutes(app: App, { runAnswers, hasRun }: ErrorPorts): void {
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
    async ({ caller: { projectId }, params: { id }, query, headers }, reply) => {
      const { limit } = query
      const offset = Math.min(query.offset, Number.MAX_SAFE_INTEGER)
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const errors = (await hasRun(projectId, id))
        ? await runAnswers.errors(projectId, id, { limit, offset })
        : null
      if (errors === null) throw new ApiProblem('not_found')
      if (format === 'json') return errors
      const rows = errorRows(format, errors.items)
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

/** Yields one line per URL, after the header line of CSV. */
async function* errorRows(
  format: Exclude<ListFormat, 'json'>,
  errors: readonly RunError[],
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(errorColumns)
  if (errors.length > 0) yield errors.map(format === 'csv' ? csvOf : jsonLine).join('')
}

const jsonLine = (error: RunError): string => `${JSON.stringify(error)}\n`

const csvOf = (error: RunError): string =>
  csvLine(errorColumns.map(column => (column === 'reason' ? defused(error.reason) : error[column])))
