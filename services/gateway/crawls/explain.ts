/** The route that explains the outcome of one URL of a crawl. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import { ExplainQuery, Explanation } from '@tidemark/contracts/http/explain'
import type { App } from '../app.ts'
import { normalUrl } from '../http/domain/page-url.ts'
import { found } from '../http/domain/problem.ts'
import { sharedBy } from '../http/requests/share-access.ts'
import type { RunAnswers } from './adapters/run-answers.ts'

export type ExplainPorts = {
  runAnswers: Pick<RunAnswers, 'explain'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

export function explainRoutes(app: App, { runAnswers, hasRun }: ExplainPorts): void {
  app.get(
    '/v1/crawls/:id/explain',
    {
      schema: {
        operationId: 'explainUrl',
        summary: 'Explain what a crawl did with a URL',
        description:
          'Lists every rule in the order of evaluation. A URL that the crawl never found is judged as if the seed linked to it.',
        tags: ['Crawls'],
        params: RunParams,
        querystring: ExplainQuery,
        response: { 200: Explanation },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, raw }) => {
      const url = normalUrl('url', query.url)
      const run = { projectId, runId: id, ...sharedBy(raw) }
      return found((await hasRun(projectId, id)) ? await runAnswers.explain(run, url) : null)
    },
  )
}
