import { setTimeout as sleep } from 'node:timers/promises'
import { encodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { call } from '@tidemark/bus/rpc'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { RunCommit, RunEvent, SettledPage } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import { until, untilResolves } from '@tidemark/testing/until'
import { test } from 'tap'
import { sweepHolds } from './adapters/holds.ts'
import { waivers } from './adapters/waivers.ts'
import { database } from './database.ts'
import { billRuns } from './policies/bill-runs.ts'
import { startService } from './service.ts'

test('usage-ledger and the units that runs hold', async t => {
  const { env, bus, pool, stack } = await surroundings(t, { database, declare: declareStreams })
  for (const INSTANCE of ['one', 'two'])
    stack.use(await startService({ ...env, INSTANCE }, new AbortController().signal))

  const hold = (
    projectId: number,
    runId: number,
    upTo: number,
    perDay: number | null,
    perMonth: number | null = null,
    reopenings?: number,
  ) =>
    call(
      bus,
      usageRpc.holdUnits,
      { projectId, runId, upTo, limits: { perDay, perMonth }, ...(reopenings && { reopenings }) },
      { timeoutMs: 20_000 },
    )
  const holdCloud = (projectId: number, runId: number, upTo: number, perDay: number) => {
    const limits = { perDay, perMonth: null }
    const request = { projectId, runId, kind: 'cloud_page' as const, upTo, limits }
    return call(bus, usageRpc.holdUnits, request, { timeoutMs: 20_000 })
  }
  // The service does not respond before it listens.
  await untilResolves(() => hold(99, 99, 1, null))
  const reserve = (projectId: number, units: number, perDay: number) =>
    call(
      bus,
      usageRpc.reserveUnits,
      { projectId, requestId: `r${Math.random()}`, kind: 'page', units, limits: { perDay, perMonth: null } },
      { timeoutMs: 20_000 },
    )
  const append = (runId: number, ...events: RunEvent[]) => {
    const commit: RunCommit = { at: new Date().toISOString(), events }
    return bus.js.publish(subjects.run(runId), encodeJson(commit))
  }
  const counted = async (projectId: number) => {
    const { rows } = await pool.query(
      'select sum(pages)::int as pages from ledger.counter where project_id = $1',
      [projectId],
    )
    return rows[0].pages ?? 0
  }

  const hasEnded = async (runId: number) =>
    (await pool.query('select from ledger.run where run_id = $1 and billable is not null', [runId]))
      .rowCount === 1

  await t.test('grants twenty concurrent runs no more than the cap', async t => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => hold(1, 100 + n, 73, 1_000)))
    t.equal(
      answers.reduce((sum, { granted }) => sum + granted, 0),
      1_000,
    )
    t.ok(
      answers.every(({ reason }) => reason === null),
      'no unit is spent yet, so all may be released',
    )
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => hold(1, 100 + n, 73, 1_000)))
    t.strictSame(again, answers, 'and the same grants for repeated requests')
    t.match(await reserve(1, 5, 1_000), { granted: 0, reason: 'daily_pages' }, 'a scan is granted nothing')
  })

  await t.test('grants units to other projects while many requests of one wait for its lock', async t => {
    const blocker = await pool.connect()
    t.teardown(() => blocker.release())
    await blocker.query('begin')
    await blocker.query('select pg_advisory_xact_lock(30062, 961)')
    const waiting = Array.from({ length: 40 }, (_, n) =>
      (n % 2 === 0 ? hold(961, 96_100 + n, 10, 1_000) : reserve(961, 10, 1_000)).catch(error => error),
    )
    const since = performance.now()
    t.match(await Promise.all([hold(962, 96_200, 10, 100), reserve(962, 10, 100)]), [
      { granted: 10 },
      { granted: 10 },
    ])
    t.ok(performance.now() - since < 2_500, `after ${performance.now() - since} ms`)
    await sleep(3_500)
    await blocker.query('rollback')
    const answers = await Promise.all(waiting)
    t.equal(answers.filter(({ granted }) => granted === 10).length, 2, 'one of each process')
    t.equal(answers.filter(({ status }) => status === 503).length, 38, 'and none whose caller has given up')
  })

  await t.test('counts from the start of a run, and never reduces a grant', async t => {
    t.strictSame(await hold(2, 200, 10, 100), { granted: 10, reason: null })
    t.strictSame(await hold(2, 200, 10, 100), { granted: 10, reason: null })
    t.strictSame(await hold(2, 200, 5, 100), { granted: 10, reason: null })
    t.strictSame(await hold(2, 200, 150, 100, 60), { granted: 60, reason: null })
    t.strictSame(await hold(2, 201, 1, 100, 60), { granted: 0, reason: null })
    t.strictSame(await hold(2, 202, 1_000_000, null), { granted: 1_000_000, reason: null }, 'unlimited')
  })

  await t.test('moves a page from held to spent at once, and frees the rest when the run ends', async t => {
    await append(300, queued(300, 3))
    t.strictSame(await hold(3, 300, 8, 10), { granted: 8, reason: null })
    await append(300, settled(300, 0, 5))
    await until(async () => (await counted(3)) === 5)
    t.strictSame(await hold(3, 301, 10, 10), { granted: 2, reason: null }, '5 spent, 3 held')
    await append(300, settled(300, 5, 6), finished(7, 1))
    await until(() => hasEnded(300))
    t.strictSame(await hold(3, 301, 10, 10), { granted: 4, reason: null }, '6 spent or held')
    await until(async () => (await counted(3)) === 6)
    t.strictSame(
      await hold(3, 300, 9, 100),
      { granted: 6, reason: null },
      'an ended run is granted nothing more',
    )
  })

  await t.test('holds cloud pages and pages independently', async t => {
    const reserveCloud = () => {
      const units = { projectId: 5, requestId: `r${Math.random()}`, kind: 'cloud_page' as const, units: 99 }
      const request = { ...units, limits: { perDay: 25, perMonth: null } }
      return call(bus, usageRpc.reserveUnits, request, { timeoutMs: 20_000 })
    }
    await append(500, queued(500, 5))
    t.strictSame(await hold(5, 500, 10, 10), { granted: 10, reason: null })
    t.strictSame(await holdCloud(5, 500, 20, 25), { granted: 20, reason: null })
    t.strictSame(await holdCloud(5, 501, 20, 25), { granted: 5, reason: null }, 'others hold the rest')
    t.match(await reserveCloud(), { granted: 0, reason: 'cloud_pages' }, 'a request is granted nothing')
    await append(500, settled(500, 0, 4), settled(500, 4, 7, true))
    const cloud = async () =>
      (await pool.query('select sum(cloud_pages)::int as n from ledger.counter where project_id = 5')).rows[0]
        .n
    await until(async () => (await cloud()) === 3)
    t.equal(await counted(5), 4)
    t.strictSame(await holdCloud(5, 501, 20, 25), { granted: 5, reason: null }, '3 spent, 17 held')
    await append(500, finished(7, 0, 3))
    await until(() => hasEnded(500))
    t.strictSame(await holdCloud(5, 501, 20, 25), { granted: 20, reason: null }, 'the end has released 17')
    t.strictSame(await hold(5, 501, 10, 10), { granted: 6, reason: null })
    t.strictSame(await holdCloud(5, 501, 30, 3), { granted: 20, reason: 'cloud_pages' }, 'the cap is used up')
    const units = await pool.query('select units, cloud_units from ledger.billed_run where run_id = 500')
    t.match(units.rows, [{ units: 4, cloud_units: 3 }])
    await until(async () => {
      await sweepHolds(pool)
      return (await pool.query('select from ledger.hold where run_id = 500')).rowCount === 0
    })
    await append(510, queued(510, 5))
    t.strictSame(await holdCloud(5, 510, 9, 40), { granted: 9, reason: null })
    await append(510, finished(2, 0, 2))
    await until(() => hasEnded(510))
    await sweepHolds(pool)
    t.strictSame(
      await holdCloud(5, 501, 40, 40),
      { granted: 35, reason: null },
      'its 2 cloud pages stay held until they are recorded',
    )
  })

  await t.test('expects no unit for the pages that a fork has taken from the store', async t => {
    await append(430, queued(430, 10), settled(430, 0, 3), finished(20, 1, 0, 16))
    const units = `select billable::int from ledger.run where run_id = 430 and billable is not null`
    await until(async () => (await pool.query(units)).rowCount === 1)
    t.strictSame((await pool.query(units)).rows, [{ billable: 3 }])
  })

  await t.test('grants nothing to a run that has ended', async t => {
    await append(400, queued(400, 4), finished(0, 0))
    await append(401, queued(401, 4), { type: 'RunDeleted', data: { projectId: 4, billedPages: 0 } })
    const ended = 'select from ledger.run where run_id in (400, 401) and billable is not null'
    await until(async () => (await pool.query(ended)).rowCount === 2)
    for (const run of [400, 401]) t.strictSame(await hold(4, run, 1, 10), { granted: 0, reason: null })
    await sweepHolds(pool)
    t.strictSame(await hold(4, 402, 10, 10), { granted: 10, reason: null }, 'other runs get the units')
  })

  await t.test('grants units to a run that is reopened, counted from its first start', async t => {
    await append(410, queued(410, 6))
    t.strictSame(await hold(6, 410, 5, 10), { granted: 5, reason: null })
    await append(410, settled(410, 0, 5), finished(5, 0))
    await until(async () => (await counted(6)) === 5)
    const isOver = 'select from ledger.run where run_id = 410 and billable is not null'
    await until(async () => (await pool.query(isOver)).rowCount === 1)
    await until(async () => {
      await sweepHolds(pool)
      return (await pool.query('select from ledger.hold where run_id = 410')).rowCount === 0
    })
    await append(410, { type: 'RunReopened', data: { nth: 1, retried: 4 } })
    await until(async () => (await hold(6, 410, 9, 10)).granted === 9)
    t.strictSame(await hold(6, 411, 10, 10), { granted: 1, reason: null }, '5 spent, 4 held')
    await append(410, settled(410, 5, 7), finished(7, 0))
    await until(async () => (await counted(6)) === 7)
    await until(async () => (await hold(6, 411, 10, 10)).granted === 3)
    t.ok((await hold(6, 410, 10, 10)).granted < 10, 'nothing more after the new end')
  })

  await t.test('grants a reopened run nothing of the units that its end has released', async t => {
    await append(420, queued(420, 9))
    t.strictSame(await hold(9, 420, 8, 10), { granted: 8, reason: null })
    t.strictSame(await holdCloud(9, 420, 8, 10), { granted: 8, reason: null })
    await append(420, settled(420, 0, 2), finished(2, 0))
    const isOver = 'select from ledger.run where run_id = 420 and billable is not null'
    await until(async () => (await pool.query(isOver)).rowCount === 1)
    t.ok((await hold(9, 420, 8, 10)).granted <= 2, 'also before the ledger knows that it is reopened')
    t.strictSame(await hold(9, 421, 10, 10), { granted: 8, reason: null }, 'another run gets them')
    t.strictSame(await holdCloud(9, 421, 10, 10), { granted: 10, reason: null })
    await append(420, { type: 'RunReopened', data: { nth: 1, retried: 4 } })
    await until(async () => (await pool.query(isOver)).rowCount === 0)
    t.strictSame(await hold(9, 420, 8, 10), { granted: 2, reason: null })
    t.strictSame(await holdCloud(9, 420, 8, 10), { granted: 0, reason: null })
  })

  await t.test('releases the units of a run whose reopening and next end are read at once', async t => {
    const report = (error: unknown) => void t.fail(String(error))
    const apply = billRuns({ publish: async () => {}, waivers: waivers()(), report })
    const read = (...events: RunEvent[]) =>
      inTransaction(pool, client =>
        apply(
          client,
          events.map((event, n) => ({
            ...{ sequence: n + 1, subject: subjects.run(440) },
            data: encodeJson({ at: new Date().toISOString(), events: [event] }),
          })) as StreamMessage[],
        ),
      )
    const reopened: RunEvent = { type: 'RunReopened', data: { nth: 1, retried: 1 } }
    await read(queued(440, 64), finished(0, 0), reopened, finished(0, 0))
    t.ok(await hasEnded(440))
    await read(reopened, finished(0, 0), reopened)
    t.notOk(await hasEnded(440), 'and it continues if the reopening is the last')
  })

  // Seed 20013767 of the simulator: the day had one page more than its cap.
  await t.test('grants a reopened run nothing before its reopening is read', async t => {
    await append(425, queued(425, 62))
    await until(async () => (await pool.query('select from ledger.run where run_id = 425')).rowCount === 1)
    t.strictSame(await hold(62, 425, 8, 10), { granted: 8, reason: null })
    const late = await hold(62, 425, 8, 10, null, 1)
    t.strictSame(late, { granted: 0, reason: null }, 'its end, which releases the 8, may follow')
    await append(425, settled(425, 0, 2), finished(2, 0))
    await append(425, { type: 'RunReopened', data: { nth: 1, retried: 4 } })
    await until(async () => (await hold(62, 425, 2, 10, null, 1)).granted === 2)
    t.strictSame(await hold(62, 426, 10, 10), { granted: 8, reason: null }, 'another run gets them')
    t.strictSame(await hold(62, 425, 8, 10, null, 1), { granted: 2, reason: null })
    await pool.query('update ledger.run set reopenings = null where run_id = 425')
    t.strictSame(
      await hold(62, 425, 8, 10, null, 5),
      { granted: 2, reason: null },
      'if unknown, nothing is checked',
    )
    t.strictSame(await hold(62, 427, 8, 20), { granted: 8, reason: null }, 'a new run needs no event')
    t.strictSame(await hold(62, 427, 8, 20, null, 1), { granted: 0, reason: null }, 'but a reopened one does')
  })

  await t.test('grants a run nothing after too many free results of its project', async t => {
    await append(600, queued(600, 60))
    t.strictSame(await hold(60, 600, 1, 2), { granted: 1, reason: null })
    const blocked = settled(600, 0, 3)
    if (blocked.type === 'PagesSettled') for (const one of blocked.data.pages) one.blocked = true
    // No fetcher has responded for the last ones, so no site was requested.
    await append(600, blocked, failed(18), failed(9, 'given_up'))
    await until(async () => (await hold(60, 600, 1, 2)).reason !== null)
    t.strictSame(await hold(60, 600, 1, 2), { granted: 1, reason: 'free_results' }, 'also of its grant')
    t.strictSame(await hold(60, 600, 1, 3), { granted: 1, reason: null }, 'a higher cap allows more')
    t.strictSame(await hold(60, 601, 1, 2), { granted: 0, reason: 'free_results' }, 'nor any other run')
    t.match(await reserve(60, 1, 2), { granted: 0, reason: 'free_results' }, 'nor a request')
    const { rows } = await pool.query('select pages::int from ledger.free_result where project_id = 60')
    t.strictSame(rows, [{ pages: 21 }])
  })

  await t.test('counts the requests that the end of a cancelled run drops as free results', async t => {
    const end = finished(0, 0)
    if (end.type === 'RunFinished') Object.assign(end.data, { status: 'cancelled', dropped: 64 })
    await append(610, queued(610, 61), failed(3), end)
    const freeResults = async () =>
      (await pool.query('select pages::int from ledger.free_result where project_id = 61')).rows
    await until(async () => (await freeResults()).length > 0)
    t.strictSame(await freeResults(), [{ pages: 67 }], 'beside its failures')
    t.match(await reserve(61, 1, 2), { granted: 0, reason: 'free_results' })
  })

  await t.test('deletes a hold when its run is billed completely', async t => {
    const holds = async (runId: number) =>
      (await pool.query('select from ledger.hold where run_id = $1', [runId])).rowCount
    await until(async () => {
      await sweepHolds(pool)
      return (await holds(300)) === 0
    })
    t.equal(await holds(301), 1)
    t.strictSame(
      await hold(3, 300, 50, 100),
      { granted: 0, reason: null },
      'the run is granted nothing again',
    )
    t.equal(await holds(300), 0)
    t.strictSame(await hold(3, 301, 10, 10), { granted: 4, reason: null })
    t.strictSame(await hold(3, 301, 10, 6), { granted: 4, reason: 'daily_pages' }, 'the cap is spent')
    t.strictSame(await hold(3, 301, 10, 99, 6), { granted: 4, reason: 'monthly_pages' })
  })
})

const queued = (runId: number, projectId: number): RunEvent =>
  ({
    type: 'RunQueued',
    data: { runId, projectId, tier: 'free', url: 'https://example.com/', settings: {} },
  }) as RunEvent

function settled(runId: number, from: number, to: number, rendered = false): RunEvent {
  const pages = Array.from({ length: to - from }, (_, n) => ({
    key: `k${runId}-${from + n}`.padEnd(11, '_'),
    id: runId * 1000 + from + n,
    ...(rendered && { rendered }),
  }))
  return { type: 'PagesSettled', data: { pages: pages as unknown as SettledPage[] } }
}

const failed = (count: number, reason = 'connect'): RunEvent => ({
  type: 'PagesFailed',
  data: {
    pages: Array.from({ length: count }, (_, n) => ({
      ...{ key: `f${n}`.padEnd(11, '_'), reason, attempts: 1 },
    })),
  },
})

const finished = (fetched: number, blocked: number, rendered = 0, carried = 0): RunEvent => ({
  type: 'RunFinished',
  data: {
    status: 'done',
    stopReason: 'exhausted',
    errorMessage: null,
    totals: {
      discovered: 9,
      fetched,
      failed: 0,
      skipped: 0,
      duplicate: 0,
      notReached: 2,
      pending: 0,
    },
    blocked,
    rendered,
    carried,
  },
})
