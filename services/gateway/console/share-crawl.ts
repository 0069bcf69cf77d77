/**
 * The routes that make a read-only address of a crawl, and end all such addresses. An address contains its own proof, so
 * it is not stored. The time at which the addresses end is stored with the project.
 */
import { CrawlShare, CrawlShareRequest } from '@tidemark/contracts/http/crawl-share'
import { RunParams } from '@tidemark/contracts/http/crawls'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { EndSharesOf } from './adapters/ended-shares.ts'
import type { Secrets } from './domain/session.ts'
import { sealedShare } from './domain/share.ts'

export type SharePorts = {
  hasRun: (projectId: number, runId: number) => Promise<boolean>
  endShares: EndSharesOf
  secrets: Pick<Secrets, 'seal'>
  /** Returns the public address. The port is known only after the server listens. */
  publicUrl: () => string
  now: () => number
}

const hourMs = 3_600_000

export function shareCrawlRoutes(app: App, { hasRun, endShares, secrets, publicUrl, now }: SharePorts): void {
  app.post(
    '/v1/crawls/:id/share',
    {
      schema: {
        operationId: 'shareCrawl',
        summary: 'Share a crawl by a read-only address',
        tags: ['Crawls'],
        description:
          'Returns an address that opens the crawl in the console without a key: its pages, coverage, errors, links and changes, and nothing else of the project. It ends at `expires_at`, by `DELETE`, when the key that made it is revoked or expires, or when the crawl is deleted. Nothing is billed.',
        params: RunParams,
        body: CrawlShareRequest,
        response: { 200: CrawlShare },
      },
    },
    async ({ caller: { projectId, prefix }, params: { id }, body }, reply) => {
      if (!(await hasRun(projectId, id))) throw new ApiProblem('not_found')
      reply.header('cache-control', 'no-store')
      const at = now()
      const until = at + body.expires_in_hours * hourMs
      const share = sealedShare({ projectId, runId: id, prefix, at, until }, secrets)
      // Browsers never send the part behind `#`, so that no log has it.
      return {
        url: `${publicUrl()}/console/crawls/${id}#share=${share}`,
        expires_at: new Date(until).toISOString(),
      }
    },
  )

  app.delete(
    '/v1/crawls/:id/share',
    {
      schema: {
        operationId: 'endShares',
        summary: 'End all shares of a crawl',
        tags: ['Crawls'],
        description:
          'Ends every address of this crawl that was made until now, by any key of the project, also where it is open. Later addresses are not affected. A repetition changes nothing else.',
        params: RunParams,
        response: { 204: Type.Null({ description: 'No earlier address of the crawl opens any more.' }) },
      },
    },
    async ({ caller: { projectId, prefix }, params: { id } }, reply) => {
      if (!(await hasRun(projectId, id))) throw new ApiProblem('not_found')
      await endShares({ projectId, by: prefix, runId: id })
      return reply.code(204).send(null)
    },
  )
}
