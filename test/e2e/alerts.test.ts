/**
 * The alerts on a running system, judged by a real Prometheus: none on a healthy system, and each one on its planted
 * fault. Faults that take longer or need another machine are only in deploy/prometheus/rules.test.ts.
 */

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { streams } from '@tidemark/contracts/subjects'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { targetsIn } from '../../deploy/local/scrape-targets.ts'
import { prometheusIn } from '../programs.ts'
import { type Prometheus, ruleText, startPrometheus } from './alerts.scene.ts'
import { fillStream } from './fill-stream.ts'
import { type System, sharedBin, startSystem } from './system.ts'

const processesOfSplit = 9
const healthyMs = 15_000
const pagesOfSite = 400
const delayMs = 250
/** Milliseconds between two calls of a client. */
const callPauseMs = 250
/** Metrics that this test does not show: no monitor is due within a minute, and there is no certificate. */
const late = /^tidemark_(?:monitor|certificate)_/

test('Alerts', { timeout: patient(300_000) }, async t => {
  const programs = await prometheusIn(sharedBin()).catch((error: Error) => error)
  if (programs instanceof Error) return t.pass(`skipped: ${programs.message}`, { skip: programs.message })
  const system = await startSystem({
    METRICS_PORT: String(16_384 + randomInt(16_000)),
    PROCESSES: 'split',
  })
  t.teardown(() => system.stop())
  const stack = new AsyncDisposableStack()
  t.teardown(() => stack.disposeAsync())
  const dir = join(t.testdir(), 'prometheus')
  const prometheus = stack.use(await startPrometheus(programs.prometheus, dir, targetsIn(system.dir)))

  const key = await system.createProject('alerted', '--unlimited')
  const site = stack.use(await startOrigin({ pages: sitePages() }))
  /** Crawls one page. The receiver of its webhook responds with the status. */
  const crawlOne = (status: number) => {
    const webhook_url = `${site.url}/status/${status}`
    return system.crawl(key, { url: `${site.url}/one`, max_pages: 1, delay_ms: 0, webhook_url })
  }
  const crawlAll = () =>
    system.call(key, 'POST', '/v1/crawls', { url: `${site.url}/`, delay_ms: delayMs, max_pages: 5_000 })
  await crawlAll()
  await prometheus.scrapes(processesOfSplit)

  await t.test('are silent on a healthy system', async t => {
    await Promise.all([crawlOne(200), crawlOne(410)])
    await system.call(key, 'POST', '/v1/scan', { url: `${site.url}/one` })
    await system.call(key, 'POST', '/v1/scan', { url: `${site.url}/inward` })
    for (const end = Date.now() + healthyMs; Date.now() < end; await sleep(callPauseMs))
      await listCrawls(system, key)
    const up = await prometheus.query('up')
    t.equal(up.filter(({ value }) => value === 1).length, processesOfSplit, 'each process is scraped')
    const seen = new Set(await prometheus.names())
    const named = new Set((await ruleText()).match(/\btidemark_\w+/g))
    t.strictSame(
      [...named].filter(name => !seen.has(name) && !late.test(name)),
      [],
      'every metric of the rules exists',
    )
    t.strictSame(await prometheus.fired(), [])
  })

  await t.test('fire on planted faults', async t => {
    const stop = new AbortController()
    const running: Promise<unknown>[] = []
    const meanwhile = (work: (signal: AbortSignal) => Promise<unknown>) =>
      running.push(work(stop.signal).catch(() => {}))
    const { processes, nats, postgres } = await system.runFile()
    const pidOf = (service: string) => processes.find(({ services }) => services.includes(service))?.pid ?? 0
    const stopped: number[] = []
    stack.defer(() => stopped.forEach(wake))
    const hold = (service: string) => {
      stopped.push(pidOf(service))
      process.kill(pidOf(service), 'SIGSTOP')
    }

    hold('scheduler')
    await fillExports(nats.url)
    for (let n = 0; n < 5; n++) await Promise.all([1, 2, 3].map(() => crawlOne(410)))
    const database = new pg.Client({ connectionString: postgres.url })
    await database.connect()
    database.on('error', () => {})
    await database.query(
      `update read.checkpoint set sequence = sequence + 1000000 where projection = 'audit'`,
    )
    meanwhile(signal => killAgainAndAgain(system, prometheus, 'auth-billing', signal))
    meanwhile(signal => stutter(pidOf('webhook'), signal))
    meanwhile(async signal => {
      for (; !signal.aborted; await sleep(callPauseMs))
        void system.call(key, 'POST', '/v1/scan', { url: `${site.url}/inward` }).catch(() => {})
    })
    await sleep(22_000)
    await crawlAll()
    await database.query('begin')
    await database.query('lock table read.run, ledger.unit in access exclusive mode')
    await sleep(2_000)
    hold('extractor')
    meanwhile(async signal => {
      for (; !signal.aborted; await sleep(callPauseMs)) void listCrawls(system, key).catch(() => {})
    })

    const expected = [
      ...['ApiErrors', 'ApiSlow', 'PostgresPoolExhausted', 'ProjectionBehind', 'LedgerBehind'],
      ...['ServiceDown', 'ProcessDown', 'ProcessRestarts', 'EventLoopStalled', 'QueueStuck'],
      ...['StreamFull', 'StreamNearlyFull', 'StreamsAway', 'StreamWentBackwards', 'MessagesGivenUp'],
      ...['EgressRefusals', 'WebhooksDying'],
    ].sort()
    const missing = async () => {
      const fired = await prometheus.fired()
      return expected.filter(alert => !fired.includes(alert))
    }
    // Five restarts of a killed process are the longest wait.
    await until(async () => (await missing()).length === 0, 90_000).catch(() => {})
    t.strictSame(await missing(), [])
    t.comment(`fired: ${(await prometheus.fired()).join(', ')}`)
    stop.abort()
    await database.end()
    stopped.splice(0).forEach(wake)
    await Promise.all(running)
  })

  await t.test('report that no process is left', async t => {
    await system.stop()
    await until(async () => (await prometheus.fired()).includes('TidemarkSilent'), 20_000).catch(() => {})
    t.ok((await prometheus.fired()).includes('TidemarkSilent'))
  })
})

const listCrawls = (system: System, key: string) => system.call(key, 'GET', '/v1/crawls?limit=1')

function sitePages(): Record<string, string | { status: number; headers: Record<string, string> }> {
  const names = Array.from({ length: pagesOfSite }, (_, n) => `/page-${n}`)
  const page = (title: string) => `<title>${title}</title><h1>${title}</h1>`
  return {
    '/': page('Home') + names.map(name => `<a href=${name}>${name}</a>`).join(''),
    ...Object.fromEntries(names.map(name => [name, page(name)])),
    '/one': page('One'),
    '/inward': { status: 302, headers: { location: 'http://10.0.0.1/' } },
  }
}

/** Fills EXPORTS to a small limit with commits of an export that does not exist, and adds one dead letter. */
async function fillExports(url: string): Promise<void> {
  const bus = await openBus({ url, name: 'alerts.test' })
  await bus.jsm.streams.update(streams.exports, { max_bytes: 2 * 1024 ** 2 })
  await fillStream(bus, 'exports.999999')
  await bus.js.publish('dead.RUNS.alerts', 'given up')
  await bus.close()
}

/** Kills a service five times, each time after Prometheus has seen its restart. */
async function killAgainAndAgain(
  system: System,
  prometheus: Prometheus,
  service: string,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = `tidemark_process_started_seconds{services="${service}"}`
  for (let [last, kills] = [0, 0]; kills < 5 && !signal.aborted; kills++) {
    await until(async () => {
      const [found] = await prometheus.query(startedAt)
      if (signal.aborted) return true
      if (found === undefined || found.value === last) return false
      last = found.value
      return true
    })
    const { processes } = await system.runFile()
    const pid = processes.find(({ services }) => services.includes(service))?.pid
    if (pid && !signal.aborted) process.kill(pid, 'SIGKILL')
    await sleep(500)
  }
}

/** Continues a process unless it has ended. */
function wake(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {}
}

/** Stops a process most of the time. */
async function stutter(pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    process.kill(pid, 'SIGSTOP')
    await sleep(1_200)
    process.kill(pid, 'SIGCONT')
    await sleep(300)
  }
}
