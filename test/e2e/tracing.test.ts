/**
 * The exports of a system. They contain the trace of a crawl, from the request through every service to the webhook and
 * to the page in the API. Neither the exports nor any other location contain a secret of a project.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Origin, type Page, startOrigin } from '@tidemark/testing/origin'
import type { OtlpReceiver, ReceivedSpan } from '@tidemark/testing/otlp'
import { startProxy } from '@tidemark/testing/proxy'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { crawlTraced, orphansIn, startTraced, untilQuiet } from '../trace/one-crawl.ts'
import { type Row, rowsOf } from '../trace/rows.ts'
import {
  foundIn,
  inFiles,
  inRedis,
  inTables,
  ownSecrets,
  type Secrets,
  spellings,
} from './secrets-at-rest.scene.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientsSpan = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${clientsSpan}-01`

/** The spans that a request must lead to: the service, and the start of the span's name. */
const expected: [service: string, found: RegExp][] = [
  ['gateway', /^POST \/v1\/crawls$/],
  ['gateway', /^ask\.runs\.start ask/],
  ['auth-billing', /^ask\.accounts\.find-key answer/],
  ['crawl-coordinator', /^ask\.runs\.start answer/],
  ['crawl-coordinator', /^decide LookAfterRun/],
  ['fetcher', /^fetch\.http process/],
  ['fetcher', /^GET/],
  ['fetcher', /^evalsha/],
  ['extractor', /^pages\.\d\d process/],
  ['extractor', /^settle pages/],
  ['extractor', /^pg\.query/],
  ['extractor', /^read site/],
  ['crawl-coordinator', /^outcomes\.\d\d process/],
  ['crawl-coordinator', /^decide SettlePages/],
  ['projector', /^runs project/],
  ['projector', /^audit project/],
  ['usage-ledger', /^bill-runs project/],
  ['usage-ledger', /^ledger project/],
  ['webhook', /^decide-deliveries project/],
  ['webhook', /^deliveries process/],
  ['webhook', /^tell webhook/],
  ['webhook', /^POST$/],
]

const titleOf = ({ span, service }: Row) => `${service} ${span.name}`
const named = ({ service, name }: ReceivedSpan) => `${service} ${name}`

const header = 'header-secret-5f2c9a7e41'
const cookie = 'cookie-secret-90b1d3e6aa'
const login = { user: 'walker', password: 'proxy-secret-c41d8f0b72' }
const exportEveryMs = 200

/** Redirects of every status and spelling, and pages that refresh to another site. */
const waysOff = Array.from({ length: 60 }, (_, n) => ({ url, host, port }: Origin): Page => {
  const at = `${host}:${port}/off-${n}`
  const spelling = [`${url}/off-${n}`, `//${at}`, `HTTP://${at}`, `http:\\\\${at}`, `http://user@${at}`][
    n % 5
  ]
  const status = [301, 302, 303, 307, 308][Math.floor(n / 5) % 5] ?? 302
  if (n < 50) return { status, headers: { location: spelling } }
  return n % 2 === 0
    ? { headers: { refresh: `0; url=${url}/off-${n}` }, body: 'Wait' }
    : `<meta http-equiv="refresh" content="0; url=${url}/off-${n}">`
})
const linksOff = (url: string) =>
  `<base href="${url}/">${Array.from({ length: 40 }, (_, n) => `<a href="${n % 2 ? url : ''}/link-${n}">x</a>`).join('')}`

test('The exports of a system', { timeout: patient(300_000) }, async t => {
  const traced = await startTraced({
    OTEL_METRIC_EXPORT_INTERVAL: String(exportEveryMs),
    OTEL_METRIC_EXPORT_TIMEOUT: String(exportEveryMs),
  })
  t.teardown(() => traced[Symbol.asyncDispose]())
  const { system, receiver: otlp } = traced

  await t.test('One trace leads from the HTTP request to the webhook', async t => {
    const key = await system.createProject('traced')
    const crawled = await crawlTraced(traced, key, { traceparent })
    const { spans } = otlp

    t.equal(crawled.traceId, traceId, 'the answer names the trace of the client')
    const [request] = spans.filter(({ parentSpanId }) => parentSpanId === clientsSpan)
    if (request === undefined) return t.fail('no span belongs to the trace of the client')
    t.equal(crawled.spanId, request.spanId, "the answer names the request's own span")
    const rows = rowsOf(spans, [request])
    const missing = expected.filter(
      ([service, found]) => !rows.some(row => row.service === service && found.test(row.span.name)),
    )
    t.strictSame(missing, [], rows.map(titleOf).join('\n'))
    t.strictSame(orphansIn(spans, [clientsSpan]).map(named), [], 'every span has its parent or a link')

    const delivery = rows.find(({ span }) => span.name === 'tell webhook')
    t.match(delivery?.span, { traceId, attributes: { 'tidemark.run.id': crawled.run.id } })
    const decisions = rows.filter(({ span }) => span.name === 'decide SettlePages').map(({ span }) => span)
    t.ok(decisions.length > 1)
    for (const { traceId: of, links } of decisions) {
      t.equal(of, traceId, "a decision is part of the run's trace")
      t.ok(links.length > 0, 'a decision is linked to the sources of its outcomes')
    }

    await t.test('which every page names', async t => {
      const { body } = await system.call(key, 'GET', `/v1/crawls/${crawled.run.id}/pages?fields=trace_id`)
      t.equal(body.items.length, 6)
      for (const { id, trace_id } of body.items) {
        t.equal(trace_id, traceId)
        t.equal((await system.call(key, 'GET', `/v1/pages/${id}`)).body.trace_id, traceId)
      }
      const explain = `/v1/crawls/${crawled.run.id}/explain?url=${encodeURIComponent(crawled.run.url)}`
      t.match((await system.call(key, 'GET', explain)).body, { verdict: 'fetched', trace_id: traceId })
      const fetched = rows.filter(({ span, service }) => service === 'fetcher' && span.name === 'GET')
      t.ok(fetched.length >= body.items.length)
      t.ok(fetched.every(({ span }) => span.traceId === traceId))
    })

    await t.test('but a trace that its client does not sample is not exported', async t => {
      const other = traceId.replace('0af7', '0af8')
      const { run } = await crawlTraced(traced, key, { traceparent: `00-${other}-${clientsSpan}-00` })
      t.equal(run.page_count, 6)
      t.strictSame(spans.filter(span => span.traceId === other).map(named), [])
    })
  })

  await t.test('Secrets of a project', async t => {
    const [proxy, unwilling, origin, external, receiver] = await Promise.all([
      startProxy({ kind: 'http', login }),
      startProxy({ kind: 'socks5', login: { ...login, password: 'another' } }),
      startOrigin(),
      startOrigin({ host: '127.1.0.9' }),
      startOrigin({ host: '127.1.0.8', pages: { '/told': 'thanks' } }),
    ])
    const servers = [proxy, unwilling, origin, external, receiver]
    t.teardown(() => Promise.all(servers.map(server => server.close())))
    origin.site({
      '/': `<a href="/b">b</a><a href="${external.url}/c">c</a><a href="/away">away</a>`,
      '/b': 'b',
      '/away': { status: 302, headers: { location: `${external.url}/d` } },
      '/many':
        waysOff.map((_, n) => `<a href="${origin.url}/off/${n}">${n}</a>`).join('') + linksOff(external.url),
      '/moved': { status: 301, headers: { location: `${external.url}/home` } },
      ...Object.fromEntries(waysOff.map((way, n) => [`/off/${n}`, way(external)])),
    })
    const key = await system.createProject('secretive')
    const { body: webhook } = await system.call(key, 'GET', '/v1/webhook/secret')
    const run = await system.crawl(key, {
      url: `${origin.url}/`,
      delay_ms: 0,
      headers: { 'X-Token': header },
      cookies: `session=${cookie}`,
      webhook_url: `${receiver.url}/told`,
    })
    const through = (proxy_url: string) => ({ url: `${origin.url}/b`, delay_ms: 0, proxy_url })
    const proxied = await system.crawl(key, through(proxy.url))
    const refused = await system.crawl(
      key,
      through(`socks5://${login.user}:${login.password}@${unwilling.at}`),
    )
    const secrets: Secrets = new Map([
      ['the key', spellings(key)],
      ['the header', spellings(header)],
      ['the cookie', spellings(cookie)],
      ['the proxy login', [...spellings(login.password), ...spellings(`${login.user}:${login.password}`)]],
      ['the webhook secret', [...spellings(webhook.secret_hex), Buffer.from(webhook.secret_hex, 'hex')]],
      ...(await ownSecrets(system)),
    ])
    /** Not a secret: this must be found in every searched location, or the search proves nothing. */
    const control: Secrets = new Map([['the control', [Buffer.from(`${origin.host}:${origin.port}`)]]])

    t.test("are sent with every request to the seed's site", async t => {
      t.match(run, { status: 'done', page_count: 2 })
      const hits = origin.hits.filter(({ headers }) => headers['x-token'] !== undefined)
      const paths = new Set(hits.map(({ path }) => path).filter(path => !/^\/llms/.test(path)))
      t.strictSame([...paths].sort(), ['/', '/away', '/b', '/robots.txt'])
      for (const { path, headers } of hits) {
        t.match(headers, { 'x-token': header, cookie: `session=${cookie}` }, path)
      }
    })

    t.test('are sent nowhere else, not even with the webhook', async t => {
      t.strictSame(external.hits, [])
      await until(() => receiver.hits.length > 0)
      const sent = receiver.hits.map(({ headers }) => JSON.stringify(headers))
      t.match(sent, [/webhook-signature/])
      t.strictSame(foundIn(secrets, 'the webhook', Buffer.from(sent.join())), [])
    })

    t.test('of a proxy are used for that proxy, and are shown without the password', async t => {
      t.match(proxied, { status: 'done', page_count: 1, proxy_url: `http://${login.user}:***@${proxy.at}` })
      t.match(refused, { status: 'failed', proxy_url: `socks5://${login.user}:***@${unwilling.at}` })
      t.ok(proxy.requested.length > 0 && unwilling.connections.opened > 0)
      t.strictSame(unwilling.requested, [])
    })

    t.test("of the project's proxy are used if a crawl names no proxy", async t => {
      const other = await system.createProject('by-its-proxy')
      const shown = `http://${login.user}:***@${proxy.at}`
      t.match(await system.admin('set-project', '--name', 'by-its-proxy', '--proxy-url', proxy.url), {
        proxy_url: shown,
      })
      const before = proxy.requested.length
      const request = { url: `${receiver.url}/told`, delay_ms: 0 }
      let run = await system.crawl(other, request)
      for (let tries = 0; tries < 50 && run.proxy_url === null; tries++) {
        await sleep(100) // the gateway receives the change a moment later
        run = await system.crawl(other, request)
      }
      t.match(run, { proxy_url: shown, page_count: 1 })
      t.ok(proxy.requested.length > before)
    })

    t.test('are not sent to another site by a hundred redirects and links', async t => {
      const own = { headers: { 'X-Token': header, Authorization: header }, cookies: `session=${cookie}` }
      await system.crawl(key, { url: `${origin.url}/many`, delay_ms: 0, ...own })
      t.ok(
        origin.hits.filter(({ path }) => path.startsWith('/off/')).length === waysOff.length,
        'each redirect was requested',
      )
      t.strictSame(external.hits, [])
      const moved = await system.crawl(key, { url: `${origin.url}/moved`, delay_ms: 0, ...own })
      t.equal(moved.page_count, 1, 'the run follows its seed to the other site')
      t.ok(external.hits.length >= 2, 'robots.txt and a page')
      t.strictSame(foundIn(secrets, 'the requests to it', Buffer.from(JSON.stringify(external.hits))), [])
    })

    t.test('are nowhere in plain text: not in tables, streams, logs or Redis', async t => {
      const found = [
        ...(await inFiles(system.dir, secrets)),
        ...(await inTables(system, secrets)),
        ...(await inRedis(system, secrets)),
      ]
      t.strictSame(found, [])
      t.strictSame(foundIn(secrets, 'the output', Buffer.from(system.printed())), [])
      const seen = [
        ...(await inFiles(system.dir, control)),
        ...(await inTables(system, control)),
        ...(await inRedis(system, control)),
      ]
      for (const location of [/\.blk$/, /^the control in read\.run$/, /^the control in webhook\.run$/])
        t.ok(
          seen.some(found => location.test(found)),
          `${location} is searched`,
        )
    })

    t.test('are not exported, neither in traces nor in metrics', async t => {
      const isTraced = () =>
        otlp.exports.some(({ text }) => foundIn(control, '', Buffer.from(text)).length > 0)
      const isMeasured = () => otlp.exports.some(({ path }) => path === '/v1/metrics')
      await until(() => isTraced() && isMeasured())
      await sleep(2 * exportEveryMs)
      t.strictSame([...new Set(otlp.exports.map(({ path }) => path))].sort(), ['/v1/metrics', '/v1/traces'])
      t.ok(isTraced())
      t.strictSame(inExports(otlp, secrets), [])
    })

    t.test('are in no answer, except for the webhook secret on request', async t => {
      const { body: pages } = await system.call(key, 'GET', `/v1/crawls/${run.id}/pages`)
      const ofRun = (id: number) =>
        ['', '/pages', '/links', '/orphans'].map(part => `/v1/crawls/${id}${part}`)
      const ofPage = pages.items.map(({ id }: { id: number }) => `/v1/pages/${id}?format=html`)
      const others = ['/v1/crawls', '/v1/crons', '/v1/usage', '/v1/ready']
      for (const path of [
        ...ofRun(run.id),
        ...ofRun(proxied.id),
        ...ofRun(refused.id),
        ...ofPage,
        ...others,
      ]) {
        const { status, body, headers } = await system.call(key, 'GET', path)
        t.equal(status, 200, path)
        const answer = JSON.stringify([body, [...headers]])
        t.strictSame(foundIn(secrets, path, Buffer.from(answer)), [])
      }
    })

    t.test('that contain line breaks or are malformed are rejected', async t => {
      const url = `${origin.url}/`
      const bad = [
        { headers: { 'x-a': 'b\r\nx-c: d' } },
        { headers: { 'x a': 'b' } },
        { headers: { Host: 'other' } },
        { headers: { 'x-a': 1 } },
        { headers: ['x'] },
        { cookies: 'a=b\nc' },
        { cookies: 'x'.repeat(65_537) },
      ]
      for (const wrong of bad) {
        const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url, ...wrong })
        const field = Object.keys(wrong)[0] ?? ''
        t.match(
          { status, ...body.error },
          { status: 400, code: 'invalid_input' },
          JSON.stringify(wrong).slice(0, 60),
        )
        t.ok(String(body.error.field).startsWith(field))
      }
    })
  })
})

test('Without sampling only errors are exported, even if a client samples', async t => {
  await using traced = await startTraced({
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    WEBHOOK_WAITS_MS: '50,50,50,50',
  })
  const { system, receiver, site } = traced
  const key = await system.createProject('unsampled')
  const crawled = await crawlTraced(traced, key, { traceparent })
  t.equal(crawled.traceId, traceId)
  const ofTrace = () => receiver.spans.filter(span => span.traceId === traceId)
  t.strictSame(ofTrace().map(named), [], 'successful spans are not exported')

  const closedPort = 'http://127.1.0.9:54321/'
  const crawl = { url: `${site}/`, delay_ms: 0, webhook_url: closedPort }
  const { status, body } = await system.call(key, 'POST', '/v1/crawls', crawl, { traceparent })
  t.equal(status, 202, JSON.stringify(body))
  await system.untilEnded(key, body.id)
  await until(() => ofTrace().some(({ name }) => name === 'tell webhook'))
  await untilQuiet(receiver)
  const exported = ofTrace()
  t.ok(receiver.spans.every(({ attributes }) => attributes['tidemark.kept_for_error'] === true))
  t.match(
    exported.find(({ name }) => name === 'tell webhook'),
    { isError: true, attributes: { 'tidemark.run.id': body.id, 'tidemark.webhook.attempt': /1/ } },
    exported.map(named).join('\n'),
  )
  t.ok(
    exported.every(({ name }) => name === 'tell webhook'),
    'successful spans of the same trace are not exported',
  )
})

/** Returns a line for each secret in what the system has exported. */
const inExports = ({ exports }: OtlpReceiver, secrets: Secrets): string[] =>
  exports.flatMap(({ path, text }) => foundIn(secrets, path, Buffer.from(text)))
