/** The metrics of a running system: every metric of the table is exported, and no series depends on client data. */

import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type MetricName, metricTable, prometheusName } from '@tidemark/telemetry/metric-table'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { targetsIn } from '../../deploy/local/scrape-targets.ts'
import { type RunFile, startSystem } from './system.ts'

/** Monitors fire at a fixed second of their minute, and no test waits for that. */
const late: ReadonlySet<MetricName> = new Set(['tidemark.monitor.ticks', 'tidemark.monitor.lateness.seconds'])
/** Exported only if the gateway speaks TLS; `services/gateway/http/manners.test.ts` checks it. */
const withTls: ReadonlySet<MetricName> = new Set(['tidemark.certificate.expires.seconds'])

test('Metrics', { timeout: patient(300_000) }, async t => {
  const metricsPort = 16_384 + randomInt(16_000)
  const system = await startSystem({ METRICS_PORT: String(metricsPort) })
  t.teardown(() => system.stop())
  const key = await system.createProject('measured', '--tier', 'pro')
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()))
  await new Promise<void>(resolve => receiver.listen(0, '127.1.0.7', resolve))
  t.teardown(() => receiver.close())
  const origin = await startOrigin({
    pages: {
      '/': '<title>Home</title><h1>Home</h1><a href=/inward>In</a>',
      '/inward': { status: 302, headers: { location: 'http://10.0.0.1/' }, body: '' },
    },
  })
  t.teardown(() => origin.close())

  const webhook_url = `http://127.1.0.7:${(receiver.address() as AddressInfo).port}/`
  const { id } = await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0, webhook_url })
  await system.call(key, 'POST', `/v1/crawls/${id}/exports`, { format: 'sitemap' })
  await system.call(key, 'POST', '/v1/scan', { url: `${origin.url}/` })
  await system.call(key, 'POST', '/v1/scan', { url: `${origin.url}/inward` })
  await system.call(key, 'POST', '/v1/scan', { url: 'http://127.1.0.9:33333/' })
  await system.call(key, 'POST', '/v1/cloud/render', { url: `${origin.url}/` })
  const addresses = (await system.runFile()).processes.map(
    ({ metrics }: RunFile['processes'][number]) => metrics,
  )
  t.equal(addresses.length, 3)
  const targets = JSON.parse(await readFile(targetsIn(system.dir), 'utf8')) as { targets: string[] }[]
  t.strictSame(
    targets.flatMap(({ targets }) => targets.map(host => `http://${host}/metrics`)),
    addresses,
    'the targets of Prometheus are these addresses',
  )
  const read = async () =>
    (await Promise.all(addresses.map(async url => (await fetch(String(url))).text()))).join('\n')
  const names = (Object.keys(metricTable) as MetricName[]).filter(
    name => !late.has(name) && !withTls.has(name),
  )
  const missingIn = (text: string) =>
    names.filter(
      name => !new RegExp(`^${prometheusName(name)}(?:_count)?(?:\\{.*\\})? [\\d.e+-]+$`, 'm').test(text),
    )

  await t.test('all of the table are exported', async t => {
    await until(async () => missingIn(await read()).length === 0, 20_000).catch(() => {})
    const text = await read()
    t.strictSame(missingIn(text), [])
    t.match(text, /^tidemark_pages_total\{outcome="fetched"\} \d+$/m)
    t.match(text, /^tidemark_webhook_deliveries_total\{state="delivered"\} 1$/m)
    t.match(text, /^tidemark_egress_refusals_total\{reason="private_address"\} [1-9]/m)
    t.match(text, /^tidemark_units_total\{kind="page",operation="scan"\} 1$/m)
    t.match(text, /^tidemark_projection_lag\{projection="runs",stream="RUNS"\} 0$/m)
    t.match(text, /^tidemark_projection_behind_seconds\{projection="bill-runs",stream="RUNS"\} 0$/m)
    for (const part of ['extractor', 'database']) t.match(text, `tidemark_ready{part="${part}"} 1\n`)
    for (const consumer of ['fetcher-http', 'fetcher-browser'])
      t.match(text, `tidemark_queue_oldest_seconds{stream="FETCH",consumer="${consumer}"}`)
    t.match(text, /^tidemark_process_memory_bytes\{kind="heap_limit"\} \d+$/m)
    t.match(text, /^tidemark_http_seconds_count\{route="POST \/v1\/scan",status="elsewhere"\} 1$/m)
  })

  await t.test('a call whose client disconnects before the response counts as aborted', async t => {
    const leaving = fetch(`${system.base}/v1/scan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${origin.url}/never-answers` }),
      signal: AbortSignal.timeout(500),
    })
    await t.rejects(leaving)
    const aborted = /^tidemark_http_seconds_count\{route="POST \/v1\/scan",status="aborted"\} 1$/m
    await until(async () => aborted.test(await read())).catch(() => {})
    t.match(await read(), aborted)
  })

  await t.test('no series names a customer, a site or an address', async t => {
    await system.call(key, 'GET', '/v1/crawls/987654321')
    await system.call(null, 'GET', '/no/such/route-of-a-stranger')
    const text = await read()
    for (const word of ['127.1.0', '987654321', 'stranger', 'measured', key.slice(0, 12)])
      t.notMatch(text, word)
    const series = text.split('\n').filter(line => /^tidemark_http_seconds_count/.test(line))
    t.ok(series.some(line => line.includes('route="unknown"')))
    t.ok(series.length < 100)
  })
})
