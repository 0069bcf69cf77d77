/** The route that makes a read-only address of a crawl. Nothing is stored: the address itself is the proof. */
import { CrawlShare, CrawlShareRequest } from '@tidemark/contracts/http/crawl-share'
import { RunParams } from '@tidemark/contracts/http/crawls'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Secrets } from './domain/session.ts'
import { sealedShare } from './domain/share.ts'

export type SharePorts = {
  hasRun: (projectId: number, runId: number) => Promise<boolean>
  secrets: Pick<Secrets, 'seal'>
  /** Returns the public address; only known after listening. */
  publicUrl: () => string
  now: () => number
}

const hourMs = 3_600_000

export function shareCrawlRoute(app: App, { hasRun, secrets, publicUrl, now }: SharePorts): void {
  app.post(
    '/v1/crawls/:id/share',
    {
      schema: {
        operationId: 'shareCrawl',
        summary: 'Share a crawl by a read-only address',
        tags: ['Crawls'],
        description:
          'Returns an address that opens the crawl in the console without a key: its pages, coverage, errors, links and changes, and nothing else of the project. It ends at `expires_at`, when the key that made it is revoked or expires, or when the crawl is deleted. Nothing is billed.',
        params: RunParams,
        body: CrawlShareRequest,
        response: { 200: CrawlShare },
      },
    },
    async ({ caller: { projectId, prefix }, params: { id }, body }, reply) => {
      if (!(await hasRun(projectId, id))) throw new ApiProblem('not_found')
      reply.header('cache-control', 'no-store')
      const until = now() + body.expires_in_hours * hourMs
      const share = sealedShare({ projectId, runId: id, prefix, until }, secrets)
      // Browsers never send the part behind `#`, so that no log has it.
      return {
        url: `${publicUrl()}/console/crawls/${id}#share=${share}`,
        expires_at: new Date(until).toISOString(),
      }
    },
  )
}
