/** Crawls: read, listed, cancelled and deleted. Reading one is a row, which whoever started it has waited for. */
import { RunList, RunListQuery, RunParams, RunView } from '@tidemark/contracts/http/crawls'
import { Type } from 'typebox'
import type { RunReads } from '../adapters/run-reads.ts'
import type { Runs } from '../adapters/runs.ts'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { oneMore, partOf } from '../domain/window.ts'
import { type StartPorts, startCrawlRoute } from './start-crawl.ts'

export type CrawlPorts = StartPorts &
  Pick<Runs, 'findRun' | 'cancelRun' | 'deleteRun'> & { runs: Pick<RunReads, 'list'> }

const tags = ['Crawls']

export function crawlRoutes(app: App, ports: CrawlPorts): void {
  const { runs, findRun, cancelRun, deleteRun } = ports
  startCrawlRoute(app, ports)

  app.get(
    '/v1/crawls',
    {
      schema: {
        operationId: 'listCrawls',
        summary: 'List crawls',
        tags,
        description:
          'All that were not deleted, whatever their state, the latest first. One that is started while you go from part to part comes in front of them: none is missed, but one may come a second time.',
        querystring: RunListQuery,
        response: { 200: RunList },
      },
    },
    async ({ caller, query }) => {
      const window = { ...oneMore(query), status: query.status }
      return partOf(query, await runs.list(caller.projectId, window))
    },
  )

  app.get(
    '/v1/crawls/:id',
    {
      schema: {
        operationId: 'getCrawl',
        summary: 'Read a crawl',
        tags,
        description: 'Ask every 2 to 5 seconds while it is queued or running, or follow its events.',
        params: RunParams,
        response: { 200: RunView },
      },
    },
    async request => {
      return found(await findRun(request.caller.projectId, request.params.id))
    },
  )

  app.post(
    '/v1/crawls/:id/cancel',
    {
      schema: {
        operationId: 'cancelCrawl',
        summary: 'End a crawl and keep its pages',
        tags,
        description:
          'Nothing more is fetched, and no webhook is sent. Of a crawl that has ended nothing changes.',
        params: RunParams,
        response: { 200: RunView },
      },
    },
    async request => found(await cancelRun(request.caller.projectId, request.params.id)),
  )

  app.delete(
    '/v1/crawls/:id',
    {
      schema: {
        operationId: 'deleteCrawl',
        summary: 'End a crawl and remove it with all its pages',
        tags,
        description: 'Whatever its state. What it was billed stays billed.',
        params: RunParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const isDeleted = await deleteRun(request.caller.projectId, request.params.id)
      if (!isDeleted) throw new ApiProblem('not_found')
      return reply.code(204).send(null)
    },
  )
}

function found(run: RunView | null): RunView {
  if (run === null) throw new ApiProblem('not_found')
  return run
}
