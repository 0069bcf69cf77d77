/** `POST /v1/llms-txt-build`: crawls a site and returns its llms.txt; a longer crawl continues. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { LlmsTxtRequest } from '@tidemark/contracts/http/llms-txt'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { tellPagesBilled } from '../metering/billed.ts'
import type { FetchFailure } from './adapters/seed-failure.ts'
import { settingsOf } from './domain/crawl-request.ts'
import { type DescribedPage, llmsTxtOf } from './domain/llms-txt.ts'
import { judgeAddresses, judgePages, ofProject, type StartPorts } from './start-crawl.ts'

export type LlmsTxtPorts = StartPorts & {
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  describePages: (projectId: number, runId: number, max: number) => Promise<DescribedPage[]>
  /** Returns why a failed run has no page, or null. */
  seedFailure: (projectId: number, runId: number) => Promise<FetchFailure | null>
  /** Returns the number of billed pages of the run so far. */
  unitsOfRun: (projectId: number, runId: number) => Promise<number>
  now: () => number
}

const betweenLooksMs = 200

export function llmsTxtRoute(app: App, ports: LlmsTxtPorts): void {
  app.post(
    '/v1/llms-txt-build',
    {
      schema: {
        operationId: 'buildLlmsTxt',
        summary: 'Crawl a site and write its llms.txt',
        tags: ['Content'],
        description:
          'Billed like the crawl that it starts. If the crawl takes longer than `wait_seconds`, the response is 408 with the id of the crawl, which continues.',
        body: LlmsTxtRequest,
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (asking, reply) => {
      const { body, caller } = asking
      const { projectId, tier } = caller
      const { url, max_pages, site_name, summary, wait_seconds } = body
      const until = ports.now() + wait_seconds * 1000
      const request = Value.Default(CrawlRequest, { url, max_pages }) as CrawlRequest
      const asked = settingsOf(request, ports.seal, await judgeAddresses(ports, request))
      const settings = ofProject(asked, caller)
      const command = { projectId, tier, url, settings, idempotencyKey: null }
      await judgePages(ports, asking)
      const { id } = await ports.startRun(command, { request, weighed: request })
      const isGone = () => reply.raw.closed
      const run = await untilEnded(ports, projectId, id, { until, isGone })
      tellPagesBilled(reply, await ports.unitsOfRun(projectId, id))
      if (run === null) throw tooLong(id, wait_seconds)
      const pages = await ports.describePages(projectId, id, max_pages)
      if (pages.length === 0) {
        throw nothingToList(run, run.status === 'failed' ? await ports.seedFailure(projectId, id) : null)
      }
      reply.header('content-location', `/v1/crawls/${id}`).type('text/plain; charset=utf-8')
      return llmsTxtOf(pages, { url: new URL(url).href, siteName: site_name, summary })
    },
  )
}

/** Returns the run when it has ended; null: the time is over or the client has disconnected. */
async function untilEnded(
  { findRun, now }: LlmsTxtPorts,
  projectId: number,
  id: number,
  { until, isGone }: { until: number; isGone: () => boolean },
): Promise<RunView | null> {
  while (now() < until && !isGone()) {
    const run = await findRun(projectId, id)
    if (run === null) throw deletedMeanwhile(id)
    if (run.finished_at !== null) return run
    await sleep(Math.max(1, Math.min(betweenLooksMs, until - now())))
  }
  return null
}

const deletedMeanwhile = (id: number) =>
  new ApiProblem('conflict', { message: `The crawl ${id} was deleted before it had ended.` })

const tooLong = (runId: number, seconds: number): ApiProblem =>
  new ApiProblem('timeout', {
    message: `The crawl takes longer than ${seconds} s. It continues: read /v1/crawls/${runId}.`,
    runId,
    headers: { location: `/v1/crawls/${runId}` },
  })

function nothingToList(
  { id: runId, error_message, status }: RunView,
  failure: FetchFailure | null,
): ApiProblem {
  const why = error_message ?? `the crawl ended as ${status} without a page that can be read`
  return new ApiProblem('fetch_failed', {
    reason: failure ?? undefined,
    message: `No page can be listed: ${why}`,
    runId,
  })
}
