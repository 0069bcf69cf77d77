/** The bytes of requests with which a project may start runs per day, with real servers. */
import { call, serve } from '@tidemark/bus/rpc'
import { archiveTables } from '@tidemark/content/archive'
import type { Tier } from '@tidemark/contracts/primitives'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { notifications, streams } from '@tidemark/contracts/subjects'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import { test } from 'tap'
import { admissions } from './adapters/admissions.ts'
import { database } from './database.ts'
import { settings, site } from './domain/run.examples.ts'
import { startService } from './service.ts'

const timeoutMs = 20_000
/** The limit of the tier `free` is 16 MB, so eight of these fit. */
const urls = Array.from({ length: 1_900 }, (_, n) => `${site}/${n}/${'x'.repeat(980)}`)

test('The requests of a project', { timeout: 300_000 }, async t => {
  process.env.LOG_LEVEL = 'fatal'
  const { env, bus, pool, stack } = await surroundings(t, { database, declare: declareStreams })
  await pool.query('create schema content')
  for (const statement of archiveTables) await pool.query(statement)
  stack.use(await startService({ ...env, ARCHIVE_AFTER: 'P7D' }, new AbortController().signal))

  const begin = (projectId: number, more: Partial<StartRun> = {}) => {
    const request = {
      ...{ projectId, tier: 'free' as const, url: `${site}/`, idempotencyKey: null, fingerprint: '' },
      settings: settings({ unlimited: true, urls }),
    }
    return call(bus, runsRpc.startRun, { ...request, ...more }, { timeoutMs })
  }
  const start = async (projectId: number, more: Partial<StartRun> = {}) => (await begin(projectId, more)).id
  const end = async (projectId: number, runId: number) => {
    await call(bus, runsRpc.cancelRun, { projectId, runId }, { timeoutMs })
    await call(bus, runsRpc.deleteRun, { projectId, runId }, { timeoutMs })
  }
  const small = { settings: settings({ unlimited: true }) }
  const refusal = {
    ...{ status: 429, code: 'too_many_requests', reason: 'request_bytes', message: /16 MB .* tier free/ },
    retryAfterSeconds: Number,
  }

  await t.test('are bounded together per day, also those of deleted runs', async t => {
    await end(1, await start(1))
    await pool.query('update coordinator.request_bytes set bytes = 6 * bytes where project_id = 1')
    const concurrent = await Promise.allSettled([1, 2, 3, 4].map(() => start(1)))
    const started = concurrent.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
    t.equal(started.length, 2, 'concurrent requests share what is left')
    for (const runId of started) await end(1, runId)
    await t.rejects(start(1), refusal)
    const tick = { monitorId: 1, minute: '2026-01-01T00:00:00.000Z', previousRunId: null }
    await t.rejects(start(1, { tick }), refusal, 'those of monitors too')
    await end(1, await start(1, small))
    await end(2, await start(2))
    await end(1, await start(1, { tier: 'pro' }))
  })

  await t.test('of monitors have the limit of the tier of now', async t => {
    const project = 6
    let tier: Tier = 'pro'
    const stop = new AbortController()
    const readTerms = async () => ({ terms: { tier, caps: { pagesPerDay: 9 } } })
    const serving = serve(bus, accountsRpc.readTerms, readTerms, {
      signal: stop.signal,
      report: error => t.error(error),
    })
    await bus.nc.flush()
    const tick = { monitorId: 6, minute: '2026-01-01T00:00:00.000Z', previousRunId: null }
    await end(project, await start(project))
    await pool.query('update coordinator.request_bytes set bytes = 8 * bytes where project_id = $1', [
      project,
    ])
    const { id, sequence } = await begin(project, { tick })
    const queued = await bus.jsm.streams.getMessage(streams.runs, { seq: sequence })
    t.match(queued?.json<RunCommit>().events[0]?.data, {
      tier: 'pro',
      settings: { caps: { pagesPerDay: 9 } },
    })
    await end(project, id)

    tier = 'free'
    bus.nc.publish(notifications.keysChanged)
    await bus.nc.flush()
    await t.rejects(start(project, { tick, tier: 'pro' }), refusal)
    await end(project, await start(project, { tier: 'pro' }))
    stop.abort()
    await serving
  })

  await t.test('count the pages that a fork can take from the store', async t => {
    const fork = (maxPages: number) => ({
      settings: settings({ unlimited: true, maxPages, fork: { runId: 1, pages: 100_000 } }),
    })
    for (let n = 0; n < 2; n++) await end(5, await start(5, fork(2_000)))
    await t.rejects(start(5, fork(2_000)), refusal)
  })

  await t.test('are counted again the next day', async () => {
    await pool.query(`update coordinator.request_bytes set day = day - 1`)
    await end(1, await start(1))
  })

  await t.test('do not count if they are not stored, or return an earlier run', async t => {
    const bytes = async () =>
      Number(
        (await pool.query('select bytes from coordinator.request_bytes where project_id = 1')).rows[0].bytes,
      )
    const before = await bytes()
    const slots = admissions({ pool, transaction: work => inTransaction(pool, work) })
    const wanted = {
      ...{ projectId: 1, url: `${site}/`, key: null, fingerprint: '', likeness: null, maxAgeSeconds: null },
      ...{ refusal: null, at: new Date().toISOString(), request: { bytes: 5_000, limit: 16_000_000 } },
    }
    const admit = async () => {
      const admitted = await slots.admit(wanted, runId => ({
        subject: `never.${runId}`,
        payload: Buffer.from(''),
      }))
      if (admitted.type !== 'admitted') throw new Error(admitted.type)
      return { ...admitted, requestBytes: 5_000 }
    }
    const admitted = await admit()
    t.equal(await bytes(), before + 5_000)
    await slots.withdraw(admitted, async () => false)
    t.equal(await bytes(), before)
    t.equal(await slots.find(admitted.runId), null)

    // Seed 50000676 of the simulator: a relay had published the event, and its response was lost.
    const stored = await admit()
    await slots.withdraw(stored, async () => true)
    t.match(await slots.find(stored.runId), { projectId: 1, isReleased: false }, 'a run in the stream stays')
    t.equal(await bytes(), before + 5_000)
    await slots.release(stored.runId, null, null)

    const key = { ...small, idempotencyKey: 'same', fingerprint: 'same' }
    const first = await start(1, key)
    const after = await bytes()
    t.equal(await start(1, key), first)
    t.equal(await bytes(), after)
  })
})
