/** The operation of one system: its metrics, its reports of faults, and writes that are on disk. */

import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { type MetricName, metricTable } from '@tidemark/telemetry/metric-table'
import { prometheusName } from '@tidemark/telemetry/prometheus-name.scene'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { targetsIn } from '../../deploy/local/scrape-targets.ts'
import { unpacked } from './debian.ts'
import { type Path, type Process, probe, processesOf } from './probes.ts'
import { type RunFile, type System, sharedBin, startSystem } from './system.ts'

/** Monitors fire at a fixed second of their minute, and no test waits for that. */
const late: ReadonlySet<MetricName> = new Set(['tidemark.monitor.ticks', 'tidemark.monitor.lateness.seconds'])
/** Exported only if the gateway speaks TLS; `services/gateway/http/protocol.test.ts` checks it. */
const withTls: ReadonlySet<MetricName> = new Set(['tidemark.certificate.expires.seconds'])

const paths: Path[] = ['/livez', '/startupz', '/readyz']

const cache = join(sharedBin(), 'debian-sites')
const publishes = 200

/** Returns why processes cannot be traced on this machine, or false. */
async function untraceable(strace: string): Promise<string | false> {
  const tried = promisify(execFile)(strace, ['-o', '/dev/null', process.execPath, '--version'])
  return tried.then(
    () => false as const,
    () => 'this machine does not permit tracing',
  )
}

test('A running system', { timeout: patient(600_000) }, async t => {
  const metricsPort = 16_384 + randomInt(16_000)
  const system = await startSystem({ METRICS_PORT: String(metricsPort) })
  t.teardown(() => system.stop())

  await t.test('Metrics', async t => {
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
      for (const lane of ['http', 'scan']) t.match(text, `tidemark_host_wait_seconds_count{lane="${lane}"}`)
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

  await t.test('Health', async t => {
    const { nats, postgres, processes } = await system.runFile()
    const bus = await openBus({ url: nats.url, name: 'health' })
    t.teardown(() => bus.close())

    await t.test('is reported by every process: alive, started and ready', async t => {
      t.equal(processes.length, 3)
      for (const { metrics } of processes)
        for (const path of paths)
          t.match(await probe(metrics, path), { status: 200, body: { status: 'pass', causes: [] } }, path)
    })

    await t.test('reports a deleted consumer only where it is used', async t => {
      const { config } = await bus.jsm.consumers.info('PAGES', 'extractor')
      await bus.jsm.consumers.delete('PAGES', 'extractor')
      const [extractor, other] = await processesOf(system, 'extractor')
      await untilReported(extractor, { service: 'extractor', cause: 'consumer_gone' })
      await untilReported(other, { service: 'extractor', cause: 'consumer_gone' })
      const [control] = await processesOf(system, 'gateway')
      t.equal((await probe(control?.metrics, '/readyz'))?.status, 200)
      t.equal((await probe(extractor?.metrics, '/livez'))?.status, 200, 'a restart would not help')
      t.equal((await probe(extractor?.metrics, '/startupz'))?.status, 200, 'it stays started')
      await until(async () => (await readiness(system)).includes('extractor fails: consumer_gone: '))
      await bus.jsm.consumers.add('PAGES', config)
      await until(async () => (await probe(extractor?.metrics, '/readyz'))?.status === 200, 20_000)
      await untilWell(system, 5_000)
    })

    await t.test('reports a read-only database', async t => {
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      t.teardown(() => client.end())
      const [control] = await processesOf(system, 'gateway')
      await client.query('alter system set default_transaction_read_only = on')
      await client.query('select pg_reload_conf()')
      for (const service of ['projector', 'crawl-coordinator', 'usage-ledger', 'scheduler'])
        await untilReported(control, { service, cause: 'database_read_only' })
      t.match(await readiness(system), /database does not serve|database_read_only/)
      await client.query('alter system reset default_transaction_read_only')
      await client.query('select pg_reload_conf()')
      await untilWell(system, 5_000)
    })

    await t.test('reports that NATS is down, even without heartbeats', async t => {
      const [extractor] = await processesOf(system, 'extractor')
      process.kill(nats.pid ?? 0, 'SIGKILL')
      await untilReported(extractor, { service: 'extractor', cause: 'nats_away' })
      await untilWell(system, 20_000)
      t.equal((await probe(extractor?.metrics, '/readyz'))?.status, 200)
    })
  })

  await t.test('Acknowledged writes are on disk', async t => {
    const { nats, postgres } = await system.runFile()

    t.test('Postgres syncs its commits', async t => {
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
        t.equal((await client.query(`show ${setting}`)).rows[0][setting], 'on', setting)
      }
      await client.end()
    })

    const strace = await unpacked('strace', cache)
    const skip =
      'missing' in strace ? strace.missing : await untraceable(join(strace.folder, 'usr/bin/strace'))
    t.test('NATS syncs at least once for each publish that it acknowledges', { skip }, async t => {
      const program = 'folder' in strace ? join(strace.folder, 'usr/bin/strace') : ''
      const log = join(system.dir, 'syncs.log')
      const tracing = spawn(program, ['-f', '-p', String(nats.pid), '-e', 'trace=fsync,fdatasync', '-o', log])
      await sleep(500)
      const bus = await openBus({ url: nats.url, name: 'durability' })
      for (let n = 0; n < publishes; n++) await publish(bus, 'dead.test.durability', `${n}`)
      await bus.close()
      tracing.kill('SIGINT')
      await new Promise(resolve => tracing.once('exit', resolve))
      const syncs = (await readFile(log, 'utf8')).match(
        /(fsync|fdatasync)\(\d+\) *= 0|<\.\.\. f(data)?sync resumed>\) *= 0/g,
      )
      t.ok((syncs?.length ?? 0) >= publishes, `${syncs?.length} syncs for ${publishes} publishes`)
    })
  })
})

async function untilReported(process: Process | undefined, wanted: { service: string; cause: string }) {
  await until(async () => {
    const health = await probe(process?.metrics, '/readyz')
    const { causes = [] } = health?.body ?? {}
    const isReported = causes.some(
      ({ service, cause }) => service === wanted.service && cause === wanted.cause,
    )
    return health?.status === 503 && isReported
  }, 30_000)
}

/** Returns the error of `/v1/ready`, or an empty text if the system is ready. */
async function readiness(system: System): Promise<string> {
  const { status, body } = await system.call(null, 'GET', '/v1/ready')
  return status === 200 ? '' : body.error.message
}

const untilWell = (system: System, limitMs: number) =>
  until(async () => (await readiness(system).catch(() => 'away')) === '', limitMs)
