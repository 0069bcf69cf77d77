/**
 * One crawl of a small site by a whole system, with a webhook at its end, and everything that the system exports
 * meanwhile.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@tidemark/testing/otlp'
import { until } from '@tidemark/testing/until'
import { type System, startSystem } from '../e2e/system.ts'

export type Traced = AsyncDisposable & {
  system: System
  receiver: OtlpReceiver
  site: string
  webhook: { url: string; hits: number }
}

/** Long enough for every process to export its spans. */
const quietMs = 1_500
const maxLooks = 20

/** `pages` are chained from `/`, each with a link to the next two. */
export async function startTraced(env: NodeJS.ProcessEnv = {}, pages = 6): Promise<Traced> {
  await using started = new AsyncDisposableStack()
  const receiver = started.adopt(await startOtlpReceiver(), receiver => receiver.close())
  const link = (n: number) => (n < pages ? `<a href="/${n}">${n}</a>` : '')
  const html = (n: number) => `<title>Page ${n}</title><p>Text of page ${n}.</p>${link(n + 1)}${link(n + 2)}`
  const site = Object.fromEntries(Array.from({ length: pages }, (_, n) => [`/${n || ''}`, html(n)]))
  const origin = started.adopt(await startOrigin({ pages: site }), origin => origin.close())
  const webhook = started.use(await startWebhook())
  const system = await startSystem({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    ...env,
  })
  started.defer(() => system.stop())
  const rest = started.move()
  return { system, receiver, site: origin.url, webhook, [Symbol.asyncDispose]: () => rest.disposeAsync() }
}

async function startWebhook() {
  const webhook = { url: '', hits: 0 }
  const server = createServer((request, response) => {
    webhook.hits++
    request.resume().on('end', () => response.end())
  })
  const { url, close } = await listening(server, '127.1.0.7')
  return Object.assign(webhook, { url: `${url}/webhook`, [Symbol.asyncDispose]: close })
}

/** Crawls the site and waits until its webhook has arrived and no more spans are exported. */
export async function crawlTraced(traced: Traced, key: string, headers: object = {}) {
  const { system, receiver, site, webhook } = traced
  const before = webhook.hits
  const crawl = { url: `${site}/`, delay_ms: 0, webhook_url: webhook.url }
  const { status, body, headers: answered } = await system.call(key, 'POST', '/v1/crawls', crawl, headers)
  if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
  const run = await system.untilEnded(key, body.id)
  await until(() => webhook.hits > before)
  await untilQuiet(receiver)
  const [, traceId = '', spanId = ''] = (answered.get('traceparent') ?? '').split('-')
  return { run, traceId, spanId }
}

export async function untilQuiet({ spans }: Pick<OtlpReceiver, 'spans'>): Promise<void> {
  for (let seen = -1, looks = 0; seen !== spans.length; looks++) {
    if (looks === maxLooks) throw new Error(`Spans are still arriving: ${spans.at(-1)?.name} came last.`)
    seen = spans.length
    await sleep(quietMs)
  }
}

/** Returns the spans without a parent or link among these spans. The first span of a trace needs none. */
export function orphansIn(spans: readonly ReceivedSpan[], known: readonly string[] = []): ReceivedSpan[] {
  const ids = new Set([...known, ...spans.map(({ spanId }) => spanId)])
  return spans.filter(
    ({ parentSpanId, links }) =>
      parentSpanId !== '' && !ids.has(parentSpanId) && !links.some(({ spanId }) => ids.has(spanId)),
  )
}
