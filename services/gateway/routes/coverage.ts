/** The receipt of a crawl. */
import { Coverage } from '@tidemark/contracts/http/coverage'
import { RunParams } from '@tidemark/contracts/http/crawls'
import type { RunAnswers } from '../adapters/run-answers.ts'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'

export type CoveragePorts = {
  runAnswers: Pick<RunAnswers, 'coverage'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

export function coverageRoutes(app: App, { runAnswers, hasRun }: CoveragePorts): void {
  app.get(
    '/v1/crawls/:id/coverage',
    {
      schema: {
        operationId: 'getCoverage',
        summary: 'Read the receipt of a crawl',
        description: 'Where every URL that the crawl discovered stands, with the reason.',
        tags: ['Crawls'],
        params: RunParams,
        response: { 200: Coverage },
      },
    },
    async ({ caller: { projectId }, params: { id } }) => {
      const coverage = (await hasRun(projectId, id)) ? await runAnswers.coverage(projectId, id) : null
      if (coverage === null) throw new ApiProblem('not_found')
      return coverage
    },
  )
}
