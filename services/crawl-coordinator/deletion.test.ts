/** How the coordinator handles deleted and old runs, with real servers. The readers of RUNS are fakes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeJson } from '@tidemark/bus/codec'
import { openBus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import { call, serve } from '@tidemark/bus/rpc'
import { archiveTables, openArchives } from '@tidemark/content/archive'
import type { DeliveryEvent } from '@tidemark/contracts/delivery'
import type { Tier } from '@tidemark/contracts/primitives'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as asOfRpc from '@tidemark/contracts/rpc/as-of'
import * as explainRpc from '@tidemark/contracts/rpc/explain'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import type { RequestOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import type { Reached, RunStartedResponse, StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import {
  type Facet,
  notifications,
  type RunsReader,
  runsReaders,
  streams,
  subjects,
} from '@tidemark/contracts/subjects'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { migratedDatabase } from '@tidemark/testing/databases'
import { throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import pg from 'pg'
import { type Test, test } from 'tap'
import { admissions } from './adapters/admissions.ts'
import { archivedStore } from './adapters/archived-store.ts'
import { expirable } from './adapters/expirable.ts'
import { keys } from './adapters/keys.ts'
import { retainedBy } from './adapters/retained.ts'
import { database } from './database.ts'
import { page, settings } from './domain/run.examples.ts'
import { answerAsOf } from './handlers/answer-as-of.ts'
import { foldRun } from './handlers/fold-run.ts'
import { cleanUpEndedRuns } from './policies/clean-up-ended-runs.ts'
import { expiring } from './policies/expire-runs.ts'
import { startService } from './service.ts'

const project = 7
const everything = Number.MAX_SAFE_INTEGER

test('The coordinator and its deleted runs', async t => {
  const {
    pool,
    reached,
    start,
    replay,
    get,
    isActive,
    about,
    remove,
    cancel,
    events,
    put,
    count,
    store,
    bus,
  } = await surroundings(t, 'P7D')

  await t.test('ends the run, frees its slot and aborts its fetches before it responds', async t => {
    const calledOff: number[] = []
    const ended = bus.nc.subscribe(notifications.runEnded, {
      callback: (_error, message) => void calledOff.push(message.json<{ runId: number }>().runId),
    })
    await bus.nc.flush()
    const id = await start()
    t.match(await remove(id), { deleted: true })
    t.equal(await count(`admission where run_id = ${id} and released_at is null`), 0)
    t.strictSame((await events(id)).slice(-2), ['RunFinished', 'RunDeleted'])
    await bus.nc.flush()
    t.ok(calledOff.includes(id))
    ended.unsubscribe()
  })

  await t.test('responds as for foreign and unknown runs afterwards', async t => {
    const id = await start()
    t.strictSame(await remove(id, 8), { deleted: false, sequence: 0 })
    t.match(await get(id), { run: { id } })
    await remove(id)
    t.strictSame(await get(id), { run: null })
    t.match(await cancel(id), { run: null })
    t.match(await remove(id), { deleted: false })
    t.match(await remove(999_999), { deleted: false })
    t.strictSame(await isActive(id), { active: false, status: 'deleted' })
  })

  await t.test('reads runs only for their owner', async t => {
    const id = await start()
    const loads: string[] = []
    const folded = bus.nc.subscribe(`$JS.API.CONSUMER.CREATE.${streams.runs}.>`, {
      callback: (_error, message) => void loads.push(message.subject),
    })
    await until(async () => (await events(id)).includes('PagesOrdered'))
    await bus.nc.flush()
    loads.length = 0
    for (let n = 0; n < 3; n++) {
      t.strictSame(await get(id, 8), { run: null })
      t.strictSame(await isActive(id, 8), { active: false, status: 'deleted' })
      t.match(await cancel(id, 8), { run: null })
      t.match(await remove(id, 8), { deleted: false })
      t.strictSame(await about(explainRpc.getCoverage, id, 8), { coverage: null })
      t.strictSame(await about(explainRpc.listErrors, id, 8, { limit: 10, offset: 0 }), { errors: null })
      const past = { asOf: new Date().toISOString(), limit: 10, offset: 0 }
      t.strictSame(await about(asOfRpc.getRunAsOf, id, 8, past), { run: null })
      t.strictSame(await about(asOfRpc.getCoverageAsOf, id, 8, past), { found: null })
      t.strictSame(await about(asOfRpc.listErrorsAsOf, id, 8, past), { errors: null })
      t.match(await about(explainRpc.explainUrl, id, 8, { url: 'http://127.1.0.1:1/' }), {
        explanation: null,
      })
    }
    await bus.nc.flush()
    t.strictSame(loads, [])
    t.match(await about(explainRpc.getCoverage, id, project), { coverage: {} })
    t.match(await about(explainRpc.explainUrl, id, project, { url: 'http://127.1.0.1:1/' }), {
      explanation: {},
    })
    folded.unsubscribe()
    await remove(id)
  })

  await t.test('reports whether a run is active, and the run of a key, without reading the run', async t => {
    const id = await start('again')
    t.match(await isActive(id), { active: true, status: /^(queued|running)$/ })
    await until(async () => (await events(id)).includes('PagesOrdered'))
    t.match(await replay('again'), { id, status: 'running', url: 'http://127.1.0.1:1/', replayed: true })
    await cancel(id)
    t.strictSame(await isActive(id), { active: false, status: 'cancelled' })
    const { sequence, enqueuedAt, ...replayed } = await replay('again')
    t.match(replayed, { id, status: 'cancelled', replayed: true, sameRequest: true })
    t.match(await get(id), { run: { id, enqueued_at: enqueuedAt } })
    t.equal(sequence, (await store.last(subjects.run(id)))?.sequence)
    await remove(id)
  })

  await t.test('deletes keys after one day', async () => {
    await pool.query(
      `insert into coordinator.idempotency_key (project_id, key, run_id, fingerprint, created_at)
       select 9, n::text, 1, '', now() - make_interval(hours => n) from generate_series(20, 29) n`,
    )
    await keys(pool).trim()
    await until(async () => (await count('idempotency_key where project_id = 9')) === 5)
  })

  await t.test('returns only existing runs to callers that may start none, also concurrently', async t => {
    const refusal = {
      status: 429,
      code: 'too_many_requests',
      reason: 'daily_pages',
      message: 'Spent.',
      retryAfterSeconds: 77,
    }
    const mayNot = { refusal, likeness: 'alike', maxAgeSeconds: 60 }
    const all = await count('admission')
    await t.rejects(replay(null, { refusal }), refusal)
    await t.rejects(replay('spent', { refusal }), refusal)
    await t.rejects(replay(null, mayNot), refusal)
    t.equal(await count('admission'), all, 'and nothing is started')
    t.equal(await count(`idempotency_key where key = 'spent'`), 0)
    for (let round = 0; round < 10; round++) {
      const key = `at-once-${round}`
      const requested = [{ refusal }, {}, { refusal }, {}, { refusal }].map(more => replay(key, more))
      const answers = await Promise.allSettled(requested)
      const runs = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value.id] : []))
      t.equal(new Set(runs).size, 1)
      t.ok(runs.length >= 2, 'callers that may start a run get it')
      for (const answer of answers) if (answer.status === 'rejected') t.match(answer.reason, refusal)
      const [id = 0] = runs
      t.match(await replay(key, { refusal }), { id, replayed: true, sameRequest: true })
      await remove(id)
    }
    const { id } = await replay(null, { likeness: 'alike' })
    await t.rejects(replay(null, mayNot), refusal, 'an active run has no age')
    await cancel(id)
    await pool.query('update coordinator.admission set done_at = now() where run_id = $1', [id])
    t.match(await replay(null, mayNot), { id, reused: true })
    await remove(id)
  })

  await t.test('rejects the key of a deleted run', async t => {
    const id = await start('once')
    await remove(id)
    await t.rejects(start('once'), {
      status: 409,
      code: 'conflict',
      reason: 'idempotency_key_of_deleted_run',
    })
  })

  await t.test('purges a run only after all readers have read it', async t => {
    const id = await start()
    await put(id, 'webhook', {})
    await put(id, 'diff', {})
    await put(id, 'site', {})
    const { sequence } = await remove(id)
    const before = (await events(id)).length
    for (const reader of runsReaders) {
      reached.set(reader, sequence - 1)
      await sleep(1_200)
      t.equal((await events(id)).length, before, `${reader} has not read the deletion`)
      reached.set(reader, everything)
    }
    reached.delete('ledger')
    await sleep(1_200)
    t.equal((await events(id)).length, before, 'a reader does not respond')
    reached.set('ledger', everything)
    await until(async () => (await events(id)).length < before)
    t.ok((await events(id)).includes('RunDeleted'), 'the last commit stays')
    await until(async () => (await count(`deletion where run_id = ${id} and purged_at is not null`)) === 1)
    t.equal(await count(`admission where run_id = ${id} and archived_at is not null`), 1, 'for good')
    t.equal((await events(id, 'webhook')).length, 0)
    t.equal((await events(id, 'diff')).length, 0)
    t.equal((await events(id, 'site')).length, 0)
    t.strictSame(await get(id), { run: null })
    await t.rejects(put(id, 'crawl', {}, 0), 'nothing can be appended to its subject')
  })

  await t.test('purges nothing before the end of the stream is recorded', async t => {
    const id = await start()
    await until(async () => (await events(id)).includes('PagesOrdered'))
    const slow = await pool.connect()
    await slow.query('begin; select from coordinator.checkpoint for update')
    await remove(id)
    const before = await events(id)
    await sleep(1_200)
    t.strictSame(await events(id), before)
    await slow.query('rollback')
    slow.release()
    await until(async () => (await events(id)).length < before.length)
  })

  await t.test('accepts no outcome, before and after the purge', async t => {
    const id = await start()
    await until(async () => (await events(id)).includes('PagesOrdered'))
    await remove(id)
    const outcome = { ...page('/'), runId: id, key: urlKey('http://127.1.0.1:1/') }
    for (let n = 0; n < 2; n++) {
      await bus.js.publish(subjects.outcomes(id), JSON.stringify({ outcomes: [outcome] }))
      await until(async () => (await bus.jsm.streams.info(streams.outcomes)).state.messages === 0)
      t.equal((await events(id)).at(-1), 'RunDeleted')
      await until(async () => (await count(`deletion where run_id = ${id} and purged_at is not null`)) === 1)
    }
  })

  await t.test('deletes runs whose last message is not a commit, and names unreadable messages', async t => {
    for (const payload of ['{}', '{"events":1}', 'null']) {
      const id = await start()
      await until(async () => (await events(id)).includes('PagesOrdered'))
      await bus.js.publish(subjects.run(id), payload)
      t.match(await isActive(id), { active: true, status: 'running' })
      t.match(await remove(id), { deleted: true }, payload)
      await until(async () => (await count(`deletion where run_id = ${id} and purged_at is not null`)) === 1)
    }
    const id = await start()
    await until(async () => (await events(id)).includes('PagesOrdered'))
    const { seq } = await bus.js.publish(subjects.run(id), 'not JSON')
    const message = `Run ${id} cannot be deleted: message ${seq} on ${subjects.run(id)} is not JSON in UTF-8.`
    await t.rejects(remove(id), { code: 'internal', message })
  })

  await t.test('finds a deletion whose record was lost in a crash', async () => {
    const id = await start()
    reached.set('projector', 0)
    await remove(id)
    await pool.query(
      `update coordinator.deletion set sequence = null, requested_at = now() - interval '1 minute' where run_id = $1`,
      [id],
    )
    reached.set('projector', everything)
    await until(async () => (await count(`deletion where run_id = ${id} and purged_at is not null`)) === 1)
  })

  await t.test('is not abandoned by the age of an earlier deletion that crashed', async t => {
    const id = await start()
    await pool.query(
      `insert into coordinator.deletion (run_id, requested_at, due_at)
       values ($1, now() - interval '2 hours', now() + interval '1 hour')`,
      [id],
    )
    t.match(await remove(id), { deleted: true })
    const recent = `requested_at > now() - interval '1 minute'`
    t.equal(await count(`deletion where run_id = ${id} and ${recent}`), 1)
  })
})

test('The coordinator and its old runs', async t => {
  const { pool, bus, reached, start, get, about, remove, cancel, events, put, count, store } =
    await surroundings(t, '1')
  const archives = openArchives(pool)
  const archived = (id: number) => count(`admission where run_id = ${id} and archived_at is not null`)

  await t.test('archives them after all readers have read them, and reads them as before', async t => {
    reached.set('content', 0)
    const id = await start()
    await until(async () => (await events(id)).includes('PagesOrdered'))
    await cancel(id)
    await put(id, 'webhook', { some: 'fact' })
    await put(id, 'site', { some: 'fact' })
    const before = await events(id)
    const view = await get(id)
    await sleep(2_500)
    t.strictSame(await events(id), before, 'while a reader lags behind, all events remain')
    t.equal(await archives.read(id), null, 'and nothing is read for the archive')
    reached.set('content', everything)
    await until(async () => (await archived(id)) === 1)
    t.strictSame(await events(id), ['RunFinished'], 'the last commit stays as the fence')
    t.equal((await archives.read(id))?.commits.length, 5, 'three decisions and two facts')
    t.strictSame(await get(id), view)
    await t.rejects(put(id, 'crawl', {}, 0))
  })

  await t.test('reads an archived run as of each earlier time as before', async t => {
    reached.set('content', 0)
    const id = await start()
    await until(async () => (await events(id)).includes('PagesOrdered'))
    await cancel(id)
    const delivery: DeliveryEvent[] = [
      { type: 'DeliveryAttempted', data: { attempt: 1, status: 500, error: 'HTTP 500', elapsedMs: 1 } },
      { type: 'DeliveryEnded', data: { state: 'delivered', attempts: 2, error: null } },
    ]
    for (const event of delivery) {
      const commit = { at: new Date().toISOString(), events: [event] }
      await bus.js.publish(subjects.run(id, 'webhook'), encodeJson(commit))
      await sleep(2)
    }
    const timesOf = async (facet: Facet) =>
      (await store.load<RunCommit>(subjects.run(id, facet))).commits.map(({ commit }) => commit.at)
    const times = [...(await timesOf('crawl')), ...(await timesOf('webhook'))]
    const readAll = async () => {
      const find = async () => ({ projectId: project, isReleased: true })
      const fresh = answerAsOf({ store: archivedStore(store, archives), admissions: { find } })
      const found = []
      for (const asOf of times) {
        const request = { projectId: project, runId: id, asOf }
        found.push({ ...(await fresh.run(request)), ...(await fresh.coverage(request)) })
      }
      return found
    }
    const before = await readAll()
    t.match(
      before.map(({ run }) => run),
      [
        { status: 'queued', webhook_status: null },
        { status: 'running' },
        { status: 'cancelled', webhook_attempts: 0 },
        { webhook_status: 'pending', webhook_attempts: 1, webhook_last_error: 'HTTP 500' },
        { webhook_status: 'delivered', webhook_attempts: 2, webhook_last_error: null },
      ],
    )
    reached.set('content', everything)
    await until(async () => (await archived(id)) === 1)
    t.strictSame(await events(id), ['RunFinished'])
    t.strictSame(await readAll(), before)
    const asOf = times[1]
    t.match(await about(asOfRpc.getRunAsOf, id, project, { asOf }), { run: { status: 'running' } })
    await remove(id)
    t.strictSame(await about(asOfRpc.getRunAsOf, id, project, { asOf }), { run: null })
  })

  await t.test('archives a run again that has grown, even long after its end', async t => {
    const id = await start()
    await cancel(id)
    await until(async () => (await archived(id)) === 1)
    const before = (await archives.read(id))?.commits.length ?? 0
    const view = await get(id)
    for (let round = 1; round <= 3; round++) {
      const commit = { at: new Date().toISOString(), events: [{ type: 'Told', data: { round } }] }
      await bus.js.publish(subjects.run(id, 'webhook'), encodeJson(commit))
    }
    const later = async () => (await archives.read(id))?.commits.slice(before) ?? []
    await until(async () => (await later()).length === 3)
    t.ok((await later()).every(({ facet }) => facet === 'webhook'))
    await until(async () => (await events(id, 'webhook')).length === 1)
    t.strictSame(await get(id), view)
  })

  await t.test('loses nothing if it crashes at any point', async t => {
    const id = await start()
    await cancel(id)
    const view = await get(id)
    await until(async () => (await archived(id)) === 1)
    const first = await archives.read(id)
    await pool.query('update coordinator.admission set archived_at = null where run_id = $1', [id])
    await until(async () => (await archived(id)) === 1)
    t.strictSame(await archives.read(id), first)
    t.strictSame(await get(id), view)
  })

  await t.test('deletes an archived run with its archive', async t => {
    const id = await start()
    await cancel(id)
    await until(async () => (await archived(id)) === 1)
    t.match(await remove(id), { deleted: true })
    t.strictSame(await get(id), { run: null })
    await until(async () => (await archives.read(id)) === null)
    t.strictSame(await events(id), ['RunDeleted'])
    t.match((await foldRun(store, id)).run, { status: 'deleted' })
  })
})

test('The coordinator and runs after their retention time', async t => {
  let planted = 0
  const { pool, bus, env, start, get, remove, cancel, events, count } = await surroundings(
    t,
    'P7D',
    async pool => {
      planted = await plant(pool)
    },
  )
  await t.test('begins a run that was admitted and not announced before a crash', async () => {
    await until(async () => (await events(planted)).includes('PagesOrdered'))
    await remove(planted)
  })
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const { signal } = stop
  let tier: Tier | null = 'free'
  let kept: number[] = []
  let isAway = false
  const faults: unknown[] = []
  const serving = { signal, report: () => {} }
  const terms = async () => {
    if (isAway) throw new Refusal({ status: 503, code: 'unavailable', message: 'Away.' })
    return { terms: tier && { tier, unlimited: true, caps: {} } }
  }
  void serve(bus, accountsRpc.readTerms, terms, serving)
  void serve(bus, forgetRpc.keptRuns, async () => ({ runIds: kept }), serving)
  /** Checks all runs this number of days from now, and returns the number of steps. */
  const walkIn = async (days: number, maxStepMs = Number.POSITIVE_INFINITY): Promise<number> => {
    const ports = {
      ...retainedBy(bus),
      expirable: expirable(pool),
      retention: { free: 30, pro: null, agency: 90, studio: null },
      remove: ({ projectId, runId }: { projectId: number; runId: number }) => remove(runId, projectId),
      now: () => Date.now() + days * 86_400_000,
      report: (error: unknown) => faults.push(error),
    }
    const walk = expiring(ports, maxStepMs)
    let steps = 1
    while (await walk.step(signal)) steps++
    return steps
  }
  const ended = async () => {
    const id = await start()
    await cancel(id)
    return id
  }
  const isThere = async (id: number) => (await get(id)).run !== null

  await t.test('deletes them like their owner, not too early, and no active runs', async t => {
    const [id, going] = [await ended(), await start()]
    await walkIn(29)
    t.equal(await isThere(id), true)
    await walkIn(31)
    t.equal(await isThere(id), false)
    t.equal(await isThere(going), true)
    t.equal(await count(`deletion where run_id = ${id} and sequence is not null`), 1)
    await walkIn(31)
    await cancel(going)
  })

  await t.test('keeps them for the retention time of the current tier of their project', async t => {
    const id = await ended()
    for (const [now, days] of [
      ['pro', 9_999],
      [null, 9_999],
      ['agency', 89],
    ] as const) {
      tier = now
      await walkIn(days)
      t.equal(await isThere(id), true, `${now} after ${days} days`)
    }
    await walkIn(91)
    t.equal(await isThere(id), false)
    tier = 'free'
  })

  await t.test('keeps runs that later runs of a monitor may be compared with', async t => {
    const [baseline, other] = [await ended(), await ended()]
    kept = [baseline]
    await walkIn(365)
    t.strictSame([await isThere(baseline), await isThere(other)], [true, false])
    kept = []
  })

  await t.test('deletes nothing while a service does not respond', async t => {
    const id = await ended()
    isAway = true
    await walkIn(365)
    t.equal(await isThere(id), true)
    t.match(faults, [{ code: 'unavailable' }])
    isAway = false
    await walkIn(365)
    t.equal(await isThere(id), false)
  })

  await t.test('continues after the runs it has checked, and finishes', async t => {
    await pool.query(
      `insert into coordinator.admission (project_id, enqueued_at, released_at, archived_at)
       select 8, now(), now(), now() from generate_series(1, 250)`,
    )
    t.equal(await walkIn(365), 3)
    await pool.query('delete from coordinator.admission where project_id = 8')
  })

  await t.test('stops early when a step takes long, and continues with the next run', async t => {
    const ids = [await ended(), await ended(), await ended()]
    t.equal(await walkIn(365, 0), ids.length + 1)
    for (const id of ids) t.equal(await isThere(id), false)
  })

  await t.test('does so by itself if configured', async t => {
    const [id, fresh] = [await ended(), await ended()]
    const ago = "released_at = now() - interval '2 days'"
    await pool.query(`update coordinator.admission set ${ago} where run_id = $1`, [id])
    const another = await startService({ ...env, INSTANCE: 'another', RETENTION_DAYS_FREE: '1' }, signal)
    await until(async () => !(await isThere(id)))
    t.equal(await isThere(fresh), true)
    await until(async () => (await count(`deletion where run_id = ${id} and purged_at is not null`)) === 1)
    t.equal(await count(`admission where run_id = ${id} and url is null and likeness is null`), 1)
    await another[Symbol.asyncDispose]()
  })
})

test('The cleanup of ended runs continues after the clock was set back', async t => {
  const stop = new AbortController()
  const own = Date.now
  let rounds = 0
  const locked = { on() {}, off() {}, query: async () => ({ rows: [{ ours: true }] }) }
  const cleaning = cleanUpEndedRuns({
    bus: { nc: {} },
    db: { transaction: (work: (client: unknown) => unknown) => work(locked) },
    deletions: { due: async () => [] },
    archivable: {
      async due() {
        rounds++
        return [1]
      },
    },
    stream: { end: async () => 1 },
    reached: async () => 0,
    archiveAfter: 0,
    expiring: { step: async () => false },
    keys: { trim: async () => {} },
    signal: stop.signal,
    report: (error: unknown) => t.fail(String(error)),
  } as unknown as Parameters<typeof cleanUpEndedRuns>[0])
  t.teardown(async () => {
    Date.now = own
    stop.abort()
    await cleaning
  })
  await until(async () => rounds === 1)
  Date.now = () => own() - 3_600_000
  await until(async () => rounds > 1)
  t.pass('the next round looks for runs to archive')
})

/** Admits a run and leaves it as after a kill between the commit and the announcement. */
async function plant(pool: pg.Pool): Promise<number> {
  const at = new Date().toISOString()
  const db = {
    pool,
    transaction: <T>(work: (client: pg.PoolClient) => Promise<T>) => inTransaction(pool, work),
  }
  const url = 'http://127.1.0.1:1/'
  const wanted = {
    projectId: project,
    url,
    key: null,
    fingerprint: '',
    likeness: null,
    maxAgeSeconds: null,
    request: { bytes: 1, limit: 1 },
    refusal: null,
    at,
  }
  const admitted = await admissions(db).admit(wanted, runId => {
    const event = {
      type: 'RunQueued',
      data: { runId, projectId: project, tier: 'free', url, settings: settings({ unlimited: true }) },
    }
    return { subject: subjects.run(runId), payload: encodeJson({ at, events: [event] }) }
  })
  return admitted.type === 'admitted' ? admitted.runId : 0
}

type Answers = Map<RunsReader, number>

async function surroundings(t: Test, archiveAfter: string, plant = async (_pool: pg.Pool) => {}) {
  process.env.LOG_LEVEL = 'fatal'
  const [nats, fresh] = await Promise.all([throwawayNats(), migratedDatabase(database)])
  t.teardown(() => Promise.all([nats.stop(), fresh.drop()]))
  await declareStreams(nats.url)
  const pool = new pg.Pool({ connectionString: fresh.url, max: 3 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  await pool.query('create schema content')
  for (const statement of archiveTables) await pool.query(statement)
  await plant(pool)
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const reached: Answers = new Map(runsReaders.map(reader => [reader, everything]))
  const stop = new AbortController()
  for (const reader of runsReaders) {
    const requested = async (): Promise<Reached> => {
      const sequence = reached.get(reader)
      if (sequence === undefined) throw new Refusal({ status: 503, code: 'unavailable', message: 'Away.' })
      return { sequence }
    }
    void serve(bus, runsRpc.reached[reader], requested, { signal: stop.signal, report: () => {} })
  }
  const env = { NATS_URL: nats.url, DATABASE_URL: fresh.url, ARCHIVE_AFTER: archiveAfter }
  const service = await startService(env, stop.signal)
  t.teardown(async () => {
    stop.abort()
    await service[Symbol.asyncDispose]()
  })

  const store = jetStreamEventStore(bus, streams.runs)
  const pending = <Procedure extends Rpc>(rpc: Procedure, request: RequestOf<Procedure>) =>
    call(bus, rpc, request, { timeoutMs: 20_000 })
  function startOrReplay(
    idempotencyKey: string | null,
    more: Partial<StartRun> = {},
  ): Promise<RunStartedResponse> {
    const request = {
      projectId: project,
      tier: 'free' as const,
      url: 'http://127.1.0.1:1/',
      settings: settings({ unlimited: true }),
    }
    return pending(runsRpc.startRun, { ...request, idempotencyKey, fingerprint: '', ...more })
  }
  return {
    pool,
    bus,
    env,
    store,
    reached,
    start: async (idempotencyKey: string | null = null) => (await startOrReplay(idempotencyKey)).id,
    replay: startOrReplay,
    get: (runId: number, projectId = project) => pending(runsRpc.getRun, { projectId, runId }),
    isActive: (runId: number, projectId = project) => pending(runsRpc.isRunActive, { projectId, runId }),
    about: (rpc: Rpc, runId: number, projectId: number, more: object = {}) =>
      pending(rpc, { projectId, runId, ...more }),
    cancel: (runId: number, projectId = project) => pending(runsRpc.cancelRun, { projectId, runId }),
    remove: (runId: number, projectId = project) => pending(runsRpc.deleteRun, { projectId, runId }),
    events: async (runId: number, facet: Facet = 'crawl') =>
      (await store.load<RunCommit>(subjects.run(runId, facet))).commits.flatMap(({ commit }) =>
        commit.events.map(({ type }) => String(type)),
      ),
    async put(runId: number, facet: Facet, data: object, expected = 0) {
      const commit = { at: new Date().toISOString(), events: [{ type: 'Told', data }] }
      await store.append(subjects.run(runId, facet), expected, commit)
    },
    count: async (what: string) =>
      Number((await pool.query(`select count(*) from coordinator.${what}`)).rows[0].count),
  }
}
