/** Deletion of crawls in a whole system: they disappear at once from every answer, and only the bill remains. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { fillStream } from './fill-stream.ts'
import { startSystem, twoExtractors } from './system.ts'

const runs = sized(4, 20)
const pagesOfSite = sized(30, 60)
/** A crawl takes over a second, so that it runs while it is deleted. */
const request = { max_pages: pagesOfSite, delay_ms: 40, respect_robots: false }

/** Every page is unique, so that no other run shares their bodies. */
const pages = Object.fromEntries(
  Array.from({ length: pagesOfSite }, (_, n) => [
    n === 0 ? '/' : `/${n}`,
    `<title>Page ${n}</title>${Array.from({ length: pagesOfSite }, (_, to) => `<a href="/${to}">${to}</a>`).join('')}
     <p>${`A body of page ${n}. `.repeat(100)}`,
  ]),
)

test('Deleting crawls', async t => {
  const system = await startSystem({ ARCHIVE_AFTER: 'PT2S', REPLICAS: twoExtractors })
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages })
  t.teardown(() => origin.close())
  const { postgres, nats } = await system.runFile()
  const pool = new pg.Pool({ connectionString: postgres.url, max: 3 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const key = await system.createProject('deleting', '--unlimited')
  const { call } = system
  const count = async (sql: string, ...values: unknown[]) =>
    Number((await pool.query(`select count(*) as n from ${sql}`, values)).rows[0].n)
  const start = async (headers = {}) => {
    const { status, body } = await call(
      key,
      'POST',
      '/v1/crawls',
      { url: `${origin.url}/`, ...request },
      headers,
    )
    if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
    return body.id as number
  }
  const hasPages = (id: number) =>
    until(async () => (await call(key, 'GET', `/v1/crawls/${id}`)).body.page_count > 5)
  const messagesOf = async (id: number) => {
    const info = await bus.jsm.streams.info(streams.runs, { subjects_filter: subjects.run(id) })
    return info.state.subjects?.[subjects.run(id)] ?? 0
  }
  const billed = async () => Number((await call(key, 'GET', '/v1/usage')).body.today.pages)
  const bodiesBefore = await count('content.body')

  await t.test('running crawls disappear at once from every answer', async t => {
    const ids: number[] = []
    while (ids.length < runs) {
      const batch = await Promise.all(Array.from({ length: 4 }, () => start()))
      await Promise.all(batch.map(hasPages))
      const page = (await call(key, 'GET', `/v1/crawls/${batch[0]}/pages?limit=1`)).body.items[0]
      await Promise.all(
        batch.map(async id => {
          const { status, body } = await call(key, 'DELETE', `/v1/crawls/${id}`)
          if (status !== 204 || body !== '') t.fail(`DELETE answered ${status} ${JSON.stringify(body)}`)
          for (const [method, path] of [
            ['GET', ''],
            ['GET', `?as_of=${new Date().toISOString()}`],
            ['GET', '/pages'],
            ['GET', '/pages?limit=1000&format=ndjson'],
            ['GET', '/links'],
            ['GET', '/orphans'],
            ['GET', '/evidence'],
            ['GET', '/evidence/leaves'],
            ['GET', '/policy'],
            ['GET', '/replay'],
            ['GET', '/coverage'],
            ['GET', `/coverage?as_of=${new Date().toISOString()}`],
            ['GET', '/errors'],
            ['GET', `/explain?url=${encodeURIComponent(`${origin.url}/`)}`],
            ['GET', '/events'],
            ['GET', '/exports'],
            ['GET', '/deliveries'],
            ['POST', '/cancel'],
            ['POST', '/pause'],
            ['POST', '/resume'],
            ['POST', '/retry-failed'],
            ['POST', '/fork'],
            ['POST', '/share'],
            ['DELETE', '/share'],
            ['DELETE', ''],
          ] as const) {
            const answer = await call(key, method, `/v1/crawls/${id}${path}`)
            if (answer.status !== 404) t.fail(`${method} ${id}${path} answered ${answer.status}`)
          }
        }),
      )
      for (const path of ['', '/evidence'])
        t.equal((await call(key, 'GET', `/v1/pages/${page.id}${path}`)).status, 404)
      ids.push(...batch)
    }
    const listed = (await call(key, 'GET', '/v1/crawls?limit=1000')).body.items
    t.strictSame(listed, [])

    await until(async () => (await count('content.body')) === bodiesBefore, 30_000)
    for (const sql of [
      'read.run where id = any($1)',
      'read.page where run_id = any($1)',
      'read.deleted_run where run_id = any($1)',
      'content.page where run_id = any($1)',
      'content.released where $1::bigint[] is not null',
      'coordinator.admission where run_id = any($1) and released_at is null',
      'coordinator.deletion where run_id = any($1) and purged_at is null',
    ]) {
      await until(async () => (await count(sql, ids)) === 0, 30_000)
      t.equal(await count(sql, ids), 0, sql)
    }
    const left = await Promise.all(ids.map(messagesOf))
    t.strictSame(
      left,
      ids.map(() => 1),
      'the last event of each remains',
    )
    const units = await count('ledger.unit where run_id = any($1)', ids)
    t.ok(units >= runs * 5, `${units} pages were billed`)
    t.equal(await billed(), units)
    const { rows } = await pool.query(
      'select count(*) filter (where released_at is null) as held from coordinator.admission',
    )
    t.equal(Number(rows[0].held), 0, 'deleted runs hold no slot')
  })

  await t.test('an idempotency key of a deleted run cannot start another', async t => {
    const headers = { 'idempotency-key': 'once' }
    const id = await start(headers)
    t.equal((await call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    const again = await call(key, 'POST', '/v1/crawls', { url: `${origin.url}/`, ...request }, headers)
    t.equal(again.status, 409)
    t.match(again.body.error, { code: 'conflict', reason: 'idempotency_key_of_deleted_run' })
  })

  await t.test('pages before the deletion are billed, even if the ledger lags behind', async t => {
    const before = await billed()
    const slow = await pool.connect()
    await slow.query(`begin; select from ledger.checkpoint where projection = 'bill-runs' for update`)
    const id = await start()
    await hasPages(id)
    t.equal((await call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    const events = await messagesOf(id)
    await sleep(4_000)
    t.equal(await messagesOf(id), events, 'events remain until they are billed')
    t.equal(await billed(), before)
    await slow.query('commit')
    slow.release()
    await until(async () => (await messagesOf(id)) === 1, 30_000)
    await until(async () => (await billed()) > before + 5, 30_000)
    const { rows } = await pool.query(
      'select sum(pages)::int as pages, (select count(*)::int from ledger.unit) as units from ledger.counter',
    )
    t.equal(rows[0].pages, rows[0].units)
  })

  await t.test('runs that ended long ago are archived, still readable, and deleted like others', async t => {
    const id = await start()
    const ended = await system.untilEnded(key, id)
    t.match(ended, { status: 'done', page_count: pagesOfSite })
    await until(async () => (await count('content.archive where run_id = $1', id)) === 1, 30_000)
    await until(async () => (await messagesOf(id)) === 1, 30_000)
    t.strictSame((await call(key, 'GET', `/v1/crawls/${id}`)).body, ended)
    await pool.query('update read.run set project_id = -1 where id = $1', [id])
    t.match(
      (await call(key, 'GET', `/v1/crawls/${id}`)).body,
      { status: 'done', page_count: pagesOfSite, enqueued_at: ended.enqueued_at },
      'also if the run is read from its events',
    )
    t.equal((await call(key, 'POST', `/v1/crawls/${id}/cancel`)).body.status, 'done')
    t.equal((await call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    t.equal((await call(key, 'GET', `/v1/crawls/${id}`)).status, 404)
    await until(async () => (await count('content.archive where run_id = $1', id)) === 0, 30_000)
    await until(async () => (await count('content.page where run_id = $1', id)) === 0, 30_000)
  })

  await t.test('a full stream rejects new runs until it has space', async t => {
    await bus.jsm.streams.update(streams.runs, { max_bytes: 4 * 1024 ** 2 })
    const filler = 'runs.63.9007199254740991.filler'
    await fillStream(bus, filler)
    const refused = await call(key, 'POST', '/v1/crawls', { url: `${origin.url}/`, ...request })
    t.equal(refused.status, 503)
    t.equal(refused.body.error.code, 'unavailable')
    t.ok(Number(refused.headers.get('retry-after')) > 0)
    t.equal(
      await count('coordinator.admission where released_at is null'),
      0,
      'the rejected run holds no slot',
    )
    await bus.jsm.streams.purge(streams.runs, { filter: filler })
    const id = await start()
    t.match(await system.untilEnded(key, id), { status: 'done', page_count: pagesOfSite })
  })
})
