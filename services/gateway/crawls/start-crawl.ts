/**
 * `POST /v1/crawls`: starts a crawl and returns 202 before it begins. With `cron` it creates a monitor and returns 201.
 */
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { CrawlAccepted } from '@tidemark/contracts/http/crawls'
import { MonitorAccepted, type MonitorView } from '@tidemark/contracts/http/crons'
import type { MonitorCreatedResponse } from '@tidemark/contracts/rpc/monitors'
import type { RunStartedResponse } from '@tidemark/contracts/rpc/runs'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../access/authentication.ts'
import type { App } from '../app.ts'
import { byStatus } from '../http/responses/answers.ts'
import type { Models } from '../live-pages/adapters/models.ts'
import { assertIntent } from '../live-pages/assert-model.ts'
import { judgeListed, judgeSeed, type SeedPorts } from '../live-pages/judge-seed.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { refusing, spentPages } from '../metering/spent-pages.ts'
import type { MonitorStarts } from './adapters/monitor-starts.ts'
import type { Runs } from './adapters/runs.ts'
import type { ProxyPools } from './domain/field-rule.ts'
import { applyFieldRules } from './domain/field-rules.ts'
import { assertDirectLogin } from './domain/login.ts'
import { settingsOf } from './domain/run-settings-of-request.ts'
import { earlierStart } from './earlier-start.ts'
import { judgePatterns, type PatternPorts } from './judge-patterns.ts'
import { accepted, IdempotencyHeaders, noteReplay } from './started.ts'

export type StartPorts = SeedPorts &
  PatternPorts &
  Pick<Runs, 'startRun' | 'findStarted'> & {
    /** Returns the client's proxy without its password. Throws `ApiProblem` if it may not be used. */
    judgeProxy: (proxyUrl: string) => Promise<string>
    pools: ProxyPools
    /** Encrypts a secret before it leaves this process. */
    seal: (text: string) => string
    monitors: MonitorStarts
    metering: Pick<Metering, 'reserve' | 'release'>
    models: Pick<Models, 'offer' | 'consent'>
    /** Whether an Idempotency-Key with a different body is rejected instead of a warning. */
    idempotencyStrict: boolean
  }

const otherBody =
  'this Idempotency-Key was used before with another body; its first result is returned and this body was ignored'

const reusedSendsNothing =
  'webhook_url was ignored, because a reused crawl (max_age_seconds) has ended already and sends nothing'

export function startCrawlRoute(app: App, ports: StartPorts): void {
  const { startRun, monitors, seal, pools } = ports
  const { answerRun, answerMonitor } = answersBy(app, ports.idempotencyStrict)
  app.post(
    '/v1/crawls',
    {
      schema: {
        operationId: 'startCrawl',
        summary: 'Start a crawl, or with cron a monitor',
        tags: ['Crawls'],
        description:
          'Returns at once. Follow the crawl at `Location`. Send an `Idempotency-Key` so that a repeated request starts nothing twice. A project may have five crawls queued or running.',
        headers: IdempotencyHeaders,
        body: CrawlRequest,
        response: byStatus([app.profile.started, CrawlAccepted], [201, MonitorAccepted]),
      },
      errorHandler: async (error, request, reply) => {
        const earlier = await earlierStart(ports, error, request)
        if (earlier === null) throw error
        return earlier.type === 'run'
          ? answerRun(reply, earlier.started, [])
          : answerMonitor(reply, earlier.created, [])
      },
    },
    async (request, reply) => {
      const { projectId, tier } = request.caller
      const { sentFields, body } = request
      const { request: effective, warnings: ignored } = applyFieldRules(body, { sentFields, tier, pools })
      await judgePatterns(ports, effective, projectId)
      if (effective.intent !== undefined) await assertIntent(ports.models, projectId)
      const requested = settingsOf(effective, seal, await judgeAddresses(ports, effective))
      const settings = ofProject(requested, request.caller)
      assertDirectLogin(settings)
      const warnings = [...request.warnings, ...ignored]
      const { url, cron, timezone, max_age_seconds: maxAgeSeconds } = effective
      const idempotencyKey = request.headers['idempotency-key'] ?? null
      const command = { projectId, tier, url, settings, idempotencyKey }
      if (cron !== undefined) {
        const created = await monitors.create(
          { ...command, schedule: cron, ...(timezone !== undefined && { timezone }) },
          { request: body, effective },
        )
        return answerMonitor(reply, created, warnings)
      }
      const spent = await spentPages(ports.metering, request, idempotencyKey)
      // A request that may return an earlier run needs no pages for that run.
      if (spent !== null && idempotencyKey === null && maxAgeSeconds === undefined) throw spent
      const run = { ...command, ...(maxAgeSeconds !== undefined && { maxAgeSeconds }), ...refusing(spent) }
      const started = await startRun(run, { request: body, effective })
      if (started.reused && effective.webhook_url !== undefined) warnings.push(reusedSendsNothing)
      return answerRun(reply, started, warnings)
    },
  )
}

/** Returns functions that send the response of a start, with the headers of a replay. */
export function answersBy(app: App, isStrict: boolean) {
  function answerRun(reply: FastifyReply, started: RunStartedResponse, warnings: string[]): FastifyReply {
    noteReplay(reply, started, isStrict)
    return reply
      .code(app.profile.started)
      .header('location', `/v1/crawls/${started.id}`)
      .send({ ...accepted(started), ...warningsOf(warnings, started) })
  }

  function answerMonitor(
    reply: FastifyReply,
    created: MonitorCreatedResponse,
    warnings: string[],
  ): FastifyReply {
    noteReplay(reply, created, isStrict)
    return reply.code(201).send({ ...monitorAccepted(created.monitor), ...warningsOf(warnings, created) })
  }
  return { answerRun, answerMonitor }
}

/**
 * Returns the settings with the project's proxy, if the crawl has no proxy of its own, and with the caps of the project
 * and the key.
 */
export function ofProject(settings: RunSettings, { proxy, unlimited, caps, keyCaps }: Caller): RunSettings {
  const takesOurs = proxy && !settings.proxy && !settings.proxyPool
  return {
    ...settings,
    ...(takesOurs && { proxy }),
    ...(unlimited && { unlimited }),
    ...(caps && { caps }),
    ...(keyCaps && { keyCaps }),
  }
}

/**
 * Checks that the project has a page left.
 * @throws ApiProblem if it has none
 */
export async function judgePages(
  { metering }: Pick<StartPorts, 'metering'>,
  request: { caller: Caller; id: string },
): Promise<void> {
  const spent = await spentPages(metering, request)
  if (spent !== null) throw spent
}

/**
 * Checks the addresses of a request, which needs other services. Returns the client's proxy without its password; null:
 * it has none.
 */
export async function judgeAddresses(
  ports: StartPorts,
  { url, urls = [], webhook_url, proxy_url }: CrawlRequest,
): Promise<string | null> {
  await judgeSeed(ports, url)
  judgeListed(ports, urls)
  if (webhook_url !== undefined) await ports.judgeTarget(webhook_url, 'webhook_url')
  return proxy_url === undefined ? null : ports.judgeProxy(proxy_url)
}

function warningsOf(warnings: string[], { sameRequest }: { sameRequest: boolean }) {
  const all = sameRequest ? warnings : [...warnings, otherBody]
  return all.length > 0 ? { warnings: all } : {}
}

const monitorAccepted = ({ id, schedule, timezone, next_fires_at, url }: MonitorView): MonitorAccepted => ({
  monitor_id: id,
  schedule,
  timezone,
  next_fires_at,
  url,
  info: `A crawl starts on this schedule, in the time zone ${timezone}. See it in GET /v1/crons, change or delete it at /v1/crons/${id}.`,
})
