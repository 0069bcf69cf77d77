import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nanos } from '@nats-io/transport-node'
import { encodeJson } from '@tidemark/bus/codec'
import { publish } from '@tidemark/bus/publish'
import type { StreamMessage } from '@tidemark/bus/read'
import { call, sendWithoutResponse } from '@tidemark/bus/rpc'
import type { LedgerRow, ReadLedger, ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { ServedCommit, ServedUnits, ServedWaived } from '@tidemark/contracts/served'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { UsageCommit } from '@tidemark/contracts/usage'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { kill, surroundings } from '@tidemark/testing/surroundings'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import type { PoolClient } from 'pg'
import { test } from 'tap'
import { sweepFree } from './adapters/free-results.ts'
import { lockedProjects } from './adapters/locked-projects.ts'
import { untilRecorded } from './adapters/recorded.ts'
import { fillOfServed, shortenServed } from './adapters/served-stream.ts'
import { waivers } from './adapters/waivers.ts'
import { database } from './database.ts'
import { billsFor } from './domain/billing.ts'
import { reserveUnits } from './handlers/reserve-units.ts'
import { billRequests } from './policies/bill-requests.ts'
import { sweepExpired } from './policies/sweep-reservations.ts'
import { trimServed } from './policies/trim-served.ts'
import { startService } from './service.ts'

const january = '2026-01-31T23:59:59.999Z'
const february = '2026-02-01T00:00:00.000Z'
const minuteMs = 60_000

const ofLedger = { schema: 'ledger', partition: 'all' }
const readersOfLedger = [
  { ...ofLedger, projection: 'bill-requests', stream: streams.served, filter: 'served.*' },
  { ...ofLedger, projection: 'ledger', stream: streams.usage, filter: 'usage.*' },
]

test('Free units are listed identically at each reading, up to a limit per project and day', async t => {
  const allowance = waivers(6)
  const mine = allowance()
  const bills: UsageCommit[] = []
  const publish = async (bill: UsageCommit) => void bills.push(bill)
  const apply = billRequests({ publish, waivers: mine })
  const waived = Array.from({ length: 4 }, (_, n) => ({
    kind: 'page' as const,
    what: `http://a.example/${n}`,
    reason: 'blocked' as const,
  }))
  const message = (sequence: number, requestId: string, projectId = 7) => {
    const data = { projectId, requestId, operation: 'scan_bulk', units: [], costUsd: 0, waived }
    const commit: ServedCommit = { at: january, events: [{ type: 'RequestServed', data }] }
    return { sequence, subject: subjects.served(projectId), data: encodeJson(commit) } as StreamMessage
  }
  const listed = async (...messages: StreamMessage[]) => {
    bills.length = 0
    await apply({ query: async () => ({ rows: [] }) } as unknown as PoolClient, messages)
    return bills.flatMap(({ events }) => events.map(({ data }) => data.units.length))
  }
  const batch = [message(1, 'a'), message(2, 'b')]
  t.strictSame(await listed(...batch), [4, 2])
  const first = structuredClone(bills)
  t.strictSame(await listed(...batch), [4, 2], 'also when an uncommitted batch is read again')
  t.strictSame(bills, first)
  t.equal(allowance().remaining(7, '2026-01-31'), 6)
  mine.keep()
  t.equal(allowance().remaining(7, '2026-01-31'), 0, 'a committed batch counts for all readers')
  t.equal(allowance().remaining(7, '2026-02-01'), 6, 'each day has its own limit')
  t.strictSame(await listed(message(3, 'c', 8)), [4], 'each project has its own limit')
})

test('usage-ledger and the units of requests', async t => {
  const { env, bus, pool, stack, spawn } = await surroundings(t, { database, declare: declareStreams })
  let services: AsyncDisposable[] = []
  stack.defer(() => stopServices())
  await start(2)
  let now = Date.parse(january)
  const projects = lockedProjects({ transaction: fn => inTransaction(pool, fn) })
  const reserveAt = reserveUnits(
    projects,
    () => now,
    async () => {},
  )
  const sweepAfter = (untilRecorded: () => Promise<boolean>) =>
    sweepExpired({ pool, now: () => now, untilRecorded })
  const sweepRecorded = () => sweepAfter(async () => true)

  t.test('never grants more than the cap, however many requests come at once', async t => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => reserve(requestOf(1, `parallel-${n}`, 73, 1_000))),
    )
    t.equal(sumOf(answers), 1_000)
    t.equal(answers.filter(({ granted }) => granted === 73).length, 13)
    t.equal(answers.filter(({ granted }) => granted === 1_000 - 13 * 73).length, 1)
    for (const { granted, reason, retryAfterSeconds } of answers) {
      t.equal(reason, granted === 73 ? null : 'daily_pages')
      t.equal(retryAfterSeconds === null, reason === null)
    }
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, n) => reserve(requestOf(1, `parallel-${n}`, 73, 1_000))),
    )
    t.strictSame(
      again.map(({ granted, reason }) => ({ granted, reason })),
      answers.map(({ granted, reason }) => ({ granted, reason })),
      'and the same grants for repeated requests',
    )
  })

  t.test('separates the units of projects and of kinds', async t => {
    t.match(await reserve(requestOf(2, 'parallel-0', 73, 100)), { granted: 73, reason: null })
    const cloud = { ...requestOf(2, 'parallel-0', 30, 25), kind: 'cloud_page' as const }
    t.match(await reserve(cloud), { granted: 25, reason: 'cloud_pages' })
  })

  t.test('grants all units without a limit, and stores no reservation', async t => {
    const unlimited = { ...requestOf(3, 'free', 1_000_000, 0), limits: { perDay: null, perMonth: null } }
    const granted = { granted: 1_000_000, reason: null, retryAfterSeconds: null }
    t.strictSame(await reserve(unlimited), granted)
    t.strictSame(await held(3), [])
  })

  t.test('releases the units that a request did not need', async t => {
    t.equal((await reserve(requestOf(4, 'failed', 10, 10))).granted, 10)
    t.match(await reserve(requestOf(4, 'waiting', 10, 10)), { granted: 0, reason: 'daily_pages', held: 10 })
    sendWithoutResponse(bus, usageRpc.unitsReleased, { projectId: 4, requestId: 'failed' })
    await until(async () => (await reserve(requestOf(4, 'waiting', 10, 10))).granted === 10)
    t.strictSame(await held(4), [{ request_id: 'waiting', units: 10 }])
  })

  t.test('counts the units of an ended request as spent in the next request', async t => {
    for (let n = 0; n < 5; n++) {
      const requestId = `ended-${n}`
      const request = requestOf(58, requestId, 1, n + 1)
      t.equal((await reserve(request)).granted, 1)
      await served(58, requestId, new Date().toISOString(), [page('https://example.com/')])
      const next = await reserve({ ...request, requestId: 'next' })
      t.match(next, { granted: 0, reason: 'daily_pages', held: undefined })
    }
  })

  t.test('grants more units to a request that was granted all', async t => {
    const grow = (requestId: string, units: number) => reserve(requestOf(17, requestId, units, 10))
    t.strictSame(await grow('growing', 1), { granted: 1, reason: null, retryAfterSeconds: null })
    t.match(await grow('growing', 6), { granted: 6, reason: null })
    t.match(await grow('growing', 1), { granted: 6 }, 'a grant is never reduced')
    t.match(await grow('other', 3), { granted: 3 })
    t.match(await grow('growing', 9), { granted: 7, reason: 'daily_pages', held: 2 })
    t.match(await grow('growing', 9), { granted: 7, reason: 'daily_pages' })
    t.strictSame(await held(17), [
      { request_id: 'growing', units: 7 },
      { request_id: 'other', units: 3 },
    ])
    t.match(await grow('third', 1), { granted: 0, held: 1 })
    t.match(await reserve(requestOf(55, 'alone', 8, 10)), { granted: 8 })
    const alone = { granted: 10, reason: 'daily_pages', held: undefined }
    t.match(await reserve(requestOf(55, 'alone', 12, 10)), alone, 'its own units are not those of others')
    await served(17, 'growing', new Date(now).toISOString(), [{ kind: 'page', n: 7, what: 'a' }])
    await until(async () => (await held(17)).length === 1)
  })

  t.test('refuses a project with too many free results, until the next day', async t => {
    const waived = (n: number) =>
      Array.from({ length: n }, (_, at) => ({
        ...{ kind: 'page' as const, what: `http://a.example/${at}`, reason: 'failed' as const },
      }))
    const free = async (day: string) => {
      const { rows } = await pool.query(
        'select pages::int, cloud_pages::int from ledger.free_result where project_id = 40 and day = $1',
        [day],
      )
      return rows[0]
    }
    await served(40, 'free-20', january, [], waived(20))
    await until(async () => (await free('2026-01-31'))?.pages === 20)
    t.match(await reserveAt(requestOf(40, 'tenfold', 2, 2)), { granted: 2, reason: null })
    await pool.query('delete from ledger.reservation where project_id = 40')
    await served(40, 'free-21', january, [page('a')], waived(1))
    await until(async () => (await free('2026-01-31'))?.pages === 21)
    const refused = { granted: 0, reason: 'free_results', retryAfterSeconds: 1 }
    t.strictSame(await reserveAt(requestOf(40, 'next', 1, 2)), refused)
    t.match(await reserveAt(requestOf(40, 'next', 1, 3)), { granted: 1 }, 'a higher cap allows more of them')
    t.match(await reserveAt(requestOf(41, 'other', 1, 2)), { granted: 1 }, 'other projects are not concerned')
    const cloud = { ...requestOf(40, 'cloud', 1, 2), kind: 'cloud_page' as const }
    t.match(await reserveAt(cloud), { granted: 1 }, 'cloud pages have a limit of their own')
    const before = now
    now = Date.parse(february)
    t.match(await reserveAt(requestOf(40, 'tomorrow', 1, 3)), { granted: 1, reason: null })
    now = before
    t.strictSame(await free('2026-01-31'), { pages: 21, cloud_pages: 0 })
  })

  t.test('counts free results that a commit does not list', async t => {
    const data = { projectId: 42, requestId: 'unlisted', operation: 'scan', units: [], costUsd: 0 }
    const commit: ServedCommit = {
      at: january,
      events: [{ type: 'RequestServed', data: { ...data, unlisted: { page: 7, cloud_page: 2 } } }],
    }
    await publish(bus, subjects.served(42), encodeJson(commit), { id: 'unlisted' })
    const counted = () =>
      pool.query('select pages::int, cloud_pages::int from ledger.free_result where project_id = 42')
    await until(async () => (await counted()).rowCount === 1)
    t.strictSame((await counted()).rows, [{ pages: 7, cloud_pages: 2 }])
  })

  t.test('forgets the free results of earlier days, and none of today', async t => {
    await pool.query(
      `insert into ledger.free_result (project_id, day, pages, cloud_pages)
       select 57, current_date - ago, 9, 0 from generate_series(-1, 4) as ago`,
    )
    await sweepFree(pool)
    const { rows } = await pool.query(
      'select (current_date - day)::int as ago from ledger.free_result where project_id = 57 order by ago',
    )
    t.strictSame(
      rows.map(({ ago }) => ago),
      [-1, 0, 1, 2],
      'in every time zone of the database',
    )
  })

  t.test('bills a request for its units and ends its reservation', async t => {
    await reserve(requestOf(5, 'bulk', 100, 100))
    await served(5, 'bulk', february, [
      page('https://example.com/'),
      page('https://example.com/2'),
      cloud('c'),
    ])
    await until(async () => (await held(5)).length === 0)
    t.strictSame(await unitsOf(5), [
      { token: 'served:bulk:0', kind: 'page', day: '2026-02-01', what: 'https://example.com/', run_id: null },
      {
        token: 'served:bulk:1',
        kind: 'page',
        day: '2026-02-01',
        what: 'https://example.com/2',
        run_id: null,
      },
      { token: 'served:bulk:2', kind: 'cloud_page', day: '2026-02-01', what: 'c', run_id: null },
    ])
    t.strictSame(await countersOf(5), [{ day: '2026-02-01', pages: 2, cloud_pages: 1, cost: 0.5 }])
    const recentSince = async (since?: string) => {
      const request = { projectId: 5, day: '2026-02-01', ...(since !== undefined && { since }) }
      return (await call(bus, usageRpc.readUsage, request, { timeoutMs: 10_000 })).recent
    }
    t.strictSame(
      await recentSince(february),
      { cloudPages: 1, cloudCostUsd: 0.5 },
      'exactly from the time of the commit',
    )
    t.strictSame(await recentSince('2026-02-01T00:00:00.001Z'), { cloudPages: 0, cloudCostUsd: 0 })
    t.equal(await recentSince(), undefined)
  })

  t.test('grants no more calls of a language model than the cap of the day', async t => {
    const day = new Date().toISOString()
    const grant = (requestId: string, projectId = 19) =>
      call(bus, usageRpc.reserveModelCall, { projectId, requestId }, { timeoutMs: 30_000 })
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => grant(`model-${n}`)))
    t.equal(answers.filter(({ granted }) => granted).length, modelCalls)
    const [{ cap, retryAfterSeconds }] = answers as [(typeof answers)[0]]
    t.equal(cap, modelCalls)
    t.ok(retryAfterSeconds > 0 && retryAfterSeconds <= 86_400)
    const names = answers.flatMap(({ granted }, n) => (granted ? [`model-${n}`] : []))
    const [used = '', unused = ''] = names
    t.match(await grant(used), { granted: true, isRepeated: true }, 'again for the same request')
    t.match(await grant('of another project', 20), { granted: true, isRepeated: undefined })
    await reserve(requestOf(56, 'page', 1, 10))
    t.match(await grant('page', 56), { granted: true, isRepeated: undefined }, 'its page is no call')
    t.equal((await held(56)).length, 2)
    await served(19, used, day, [], undefined, { inputTokens: 5, outputTokens: 1 })
    await until(async () => (await held(19)).length === modelCalls - 1)
    t.match(await grant('one more'), { granted: false }, 'a billed call counts')
    sendWithoutResponse(bus, usageRpc.unitsReleased, { projectId: 19, requestId: unused })
    await until(async () => (await grant('one more')).granted)
    t.match(await grant('another one'), { granted: false })
    const { rows } = await pool.query('select model_calls::int from ledger.counter where project_id = 19')
    t.strictSame(rows, [{ model_calls: 1 }])
  })

  t.test('ends the reservation of a request that costs nothing', async t => {
    await reserve(requestOf(6, 'blocked', 1, 1))
    await served(6, 'blocked', february, [])
    await until(async () => (await held(6)).length === 0)
    t.strictSame(await unitsOf(6), [])
  })

  t.test('returns the target of each unit of a request, and its free attempts', async t => {
    await reserve(requestOf(15, 'mixed', 3, 3))
    const cached = { ...page('https://example.com/cached'), reason: 'cached' as const }
    const waived = [
      { kind: 'page' as const, what: 'https://blocked.example/', reason: 'blocked' as const },
      { kind: 'page' as const, what: 'https://user:pass@down.example/\0', reason: 'failed' as const },
    ]
    await served(15, 'mixed', february, [page('https://example.com/'), cached, cloud('c')], waived)
    await reserve(requestOf(15, 'failed', 1, 3))
    await served(15, 'failed', january, [], waived.slice(1))
    await until(async () => (await held(15)).length === 0 && (await ledger({})).length === 6)

    const rows = await ledger({ requestId: 'mixed' })
    const units = rows.map(({ units, kind, reason, what, costUsd }) => [units, kind, reason, what, costUsd])
    t.strictSame(units, [
      [1, 'page', 'billed', 'https://example.com/', 0.5],
      [1, 'page', 'cached', 'https://example.com/cached', 0],
      [1, 'cloud_page', 'billed', 'c', 0],
      [0, 'page', 'blocked', 'https://blocked.example/', 0],
      [0, 'page', 'failed', 'https://down.example/', 0],
    ])
    for (const row of rows) {
      t.match(row, { at: february, day: '2026-02-01', operation: 'scan_bulk', requestId: 'mixed' })
      t.match(row, { runId: null, pageId: null, attempt: null })
    }
    t.match(await ledger({ to: '2026-01-31' }), [{ requestId: 'failed', units: 0, reason: 'failed' }])
    t.equal((await ledger({ kind: 'cloud_page' })).length, 1)
    t.strictSame(await ledger({ requestId: 'bulk' }), [], 'no units of requests of other projects')
    t.strictSame(await countersOf(15), [{ day: '2026-02-01', pages: 2, cloud_pages: 1, cost: 0.5 }])
  })

  t.test('bills all units of a request, in several messages', async t => {
    await reserve(requestOf(7, 'sitemap', 2_500, 2_500))
    await served(7, 'sitemap', february, [
      { kind: 'page', n: 2_500, what: 'https://example.com/sitemap.xml' },
    ])
    await until(async () => (await held(7)).length === 0)
    t.match(await countersOf(7), [{ pages: 2_500 }])
  })

  t.test('keeps all units of a request reserved until its last bill is recorded', async t => {
    await reserve(requestOf(50, 'large', 1_500, 2_000))
    const data = { projectId: 50, requestId: 'large', operation: 'scan_bulk', costUsd: 0 }
    const units = [{ kind: 'page' as const, n: 1_500, what: 'https://example.com/sitemap.xml' }]
    const facts = { at: february, trace: undefined, served: { ...data, units }, call: null }
    const [first, last] = billsFor(facts, 0)
    await publish(bus, subjects.usage(50), encodeJson(first), { id: 'large-0' })
    await until(async () => (await countersOf(50)).length > 0)
    t.strictSame(await held(50), [{ request_id: 'large', units: 1_500 }])
    await publish(bus, subjects.usage(50), encodeJson(last), { id: 'large-1' })
    await until(async () => (await held(50)).length === 0)
    t.match(await countersOf(50), [{ pages: 1_500 }])
  })

  t.test('keeps the reservation of another project whose request has the same name', async t => {
    for (const project of [51, 52]) await reserve(requestOf(project, 'same name', 1, 10))
    await served(51, 'same name', february, [page('https://example.com/')])
    await until(async () => (await held(51)).length === 0)
    t.strictSame(await held(52), [{ request_id: 'same name', units: 1 }])
  })

  t.test('adds up the costs of a day', async t => {
    for (const n of [1, 2]) {
      await served(53, `cloud ${n}`, february, [cloud('c')])
      await until(async () => (await countersOf(53))[0]?.cloud_pages === n)
    }
    t.strictSame(await countersOf(53), [{ day: '2026-02-01', pages: 0, cloud_pages: 2, cost: 1 }])
  })

  t.test('keeps a reservation for 15 minutes after its latest request', async t => {
    now = Date.parse(february)
    for (const units of [1, 5, 5]) {
      t.match(await reserveAt(requestOf(54, 'slow', units, 10)), { granted: units })
      now += 10 * minuteMs
      await sweepRecorded()
      t.strictSame(await held(54), [{ request_id: 'slow', units }])
    }
    now += 5 * minuteMs
    await sweepRecorded()
    t.strictSame(await held(54), [])
  })

  t.test('counts billed and held units against the caps, each once', async t => {
    const limits = { perDay: 3, perMonth: 2_504 }
    now = Date.parse(february)
    const at = (requestId: string) => reserveAt({ ...requestOf(7, requestId, 10, 0), limits })
    t.match(await at('day'), { granted: 0, reason: 'daily_pages' }, 'the day is used up')
    now += 24 * 60 * minuteMs
    t.match(await at('one'), { granted: 3, reason: 'daily_pages', retryAfterSeconds: 86_400 })
    t.match(await at('two'), { granted: 0, reason: 'daily_pages' })
    now += 24 * 60 * minuteMs
    await sweepRecorded()
    t.match(await at('three'), { granted: 3 }, 'after it has expired')
    now = Date.parse('2026-02-28T23:59:59.000Z')
    await sweepRecorded()
    await pool.query(
      `insert into ledger.counter (project_id, day, pages) values (7, '2026-02-03', 2), (7, '2026-03-01', 9)`,
    )
    t.match(await at('four'), { granted: 2, reason: 'monthly_pages', retryAfterSeconds: 1 })
    now = Date.parse('2026-03-02T00:00:00.000Z')
    await sweepRecorded()
    t.match(await at('five'), { granted: 3, reason: 'daily_pages' }, 'the next month begins')
    await pool.query(`delete from ledger.reservation where project_id = 7`)
    await pool.query(`delete from ledger.counter where project_id = 7 and day > '2026-02-01'`)
  })

  t.test('bills units on the day of the commit, even if they were reserved on the day before', async t => {
    now = Date.parse(january)
    t.match(await reserveAt(requestOf(8, 'late', 10, 10)), { granted: 10 })
    now = Date.parse(february)
    t.match(await reserveAt(requestOf(8, 'early', 1, 10)), { granted: 0 }, 'held units count for the new day')
    await served(8, 'late', february, [{ kind: 'page', n: 10, what: 'a' }])
    await until(async () => (await countersOf(8)).length > 0)
    t.match(await countersOf(8), [{ day: '2026-02-01', pages: 10 }])
    t.match(await reserveAt(requestOf(8, 'early', 1, 10)), { granted: 0, reason: 'daily_pages' })
  })

  t.test(
    'deletes the reservation of a request that never ended after 15 minutes, once all served requests are counted',
    async t => {
      let isRecorded = false
      const sweepNow = () => sweepAfter(async () => isRecorded)
      now = Date.parse(february)
      t.match(await reserveAt(requestOf(9, 'killed', 10, 10)), { granted: 10 })
      now += 15 * minuteMs
      await sweepNow()
      t.match(await reserveAt(requestOf(9, 'next', 1, 10)), { granted: 0 }, 'it may have been served')
      isRecorded = true
      now -= 1
      await sweepNow()
      t.strictSame(await held(9), [{ request_id: 'killed', units: 10 }])
      now += 1
      await sweepNow()
      t.strictSame(await held(9), [])
      t.match(await reserveAt(requestOf(9, 'next', 1, 10)), { granted: 1 })
    },
  )

  t.test('keeps reservations that expired while the ledger was down', async t => {
    await reserve(requestOf(10, 'away', 10, 10))
    await stopServices()
    await expire(10)
    await start(2)
    t.equal((await reserve(requestOf(10, 'next', 10, 10))).granted, 0)
    t.strictSame(await held(10), [{ request_id: 'away', units: 10 }])
  })

  t.test('exceeds no cap while the ledger is stuck', async t => {
    const sweeps = new AbortController()
    const recorded = { bus, pool, readers: readersOfLedger, signal: sweeps.signal }
    const sweepNow = () => sweepExpired({ pool, now: Date.now, untilRecorded: () => untilRecorded(recorded) })
    t.match(await reserve(requestOf(16, 'slow', 10, 10)), { granted: 10 })
    const client = await pool.connect()
    await client.query('begin')
    await client.query('lock table ledger.unit in share mode')
    await served(16, 'slow', new Date().toISOString(), [{ kind: 'page', n: 10, what: 'a' }])
    await expire(16)
    let isSwept = false
    const swept = sweepNow().then(() => {
      isSwept = true
    })
    await sleep(700)
    t.match(await reserve(requestOf(16, 'more', 10, 10)), { granted: 0 })
    t.equal(isSwept, false, 'nothing is deleted before all served requests are recorded')
    await client.query('commit')
    client.release()
    await swept
    t.strictSame(await held(16), [])
    t.match(
      await reserve(requestOf(16, 'more', 10, 10)),
      { granted: 0, reason: 'daily_pages' },
      'it is billed',
    )

    const stopped = new AbortController()
    stopped.abort()
    const readers = [{ ...readersOfLedger[0], projection: 'unknown' }] as typeof readersOfLedger
    t.equal(
      await untilRecorded({ ...recorded, readers, signal: stopped.signal }),
      false,
      'the wait ends when the signal aborts',
    )
    await pool.query(`delete from ledger.checkpoint where projection = 'unknown'`)
  })

  t.test('bills a request once that is stored, read and recorded twice', async t => {
    const rows = await everything()
    await narrowWindows()
    await served(5, 'bulk', february, [
      page('https://example.com/'),
      page('https://example.com/2'),
      cloud('c'),
    ])
    const bills = (await bus.jsm.streams.info(streams.usage)).state.messages
    await readAgain('bill-requests', 'ledger')
    t.ok((await bus.jsm.streams.info(streams.usage)).state.messages > bills, 'the bills are in USAGE again')
    t.strictSame(await everything(), rows)
  })

  t.test('computes the same rows when it reads all of USAGE again', async t => {
    const rows = await everything()
    await stopServices()
    await pool.query('truncate ledger.unit, ledger.counter')
    await start(1)
    await readAgain('ledger')
    t.strictSame(await everything(), rows)
  })

  t.test('continues after a message that it cannot read', async t => {
    await bus.js.publish(subjects.served(11), 'no commit')
    const odd = { type: 'RequestWeighed', data: { grams: 1 } }
    await bus.js.publish(subjects.served(11), encodeJson({ at: february, events: [odd] }))
    await bus.js.publish(
      subjects.usage(11),
      encodeJson({ at: february, events: [{ type: 'ServedUnitsSpent', data: {} }] }),
    )
    await served(11, 'after', february, [page('a')])
    await until(async () => (await countersOf(11)).length > 0)
    t.match(await countersOf(11), [{ pages: 1 }])
  })

  t.test('removes characters that Postgres rejects, and credentials, from stored texts', async t => {
    await served(13, 'poison\0', february, [
      page('http://a.example/\0'),
      page('http://a.example/\ud800'),
      page('http://user:pass@a.example/'),
    ])
    const units = [{ token: 'served:old\0:0', what: 'http://user:pass@a.example/\0' }]
    const old = {
      projectId: 13,
      requestId: 'old\0',
      operation: 'scan\0',
      kind: 'page',
      day: '2026-02-01',
      units,
    }
    const events = [{ type: 'ServedUnitsSpent', data: old }]
    await bus.js.publish(subjects.usage(13), encodeJson({ at: february, events }))
    await served(14, 'next', february, [page('b')])
    await until(async () => (await countersOf(14)).length > 0 && (await unitsOf(13)).length === 4)
    t.strictSame(
      (await unitsOf(13)).map(({ token, what }) => [token, what]),
      [
        ['served:old:0', 'http://a.example/'],
        ['served:poison:0', 'http://a.example/'],
        ['served:poison:1', 'http://a.example/\ufffd'],
        ['served:poison:2', 'http://a.example/'],
      ],
    )
  })

  t.test('deletes billed messages of SERVED when they are old', async t => {
    await untilRead('bill-requests', streams.served)
    const stateNow = async () => (await bus.jsm.streams.info(streams.served)).state
    const { first_seq, last_seq } = await stateNow()
    const hour = 3_600_000
    await shortenServed(bus, last_seq, Date.now() - hour)
    t.equal((await stateNow()).first_seq, first_seq, 'nothing is old')
    const half = Math.floor((first_seq + last_seq) / 2)
    await shortenServed(bus, half, Date.now() + hour)
    t.match(await stateNow(), { first_seq: half + 1, last_seq }, 'unbilled messages stay')
    const last = await bus.jsm.streams.getMessage(streams.served, { seq: last_seq })
    await shortenServed(bus, last_seq, last?.time.getTime() ?? 0)
    t.ok((await stateNow()).messages >= 1, 'young messages stay')
    await shortenServed(bus, last_seq + 5, Date.now() + hour)
    t.match(await stateNow(), { messages: 0, last_seq })
    await shortenServed(bus, last_seq, Date.now() + hour)
    await served(14, 'later', february, [page('c')])
    await until(async () => (await countersOf(14))[0]?.pages === 2)
    const rows = await everything()
    await readAgain('bill-requests', 'ledger')
    t.strictSame(await everything(), rows, 'nothing is billed again')
  })

  t.test('deletes all billed messages while SERVED is half full', async t => {
    const cutoffs: number[] = []
    for (const fill of [0.4, 0.6]) {
      const stop = new AbortController()
      await trimServed({
        bus,
        readBilled: async () => 7,
        readFill: async () => fill,
        shorten: async (_, before) => {
          cutoffs.push(before)
          stop.abort()
        },
        now: () => Date.parse(february),
        signal: stop.signal,
        report: error => t.fail(String(error)),
      })
    }
    const day = 24 * 3_600_000
    t.strictSame(cutoffs, [Date.parse(february) - day, Date.parse(february)])
    const fill = await fillOfServed(bus)
    t.ok(fill >= 0 && fill < 0.5, `${fill}`)
  })

  t.test('lists the tokens of a language model, also of a request without pages', async t => {
    t.match(await reserve(requestOf(41, 'free', 10, 10)), { granted: 10 })
    await served(41, 'free', february, [], undefined, { inputTokens: 100_000, outputTokens: 40 })
    await until(async () => (await billedOf(41)) === 1)
    t.match(await ledger({ projectId: 41, kind: 'model_call' }), [
      {
        ...{ kind: 'model_call', units: 1, reason: 'billed', operation: 'scan_bulk', requestId: 'free' },
        ...{
          what: 'https://example.com/',
          model: 'small',
          inputTokens: 100_000,
          outputTokens: 40,
          costUsd: 0,
        },
      },
    ])
    t.match(await countersOf(41), [{ pages: 0, cloud_pages: 0 }], 'a call is no page')
    t.strictSame(await held(41), [], 'its reservation has ended')
    await readAgain('bill-requests', 'ledger')
    t.equal(await billedOf(41), 1)
  })

  t.test('bills every request once although it is killed repeatedly', async t => {
    await stopServices()
    let requests = 0
    for (let kills = 0; kills < sized(2, 3); kills++) {
      const process = spawn(join(import.meta.dirname, 'main.ts'), { INSTANCE: `killed-${kills}` })
      const before = await billedOf(12)
      const request = async () => {
        const at = requests % 2 ? january : february
        const units = [page(`https://example.com/${requests}`), cloud('c')]
        await served(12, `k${requests}`, at, units, undefined, { inputTokens: 5, outputTokens: 2 })
        requests++
      }
      await request()
      await until(async () => (await billedOf(12)) > before) // it has started
      // It dies with requests that are stored and not billed, and with bills that are not recorded.
      for (const end = requests + 2_000; requests < end && (await billedOf(12)) < before + 50; )
        await request()
      await kill(process)
    }
    await start(2)
    await until(async () => (await billedOf(12)) >= 3 * requests)
    await readAgain('bill-requests', 'ledger')
    t.equal(await billedOf(12), 3 * requests)
    const tokens = await pool.query(
      `select sum(input_tokens)::int as received, sum(output_tokens)::int as written from ledger.unit where project_id = 12`,
    )
    t.strictSame(tokens.rows, [{ received: 5 * requests, written: 2 * requests }], 'no token counts twice')
    const half = { pages: Math.floor(requests / 2), cloud_pages: Math.floor(requests / 2) }
    const rest = { pages: Math.ceil(requests / 2), cloud_pages: Math.ceil(requests / 2) }
    t.match(await countersOf(12), [
      { day: '2026-01-31', ...half },
      { day: '2026-02-01', ...rest },
    ])
  })

  function reserve(request: ReserveUnits): Promise<ReserveUnitsResponse> {
    return call(bus, usageRpc.reserveUnits, request, { timeoutMs: 30_000 })
  }

  async function served(
    projectId: number,
    requestId: string,
    at: string,
    units: ServedUnits[],
    waived?: ServedWaived[],
    tokens?: { inputTokens: number; outputTokens: number },
  ): Promise<void> {
    const costUsd = units.some(({ kind }) => kind === 'cloud_page') ? 0.5 : 0
    const data = { projectId, requestId, operation: 'scan_bulk', units, costUsd, ...(waived && { waived }) }
    const named = { projectId, requestId, operation: 'scan_bulk', what: 'https://example.com/' }
    const commit: ServedCommit = {
      at,
      events: [
        { type: 'RequestServed', data },
        ...(tokens ? [{ type: 'ModelCalled' as const, data: { ...named, model: 'small', ...tokens } }] : []),
      ],
    }
    await publish(bus, subjects.served(projectId), encodeJson(commit), { id: requestId })
  }

  async function ledger(about: Partial<ReadLedger>): Promise<LedgerRow[]> {
    const all = { from: null, to: null, runId: null, requestId: null, kind: null, limit: 1000, offset: 0 }
    return (await call(bus, usageRpc.readLedger, { projectId: 15, ...all, ...about }, { timeoutMs: 10_000 }))
      .rows
  }

  async function start(count: number): Promise<void> {
    const fresh = Array.from({ length: count }, () =>
      startService({ ...env, MODEL_CALLS_PER_DAY: String(modelCalls) }, new AbortController().signal),
    )
    services.push(...(await Promise.all(fresh)))
    await until(() => reserve(requestOf(99, 'first', 1, 100)).then(Boolean, () => false))
  }

  async function stopServices(): Promise<void> {
    await Promise.all(services.map(service => service[Symbol.asyncDispose]()))
    services = []
  }

  /** Resets readers to the beginning of their streams, and waits until all messages are read. */
  async function readAgain(...readers: string[]): Promise<void> {
    await stopServices()
    await pool.query(`update ledger.checkpoint set sequence = 0 where projection = any($1)`, [readers])
    await start(2)
    await untilRead('bill-requests', streams.served)
    await untilRead('ledger', streams.usage)
  }

  async function untilRead(projection: string, stream: string): Promise<void> {
    await until(async () => {
      const { state } = await bus.jsm.streams.info(stream)
      const { rows } = await pool.query(`select sequence from ledger.checkpoint where projection = $1`, [
        projection,
      ])
      return Number(rows[0]?.sequence) === state.last_seq
    })
  }

  /** Shortens the duplicate windows, so that the streams accept known message ids again. */
  async function narrowWindows(): Promise<void> {
    for (const stream of [streams.served, streams.usage]) {
      const { config } = await bus.jsm.streams.info(stream)
      await bus.jsm.streams.update(stream, { ...config, duplicate_window: nanos(100) })
    }
    await sleep(300)
  }

  async function expire(projectId: number): Promise<void> {
    await pool.query(
      `update ledger.reservation set expires_at = now() - interval '1 hour' where project_id = $1`,
      [projectId],
    )
  }

  async function held(projectId: number) {
    const sql = `select request_id, units from ledger.reservation where project_id = $1 order by 1`
    return (await pool.query(sql, [projectId])).rows
  }

  async function unitsOf(projectId: number) {
    const sql = `select token, kind, day::text, what, run_id from ledger.unit where project_id = $1 order by token`
    return (await pool.query(sql, [projectId])).rows
  }

  async function countersOf(projectId: number) {
    const sql = `select day::text, pages::int, cloud_pages::int, cloud_cost_usd::float8 as cost
      from ledger.counter where project_id = $1 order by day`
    return (await pool.query(sql, [projectId])).rows
  }

  async function billedOf(projectId: number): Promise<number> {
    const sql = `select count(*)::int as n from ledger.unit where project_id = $1`
    return (await pool.query(sql, [projectId])).rows[0].n
  }

  async function everything() {
    const units = await pool.query(
      `select token, project_id, kind, day::text, request_id, operation, what, cost_usd from ledger.unit order by token`,
    )
    const counters = await pool.query(`select * from ledger.counter order by project_id, day`)
    return [units.rows, counters.rows]
  }
})

/** The cap of a project in these tests. */
const modelCalls = 3

const requestOf = (projectId: number, requestId: string, units: number, perDay: number): ReserveUnits => ({
  projectId,
  requestId,
  kind: 'page',
  units,
  limits: { perDay, perMonth: null },
})

const sumOf = (answers: ReserveUnitsResponse[]) => answers.reduce((sum, { granted }) => sum + granted, 0)
const page = (what: string): ServedUnits => ({ kind: 'page', n: 1, what })
const cloud = (what: string): ServedUnits => ({ kind: 'cloud_page', n: 1, what })
