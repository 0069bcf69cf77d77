/** Starting a crawl is a command, so the answer is 202; reading one is a row, which the answer waits for. */
import type { RunStartedAnswer, StartRun } from '@tidemark/contracts/ask/runs'
import {
  CrawlAccepted,
  CrawlRequest,
  RunList,
  RunListQuery,
  RunParams,
  RunView,
} from '@tidemark/contracts/http/crawls'
import { MonitorAccepted } from '@tidemark/contracts/http/crons'
import { Type } from 'typebox'
import type { Monitors } from '../adapters/monitors.ts'
import type { RunReads } from '../adapters/run-reads.ts'
import type { App } from '../app.ts'
import { settingsOf } from '../domain/crawl-request.ts'
import { monitorAccepted } from '../domain/monitor.ts'
import { judgeCookies, judgeHeaders } from '../domain/own-headers.ts'
import { ApiProblem } from '../domain/problem.ts'
import { oneMore, partOf } from '../domain/window.ts'

export type CrawlPorts = {
  /** Throws `ApiProblem` for an address that may not be crawled. */
  judgeTarget: (url: string, field?: string) => Promise<void>
  /** Hides a secret before it leaves this process. */
  seal: (text: string) => string
  monitors: Pick<Monitors, 'create'>
  /** Returns when the run is stored and, within its limit, to be read. */
  startRun: (run: Omit<StartRun, 'fingerprint'>, request: CrawlRequest) => Promise<RunStartedAnswer>
  runs: Pick<RunReads, 'list'>
  /** From the read model, or from the coordinator if that does not know it yet. */
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  /** Ends the run and keeps its pages; null when the project has no such run. */
  cancelRun: (projectId: number, runId: number) => Promise<RunView | null>
  /** Ends the run and removes it; false when the project has no such run. Returns when nobody can read it any more. */
  deleteRun: (projectId: number, runId: number) => Promise<boolean>
}

const tags = ['Crawls']

const Headers = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description: '1 to 255 visible ASCII characters',
    }),
  ),
})

const otherBody =
  'this Idempotency-Key was used before with another body; what that started is returned and this body was ignored'

export function crawlRoutes(app: App, ports: CrawlPorts): void {
  const { startRun, monitors, seal, runs, findRun, cancelRun, deleteRun } = ports
  app.post(
    '/v1/crawls',
    {
      schema: {
        operationId: 'startCrawl',
        summary: 'Start a crawl, or with `cron` a monitor',
        tags,
        headers: Headers,
        body: CrawlRequest,
        response: { 202: CrawlAccepted, 201: MonitorAccepted },
      },
    },
    async (request, reply) => {
      const { projectId, tier } = request.caller
      const { url, cron } = request.body
      await judgeRequest(ports, request.body)
      const idempotencyKey = request.headers['idempotency-key'] ?? null
      const command = { projectId, tier, url, settings: settingsOf(request.body, seal), idempotencyKey }
      if (cron !== undefined) {
        const created = await monitors.create({ ...command, schedule: cron }, request.body)
        if (created.replayed) reply.header('idempotent-replayed', 'true')
        return reply.code(201).send({ ...monitorAccepted(created.monitor), ...told(request, created) })
      }
      const started = await startRun(command, request.body)
      if (started.replayed) reply.header('idempotent-replayed', 'true')
      return reply
        .code(202)
        .header('location', `/v1/crawls/${started.id}`)
        .send({ ...accepted(started), ...told(request, started) })
    },
  )

  app.get(
    '/v1/crawls',
    {
      schema: {
        operationId: 'listCrawls',
        summary: 'List crawls',
        tags,
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

/** Everything about a request that its schema cannot say. */
async function judgeRequest({ judgeTarget }: CrawlPorts, request: CrawlRequest): Promise<void> {
  if (request.headers) judgeHeaders(request.headers)
  if (request.cookies) judgeCookies(request.cookies)
  await judgeTarget(request.url)
  if (request.webhook_url !== undefined) await judgeTarget(request.webhook_url, 'webhook_url')
}

function told({ warnings }: { warnings: string[] }, { sameRequest }: { sameRequest: boolean }) {
  const all = sameRequest ? warnings : [...warnings, otherBody]
  return all.length > 0 ? { warnings: all } : {}
}

function found(run: RunView | null): RunView {
  if (run === null) throw new ApiProblem('not_found')
  return run
}

const accepted = ({ id, status, url, enqueuedAt }: RunStartedAnswer) => ({
  id,
  status: status as CrawlAccepted['status'],
  url,
  enqueued_at: enqueuedAt,
})
