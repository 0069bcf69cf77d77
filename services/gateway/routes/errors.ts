/** URLs of a crawl that failed on the way. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import { RunErrorList, RunErrorQuery } from '@tidemark/contracts/http/errors'
import type { RunAnswers } from '../adapters/run-answers.ts'
import type { App } from '../app.ts'
import { errorRows } from '../domain/error-rows.ts'
import { formatOf } from '../domain/list-format.ts'
import { ApiProblem } from '../domain/problem.ts'
import { vary } from '../plugins/vary.ts'
import { sendRows } from './row-list.ts'

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
        summary: 'List the URLs of a crawl that failed',
        description: 'What never became an answer. A 404 is an answer, and a page.',
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
