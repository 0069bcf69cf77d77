/**
 * Tests that a coordinator reports a stream of runs that was restored to an older state. No other service reads the
 * stream here, so only the process that appended an event can miss it.
 */
import fs from 'node:fs/promises'
import { join } from 'node:path'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { healthOf } from '@tidemark/bus/troubles'
import type { Heartbeat } from '@tidemark/contracts/heartbeat'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { notifications, streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { migratedDatabase } from '@tidemark/testing/databases'
import { throwawayNats } from '@tidemark/testing/servers'
import { until, untilResolves } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { database } from './database.ts'
import { settings } from './domain/run.examples.ts'
import { lastMs, monitorStream, type StreamMonitor } from './policies/monitor-stream.ts'
import { startService } from './service.ts'

const never = () => {}
/** Events are appended without the coordinator that checks the stream. */
const nobody = { appended: never }

test('A stream that was restored to an older state while no coordinator ran', async t => {
  const around = await surroundings(t)
  const { pool, bus } = around

  await t.test('is reported by each coordinator that starts, even after it has grown', async t => {
    const first = await around.start()
    await first.crawl()
    await first.stop()
    await around.save()
    const second = await around.start()
    await second.crawl()
    const stopMs = await second.stop()
    // A busy machine may give up the last check, which is limited.
    if (stopMs < lastMs)
      t.equal(await recorded(pool), await endOf(bus), 'the last check follows the last append')

    await around.bringBack()
    const third = await around.start()
    await until(() => third.says().includes('stream_went_backwards: RUNS ends at'))
    const lost = await recorded(pool)
    while ((await endOf(bus)) <= lost) await third.crawl()
    await until(() => third.says().includes(`stream_went_backwards: RUNS has a message of`))
    await third.stop()
    t.equal(await recorded(pool), lost)
    const fourth = await around.start()
    await until(() => fourth.says().includes('stream_went_backwards: RUNS has a message of'))
    t.equal(await recorded(pool), lost, 'later messages are not recorded')
    await accept(pool, around.saved())
    await until(() => fourth.says() === 'pass')
    await until(async () => (await recorded(pool)) === (await endOf(bus)))
    await fourth.stop()
  })
})

test('A stream that was restored to an older state under a coordinator', async t => {
  const around = await surroundings(t)
  const { pool, bus, databaseUrl } = around
  const faults = () => healthOf(bus.nc).faults.join()
  const looked = async () => {
    let looks = 0
    const hears = bus.nc.subscribe(`$JS.API.STREAM.INFO.${streams.runs}`, { callback: () => void looks++ })
    await until(() => looks >= 6)
    hears.unsubscribe()
  }
  const append = (look: Pick<StreamMonitor, 'appended'>, runId: number, type: string, expected = 0) => {
    const commit = { at: new Date().toISOString(), events: [{ type, data: { runId } }] }
    return jetStreamEventStore(bus, streams.runs, look.appended).append(subjects.run(runId), expected, commit)
  }
  const begin = () => monitorStream({ bus, pool, report: never })

  await t.test('is complete if it loses only messages that may be deleted', async t => {
    const look = begin()
    const last = await append(look, 1, 'PagesOrdered')
    await until(async () => (await recorded(pool)) === last)
    await look[Symbol.asyncDispose]()
    await around.restart()
    await append(nobody, 1, 'RunDeleted', last)
    await bus.jsm.streams.purge(streams.runs, { filter: subjects.run(1), keep: 1 })
    const crashed = begin()
    await looked()
    t.equal(faults(), '')
    await crashed[Symbol.asyncDispose]()
  })

  await t.test('lacks a recorded message', async () => {
    const look = begin()
    await append(look, 2, 'PagesOrdered')
    await until(async () => (await recorded(pool)) === (await endOf(bus)))
    await around.save()
    await append(look, 3, 'PagesOrdered')
    await until(async () => (await recorded(pool)) === (await endOf(bus)))
    await around.bringBack()
    await until(() => /stream_went_backwards: RUNS ends at/.test(faults()))
    await accept(pool, around.saved())
    await until(() => faults() === '')
    await look[Symbol.asyncDispose]()
  })

  for (const { shape, after, says } of [
    { shape: 'ends before', after: 0, says: /stream_went_backwards: RUNS ends at/ },
    { shape: 'has another message at the position of', after: 4, says: /RUNS has a message of/ },
  ])
    await t.test(`${shape} an appended message that is not recorded`, async t => {
      await using holder = await connect(databaseUrl)
      const look = begin()
      await append(look, 10 + after, 'PagesOrdered')
      await until(async () => (await recorded(pool)) === (await endOf(bus)))
      await around.save()
      await holder.query('begin; lock table coordinator.checkpoint in access exclusive mode')
      const lost = await append(look, 20 + after, 'PagesOrdered')
      await around.bringBack()
      for (let n = 0; n < after; n++) await append(nobody, 100 + n, 'PagesOrdered')
      await holder.query('rollback')
      await until(() => says.test(faults()))
      t.equal(await recorded(pool), lost)
      await look[Symbol.asyncDispose]()
      t.equal(faults(), '')

      const next = begin()
      await until(() => says.test(faults()))
      await accept(pool, around.saved())
      await until(() => faults() === '')
      await until(async () => (await recorded(pool)) === (await endOf(bus)))
      await next[Symbol.asyncDispose]()
    })
})

test('Runs whose events the stream has lost', async t => {
  const around = await surroundings(t)
  const { pool } = around
  await (await around.start()).stop()
  await around.save()
  const before = await around.start()
  const runIds = await Promise.all(Array.from({ length: 5 }, async () => (await before.crawl()).id))
  await before.stop()
  await around.bringBack()
  const after = await around.start()
  await t.test('stay until their loss is accepted, because the stream may return', async t => {
    await t.rejects(
      after.remove(runIds[0] ?? 0),
      /cannot be deleted until the loss is accepted: RUNS ends at/,
    )
    const { rows } = await pool.query('select from coordinator.deletion')
    t.equal(rows.length, 0)
  })
  await accept(pool, around.saved())
  await until(() => after.says() === 'pass')
  await t.rejects(
    after.crawl(),
    /5 runs of this project are queued or running/,
    'they hold all slots of their project',
  )

  await t.test('are deleted and release their slots', async t => {
    const twice = await Promise.all([after.remove(runIds[0] ?? 0), after.remove(runIds[0] ?? 0)])
    // A request that reads the run after the deletion of the other finds none.
    const deletions = twice.filter(({ deleted }) => deleted).map(({ sequence }) => sequence)
    t.ok(deletions.length > 0 && new Set(deletions).size === 1, 'once, also by two requests at once')
    for (const runId of runIds.slice(1))
      t.match(await after.remove(runId), { deleted: true, sequence: Number })
    const { rows } = await pool.query('select from coordinator.admission where released_at is null')
    t.equal(rows.length, 0)
    for (const runId of runIds) t.match(await after.remove(runId), { deleted: false })
    t.match(await after.crawl(), { id: Number }, 'the project can crawl')
  })

  await t.test('are not those that wait for their announcement', async t => {
    const { rows } = await pool.query(
      'insert into coordinator.admission (project_id, enqueued_at) values (7, now()) returning run_id',
    )
    const runId = Number(rows[0].run_id)
    await pool.query(
      `insert into coordinator.outbox (subject, payload, headers, created_at)
       values ($1, '', '{}', now() + interval '1 hour')`,
      [subjects.run(runId)],
    )
    t.match(await after.remove(runId), { deleted: false })
  })
  await after.stop()
})

/** Sets the checkpoint like `admin accept-loss`. */
const accept = (pool: pg.Pool, left: number) =>
  pool.query('update coordinator.checkpoint set sequence = $1, read_to = null, read_subject = null', [left])

const endOf = async ({ jsm }: Bus) => (await jsm.streams.info(streams.runs)).state.last_seq

async function recorded(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query('select sequence from coordinator.checkpoint')
  return Number(rows[0]?.sequence ?? 0)
}

async function connect(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function surroundings(t: Test) {
  process.env.LOG_LEVEL = 'fatal'
  const [nats, fresh] = await Promise.all([throwawayNats(), migratedDatabase(database)])
  t.teardown(() => Promise.all([nats.stop(), fresh.drop()]))
  await declareStreams(nats.url)
  const pool = new pg.Pool({ connectionString: fresh.url, max: 3 })
  pool.on('error', never)
  t.teardown(() => pool.end())
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const stored = join(nats.dir, 'jetstream/$G/streams', streams.runs)
  const older = join(nats.dir, 'older')
  let savedAt = 0
  const restart = async () => {
    await nats.restart()
    await untilResolves(() => endOf(bus))
  }

  return {
    pool,
    bus,
    databaseUrl: fresh.url,
    /** Kills the server and starts it again. */
    restart,
    /** Last sequence of the saved stream. */
    saved: () => savedAt,
    /** Saves the stream as it is on disk now. */
    async save() {
      savedAt = await endOf(bus)
      await fs.rm(older, { recursive: true, force: true })
      await fs.cp(stored, older, { recursive: true })
    },
    /** Restores the saved stream. */
    async bringBack() {
      await nats.kill()
      await fs.rm(stored, { recursive: true })
      await fs.cp(older, stored, { recursive: true })
      await restart()
    },
    async start() {
      const stop = new AbortController()
      let last: Heartbeat | null = null
      const subscription = bus.nc.subscribe(notifications.heartbeat('crawl-coordinator'), {
        callback: (_error, message) => {
          last = message.json<Heartbeat>()
        },
      })
      await bus.nc.flush()
      const service = await startService({ NATS_URL: nats.url, DATABASE_URL: fresh.url }, stop.signal)
      return {
        says: (): string => (last === null ? '' : (last.cause ?? last.status)),
        crawl() {
          const url = 'http://127.1.0.1:1/'
          const wanted = { url, settings: settings({ unlimited: true }), idempotencyKey: null }
          const request = { projectId: 7, tier: 'free' as const, ...wanted, fingerprint: '' }
          return call(bus, runsRpc.startRun, request, { timeoutMs: 20_000 })
        },
        remove: (runId: number) =>
          call(bus, runsRpc.deleteRun, { projectId: 7, runId }, { timeoutMs: 20_000 }),
        /** Returns the milliseconds that it took. */
        async stop(): Promise<number> {
          const began = performance.now()
          subscription.unsubscribe()
          stop.abort()
          await service[Symbol.asyncDispose]()
          return performance.now() - began
        },
      }
    },
  }
}
