import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { openBus } from '@tidemark/bus/connection'
import { startOtlpReceiver } from '@tidemark/testing/otlp'
import { freshDatabase, throwawayNats, throwawayRedis } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { createLog } from './log.ts'
import { inwardPropagator } from './propagator.ts'

const here = (file: string) => path.join(import.meta.dirname, file)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

test('One trace follows a request through HTTP, the bus, Postgres, Redis and out to a site', async t => {
  const [receiver, nats, redis, database, site] = await Promise.all([
    startOtlpReceiver(),
    throwawayNats(),
    throwawayRedis(),
    freshDatabase(),
    startSite(),
  ])
  await declare(nats.url)
  const { child, lines } = run(
    ['--import', pathToFileURL(here('register.ts')).href, here('telemetry.scene.ts')],
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      INSTANCE: 'traced-1',
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      SITE_URL: site.url,
    },
  )
  t.teardown(async () => {
    child.kill('SIGKILL')
    await Promise.all([receiver.close(), nats.stop(), redis.stop(), site.close()])
    await database.drop()
  })
  const port = await portOf(lines)
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    headers: { traceparent: `00-${traceId}-${parentId}-01` },
  })
  t.strictSame(await response.json(), { started: true })
  await until(() => site.requests.length === 1)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  t.equal(code, 0, 'and the process ends by itself, having flushed')

  const { spans } = receiver
  t.ok(
    spans.every(span => span.traceId === traceId),
    'nothing is traced that belongs to no request',
  )
  t.ok(spans.every(span => span.service === 'traced-1'))
  const named = (name: string | RegExp) => {
    const found = spans.find(span => (typeof name === 'string' ? span.name === name : name.test(span.name)))
    return found ?? t.fail(`no span ${name} in ${spans.map(span => span.name).join(', ')}`)
  }
  const links: [child: string | RegExp, parent: string | RegExp][] = [
    ['ask.start ask', 'GET'],
    ['ask.start answer', 'ask.start ask'],
    [/^pg.query/, 'ask.start answer'],
    ['set', 'ask.start answer'],
    ['fetch.http process', 'ask.start answer'],
  ]
  for (const [name, parent] of links)
    t.match(named(name), { parentSpanId: Object(named(parent)).spanId }, `${name}`)
  const outward = spans.find(span => span.parentSpanId === Object(named('fetch.http process')).spanId)
  t.match(outward, { attributes: { 'http.request.method': 'GET', 'http.response.status_code': /200/ } })
  t.match(named('fetch.http process'), { attributes: { 'messaging.system': 'nats' } })
  t.equal(site.requests[0]?.traceparent, undefined, 'and the site learns nothing of it')

  const line = lines.map(text => JSON.parse(text)).find(({ msg }) => msg === 'started')
  t.match(line, {
    level: 'info',
    service: 'traced',
    instance: 'traced-1',
    trace_id: traceId,
    span_id: String,
  })
  t.notMatch(JSON.stringify(lines), 'sesame')
})

test('Without an endpoint nothing is loaded but the API and the log', async t => {
  const spy = `import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    process.on('exit', () => console.log(JSON.stringify({ loaded })))`
  const { child, lines } = run(
    ['--import', `data:text/javascript,${encodeURIComponent(spy)}`, here('log.ts')],
    {},
  )
  await once(child, 'close')
  const { loaded } = JSON.parse(lines.at(-1) ?? '{}') as { loaded: string[] }
  const telemetry = loaded.filter(
    url => url.includes('@opentelemetry') || url.includes('import-in-the-middle'),
  )
  t.ok(telemetry.length > 0)
  t.strictSame(
    telemetry.filter(url => !url.includes('@opentelemetry/api/')),
    [],
  )
})

test('A log', async t => {
  const lines: string[] = []
  const log = createLog('gateway', { write: line => void lines.push(line) })
  await t.test('hides what is secret, wherever it stands', async t => {
    log.info({
      authorization: 'sesame',
      headers: { authorization: 'sesame' },
      req: { headers: 'sesame', api_key: 'sesame', a: { cookie: 'sesame' } },
      run: { config: { proxy: { proxy_url: 'sesame' } } },
    })
    t.notMatch(lines.join(''), 'sesame')
    t.match(JSON.parse(lines[0] ?? ''), { level: 'info', service: 'gateway', time: /^\d{4}-.*Z$/ })
  })
  await t.test('writes errors with their causes', async t => {
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
    t.match(lines.at(-1), 'inner')
  })
})

test('The trace context', async t => {
  const extract = (traceparent: string) =>
    trace.getSpanContext(inwardPropagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter))
  await t.test('is read as the recommendation says', async t => {
    t.match(extract(`00-${traceId}-${parentId}-01`), {
      traceId,
      spanId: parentId,
      traceFlags: 1,
      isRemote: true,
    })
    t.match(extract(`00-${traceId}-${parentId}-00`), { traceFlags: 0 })
    t.match(extract(`cc-${traceId}-${parentId}-01-what-comes-later`), { traceId })
    const wrong = [
      '',
      `00-${traceId}-${parentId}-01-more`,
      `ff-${traceId}-${parentId}-01`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId.toUpperCase()}-${parentId}-01`,
      `00-${traceId.slice(1)}-${parentId}-01`,
    ]
    for (const text of wrong) t.equal(extract(text), undefined, text)
  })
  await t.test('is written to messages and not to requests', async t => {
    const spanContext = { traceId, spanId: parentId, traceFlags: 1 }
    const context = trace.setSpanContext(ROOT_CONTEXT, spanContext)
    const carrier: Record<string, string> = {}
    inwardPropagator.inject(context, carrier, defaultTextMapSetter)
    t.strictSame(carrier, {})
    inwardPropagator.inject(context, carrier, {
      set: (into, key, value) => Object.assign(into, { [key]: value }),
    })
    t.strictSame(carrier, { traceparent: `00-${traceId}-${parentId}-01` })
  })
})

type Site = { url: string; requests: IncomingHttpHeaders[]; close(): Promise<unknown> }

async function startSite(): Promise<Site> {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    response.end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, requests, close: () => server[Symbol.asyncDispose]() }
}

async function declare(url: string): Promise<void> {
  const bus = await openBus({ url, name: 'telemetry.test' })
  await bus.jsm.streams.add({
    name: 'FETCH',
    subjects: ['fetch.*'],
    retention: 'workqueue',
    max_bytes: 1e8,
    discard: 'new',
  })
  await bus.jsm.consumers.add('FETCH', { durable_name: 'fetcher', ack_policy: 'explicit', max_deliver: -1 })
  await bus.close()
}

function run(args: string[], env: NodeJS.ProcessEnv): { child: ChildProcess; lines: string[] } {
  const { LOG_LEVEL: _, OTEL_EXPORTER_OTLP_ENDPOINT: __, ...rest } = process.env
  const child = spawn(process.execPath, args, {
    env: { ...rest, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(line))
  return { child, lines }
}

async function portOf(lines: string[]): Promise<number> {
  let port: number | undefined
  await until(() => {
    port = lines.map(line => JSON.parse(line).port).find(Boolean)
    return port !== undefined
  })
  return port ?? 0
}
