/**
 * Several processes of each service on one machine, and several crawls at once: each does a fair share of the work, what
 * a killed one was about is taken over by the others, and nothing is lost or there twice.
 */
import { randomInt } from 'node:crypto'
import { type ServiceName, services } from '@tidemark/contracts/services'
import { isFullTier } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { isReady, type Process, processesOf } from './probes.ts'
import { callAnew, countedIn, keepDead, startReceiver, startSlowSite } from './scale-out.scene.ts'
import { startSystem } from './system.ts'

const isWhole = process.env.SCALE_OUT === 'whole'
const skip = !isFullTier && 'it takes 70 s of both processors: npm run test:full runs it'
const pages = isWhole ? 60 : 20
const answerMs = 30
const projects = 3
/** As many as a project may have at once. */
const runsOfProject = 5
const runs = projects * runsOfProject
const calls = 200
/** A killed coordinator's shards are with the others within this. */
const takenOverMs = 15_000
const crawling: ServiceName[] = ['crawl-coordinator', 'fetcher', 'extractor']

/** How each service counts what it did. What is not here stands by, or is asked too seldom to be counted. */
const work: Partial<Record<ServiceName, [metric: string, labels?: string]>> = {
  gateway: ['tidemark_http_seconds_count'],
  'crawl-coordinator': ['tidemark_pages_total', 'outcome="fetched"'],
  fetcher: ['tidemark_fetch_seconds_count'],
  extractor: ['tidemark_extractor_pages_total'],
  webhook: ['tidemark_webhook_deliveries_total'],
}

test('Two of each service', { timeout: 280_000, skip }, t => scaledOut(t, 2, services))
test('Four of each that crawls', { timeout: 280_000, skip: !isWhole && 'SCALE_OUT=whole has it done' }, t =>
  scaledOut(t, 4, crawling),
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
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await client.connect()
  t.teardown(() => client.end())
  const names = Array.from({ length: projects }, (_, n) => `scaled-${count}-${n}`)
  const keys: string[] = []
  for (const name of names) keys.push(await system.createProject(name, '--tier', 'studio', '--unlimited'))

  await untilAllReady()
  await untilShared()

  await t.test(`${runs} crawls at once are shared by all of them`, async t => {
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
      // Half of an equal share at least, of what was enough to be shared.
      t.ok(Math.min(...parts) >= sum / (2 * count), `${service}: ${parts.join(', ')}`)
    }
    const coordinators = await processesOf(system, 'crawl-coordinator')
    t.equal(coordinators.length, count)
    t.equal((await unitsBilled()) - units, runs * pages)
    t.ok(
      [...receiver.told.values()].every(times => times === 1),
      'each crawl is told once',
    )
  })

  await t.test('the shards of killed coordinators are taken over, and their crawls end', async t => {
    const doomed = Array.from({ length: count / 2 }, (_, n) => `crawl-coordinator-${n + 1}`)
    await crawlAll(t, async () => {
      await until(async () => {
        const active = await countedIn(await processesOf(system, 'crawl-coordinator'), 'tidemark_runs_active')
        return active.every(number => number > 0)
      })
      const killedAt = performance.now()
      const killing = await keepDead(system, doomed)
      await until(async () => !(await owners()).some(owner => doomed.includes(owner)), takenOverMs)
      t.comment(`${doomed.length} killed, taken over after ${Math.round(performance.now() - killedAt)} ms`)
      return killing
    })
    await untilAllReady()
    await untilShared()
  })

  if (several.includes('projector'))
    for (const n of [1, 2])
      await t.test(`what projector, ledger and webhook ${n} leave is done by the others`, async t => {
        const doomed = ['projector', 'usage-ledger', 'webhook'].map(service => `${service}-${n}`)
        await crawlAll(t, () => keepDead(system, doomed))
        await untilAllReady()
      })

  await t.test('and everything agrees', async t => {
    const verified = await system.admin('verify')
    t.match(verified, { ok: true }, JSON.stringify(verified))
  })

  /** Crawls of every project at once, with something else meanwhile, which is over when they have ended and are told. */
  async function crawlAll(t: Test, meanwhile?: () => Promise<Awaited<ReturnType<typeof keepDead>>>) {
    const [told, units] = [receiver.told.size, await unitsBilled()]
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
      await until(async () => receiver.told.size === told + runs)
      await until(async () => (await unitsBilled()) === units + runs * pages)
      if (killing) t.ok(killing.killed.size > 0, `${killing.killed.size} killed`)
    } finally {
      await killing?.[Symbol.asyncDispose]()
    }
  }

  async function callOften() {
    const [key = ''] = keys
    for (let n = 0; n < calls; n++) t.equal(await callAnew(system.base, key, '/v1/crawls?limit=1'), 200)
  }

  async function done(service: ServiceName): Promise<number[]> {
    const [metric = '', labels] = work[service] ?? []
    return countedIn(await processesOf(system, service), metric, labels)
  }

  async function unitsBilled(): Promise<number> {
    const { rows } = await client.query<{ units: number }>(
      `select count(*)::int as units from ledger.unit where kind = 'page'`,
    )
    return rows[0]?.units ?? 0
  }

  async function owners(): Promise<string[]> {
    const { rows } = await client.query<{ owner: string | null }>(
      'select owner from coordinator.shard_lease order by shard',
    )
    return rows.map(({ owner }) => owner ?? '')
  }

  /** Every coordinator has as many shards as the others. */
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
      const well = await Promise.all(processes.map(async (one: Process) => one.pid !== null && isReady(one)))
      return well.every(Boolean)
    }, 90_000)
  }
}
