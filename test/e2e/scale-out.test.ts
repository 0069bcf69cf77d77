/**
 * Several processes of each service on one machine, and several concurrent crawls: each process does a fair share, the
 * others take over the work of killed ones, and nothing is lost or duplicated.
 */

import { randomInt } from 'node:crypto'
import { type ServiceName, services } from '@tidemark/contracts/services'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { isReady, type Process, processesOf } from './probes.ts'
import {
  callOnNewConnection,
  countedIn,
  databaseOf,
  keepDead,
  startReceiver,
  startSlowSite,
} from './scale-out.scene.ts'
import { startSystem } from './system.ts'

const isWhole = process.env.SCALE_OUT === 'whole'
const skip = !isFullTier && 'it uses both processors for 70 s: only npm run test:full runs it'
const pages = isWhole ? 60 : 20
const answerMs = 30
const projects = 3
/** The limit of concurrent runs per project. */
const runsOfProject = 5
const runs = projects * runsOfProject
const calls = 200
/** The time within which other coordinators take over the shards of a killed one. */
const takenOverMs = 15_000
const crawling: ServiceName[] = ['crawl-coordinator', 'fetcher', 'extractor']

/** Metrics of the work of each service. Other services are standby, or get too few requests to count. */
const work: Partial<Record<ServiceName, [metric: string, labels?: string]>> = {
  gateway: ['tidemark_http_seconds_count'],
  'crawl-coordinator': ['tidemark_pages_total', 'outcome="fetched"'],
  fetcher: ['tidemark_fetch_seconds_count'],
  extractor: ['tidemark_extractor_pages_total'],
  webhook: ['tidemark_webhook_deliveries_total'],
}

test('Two of each service', { timeout: patient(300_000), skip }, t => scaledOut(t, 2, services))
test(
  'Four of each crawling service',
  { timeout: patient(300_000), skip: !isWhole && 'only with SCALE_OUT=whole' },
  t => scaledOut(t, 4, crawling),
)

async function scaledOut(t: Test, count: number, several: readonly ServiceName[]) {
  const system = await startSystem({
    METRICS_PORT: String(10_000 + randomInt(6_000)),
    PROCESSES: 'split',
    REPLICAS: several.map(service => `${service}=${count}`).join(','),
  })
  t.teardown(() => system.stop())
  const [site, receiver] = await Promise.all([startSlowSite(pages, answerMs), startReceiver()])
  t.teardown(() => [site, receiver].map(server => server.close()))
  const { owners, unitsBilled } = await databaseOf(t, system)
  const names = Array.from({ length: projects }, (_, n) => `scaled-${count}-${n}`)
  const keys: string[] = []
  for (const name of names) keys.push(await system.createProject(name, '--tier', 'studio', '--unlimited'))

  await untilAllReady()
  await untilShared()

  await t.test(`${runs} concurrent crawls are shared by all processes`, async t => {
    const shared = several.filter(service => service in work)
    const before = await Promise.all(shared.map(done))
    const units = await unitsBilled()
    await crawlAll(t)
    if (several.includes('gateway')) await callOften()
    const after = await Promise.all(shared.map(done))
    for (const [n, service] of shared.entries()) {
      const parts = (after[n] ?? []).map((value, instance) => value - (before[n]?.[instance] ?? 0))
      const sum = parts.reduce((all, part) => all + part, 0)
      t.comment(`${service}: ${parts.join(', ')}`)
      // At least half of an equal share.
      t.ok(Math.min(...parts) >= sum / (2 * count), `${service}: ${parts.join(', ')}`)
    }
    const coordinators = await processesOf(system, 'crawl-coordinator')
    t.equal(coordinators.length, count)
    t.equal((await unitsBilled()) - units, runs * pages)
    t.ok(
      [...receiver.webhooks.values()].every(times => times === 1),
      'each crawl sends one webhook',
    )
  })

  await t.test('other coordinators take over the shards of killed ones, and all crawls end', async t => {
    const targets = Array.from({ length: count / 2 }, (_, n) => `crawl-coordinator-${n + 1}`)
    await crawlAll(t, async () => {
      await until(async () => {
        const active = await countedIn(await processesOf(system, 'crawl-coordinator'), 'tidemark_runs_active')
        return active.every(number => number > 0)
      })
      const killedAt = performance.now()
      const killing = await keepDead(system, targets)
      await until(async () => !(await owners()).some(owner => targets.includes(owner)), takenOverMs)
      t.comment(`${targets.length} killed, taken over after ${Math.round(performance.now() - killedAt)} ms`)
      return killing
    })
    await untilAllReady()
    await untilShared()
  })

  if (several.includes('projector'))
    for (const n of [1, 2])
      await t.test(`other processes take over the work of projector, ledger and webhook ${n}`, async t => {
        const targets = ['projector', 'usage-ledger', 'webhook'].map(service => `${service}-${n}`)
        await crawlAll(t, () => keepDead(system, targets))
        await untilAllReady()
      })

  await t.test('the data is consistent', async t => {
    const verified = await system.admin('verify')
    t.match(verified, { ok: true }, JSON.stringify(verified))
  })

  /**
   * Runs crawls of every project concurrently, with another task meanwhile. The task ends after their ends, webhooks
   * and bills.
   */
  async function crawlAll(t: Test, meanwhile?: () => Promise<Awaited<ReturnType<typeof keepDead>>>) {
    const [webhooks, units] = [receiver.webhooks.size, await unitsBilled()]
    const request = { url: site.url, delay_ms: 0, webhook_url: receiver.url }
    const starting = keys.flatMap(key =>
      Array.from({ length: runsOfProject }, async () => {
        const { status, body } = await system.call(key, 'POST', '/v1/crawls', request)
        if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
        return { key, id: body.id as number }
      }),
    )
    const started = await Promise.all(starting)
    const killing = await meanwhile?.()
    try {
      const ended = await Promise.all(started.map(({ key, id }) => system.untilEnded(key, id)))
      for (const run of ended)
        t.match(run, { status: 'done', page_count: pages, error_count: 0 }, `run ${run.id}`)
      await until(async () => receiver.webhooks.size === webhooks + runs)
      await until(async () => (await unitsBilled()) === units + runs * pages)
      if (killing) t.ok(killing.killed.size > 0, `${killing.killed.size} killed`)
    } finally {
      await killing?.[Symbol.asyncDispose]()
    }
  }

  async function callOften() {
    const [key = ''] = keys
    for (let n = 0; n < calls; n++)
      t.equal(await callOnNewConnection(system.base, key, '/v1/crawls?limit=1'), 200)
  }

  async function done(service: ServiceName): Promise<number[]> {
    const [metric = '', labels] = work[service] ?? []
    return countedIn(await processesOf(system, service), metric, labels)
  }

  /** Waits until all coordinators have equally many shards. */
  async function untilShared() {
    await until(async () => {
      const counts = Map.groupBy(await owners(), owner => owner)
      return !counts.has('') && counts.size === count && [...counts.values()].every(isEven)
    })
  }

  function isEven({ length }: unknown[]): boolean {
    return length === 64 / count
  }

  async function untilAllReady() {
    await until(async () => {
      const { processes } = await system.runFile()
      const readiness = await Promise.all(
        processes.map(async (one: Process) => one.pid !== null && isReady(one)),
      )
      return readiness.every(Boolean)
    }, 90_000)
  }
}
