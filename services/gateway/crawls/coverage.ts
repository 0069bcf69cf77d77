/** The route for the coverage of a crawl. */
import { AsOfQuery } from '@tidemark/contracts/http/as-of'
import { Coverage } from '@tidemark/contracts/http/coverage'
import { RunParams } from '@tidemark/contracts/http/crawls'
import type { App } from '../app.ts'
import { found } from '../http/domain/problem.ts'
import { sharedBy } from '../http/requests/share-access.ts'
import type { RunsAsOf } from '../read-model/adapters/runs-as-of.ts'
import type { RunAnswers } from './adapters/run-answers.ts'

export type CoveragePorts = {
  runAnswers: Pick<RunAnswers, 'coverage'>
  runsAsOf: Pick<RunsAsOf, 'coverage'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

export function coverageRoutes(app: App, { runAnswers, runsAsOf, hasRun }: CoveragePorts): void {
  app.get(
    '/v1/crawls/:id/coverage',
    {
      schema: {
        operationId: 'getCoverage',
        summary: 'Read the coverage of a crawl',
        description: 'Counts every URL that the crawl discovered by its outcome and reason.',
        tags: ['Crawls'],
        params: RunParams,
        querystring: AsOfQuery,
        response: { 200: Coverage },
      },
    },
    async ({ caller: { projectId }, params: { id }, query: { as_of }, raw }) => {
      const run = { projectId, runId: id, ...sharedBy(raw) }
      if (as_of !== undefined) return runsAsOf.coverage(run, as_of)
      return found((await hasRun(projectId, id)) ? await runAnswers.coverage(run) : null)
    },
  )
}
