/** `POST /v1/llms-txt-build`: crawls a site and returns its llms.txt; a longer crawl continues. */
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { RunView } from '@tidemark/contracts/http/crawls'
import {
  type LeftOut,
  type LlmsTxtBuild,
  LlmsTxtBuild as LlmsTxtBuildSchema,
  LlmsTxtRequest,
} from '@tidemark/contracts/http/llms-txt'
import type { FetchFailure } from '@tidemark/contracts/problems'
import { cuttingReasons } from '@tidemark/contracts/run-ends'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { App } from '../app.ts'
import { mediaTypes } from '../http/domain/list-format.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import { awaitPagesBilled, setPagesBilled } from '../metering/billed.ts'
import { badSite } from '../reference/parts.ts'
import type { DescribedPages } from './adapters/described-pages.ts'
import type { ReadTexts } from './adapters/page-texts.ts'
import { siteGuideOf } from './domain/llms-txt/site-guide.ts'
import { llmsFullTxtOf, llmsTxtOf } from './domain/llms-txt/write-llms-txt.ts'
import { settingsOf } from './domain/run-settings-of-request.ts'
import { judgeAddresses, judgePages, ofProject, type StartPorts } from './start-crawl.ts'
import { untilEnded } from './until-ended.ts'

export type LlmsTxtPorts = StartPorts & {
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  describePages: (
    projectId: number,
    runId: number,
    wanted: { url: string; max: number },
  ) => Promise<DescribedPages>
  readTexts: ReadTexts
  /** Returns why a failed run has no page, or null. */
  seedFailure: (projectId: number, runId: number) => Promise<FetchFailure | null>
  /** Returns the number of billed pages of the run so far. */
  unitsOfRun: (projectId: number, runId: number) => Promise<number>
  now: () => number
}

export function llmsTxtRoute(app: App, ports: LlmsTxtPorts): void {
  app.post(
    '/v1/llms-txt-build',
    {
      schema: {
        operationId: 'buildLlmsTxt',
        summary: 'Crawl a site and write its llms.txt',
        tags: ['Content'],
        description:
          'Billed like the crawl that it starts. If the crawl takes longer than `wait_seconds`, the response is 408 with the id of the crawl, which continues. `format` selects llms.txt, llms-full.txt, or both as JSON with a report of the pages that were left out.',
        body: LlmsTxtRequest,
        response: {
          200: {
            content: {
              'text/plain': { schema: Type.String() },
              'application/json': { schema: LlmsTxtBuildSchema },
            },
          },
        },
      },
    },
    async (incoming, reply) => {
      const { body, caller } = incoming
      const { projectId, tier } = caller
      const { url, max_pages, wait_seconds } = body
      const until = ports.now() + wait_seconds * 1000
      const request = Value.Default(CrawlRequest, { url, max_pages }) as CrawlRequest
      const requested = settingsOf(request, ports.seal, await judgeAddresses(ports, request))
      const settings = ofProject(requested, caller)
      const command = { projectId, tier, url, settings, idempotencyKey: null }
      await judgePages(ports, incoming)
      awaitPagesBilled(reply)
      const { id } = await ports.startRun(command, { request, effective: request })
      return written(id, until).catch(thrown => {
        throw ofRun(thrown, id)
      })

      async function written(id: number, until: number) {
        const run = await untilEnded(ports, projectId, id, { until, isDisconnected: () => reply.raw.closed })
        setPagesBilled(reply, await ports.unitsOfRun(projectId, id))
        if (run === null) throw tooLong(id, wait_seconds)
        const described = await ports.describePages(projectId, id, {
          url: new URL(url).href,
          max: max_pages,
        })
        if (described.pages.length === 0) {
          const failure = run.status === 'failed' ? await ports.seedFailure(projectId, id) : null
          throw nothingToList(run, failure, described.leftOut[0])
        }
        incoming.warnings.push(...gapsOf(run))
        if (body.format === 'llms_txt' && incoming.sentFields.has('max_tokens'))
          incoming.warnings.push(noTokens)
        const crawled = { projectId, runId: id, body, described, warnings: incoming.warnings }
        const text = await textOf(ports, crawled)
        reply.header('content-location', `/v1/crawls/${id}`)
        return reply.type(body.format === 'json' ? mediaTypes.json : 'text/plain; charset=utf-8').send(text)
      }
    },
  )
}

/** Adds the crawl to an error, because it was started and is billed. */
function ofRun(thrown: unknown, runId: number): ApiProblem {
  const problem = problemOf(thrown)
  if (problem.runId !== undefined) return problem
  const { code, status, message, reason, retryAfterSeconds } = problem
  return new ApiProblem(code, {
    ...{ status, reason, retryAfterSeconds, runId, cause: thrown },
    message: `${message} The crawl was started and is billed: read /v1/crawls/${runId}.`,
    headers: { location: `/v1/crawls/${runId}` },
  })
}

/** Returns warnings about pages that the file may lack. */
const gapsOf = ({ id, stop_reason, error_count }: RunView): string[] => [
  ...(stop_reason !== null && early.has(stop_reason)
    ? [`the crawl ended early (${stop_reason}), so pages may be missing`]
    : []),
  ...(error_count > 0 ? [`URLs that could not be fetched: ${error_count}, see /v1/crawls/${id}/errors`] : []),
]

const early: ReadonlySet<string> = new Set([...cuttingReasons, 'cancelled'])

const noTokens = 'max_tokens was ignored, because it applies to format llms_full_txt and json'

type Crawled = {
  projectId: number
  runId: number
  body: LlmsTxtRequest
  described: DescribedPages
  warnings: string[]
}

/** The beginning of a page is enough for its entry in llms.txt. */
const charactersOfEntry = 20_000

/** Returns the body of the response in the requested format. */
async function textOf(
  { readTexts }: LlmsTxtPorts,
  { projectId, runId, body, described, warnings }: Crawled,
): Promise<string> {
  const { url, site_name: siteName, summary, format, max_tokens } = body
  const maxCharacters = format === 'llms_txt' ? charactersOfEntry : max_tokens * 4
  const { pages, unread } = await readTexts(described.pages, { projectId, runId, maxCharacters })
  if (unread > 0) warnings.push(`the texts of ${unread} pages could not be read and are left out`)
  const options = { url: new URL(url).href, siteName, summary }
  const guide = siteGuideOf(pages, options)
  if (format === 'llms_txt') return llmsTxtOf(guide, options)
  const { text, ...full } = llmsFullTxtOf(guide, options, max_tokens)
  if (format === 'llms_full_txt') return text
  const built: LlmsTxtBuild = {
    run_id: runId,
    llms_txt: llmsTxtOf(guide, options),
    llms_full_txt: text,
    report: {
      listed: pages.length - guide.leftOut.length,
      left_out: [...described.leftOut, ...guide.leftOut],
      full: { ...full, max_tokens },
    },
    ...(warnings.length > 0 && { warnings }),
  }
  return JSON.stringify(built)
}

const tooLong = (runId: number, seconds: number): ApiProblem =>
  new ApiProblem('timeout', {
    message: `The crawl takes longer than ${seconds} s. It continues: read /v1/crawls/${runId}.`,
    runId,
    headers: { location: `/v1/crawls/${runId}` },
  })

/** A remedy in the error message of a crawl. It is removed here, because this request has no such field. */
const fieldOfCrawls = ', or respect_robots: false'

/** @param first the first page of the crawl, which is not listed */
function nothingToList(
  { id: runId, error_message, error_reason, status }: RunView,
  failure: FetchFailure | null,
  first: LeftOut | undefined,
): ApiProblem {
  const why =
    error_message?.replace(fieldOfCrawls, '') ??
    (first
      ? `${first.url} is left out. ${first.sentence}`
      : `the crawl ended as ${status} without a page that can be read`)
  const refused = badSite.find(reason => reason === error_reason)
  if (refused) return new ApiProblem('invalid_input', { field: 'url', reason: refused, message: why, runId })
  return new ApiProblem('fetch_failed', {
    reason: failure ?? (first?.reason === 'challenge' ? 'blocked' : undefined),
    message: `No page can be listed: ${why}`,
    runId,
  })
}
