/**
 * The operation of one system: the operator screen in a real Chromium, its metrics, its reports of faults, and the sync
 * of acknowledged writes to disk.
 */

import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openBus } from '@tidemark/bus/connection'
import { storeDeadLetter } from '@tidemark/bus/dead'
import { publish } from '@tidemark/bus/publish'
import { type MetricName, metricTable } from '@tidemark/telemetry/metric-table'
import { prometheusName } from '@tidemark/telemetry/prometheus-name.scene'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { targetsIn } from '../../deploy/local/scrape-targets.ts'
import { looksOf, openBrowser } from './console.scene.ts'
import { unpacked } from './debian.ts'
import { type Path, type Process, probe, processesOf } from './probes.ts'
import { type RunFile, type System, sharedBin, startSystem, twoExtractors } from './system.ts'

/** Monitors fire at a fixed second of their minute, and no test waits for that. */
const late: ReadonlySet<MetricName> = new Set(['tidemark.monitor.ticks', 'tidemark.monitor.lateness.seconds'])
/** Exported only if the gateway speaks TLS; `services/gateway/http/protocol.test.ts` checks it. */
const withTls: ReadonlySet<MetricName> = new Set(['tidemark.certificate.expires.seconds'])

const adminKey = 'key-of-the-operator-'.repeat(2)
const traces = 'https://traces.example.com/'

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
  const system = await startSystem({
    REPLICAS: twoExtractors,
    METRICS_PORT: String(metricsPort),
    ADMIN_KEY: adminKey,
    TRACES_URL: traces,
  })
  t.teardown(() => system.stop())

  // First, because it shows every dead letter of the system.
  await t.test('The operator screen', t => operatorScreen(t, system))

  await t.test('Metrics', async t => {
    const key = await system.createProject('measured', '--tier', 'pro')
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()))
    const { url: webhook_url, close } = await listening(receiver, '127.1.0.7')
    t.teardown(close)
    const origin = await startOrigin({
      pages: {
        '/': '<title>Home</title><h1>Home</h1><a href=/inward>In</a>',
        '/inward': { status: 302, headers: { location: 'http://10.0.0.1/' }, body: '' },
      },
    })
    t.teardown(() => origin.close())

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
          t.match(
            await probe(metrics, path),
            { status: 200, body: { status: 'pass', causes: { length: 0 } } },
            path,
          )
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

/** Uses the screen of a system with dead letters and with a host that pauses. */
async function operatorScreen(t: Test, system: System): Promise<void> {
  const busy = await startOrigin({ host: '127.1.29.2' })
  t.teardown(() => busy.close())
  busy.site({
    '/': '<title>Busy</title><a href="/busy">Busy</a>',
    '/busy': { status: 429, headers: { 'retry-after': '240' } },
  })
  const key = await system.createProject('harbour', '--unlimited')
  const { page, faults } = await openBrowser(t)
  page.setDefaultTimeout(patient(30_000))
  const look = looksOf(page)
  const at = (path: string) => `${system.base}/console${path}`
  const overview = async () => (await system.call(adminKey, 'GET', '/v1/operator/overview')).body

  await t.test('prints its address at the start', async t => {
    t.match(system.printed(), `Open the operator screen:      ${at(`#key=${adminKey}`)}`)
  })

  await t.test('every part of the overview is available in a whole system', async t => {
    const started = await system.call(key, 'POST', '/v1/crawls', { url: `${busy.url}/`, delay_ms: 0 })
    t.equal(started.status, 202)
    const bus = await openBus({ url: (await system.runFile()).nats.url, name: 'test' })
    const letter = { subject: 'fetch.http', data: Buffer.from('{}') }
    const reason = 'TypeError: Cannot read properties of undefined'
    await storeDeadLetter(bus, letter, {
      stream: 'FETCH',
      consumer: 'fetcher-http',
      sequence: 1,
      attempt: 5,
      reason,
    })
    await storeDeadLetter(bus, letter, { stream: 'RUNS', consumer: 'runs', sequence: 1, attempt: 1, reason })
    await bus.close()
    await until(async () => (await overview()).hosts.total > 0, 60_000)
    const found = await overview()
    for (const [name, part] of Object.entries<{ available?: boolean }>(found))
      if (part?.available !== undefined) t.equal(part.available, true, name)
    t.equal(found.queues.items.length, 5)
    t.strictSame(
      found.projections.items.map(
        ({ service, projection }: Record<string, string>) => `${service} ${projection}`,
      ),
      [
        ...['projector runs', 'projector accounts', 'projector audit'],
        ...['usage-ledger bill-runs', 'usage-ledger bill-requests', 'usage-ledger ledger'],
        ...['extractor forget-deleted-runs', 'webhook decide-deliveries', 'webhook decide-batches'],
      ],
    )
    t.equal(found.dead_letters.total, 2)
    const mine = found.projects.items.find(({ name }: { name: string }) => name === 'harbour')
    t.match(mine, { running: 1, queued: 0, started: 1 })
    t.match(found.hosts.items, [{ origin: busy.url, is_paused: true }])
    t.equal(found.traces_url, traces)
  })

  await t.test('opens with the key of the operator', async t => {
    await page.goto(at(`#key=${adminKey}`))
    await page.getByText('Sign in with the key of an operator').waitFor()
    t.equal(await page.evaluate('location.href'), at(''), 'the address has no key')
    t.notMatch(await page.content(), adminKey.slice(0, 12), 'and nor does the page')
    await look(t, 'sign-in-operator')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Operator', exact: true }).waitFor()
    const [cookie] = await page.context().cookies(at(''))
    t.match(cookie, { httpOnly: true, sameSite: 'Strict', path: '/console' })
  })

  await t.test('shows what is behind, what failed, and the commands and runbooks for it', async t => {
    await page.goto(at('/operator'))
    await page.getByRole('region', { name: 'Services', exact: true }).getByText('crawl-coordinator').waitFor()
    await page.getByText('npm run admin -- dead-letters replay --all --stream FETCH').waitFor()
    await page.getByText('npm run admin -- rebuild-projections --name runs').waitFor()
    await page.getByRole('cell', { name: busy.url }).waitFor()
    await page.getByRole('cell', { name: 'harbour' }).first().waitFor()
    t.equal(await page.getByRole('link', { name: 'Traces' }).getAttribute('href'), traces)
    const addresses = await page.getByRole('navigation', { name: 'Runbooks' }).getByRole('link').all()
    for (const link of addresses) {
      const address = (await link.getAttribute('href')) ?? ''
      if (address !== traces) t.equal((await system.call(null, 'GET', address)).status, 200, address)
    }
    await look(t, 'operator')
  })

  await t.test('updates itself until it is paused, which the address keeps', async t => {
    const updated = () => page.locator('.commands time').getAttribute('datetime')
    const before = await updated()
    await until(async () => (await updated()) !== before, 30_000)
    await page.getByRole('button', { name: 'Pause updates' }).click()
    t.match(page.url(), /\/operator\?refresh=off$/)
    await page.reload()
    await page.getByRole('button', { name: 'Pause updates', pressed: true }).waitFor()
    await page.locator('.commands time').waitFor()
    const paused = await updated()
    await page.waitForTimeout(7_000)
    t.equal(await updated(), paused)
    await page.getByRole('button', { name: 'Update now' }).click()
    await until(async () => (await updated()) !== paused, 30_000)
  })

  await t.test(
    'keeps the other parts if a service does not respond, and reports errors as the API does',
    async t => {
      const found = await overview()
      const unknown = { total: null, available: false, items: [] }
      const answers = [
        {
          json: {
            ...found,
            hosts: { ...unknown, missing: ['fetcher'] },
            costs: { ...found.costs, ...unknown, missing: ['usage-ledger'], today: null, month: null },
          },
        },
        {
          status: 503,
          headers: { 'x-request-id': 'd14f099b-2a51-479a-91bd-5653ca4f6f6f' },
          json: {
            error: {
              code: 'unavailable',
              message: 'A part of the service is unavailable.',
              request_id: 'd14f099b-2a51-479a-91bd-5653ca4f6f6f',
            },
          },
        },
      ]
      await page.route('**/v1/operator/overview', route => route.fulfill(answers[0] ?? {}))
      await page.getByRole('button', { name: 'Update now' }).click()
      await page.getByText('fetcher did not respond within a second').waitFor()
      await page.getByText('usage-ledger did not respond within a second').waitFor()
      await look(t, 'operator-incomplete')
      answers.shift()
      await page.getByRole('button', { name: 'Update now' }).click()
      await page
        .getByRole('alert')
        .getByText(/unavailable.*request d14f099b/)
        .waitFor()
      await page.getByRole('cell', { name: 'harbour' }).first().waitFor()
      await look(t, 'operator-fault')
      await page.unroute('**/v1/operator/overview')
      faults.length = 0 // the browser reports the 503
    },
  )

  await t.test('has no other screen, and is closed to the key of a project', async t => {
    await page.goto(at('/keys'))
    await page.getByText('This address is not a screen of the console.').waitFor()
    await look(t, 'operator-missing')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    // Leaving the page before its answer would lose the session.
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(at('/operator'))
    await page.getByText('This address is not a screen of the console.').waitFor()
    const refused = await page.evaluate(
      `fetch('/console/api/v1/operator/overview').then(({ status }) => status)`,
    )
    t.equal(refused, 403)
    faults.length = 0 // the browser reports the 403
  })
  t.strictSame(faults, [], 'the policy forbids nothing that the screen needs')
}

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
