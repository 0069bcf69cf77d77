/** `POST /v1/crawls`. Starting a crawl is a command, so the answer is 202; with `cron` it makes a monitor, which is 201. */
import type { RunStartedAnswer, StartRun } from '@tidemark/contracts/ask/runs'
import { CrawlAccepted, CrawlRequest } from '@tidemark/contracts/http/crawls'
import { MonitorAccepted } from '@tidemark/contracts/http/crons'
import type { OwnProxy, RunSettings } from '@tidemark/contracts/run-settings'
import { Type } from 'typebox'
import type { Monitors } from '../adapters/monitors.ts'
import type { App } from '../app.ts'
import { settingsOf } from '../domain/crawl-request.ts'
import { weigh } from '../domain/field-rules.ts'
import { monitorAccepted } from '../domain/monitor.ts'
import type { ProxyPools } from '../domain/proxy-choice.ts'
import { judgeSeed, type SeedPorts } from './judge-seed.ts'

export type StartPorts = SeedPorts & {
  /** Throws `ApiProblem` for a proxy of the client's own that may not be used; returns it as it may be shown. */
  judgeProxy: (proxyUrl: string) => Promise<string>
  pools: ProxyPools
  /** Hides a secret before it leaves this process. */
  seal: (text: string) => string
  monitors: Pick<Monitors, 'create'>
  /** Returns when the run is stored and, within its limit, to be read. */
  startRun: (
    run: Omit<StartRun, 'fingerprint' | 'likeness'>,
    asked: { request: CrawlRequest; weighed: CrawlRequest },
  ) => Promise<RunStartedAnswer>
}

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

export function startCrawlRoute(app: App, ports: StartPorts): void {
  const { startRun, monitors, seal, pools } = ports
  app.post(
    '/v1/crawls',
    {
      schema: {
        operationId: 'startCrawl',
        summary: 'Start a crawl, or with `cron` a monitor',
        tags: ['Crawls'],
        headers: Headers,
        body: CrawlRequest,
        response: { 202: CrawlAccepted, 201: MonitorAccepted },
      },
    },
    async (request, reply) => {
      const { projectId, tier, proxy } = request.caller
      const { given, body } = request
      const { request: weighed, warnings: ignored } = weigh(body, { given, tier, pools })
      const asked = settingsOf(weighed, seal, await judgeAddresses(ports, weighed))
      const settings = withDefaultProxy(asked, proxy)
      const warnings = [...request.warnings, ...ignored]
      const { url, cron, max_age_seconds: maxAgeSeconds } = weighed
      const idempotencyKey = request.headers['idempotency-key'] ?? null
      const command = { projectId, tier, url, settings, idempotencyKey }
      if (cron !== undefined) {
        const created = await monitors.create({ ...command, schedule: cron }, body)
        if (created.replayed) reply.header('idempotent-replayed', 'true')
        return reply.code(201).send({ ...monitorAccepted(created.monitor), ...told(warnings, created) })
      }
      const run = { ...command, ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) }
      const started = await startRun(run, { request: body, weighed })
      if (started.replayed) reply.header('idempotent-replayed', 'true')
      return reply
        .code(202)
        .header('location', `/v1/crawls/${started.id}`)
        .send({ ...accepted(started), ...told(warnings, started) })
    },
  )
}

/** A crawl that names no proxy goes by its project's, if that has one. */
export const withDefaultProxy = (settings: RunSettings, proxy: OwnProxy | undefined): RunSettings =>
  proxy && !settings.proxy && !settings.proxyPool ? { ...settings, proxy } : settings

/** What of a request takes a look outside. Returns the client's proxy as it may be shown, null where there is none. */
export async function judgeAddresses(
  ports: StartPorts,
  { url, webhook_url, proxy_url }: CrawlRequest,
): Promise<string | null> {
  await judgeSeed(ports, url)
  if (webhook_url !== undefined) await ports.judgeTarget(webhook_url, 'webhook_url')
  return proxy_url === undefined ? null : ports.judgeProxy(proxy_url)
}

function told(warnings: string[], { sameRequest }: { sameRequest: boolean }) {
  const all = sameRequest ? warnings : [...warnings, otherBody]
  return all.length > 0 ? { warnings: all } : {}
}

const accepted = ({ id, status, url, enqueuedAt, reused }: RunStartedAnswer) => ({
  id,
  status: status as CrawlAccepted['status'],
  url,
  enqueued_at: enqueuedAt,
  ...(reused && { reused }),
})
