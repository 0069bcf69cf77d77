/** How the coordinator reopens ended runs, with real servers, and with kills of its process. */
import { join } from 'node:path'
import { call } from '@tidemark/bus/rpc'
import { archiveTables } from '@tidemark/content/archive'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { kill, surroundings } from '@tidemark/testing/surroundings'
import { until, untilResolves } from '@tidemark/testing/until'
import { test } from 'tap'
import { admissions } from './adapters/admissions.ts'
import { database } from './database.ts'
import { failed, page, settings, site } from './domain/run.examples.ts'

const projectId = 7

test('The coordinator and reopened runs', { timeout: 300_000 }, async t => {
  const { env, bus, pool, spawn } = await surroundings(t, { database, declare: declareStreams })
  await pool.query('create schema content')
  for (const statement of archiveTables) await pool.query(statement)
  const main = join(import.meta.dirname, 'main.ts')
  const launch = () => spawn(main, { ...env, ARCHIVE_AFTER: 'P7D', LOG_LEVEL: 'fatal' })
  let process = launch()

  const store = jetStreamEventStore(bus, streams.runs)
  const slots = admissions({ pool, transaction: work => inTransaction(pool, work) })
  const timeoutMs = 20_000
  const reopen = (runId: number, of = projectId, more: Pick<runsRpc.ReopenRun, 'keyCaps'> = {}) =>
    call(bus, runsRpc.reopenRun, { projectId: of, runId, ...more }, { timeoutMs })
  const start = async () => {
    const request = {
      ...{ projectId, tier: 'free' as const, url: `${site}/`, idempotencyKey: null, fingerprint: '' },
      settings: settings({ unlimited: true }),
    }
    return (await call(bus, runsRpc.startRun, request, { timeoutMs })).id
  }
  const receive = (runId: number, outcome: Outcome) =>
    bus.js.publish(subjects.outcomes(runId), JSON.stringify({ outcomes: [{ ...outcome, runId }] }))
  const events = async (runId: number) =>
    (await store.load<RunCommit>(subjects.run(runId))).commits.flatMap(({ commit }) => commit.events)
  const has = async (runId: number, type: string, times = 1) =>
    (await events(runId)).filter(event => event.type === type).length >= times
  const slotOf = async (runId: number) =>
    (await pool.query('select released_at, reopenings from coordinator.admission where run_id = $1', [runId]))
      .rows[0]
  const isReleased = async (runId: number) => (await slotOf(runId)).released_at !== null
  /** Starts a run, and lets its seed fail. */
  const failing = async () => {
    const runId = await start()
    await until(() => has(runId, 'PagesOrdered'))
    await receive(runId, failed('/', 'dns'))
    await until(() => has(runId, 'RunFinished'))
    await until(() => isReleased(runId))
    return runId
  }
  await untilResolves(start, 30_000)

  await t.test('are not reopened by a key with lower caps than those of the run', async t => {
    const runId = await failing()
    const narrowed = reopen(runId, projectId, { keyCaps: { pagesPerDay: 5 } })
    await t.rejects(narrowed, { status: 409, reason: 'narrowed_key', message: /started the crawl/ })
    t.match(await reopen(runId, projectId, { keyCaps: { pagesPerDay: null } }), { retried: 1 })
  })

  await t.test('are not resumed by a key with lower caps than those of the run', async t => {
    const run = { projectId, runId: await start() }
    const resume = (keyCaps: runsRpc.ResumeRun['keyCaps']) =>
      call(bus, runsRpc.resumeRun, { ...run, ...(keyCaps && { keyCaps }) }, { timeoutMs })
    const paused = await call(bus, runsRpc.pauseRun, run, { timeoutMs })
    t.match(paused, { run: { paused_at: String } })
    const narrowed = { status: 409, reason: 'narrowed_key', message: /started the crawl/ }
    await t.rejects(resume({ pagesPerDay: 5 }), narrowed)
    const { run: unchanged } = await call(bus, runsRpc.getRun, run, { timeoutMs })
    t.match(unchanged, { paused_at: String })
    for (const caps of [{ pagesPerDay: null }, undefined])
      t.match(await resume(caps), { run: { paused_at: null } })
  })

  await t.test('order the failed URLs again, in a slot, and end a second time', async t => {
    const runId = await failing()
    const answer = await reopen(runId)
    t.match(answer, { retried: 1, run: { id: runId, status: 'running', finished_at: null, error_count: 0 } })
    t.match(await slotOf(runId), { released_at: null, reopenings: 1 })
    t.match(await reopen(runId).catch((error: unknown) => error), { reason: 'run_active' })
    await until(() => has(runId, 'PagesOrdered', 2))
    await receive(runId, page('/', []))
    await until(() => has(runId, 'RunFinished', 2))
    t.match((await events(runId)).at(-1), { data: { status: 'done', reopenings: 1, totals: { fetched: 1 } } })
    await until(() => isReleased(runId))
  })

  await t.test('continue after a kill, without a lost order', async t => {
    const runId = await failing()
    await reopen(runId)
    await kill(process)
    process = launch()
    await until(() => has(runId, 'PagesOrdered', 2), 60_000)
    await kill(process)
    await receive(runId, page('/', []))
    process = launch()
    await until(() => has(runId, 'RunFinished', 2), 60_000)
    t.equal((await events(runId)).filter(({ type }) => type === 'PagesSettled').length, 1)
    await until(() => isReleased(runId))
  })

  await t.test('lose a slot that a crash left before the reopening, but not earlier', async t => {
    const runId = await failing()
    t.strictSame(await slots.reserve({ runId, projectId, nth: 1 }), { type: 'reserved' })
    await slots.release(runId, null, 0)
    t.notOk(await isReleased(runId), 'the earlier end does not release it')
    await pool.query(`update coordinator.admission set reserved_until = now() where run_id = $1`, [runId])
    await until(() => isReleased(runId), 30_000)
    t.match(await reopen(runId), { retried: 1 }, 'it can be reopened later')
    await until(() => has(runId, 'PagesOrdered', 2))
    await receive(runId, page('/', []))
    await until(() => isReleased(runId))
  })

  await t.test('are refused for other projects, for unknown runs, and without a free slot', async t => {
    const runId = await failing()
    t.strictSame(await reopen(runId, 8), { run: null, retried: 0, sequence: 0 })
    t.strictSame(await reopen(999_999), { run: null, retried: 0, sequence: 0 })
    const others: number[] = []
    for (let left = 10; left > 0; left--) {
      const id = await start().catch(() => null)
      if (id === null) break
      others.push(id)
    }
    t.match(await reopen(runId).catch((error: unknown) => error), { reason: 'concurrent_runs' })
    t.ok(await isReleased(runId), 'nothing has changed')
    for (const id of others) await call(bus, runsRpc.cancelRun, { projectId, runId: id }, { timeoutMs })
    t.match(await reopen(runId), { retried: 1 })
    await call(bus, runsRpc.deleteRun, { projectId, runId }, { timeoutMs })
    t.strictSame(await reopen(runId), { run: null, retried: 0, sequence: 0 }, 'a deleted run')
  })
})
