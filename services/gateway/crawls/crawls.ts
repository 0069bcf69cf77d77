/**
 * Routes that start, read, list, pause, cancel and delete crawls. Reading a crawl reads one row, for which the starting
 * request has waited.
 */
import { AsOfQuery } from '@tidemark/contracts/http/as-of'
import { RunList, RunListQuery } from '@tidemark/contracts/http/crawl-list'
import { RetriedRun, RunParams, RunView } from '@tidemark/contracts/http/crawls'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { sharedBy } from '../http/requests/share-access.ts'
import type { RunsAsOf } from '../read-model/adapters/runs-as-of.ts'
import type { RunReads } from './adapters/run-reads.ts'
import type { Runs } from './adapters/runs.ts'
import { type ForkPorts, forkCrawlRoute } from './fork.ts'
import { judgePages, startCrawlRoute } from './start-crawl.ts'
import { untilPolicyRead } from './until-policy-read.ts'

export type CrawlPorts = ForkPorts &
  Pick<Runs, 'findRun' | 'cancelRun' | 'changeRun' | 'reopenRun' | 'deleteRun'> & {
    runs: Pick<RunReads, 'list'>
    runsAsOf: Pick<RunsAsOf, 'run'>
    now: () => number
  }

const tags = ['Crawls']

export function crawlRoutes(app: App, ports: CrawlPorts): void {
  startCrawlRoute(app, ports)
  forkCrawlRoute(app, ports)
  listCrawlsRoute(app, ports)
  getCrawlRoute(app, ports)
  cancelCrawlRoute(app, ports)
  pauseCrawlRoute(app, ports)
  resumeCrawlRoute(app, ports)
  retryFailedRoute(app, ports)
  deleteCrawlRoute(app, ports)
}

function listCrawlsRoute(app: App, { runs }: CrawlPorts): void {
  app.get(
    '/v1/crawls',
    {
      schema: {
        operationId: 'listCrawls',
        summary: 'List crawls',
        tags,
        description:
          'Lists all crawls that are not deleted, newest first. Continue with `before`: with `offset` a row may appear twice if crawls start meanwhile, and be missed if crawls are deleted.',
        querystring: RunListQuery,
        response: { 200: RunList },
      },
    },
    async ({ caller, query }) => {
      const { before, status, fields } = query
      const window = { ...oneMore(query), before, status, hasPolicies: fields !== undefined }
      return partOf(query, await runs.list(caller.projectId, window))
    },
  )
}

function getCrawlRoute(app: App, { findRun, runsAsOf, now }: CrawlPorts): void {
  app.get(
    '/v1/crawls/:id',
    {
      schema: {
        operationId: 'getCrawl',
        summary: 'Read a crawl',
        tags,
        description: 'Poll every 2 to 5 seconds while the crawl is queued or running, or follow its events.',
        params: RunParams,
        querystring: AsOfQuery,
        response: { 200: RunView },
      },
    },
    async ({ caller: { projectId }, params: { id: runId }, query: { as_of }, raw }) => {
      if (as_of !== undefined) return runsAsOf.run({ projectId, runId, ...sharedBy(raw) }, as_of)
      const read = () => findRun(projectId, runId)
      return found(await untilPolicyRead(found(await read()), { read, now }))
    },
  )
}

function cancelCrawlRoute(app: App, { cancelRun }: CrawlPorts): void {
  app.post(
    '/v1/crawls/:id/cancel',
    {
      schema: {
        operationId: 'cancelCrawl',
        summary: 'Cancel a crawl and keep its pages',
        tags,
        description: 'Stops fetching, and sends no webhook. A crawl that has ended is not changed.',
        params: RunParams,
        response: { 200: RunView },
      },
    },
    async request => found(await cancelRun(request.caller.projectId, request.params.id)),
  )
}

function pauseCrawlRoute(app: App, { changeRun }: CrawlPorts): void {
  app.post(
    '/v1/crawls/:id/pause',
    {
      schema: {
        operationId: 'pauseCrawl',
        summary: 'Pause a crawl',
        tags,
        description:
          'Orders no further pages. Ordered pages still finish, within about eight seconds. The status stays running, and paused_at is set. A paused crawl keeps its slot among the concurrent crawls. Repeating it changes nothing.',
        params: RunParams,
        response: { 200: RunView },
      },
    },
    async request =>
      found(await changeRun({ projectId: request.caller.projectId, runId: request.params.id }, 'paused')),
  )
}

function resumeCrawlRoute(app: App, { changeRun }: CrawlPorts): void {
  app.post(
    '/v1/crawls/:id/resume',
    {
      schema: {
        operationId: 'resumeCrawl',
        summary: 'Resume a paused crawl',
        tags,
        description: 'Continues where the crawl was paused. A crawl that is not paused is not changed.',
        params: RunParams,
        response: { 200: RunView },
      },
    },
    async ({ caller: { projectId, keyCaps }, params: { id: runId } }) =>
      found(await changeRun({ projectId, runId, ...(keyCaps && { keyCaps }) }, 'resumed')),
  )
}

function retryFailedRoute(app: App, { metering, reopenRun }: CrawlPorts): void {
  app.post(
    '/v1/crawls/:id/retry-failed',
    {
      schema: {
        operationId: 'retryFailed',
        summary: 'Retry the failed URLs of a crawl that has ended',
        tags,
        description:
          'Fetches the URLs of `/errors` again, within the crawl: its status is running until the new end, which sends another webhook. Links of new pages are followed. Only fetched pages are billed. URLs beyond max_pages stay failed.',
        params: RunParams,
        response: { 200: RetriedRun },
      },
    },
    async request => {
      const { caller, params } = request
      await judgePages({ metering }, request)
      const { projectId, keyCaps } = caller
      const { run, retried } = await reopenRun({ projectId, runId: params.id, ...(keyCaps && { keyCaps }) })
      return { ...found(run), retried_urls: retried }
    },
  )
}

function deleteCrawlRoute(app: App, { deleteRun }: CrawlPorts): void {
  app.delete(
    '/v1/crawls/:id',
    {
      schema: {
        operationId: 'deleteCrawl',
        summary: 'Delete a crawl with all its pages',
        tags,
        description: 'Works in every status. A running crawl is ended first. Billed pages stay billed.',
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
