/**
 * Batches of scans in the extractor, with real servers and a fake gateway that reads their pages: leases, stored results,
 * waits, ends and deletions.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { refuse } from '@tidemark/bus/refusal'
import { call, serve } from '@tidemark/bus/rpc'
import { findBatch, readResults } from '@tidemark/content/batches'
import { compress } from '@tidemark/content/zstd'
import type { BatchCommit } from '@tidemark/contracts/batches/events'
import type { ReadBatchPage, RequestBatch } from '@tidemark/contracts/rpc/batches'
import * as batchesRpc from '@tidemark/contracts/rpc/batches'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { database } from './database.ts'
import { startService } from './service.ts'

const projectId = 7
const timeoutMs = 20_000

test('Batches of scans', { timeout: 400_000 }, async t => {
  const around = await surroundings(t, { database, declare: declareStreams })
  const { bus, pool, stack } = around
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const env = {
    ...{ REDIS_URL: 'redis://127.0.0.1:1', SECRETS_KEY: '0'.repeat(64), BATCH_LEASE_SECONDS: '1' },
    ...{ BATCH_SWEEP_SECONDS: '1', BATCHES_PER_PROJECT: '2', BATCH_TURN_SECONDS: '1' },
    ...{ RETENTION_DAYS_PRO: '30', BATCHES_AT_ONCE: '1' },
  }
  const requested: ReadBatchPage[] = []
  let answer: (request: ReadBatchPage) => Promise<'ok' | 'failed' | null> = async () => 'ok'
  const billOf = ({ requestId, part, url }: ReadBatchPage) => ({
    at: new Date().toISOString(),
    events: [
      {
        type: 'RequestServed' as const,
        data: {
          ...{ projectId, requestId, ...(part > 1 && { part }), operation: 'scan_batch', costUsd: 0 },
          units: [{ kind: 'page' as const, n: 1, what: url }],
        },
      },
    ],
  })
  void serve(
    bus,
    batchesRpc.readBatchPage,
    async request => {
      requested.push(request)
      const ending = await answer(request)
      if (ending === null) return { header: null, blobs: [] }
      const item = compress(Buffer.from(JSON.stringify({ url: request.url, ok: ending === 'ok' })))
      return { header: { ending, bill: billOf(request) }, blobs: [item] }
    },
    { signal: stop.signal, report: () => {} },
  )
  const request = async (urls: string[], more: Partial<RequestBatch> = {}) => {
    const wanted: RequestBatch = {
      ...{ projectId, terms: { tier: 'pro' }, urls, options: { concurrency: 4 } },
      ...{ webhookUrl: null, idempotencyKey: null, fingerprint: 'a', ...more },
    }
    return call(bus, batchesRpc.requestBatch, wanted, { timeoutMs })
  }
  const view = (id: number) => findBatch(pool, projectId, id)
  const untilDone = (id: number) => until(async () => (await view(id))?.status === 'done', 60_000)
  const billed = async (id: number): Promise<string[]> => {
    const store = jetStreamEventStore(bus, streams.served)
    const { commits } = await store.load<ReturnType<typeof billOf>>(subjects.served(projectId))
    return commits.flatMap(({ commit }) =>
      commit.events.flatMap(({ data }) =>
        data.requestId === `batch-${id}` ? [data.units[0]?.what ?? ''] : [],
      ),
    )
  }
  const urlsOf = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => `http://${name}${n}.example/`)
  const begin = async () => {
    const ending = new AbortController()
    const running = stack.use(new AsyncDisposableStack())
    running.use(await startService({ ...around.env, ...env }, ending.signal))
    running.defer(() => ending.abort())
    return running
  }

  await t.test('are continued after a kill, with one result and one bill per URL', async t => {
    const process = around.spawn(join(import.meta.dirname, 'main.ts'), env)
    const urls = urlsOf('killed', 30)
    let id = 0
    await until(async () => {
      id = (await request(urls, { idempotencyKey: 'kill' }).catch(() => null))?.batch.id ?? 0
      return id > 0
    }, 60_000)
    const held = Promise.withResolvers<void>()
    answer = async () => {
      if (requested.length > 10) await held.promise
      return 'ok'
    }
    await until(async () => requested.length > 10, 60_000)
    process.kill('SIGKILL')
    await once(process, 'exit')
    held.resolve()
    await using _ = await begin()
    await untilDone(id)
    t.match(await view(id), { counts: { total: 30, ok: 30, pending: 0 }, progress: 1 })
    const results = await Array.fromAsync(readResults(pool, id, { from: 0, to: 30 }))
    t.strictSame(
      results.map(({ json }) => JSON.parse(String(json)).url),
      urls,
    )
    await until(async () => (await billed(id)).length >= 30)
    t.strictSame((await billed(id)).sort(), urls.toSorted())
    t.ok(requested.length > 30, 'pages in progress were requested again')
    t.equal(new Set(requested.map(({ part }) => part)).size, 30, 'under their own names')
    const { commits } = await jetStreamEventStore(bus, streams.batches).load<BatchCommit>(subjects.batch(id))
    t.strictSame(
      commits.flatMap(({ commit }) => commit.events.map(({ type }) => type)),
      ['BatchRequested', 'BatchFinished'],
    )
  })

  await using _ = await begin()

  await t.test('wait while their pages cannot be read or their units are held', async t => {
    let refusals = 0
    answer = async () => {
      refusals += 1
      if (refusals === 1) throw refuse('unavailable')
      return refusals === 2 ? null : 'failed'
    }
    const { batch } = await request(['http://waits.example/'])
    await untilDone(batch.id)
    t.equal(refusals, 3)
    t.match(await view(batch.id), { counts: { failed: 1, ok: 0 } })
  })

  await t.test('give up the pages that end their process again and again', async t => {
    const never = new Promise<never>(() => {})
    answer = async ({ url }) => (url.includes('poison') ? never : 'ok')
    const { batch } = await request([...urlsOf('poison', 4), ...urlsOf('fine', 2)])
    await until(async () => (await view(batch.id))?.counts.pending === 6)
    // As if each start had ended the process.
    await pool.query('update content.batch set attempts = 20, lease = null, due_at = now() where id = $1', [
      batch.id,
    ])
    await untilDone(batch.id)
    t.match(await view(batch.id), { counts: { failed: 4, ok: 2 } })
    await until(async () => (await billed(batch.id)).length >= 2)
    t.strictSame((await billed(batch.id)).sort(), urlsOf('fine', 2))
  })

  await t.test('are limited per project', async t => {
    const held = Promise.withResolvers<'ok'>()
    answer = () => held.promise
    const running = [await request(urlsOf('a', 2)), await request(urlsOf('b', 2))]
    await t.rejects(request(urlsOf('c', 1)), /unfinished batches/)
    held.resolve('ok')
    for (const { batch } of running) await untilDone(batch.id)
    t.equal((await request(urlsOf('c', 1))).replayed, false)
  })

  await t.test('give their turn to another project while others hold their units', async t => {
    let isFree = false
    answer = async ({ url }) => (url.includes('held') && !isFree ? null : 'ok')
    const { batch } = await request(urlsOf('held', 2))
    await until(() => requested.some(({ url }) => url.includes('held')))
    const other = { projectId: 8 }
    const { batch: quick } = await request(urlsOf('quick', 1), other)
    await until(async () => (await findBatch(pool, 8, quick.id))?.status === 'done', 60_000)
    t.match(await view(batch.id), { counts: { pending: 2 } })
    isFree = true
    await untilDone(batch.id)
    await call(bus, forgetRpc.forgetBatches, other, { timeoutMs: 60_000 })
  })

  await t.test('are deleted at the end of their retention, and with their project', async t => {
    answer = async () => 'ok'
    const key = { idempotencyKey: 'old' }
    const { batch } = await request(urlsOf('old', 3), key)
    await untilDone(batch.id)
    t.strictSame((await request(urlsOf('old', 3), key)).batch.id, batch.id)
    const { expires_at, finished_at } = (await view(batch.id)) ?? {}
    t.equal(Date.parse(expires_at ?? '') - Date.parse(finished_at ?? ''), 30 * 86_400_000)
    await pool.query('update content.batch set expires_at = null where id = $1', [batch.id])
    await until(async () => (await view(batch.id))?.expires_at === expires_at)
    await pool.query('update content.batch set expires_at = now() where id = $1', [batch.id])
    await until(async () => (await view(batch.id)) === null)
    await t.rejects(request(urlsOf('old', 3), key), /was deleted/)
    const { forgotten } = await call(bus, forgetRpc.forgetBatches, { projectId }, { timeoutMs: 60_000 })
    t.ok(forgotten > 0)
    const { rows } = await pool.query('select from content.batch union all select from content.batch_item')
    t.equal(rows.length, 0)
    const { commits } = await jetStreamEventStore(bus, streams.batches).load<BatchCommit>(
      subjects.batch(batch.id),
    )
    t.match(commits, [{ commit: { events: [{ type: 'BatchDeleted', data: { because: 'age' } }] } }])
  })
})
