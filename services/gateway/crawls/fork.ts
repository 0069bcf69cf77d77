/**
 * `POST /v1/crawls/{id}/fork`: starts a crawl of the same seed with other limits or patterns. Pages that the forked crawl
 * has are taken from the store: they are not requested, and cost nothing.
 */
import { ForkRequest } from '@tidemark/contracts/http/crawl-fork'
import { CrawlAccepted, RunParams } from '@tidemark/contracts/http/crawls'
import { Check } from 'typebox/value'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { refuseFields } from '../http/plugins/warnings.ts'
import { refusing, spentPages } from '../metering/spent-pages.ts'
import type { Forks } from './adapters/forks.ts'
import { applyFieldRules } from './domain/field-rules.ts'
import { type Base, canonicalFork, forkedRequest, forkSettings, isFixed } from './domain/fork-request.ts'
import { assertDirectLogin } from './domain/login.ts'
import { keyOfRefused } from './earlier-start.ts'
import { judgePatterns } from './judge-patterns.ts'
import { answersBy, judgeAddresses, ofProject, type StartPorts } from './start-crawl.ts'
import { IdempotencyHeaders } from './started.ts'

export type ForkPorts = StartPorts & Forks

export function forkCrawlRoute(app: App, ports: ForkPorts): void {
  const { answerRun } = answersBy(app, ports.idempotencyStrict)
  app.post(
    '/v1/crawls/:id/fork',
    {
      schema: {
        operationId: 'forkCrawl',
        summary: 'Start a crawl from the pages of another one',
        tags: ['Crawls'],
        description:
          'Starts a new crawl of the same URL with other limits or patterns. Fields that are left out keep the value of the forked crawl, including headers, cookies and login. Each page that the forked crawl has is taken from the store: it is not requested again, costs nothing, and counts towards max_pages only. All other URLs are fetched and billed, also those that failed, redirected or returned a challenge. The links of all pages are judged by the new settings.',
        params: RunParams,
        headers: IdempotencyHeaders,
        body: ForkRequest,
        response: { [app.profile.started]: CrawlAccepted },
      },
      errorHandler: async (error, request, reply) => {
        const keyed = keyOfRefused(error, request)
        const { id } = request.params
        const { body } = request
        const earlier =
          keyed && (await ports.findFork(keyed, Check(ForkRequest, body) ? canonicalFork(id, body) : null))
        if (!earlier) throw error
        return answerRun(reply, earlier, [])
      },
    },
    async (request, reply) => {
      const { sentFields, body, params, caller } = request
      const { projectId, tier } = caller
      const idempotencyKey = request.headers['idempotency-key'] ?? null
      const text = canonicalFork(params.id, body)
      // This comes first, so that the fork is found even if the forked crawl was deleted since.
      const earlier = idempotencyKey && (await ports.findFork({ projectId, idempotencyKey }, text))
      if (earlier) return answerRun(reply, earlier, request.warnings)
      const base = await baseOf(ports, projectId, params.id)
      refuseFields(request, [...sentFields].filter(isFixed))
      const requested = forkedRequest(base, body, sentFields)
      const { request: effective, warnings: ignored } = applyFieldRules(requested, {
        sentFields,
        tier,
        pools: ports.pools,
      })
      await judgePatterns(ports, effective, projectId)
      await judgeAddresses(ports, effective)
      const settings = ofProject(forkSettings(base, effective), caller)
      assertDirectLogin(settings)
      const spent = await spentPages(ports.metering, request, idempotencyKey)
      if (spent !== null && idempotencyKey === null) throw spent
      const { url } = base
      const command = { projectId, tier, url, settings, idempotencyKey, ...refusing(spent) }
      return answerRun(reply, await ports.startFork(command, text), [...request.warnings, ...ignored])
    },
  )
}

/**
 * Returns the crawl to fork.
 * @throws ApiProblem if the project has no such crawl, it has not ended, or it has stored no bodies
 */
async function baseOf(
  { findSettings }: Pick<ForkPorts, 'findSettings'>,
  projectId: number,
  id: number,
): Promise<Base> {
  const { url, status, settings, pages } = found(await findSettings(projectId, id))
  if (status === 'queued' || status === 'running')
    throw new ApiProblem('conflict', { reason: 'run_active', message: isActive })
  if (!settings.storeHtml) throw new ApiProblem('conflict', { reason: 'html_not_stored', message: noBodies })
  return { id, url, settings, pages }
}

const isActive = 'The crawl has not ended. Fork it after its end, or cancel it first.'
const noBodies =
  'The crawl has store_html: false, so it has no page that a fork could reuse. Start another crawl with POST /v1/crawls.'
