import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { openBus } from '@tidemark/bus/connection'
import { listening } from '@tidemark/testing/listening'
import { startOtlpReceiver } from '@tidemark/testing/otlp'
import { freshDatabase, throwawayNats, throwawayRedis } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { test } from 'tap'
import { createLog } from './log.ts'
import { type MetricName, metricTable } from './metric-table.ts'
import { prometheusName } from './prometheus-name.scene.ts'
import { inwardPropagator } from './propagator.ts'
import { withoutSecrets } from './redact.ts'
import { redacting } from './redacting-exporter.ts'

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
  t.equal(code, 0, 'and the process ends by itself after its last export')

  const { spans } = receiver
  t.ok(
    spans.every(span => span.traceId === traceId),
    'nothing outside a request is traced',
  )
  t.ok(spans.every(span => span.service === 'traced-1'))
  const named = (name: string | RegExp) => {
    const found = spans.find(span => (typeof name === 'string' ? span.name === name : name.test(span.name)))
    return found ?? t.fail(`no span ${name} in ${spans.map(span => span.name).join(', ')}`)
  }
  const links: [child: string | RegExp, parent: string | RegExp][] = [
    ['ask.start answer', 'ask.start ask'],
    [/^pg.query/, 'ask.start answer'],
    ['set', 'ask.start answer'],
    ['fetch.http process', 'ask.start answer'],
  ]
  for (const [name, parent] of links)
    t.match(named(name), { parentSpanId: Object(named(parent)).spanId }, `${name}`)
  const request = spans.find(span => span.parentSpanId === parentId)
  t.equal(request?.name, 'GET')
  t.equal(Object(named('ask.start ask')).parentSpanId, request?.spanId)
  const outward = spans.find(span => span.parentSpanId === Object(named('fetch.http process')).spanId)
  t.match(outward, { attributes: { 'http.request.method': 'GET', 'http.response.status_code': /200/ } })
  t.match(named('fetch.http process'), { attributes: { 'messaging.system': 'nats' } })
  t.equal(site.requests[0]?.traceparent, undefined, 'and the site receives no trace')

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

test('A process serves its metrics and sends them to the configured receiver', async t => {
  const receiver = await startOtlpReceiver()
  t.teardown(() => receiver.close())
  const port = 16_384 + randomInt(16_384)
  const { child } = run(
    ['--import', pathToFileURL(here('register-metrics.ts')).href, here('metrics.scene.ts')],
    {
      METRICS_PORT: String(port),
      METRICS_HOST: '',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      INSTANCE: 'measured-1',
    },
  )
  t.teardown(() => child.kill('SIGKILL'))
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await until(async () => (await read().catch(() => '')) !== '')
  const otherAddress = await fetch(`http://127.0.0.2:${port}/metrics`).catch((error: Error) => error)
  t.type(otherAddress, Error, 'an empty METRICS_HOST is unset, and not every address')
  const text = await read()
  for (const [name, line] of Object.entries({
    'tidemark.event_loop.delay.seconds': /^\w+{quantile="p99"} [\d.e-]+$/,
    'tidemark.process.memory.bytes': /^\w+{kind="resident"} [1-9]\d{6,}$/,
    'tidemark.process.cpu.seconds': /^\w+{mode="user"} [\d.]+$/,
    'tidemark.postgres.connections': /^\w+{service="scene",state="idle"} 3$/,
    'tidemark.decision.seconds': /^\w+_bucket{command="SettlePages",result="decided",le="0.5"} 2$/,
  })) {
    const lines = text.split('\n').filter(said => said.startsWith(prometheusName(name as MetricName)))
    t.ok(
      lines.some(said => line.test(said)),
      `${name}: ${lines.join(' | ')}`,
    )
    t.match(text, `# TYPE ${prometheusName(name as MetricName)} ${metricTable[name as MetricName].kind}`)
  }
  t.strictSame(receiver.exports, [], 'the first minute is not over')
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  const [last] = receiver.exports
  t.match(last, { path: '/v1/metrics', text: 'tidemark.decision.seconds' }, 'and its last export arrived')
  t.match(last?.text, 'measured-1')
})

test('Without an endpoint only the API and the log are loaded', async t => {
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
  await t.test('hides secrets in all fields', async t => {
    log.info({
      authorization: 'sesame',
      headers: { authorization: 'sesame' },
      req: { headers: 'sesame', api_key: 'sesame', a: { cookie: 'sesame' } },
      run: { config: { proxy: { proxy_url: 'sesame' } } },
    })
    t.notMatch(lines.join(''), 'sesame')
    t.match(JSON.parse(lines[0] ?? ''), { level: 'info', service: 'gateway', time: /^\d{4}-.*Z$/ })
  })
  await t.test('hides secrets of every name and shape, at any depth', async () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 12, maxLength: 30 })
    const odd = fc.string({ unit: fc.constantFrom(..."aB3:%$\\\\'!-"), minLength: 12, maxLength: 20 })
    const inNames = letters.chain(secret =>
      fc.constantFrom(...names).map(name => [secret, { [name]: secret }] as const),
    )
    const inTexts = fc.oneof(
      letters.chain(secret => fc.constantFrom(...texts).map(text => [secret, text(secret)] as const)),
      odd.map(secret => [secret, `http://user:${secret}@proxy.example:8080/x`] as const),
    )
    const wrappings = fc.array(fc.constantFrom(...wraps), { maxLength: 6 })
    fc.assert(
      fc.property(fc.oneof(inNames, inTexts), wrappings, ([secret, value], around) => {
        lines.length = 0
        const nested = around.reduce((inner, wrap) => wrap(inner), value as unknown)
        log.info({ nested }, typeof value === 'string' ? `it was ${value}` : 'said')
        log.warn(nested)
        log.error(nested instanceof Error ? nested : { err: new Error('outer', { cause: nested }) })
        const written = lines.join('')
        for (const line of lines) JSON.parse(line)
        const escaped = JSON.stringify(secret).slice(1, -1)
        return !written.includes(escaped) && !written.includes(JSON.stringify(escaped).slice(1, -1))
      }),
      { numRuns: 500 },
    )
  })
  await t.test('leaves other values unchanged', async t => {
    const plain = {
      trace: traceId,
      prefix: 'tmk_Zb3kQ9xV',
      url: 'https://example.com/a?page=2&size=3',
      at: 'file:///app/node_modules/@nats-io/jetstream/lib/a.js:1:2',
      count: 7,
      none: null,
      when: new Date(0),
      list: [{ code: '57P01' }],
    }
    log.info(plain, 'the 3 pages of run 7 are read')
    t.match(JSON.parse(lines.at(-1) ?? ''), {
      ...plain,
      when: '1970-01-01T00:00:00.000Z',
      msg: 'the 3 pages of run 7 are read',
    })
  })
  await t.test('writes errors with their causes', async t => {
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
    t.match(lines.at(-1), 'inner')
  })
  await t.test(
    'writes the name and the stack of an error, even if its name sounds like a secret',
    async t => {
      class SecretUnreadable extends Error {
        override readonly name = 'SecretUnreadable'
      }
      const error = new SecretUnreadable('no key opens it')
      for (const logged of [error, { err: error }, { err: new TypeError('outer', { cause: error }) }]) {
        log.error(logged, `given up: ${error}`)
        const { err, msg } = JSON.parse(lines.at(-1) ?? '')
        t.equal(err.type, logged === error || Object(logged).err === error ? 'SecretUnreadable' : 'TypeError')
        t.match(err.stack, /SecretUnreadable: no key opens it\n +at .*telemetry\.test/)
        t.equal(msg, 'given up: SecretUnreadable: no key opens it')
      }
    },
  )
})

test('Spans are exported without secrets', async t => {
  const went: unknown[] = []
  const exporter = redacting({
    export: (spans, done) => done({ code: went.push(...spans) }),
    shutdown: async () => {},
  })
  const key = 'tmk_Zb3kQ9xVsesamesesamesesame'
  const span = {
    attributes: { 'url.full': `https://u:sesame@example.com/?api_key=${key}`, n: 1, list: [key, 7] },
    events: [{ attributes: { 'exception.message': `Bearer ${key}` } }, {}],
    links: [],
    status: { code: 2, message: `cookie: a=${key}` },
  }
  exporter.export([span] as unknown as Parameters<typeof exporter.export>[0], () => {})
  await exporter.shutdown()
  t.notMatch(JSON.stringify(went), 'sesame')
  for (const between of ['%2C', '+', '-', '.', ', '])
    t.notMatch(withoutSecrets(`to=alice@example.com${between}bob@example.com`), /alice|bob/, between)
  t.equal(withoutSecrets('x'.repeat(400_000)).length, 400_000, 'a long word takes a moment, and not minutes')
  t.match(went, [{ attributes: { 'url.full': 'https://[redacted]@example.com/?api_key=[redacted]', n: 1 } }])
})

test('The trace context', async t => {
  const extract = (traceparent: string) =>
    trace.getSpanContext(inwardPropagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter))
  await t.test('is read as the recommendation specifies', async t => {
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

const names = [
  'authorization',
  'Cookie',
  'set-cookie',
  'apiKey',
  'X-Api-Key',
  'proxy_url',
  'webhookSecret',
  'password',
]
const texts: ((secret: string) => string)[] = [
  secret => `tmk_12345678${secret}`,
  secret => `failed with {"authorization":"Bearer ${secret}"}`,
  secret => `Authorization: Basic ${secret}`,
  secret => `cookie: session=${secret}; other=${secret}`,
  secret => `postgres://tidemark:${secret}@127.0.0.1:5432/tidemark is away`,
  secret => `https://example.com/?a=1&api_key=${secret}&b=2`,
  secret => `whsec_${secret}`,
  secret => `mail to ${secret}@example.com`,
]
const wraps: ((inner: unknown) => unknown)[] = [
  inner => ({ inner }),
  inner => [inner],
  inner => new Map([['inner', inner]]),
  inner => ({ more: { inner }, n: 1 }),
  inner => JSON.stringify(inner) ?? 'nothing',
  inner => Object.assign(new Error('wrapped'), { inner }),
]

type Site = { url: string; requests: IncomingHttpHeaders[]; close(): Promise<unknown> }

async function startSite(): Promise<Site> {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    response.end('hello')
  })
  const { url, close } = await listening(server)
  return { url: `${url}/`, requests, close }
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
