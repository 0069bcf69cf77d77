import { setTimeout as sleep } from 'node:timers/promises'
import { nanos } from '@nats-io/transport-node'
import { encodeJson } from '@tidemark/bus/codec'
import { call } from '@tidemark/bus/rpc'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import type { LedgerRow, ReadLedger } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { RunCommit, RunEvent, SettledPage } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { untilBlocked } from '@tidemark/testing/databases'
import { defaultSettings } from '@tidemark/testing/run-settings'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { database } from './database.ts'
import { startService } from './service.ts'

const acme = 7
const other = 8
const january = '2026-01-31T23:59:59.999Z'
const february = '2026-02-01T00:00:00.000Z'

test('usage-ledger', async t => {
  const { env, bus, pool, stack } = await surroundings(t, { database, declare: declareStreams })
  let services: AsyncDisposable[] = []
  stack.defer(() => stopServices())
  await start(1)

  t.test(
    'bills each settled page except challenges and those from the store to its project, on the day when it was settled',
    async t => {
      await append(1, january, queued(1, acme))
      await append(2, january, queued(2, acme))
      await append(3, january, queued(3, other))
      await append(1, january, { type: 'PagesAdmitted', data: { pages: [] } }, settled(1, 0, 30))
      await append(2, january, settled(2, 0, 10), settled(2, 10, 15))
      await append(2, january, challenged(2, 90, 95))
      await append(2, january, carried(2, 95, 99))
      await append(3, february, settled(3, 0, 4))
      await append(1, february, settled(1, 30, 50))
      await untilUnits(69)
      t.strictSame(await counters(), [
        { project_id: acme, day: '2026-01-31', pages: 45 },
        { project_id: acme, day: '2026-02-01', pages: 20 },
        { project_id: other, day: '2026-02-01', pages: 4 },
      ])
    },
  )

  t.test('returns the usage of a day and of its month', async t => {
    const read = (projectId: number, day: string) =>
      call(bus, usageRpc.readUsage, { projectId, day }, { timeoutMs: 10_000 })
    const pages = (pages: number) => ({ pages, cloudPages: 0, cloudCostUsd: 0 })
    t.strictSame(await read(acme, '2026-01-31'), { today: pages(45), month: pages(45) })
    t.strictSame(await read(acme, '2026-02-01'), { today: pages(20), month: pages(20) })
    t.strictSame(await read(acme, '2026-02-28'), { today: pages(0), month: pages(20) })
    t.strictSame(await read(99, '2026-02-01'), { today: pages(0), month: pages(0) })
  })

  t.test('returns the usage day by day, with days without usage', async t => {
    const request = { projectId: acme, from: '2026-01-30', to: '2026-02-02' }
    const { days } = await call(bus, usageRpc.readUsageHistory, request, { timeoutMs: 10_000 })
    const day = (date: string, pages: number) => ({ date, pages, cloudPages: 0, cloudCostUsd: 0 })
    t.strictSame(days, [
      day('2026-01-30', 0),
      day('2026-01-31', 45),
      day('2026-02-01', 20),
      day('2026-02-02', 0),
    ])
  })

  t.test('returns the spending of all projects to the operator, and its own lag', async t => {
    const limits = { timeoutMs: 10_000 }
    const read = (day: string, limit = 50) => call(bus, operatorRpc.readSpending, { day, limit }, limits)
    const pages = (pages: number) => ({ pages, cloudPages: 0, cloudCostUsd: 0, modelCalls: 0 })
    const { byCost, ...spent } = await read('2026-02-01')
    t.strictSame(spent, {
      today: pages(24),
      month: pages(24),
      byUnits: [
        { projectId: acme, ...pages(20) },
        { projectId: other, ...pages(4) },
      ],
    })
    t.strictSame(byCost, [], 'pages of plain crawls cost nothing')
    t.equal((await read('2026-02-01', 1)).byUnits.length, 1)
    t.match(await read('2026-02-28'), { today: pages(0), month: pages(24), byUnits: { length: 0 } })
    const set = `update ledger.counter set cloud_cost_usd = $1, cloud_pages = $2 where day = '2026-02-01'`
    await pool.query(`${set} and project_id = $3`, [1.5, 3, other])
    t.match((await read('2026-02-28')).byCost, [{ projectId: other, cloudCostUsd: 1.5, cloudPages: 3 }])
    t.equal((await read('2026-01-31')).byCost.length, 0, 'a month ends with the day')
    await pool.query(set, [0, 0])
    const { lags } = await call(bus, operatorRpc.lags['usage-ledger'], null, limits)
    t.match(
      lags.map(({ projection, messages }) => [projection, messages]),
      [
        ['bill-runs', 0],
        ['bill-requests', 0],
        ['ledger', 0],
      ],
    )
  })

  t.test('records the page and the run of each unit', async t => {
    const { rows } = await pool.query(
      `select project_id::int, run_id::int, page_id::int, kind, day::text from ledger.unit where token = $1`,
      [`2:${key(12)}`],
    )
    t.strictSame(rows, [{ project_id: acme, run_id: 2, page_id: 2012, kind: 'page', day: '2026-01-31' }])
  })

  t.test('returns the page of each unit, and the pages that cost nothing', async t => {
    const rows = await ledger({ runId: 2 })
    t.equal(rows.length, 20)
    t.strictSame(rows.at(0), {
      at: january,
      day: '2026-01-31',
      kind: 'page',
      units: 1,
      reason: 'billed',
      operation: 'crawl',
      runId: 2,
      pageId: 2000,
      attempt: 1,
      requestId: null,
      what: null,
      costUsd: 0,
      model: null,
      inputTokens: null,
      outputTokens: null,
    })
    t.match(
      rows.filter(({ units }) => units === 0),
      Array.from({ length: 5 }, (_, n) => ({ reason: 'blocked', pageId: 2090 + n, attempt: 3 })),
    )
    t.equal((await ledger({})).length, 65 + 5)
    t.equal((await ledger({ projectId: other })).length, 4, 'each project gets its own units')
    t.equal((await ledger({ from: '2026-02-01', to: '2026-02-01' })).length, 20)
    t.equal((await ledger({ from: null, to: '2026-01-31' })).length, 50)
    t.strictSame(await ledger({ kind: 'cloud_page' }), [])
    t.strictSame(await ledger({ runId: 3 }), [], 'no units of the runs of other projects')
    await equalCounters(t)
  })

  t.test('returns every unit to a client that reads page by page while the ledger grows', async t => {
    const before = await ledger({})
    const first = await ledger({ limit: 40 })
    await append(1, february, settled(1, 61, 64))
    await untilUnits(72)
    const parts = [first, await ledger({ offset: 40, limit: 20 }), await ledger({ offset: 60 })]
    t.strictSame(parts.flat().slice(0, before.length), before)
    t.equal(parts.flat().length, before.length + 3)
  })

  t.test('limits the reads of the ledger that run at once, and the time of each', async t => {
    const blocker = await pool.connect()
    t.teardown(() => blocker.release())
    await blocker.query('begin; lock table ledger.unit in access exclusive mode')
    const read = (projectId: number) => ledger({ projectId }).catch(error => error)
    const slow = [read(acme), read(acme)]
    await untilBlocked(blocker, 'ledger.unit')
    t.match(await read(acme), { status: 429, reason: 'concurrent_requests' })
    slow.push(read(other))
    await untilBlocked(blocker, 'ledger.unit', 2)
    const tooSlow = { status: 503, message: /within 8 seconds.*fewer days/ }
    t.match(await slow[0], tooSlow)
    t.match(await slow[2], tooSlow, 'another project does not wait for it')
    await blocker.query('rollback')
    t.equal((await ledger({ projectId: other })).length, 4)
    t.type(await slow[1], Array, 'the second read had its turn')
  })

  t.test('adds nothing when it bills all runs again, within the duplicate window', async t => {
    const before = await usageMessages()
    await readAgain('bill-runs')
    t.equal(await usageMessages(), before)
    t.equal(await units(), 72)
  })

  t.test('keeps its sums exact when every bill is delivered three times', async t => {
    const { config } = await bus.jsm.streams.info(streams.usage)
    await bus.jsm.streams.update(streams.usage, { ...config, duplicate_window: nanos(100) })
    const before = await usageMessages()
    const sums = await counters()
    const rows = await ledger({})
    for (const times of [2, 3]) {
      await sleep(300)
      await readAgain('bill-runs')
      t.equal(await usageMessages(), times * before, 'the bills are in USAGE again')
      t.strictSame(await counters(), sums)
      t.strictSame(await ledger({}), rows)
    }
    t.equal(await units(), 72)
  })

  t.test('computes the same rows when it reads all of USAGE again', async t => {
    const sums = await counters()
    const rows = await ledger({})
    await pool.query('truncate ledger.unit, ledger.counter')
    await readAgain('ledger')
    t.strictSame(await counters(), sums)
    t.strictSame(await ledger({}), rows)
    await equalCounters(t)
  })

  t.test(
    'bills a page once that two commits settle, and a run after its first event was read long ago',
    async () => {
      await stopServices()
      await append(1, february, settled(1, 40, 60))
      await start(1)
      await untilUnits(82)
    },
  )

  t.test('continues after a message that it cannot read', async () => {
    await bus.js.publish(subjects.run(4), 'no commit')
    await append(4, february, { type: 'RunWeighed', data: { grams: 1 } } as unknown as RunEvent)
    await append(4, february, settled(4, 0, 1))
    await bus.js.publish(subjects.usage(acme), '{}')
    await append(1, february, settled(1, 60, 61))
    await untilUnits(83)
  })

  t.test('counts exactly while two instances run', async t => {
    await start(2)
    const runs = Array.from({ length: 20 }, (_, n) => 100 + n)
    await Promise.all(runs.map(run => append(run, february, queued(run, other))))
    for (let n = 0; n < 10; n++) {
      await Promise.all(runs.map(run => append(run, february, settled(run, 20 * n, 20 * n + 25))))
    }
    await untilUnits(83 + 20 * 205)
    t.strictSame((await counters()).at(-1), { project_id: other, day: '2026-02-01', pages: 4 + 20 * 205 })
  })

  async function ledger(about: Partial<ReadLedger>): Promise<LedgerRow[]> {
    const all = { from: null, to: null, runId: null, requestId: null, kind: null, limit: 1000, offset: 0 }
    return (
      await call(bus, usageRpc.readLedger, { projectId: acme, ...all, ...about }, { timeoutMs: 10_000 })
    ).rows
  }

  /** Checks that the units of all rows of a day add up to its counter. */
  async function equalCounters(t: Test): Promise<void> {
    const { rows } = await pool.query(
      `select project_id::int, day::text, sum(units)::int as pages from ledger.unit group by 1, 2 order by 1, 2`,
    )
    t.strictSame(rows, await counters())
  }

  async function append(runId: number, at: string, ...events: RunEvent[]): Promise<void> {
    const commit: RunCommit = { at, events }
    await bus.js.publish(subjects.run(runId), encodeJson(commit))
  }

  async function start(count: number): Promise<void> {
    const fresh = Array.from({ length: count }, () => startService(env, new AbortController().signal))
    services.push(...(await Promise.all(fresh)))
  }

  async function stopServices(): Promise<void> {
    await Promise.all(services.map(service => service[Symbol.asyncDispose]()))
    services = []
  }

  /** Resets one reader to the beginning of its stream, and waits until both readers have read all messages. */
  async function readAgain(projection: string): Promise<void> {
    await stopServices()
    await pool.query(`update ledger.checkpoint set sequence = 0 where projection = $1`, [projection])
    await start(1)
    await untilRead('bill-runs', streams.runs)
    await untilRead('ledger', streams.usage)
  }

  async function untilRead(projection: string, stream: string): Promise<void> {
    const { state } = await bus.jsm.streams.info(stream)
    await until(async () => {
      const { rows } = await pool.query(`select sequence from ledger.checkpoint where projection = $1`, [
        projection,
      ])
      return Number(rows[0]?.sequence) === state.last_seq
    })
  }

  const untilUnits = (count: number) => until(async () => (await units()) === count)

  async function units(): Promise<number> {
    const { rows } = await pool.query(`select coalesce(sum(units), 0)::int as count from ledger.unit`)
    return rows[0].count
  }

  async function counters() {
    const { rows } = await pool.query(
      `select project_id::int, day::text, pages::int from ledger.counter order by project_id, day`,
    )
    return rows
  }

  const usageMessages = async () => (await bus.jsm.streams.info(streams.usage)).state.messages
})

const queued = (runId: number, projectId: number): RunEvent => ({
  type: 'RunQueued',
  data: {
    runId,
    projectId,
    tier: 'pro',
    url: 'https://example.com/',
    settings: defaultSettings,
  },
})

/** Settles the pages of a run from number `first` up to but not including `end`. */
const settled = (runId: number, first: number, end: number): RunEvent => ({
  type: 'PagesSettled',
  data: { pages: Array.from({ length: end - first }, (_, n) => page(runId, first + n)) },
})

const challenged = (runId: number, first: number, end: number): RunEvent => ({
  type: 'PagesSettled',
  data: {
    pages: Array.from({ length: end - first }, (_, n) => ({
      ...page(runId, first + n),
      blocked: true as const,
      attempt: 3,
    })),
  },
})

/** Pages that a fork has taken from the store. */
const carried = (runId: number, first: number, end: number): RunEvent => ({
  type: 'PagesSettled',
  data: {
    pages: Array.from({ length: end - first }, (_, n) => ({
      ...page(runId, first + n),
      carried: { since: 1 },
      ...(n === 0 && { blocked: true as const }),
    })),
  },
})

const page = (runId: number, n: number): SettledPage => ({
  key: key(n),
  id: runId * 1000 + n,
  url: `https://example.com/${n}`,
  requestedUrl: null,
  depth: 1,
  status: 200,
  bytes: 10,
  fetchedAt: february,
  contentType: 'text/html',
  title: null,
  contentHash: '0'.repeat(64),
  rawHash: '0'.repeat(64),
})

const key = (n: number) => String(n).padStart(11, 'k')
