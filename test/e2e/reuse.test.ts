/**
 * `max_age_seconds`: the API returns a recent run, or the page of a recent scan, instead of a new one with the same
 * request.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { type Answer, sharedSystem } from './system.ts'

const settings = { max_pages: 1, delay_ms: 0, respect_robots: false }

test('A finished run is reused within max_age_seconds', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': '<title>One page</title>' } })
  t.teardown(() => origin.close())
  const url = `${origin.url}/`
  const slow = `${origin.url}/slow/60000`
  const key = await system.createProject('reusing', '--unlimited')
  const foreign = await system.createProject('reusing-too', '--unlimited')
  const start = (more: object, headers = {}, as = key) =>
    system.call(as, 'POST', '/v1/crawls', { url, ...settings, ...more }, headers)
  const recent = { max_age_seconds: 3600 }
  const cancel = (id: number) => system.call(key, 'POST', `/v1/crawls/${id}/cancel`)
  const { id } = await system.crawl(key, { url, ...settings })

  await t.test('at once, for any URL with the same normal form', async t => {
    const first = await start({ ...recent, delay_ms: 5, concurrency: 1 })
    t.match(first, { status: 202, body: { id, status: 'done', url, reused: true } })
    t.notOk(first.body.warnings)
    const withWebhook = await start({ ...recent, webhook_url: url })
    t.match(withWebhook.body, { id, reused: true, warnings: [/webhook_url.*sends nothing/] })
    t.equal(first.headers.get('location'), `/v1/crawls/${id}`)
    t.match((await start({ ...recent, url: url.replace('http', 'HTTP') })).body, { id, url })
  })

  await t.test('even while five runs are active, and always with its idempotency key', async t => {
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => start({ url: slow })))
    t.equal((await start({})).status, 429)
    const headers = { 'idempotency-key': 'reuse' }
    t.match(await start(recent, headers), { status: 202, body: { id, reused: true } })
    const replayed = await start({}, headers)
    t.match(replayed, { status: 202, body: { id, warnings: [/Idempotency-Key/] } })
    t.equal(replayed.headers.get('idempotent-replayed'), 'true')
    const none = await start({ depth: 99 }, headers)
    t.match(none, { status: 202, body: { id, warnings: [/Idempotency-Key/] } }, 'for any body')
    for (const other of [
      { max_pages: 2 },
      { cookies: 'a=b' },
      { user_agent: 'Bot/1' },
      { store_html: false },
    ]) {
      t.equal((await start({ ...recent, ...other })).status, 429, JSON.stringify(other))
    }
    await Promise.all(five.map(({ body }) => cancel(body.id)))
  })

  await t.test('unless it is older, of another project, cancelled or failed', async t => {
    const young = (await start({ max_age_seconds: 0 })).body
    t.not(young.id, id)
    await system.untilEnded(key, young.id)
    t.not((await start(recent, {}, foreign)).body.id, id)
    const again = await start({ ...recent, url: slow })
    t.notOk(again.body.reused, 'the earlier run was cancelled')
    await cancel(again.body.id)
    const closed = await startOrigin()
    await closed.close()
    const failing = { ...recent, url: `${closed.url}/` }
    const failed = await start(failing)
    t.equal((await system.untilEnded(key, failed.body.id)).status, 'failed')
    const repeated = await start(failing)
    t.notOk(repeated.body.reused)
    await cancel(repeated.body.id)
  })

  await t.test('free of charge, and never after its deletion', async t => {
    const used = async () => (await system.call(key, 'GET', '/v1/usage')).body.today.pages
    const { items } = (await system.call(key, 'GET', '/v1/crawls?status=done')).body
    await until(async () => (await used()) >= items.length)
    const before = await used()
    t.equal(before, items.length, 'one page per run')
    const ids = new Set<number>()
    for (let n = 0; n < 5; n++) {
      const { body } = await start(recent)
      if (!body.reused) {
        await system.untilEnded(key, body.id)
        break
      }
      ids.add(body.id)
      t.equal((await system.call(key, 'DELETE', `/v1/crawls/${body.id}`)).status, 204)
    }
    t.ok(ids.has(id), `${ids.size} runs were returned, one after the other`)
    t.equal(await used(), before + 1, 'only the page of the new run is billed')
    const afterDeletion = await start({}, { 'idempotency-key': 'reuse' })
    t.match(afterDeletion, { status: 409, body: { error: { reason: 'idempotency_key_of_deleted_run' } } })
  })
})

test('A page of a scan is reused within max_age_seconds', { timeout: patient(400_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const plain = { 'content-type': 'text/plain; charset=utf-8' }
  const body = `<title>Tides</title><main><h1>Tides</h1><p>High water comes <a href=/twice>twice</a> a day.</p></main>`
  const names = ['forms', 'ways', 'age', 'foreign', 'deleted', 'newer', 'bulk', 'batch', 'purged']
  const origin = await startOrigin({
    pages: {
      ...Object.fromEntries(names.map(name => [`/${name}`, { headers: { 'x-robots-tag': 'noai' }, body }])),
      '/robots.txt': { headers: plain, body: 'User-agent: GPTBot\nDisallow: /\n' },
      '/llms.txt': { headers: plain, body: '# Harbour' },
      '/unstored': { headers: { 'cache-control': 'no-store' }, body },
      '/challenge': { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: '<title>Wait</title>' },
    },
  })
  t.teardown(() => origin.close())
  const key = await system.createProject('scanning-again', '--unlimited')
  const recent = { max_age_seconds: 3600 }
  const call = (path: string, body: object, as = key) => system.call(as, 'POST', path, body)
  const scan = (name: string, more: object = {}, as = key) =>
    call('/v1/scan', { url: `${origin.url}/${name}`, ...more }, as)
  const remove = (name: string) =>
    system.call(key, 'DELETE', `/v1/scans?url=${encodeURIComponent(`${origin.url}/${name}`)}`)
  const hits = (name: string) => origin.hits.filter(({ path }) => path === `/${name}`).length
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await client.connect()
  t.teardown(() => client.end())
  /** Waits until the pages of these answers are stored, which is a moment after the answers. */
  const untilStored = (...answers: { body: { fetched_at: string } }[]) => {
    const times = answers.map(({ body }) => body.fetched_at)
    const select = 'select from content.scan where fetched_at = any($1)'
    return until(async () => ((await client.query(select, [times])).rowCount ?? 0) >= times.length)
  }
  /** Waits long enough for the system to store a page, in tests where it must not store one. */
  const untilStoredWrongly = () => sleep(patient(1_000))

  await t.test('in every form, at the price of a page, and without a request', async t => {
    const options = {
      include_links: true,
      include_article: true,
      chunks: { max_tokens: 64 },
      extract: { title: 'h1' },
    }
    const answer = await scan('forms', options)
    const first = answer.body
    t.match(first, { cached: false, ai_bot_policy: { GPTBot: 'disallowed' }, llms_txt: '# Harbour' })
    await untilStored(answer)
    const all = origin.hits.length
    const again = await scan('forms', { ...options, ...recent })
    t.strictSame(again.body, { ...first, cached: true })
    t.match(JSON.stringify(again.body.signals.ai_directives.x_robots_tag), /noai/)
    t.equal(again.headers.get('x-pages-billed'), '1')
    const markdown = await scan('forms#part', { ...recent, only_main_content: true, metadata_only: true })
    t.match(markdown.body, { cached: true, metadata: { title: 'Tides' } })
    t.equal(origin.hits.length, all, 'the site receives nothing')
    const redirected = await scan('redirect-chain/2')
    await untilStored(redirected)
    const found = await scan('redirect-chain/2', recent)
    t.match(found.body, { cached: true, final_url: redirected.body.final_url })
    await untilStored(await scan('unstored'))
    t.match((await scan('unstored', recent)).body, { cached: true }, 'as a page of a crawl')
  })

  await t.test('only if it was requested alike, is young enough, and is no challenge', async t => {
    await untilStored(await scan('ways'))
    const fetched: Answer[] = []
    for (const own of [{ user_agent: 'Own/1' }, { cloud_mode: 'auto' }, { max_age_seconds: 0 }]) {
      const answer = await scan('ways', { ...recent, ...own })
      t.match(answer.body, { cached: false }, JSON.stringify(own))
      fetched.push(answer)
    }
    t.equal(hits('ways'), 4)
    await untilStored(...fetched)
    for (const own of [{}, { user_agent: 'Own/1' }, { cloud_mode: 'auto' }])
      t.match((await scan('ways', { ...recent, ...own })).body, { cached: true }, JSON.stringify(own))
    t.match((await scan('ways', { ...recent, user_agent: 'Own/2' })).body, { cached: false })
    await scan('age')
    await sleep(2_500)
    t.match((await scan('age', { max_age_seconds: 1 })).body, { cached: false })
    await scan('challenge')
    await untilStoredWrongly()
    t.match((await scan('challenge', recent)).body, { cached: false, blocked: true })
    t.equal(hits('challenge'), 2)
  })

  await t.test('never in another project, and never after its deletion', async t => {
    await untilStored(await scan('foreign'))
    const foreign = await system.createProject('scanning-too', '--unlimited')
    t.match((await scan('foreign', recent, foreign)).body, { cached: false })
    t.equal(hits('foreign'), 2)
    await untilStored(await scan('deleted'))
    t.match(await remove('deleted'), { status: 200, body: { deleted: 1 } })
    t.match(await remove('deleted'), { status: 200, body: { deleted: 0 } })
    t.match((await scan('deleted', recent)).body, { cached: false })
    t.equal((await remove('deleted')).status, 200)
    await untilStoredWrongly()
    t.match((await scan('deleted', recent)).body, { cached: false }, 'even if it was not written yet')
    t.equal(hits('deleted'), 3)
    t.match((await scan('foreign', recent)).body, { cached: true }, 'other pages stay')
  })

  await t.test('if it is newer than that of a crawl, and otherwise that one', async t => {
    const request = { url: `${origin.url}/newer`, ...settings }
    await system.crawl(key, request)
    const scanned = await scan('newer')
    await untilStored(scanned)
    const { fetched_at } = scanned.body
    t.match((await scan('newer', recent)).body, { cached: true, fetched_at })
    await system.crawl(key, request)
    const newest = (await scan('newer', recent)).body
    t.equal(newest.cached, true)
    t.ok(newest.fetched_at > fetched_at, `${newest.fetched_at} > ${fetched_at}`)
    t.match(await remove('newer'), { body: { deleted: 1 } })
    t.match((await scan('newer', recent)).body, { cached: true }, 'pages of crawls stay')
  })

  await t.test('of bulk scans and batches, and by them', async t => {
    const results = async (urls: string[], more: object = {}) => {
      const { id } = (await call('/v1/scan/batch', { urls, ...more })).body
      await until(async () => {
        return (await system.call(key, 'GET', `/v1/scan/batches/${id}`)).body.status === 'done'
      })
      return (await system.call(key, 'GET', `/v1/scan/batches/${id}/results`)).body.items
    }
    const [bulk, batch] = [`${origin.url}/bulk`, `${origin.url}/batch`]
    const first = [...(await call('/v1/scan/bulk', { urls: [bulk] })).body.items, ...(await results([batch]))]
    t.match(first, [{ result: { cached: false } }, { result: { cached: false } }])
    await untilStored(...first.map(({ result }) => ({ body: result })))
    t.match((await scan('bulk', recent)).body, { cached: true, llms_txt: '# Harbour' })
    t.match((await scan('batch', recent)).body, { cached: true })
    const both = [{ result: { cached: true } }, { result: { cached: true, article: /High water/ } }]
    t.match((await call('/v1/scan/bulk', { urls: [bulk, batch], ...recent })).body.items, both)
    t.match(await results([bulk, batch], recent), both)
    t.strictSame([hits('bulk'), hits('batch')], [1, 1])
  })

  await t.test('and is erased with its project', async t => {
    const name = `erased-${Date.now()}`
    const own = await system.createProject(name, '--unlimited')
    await untilStored(await scan('purged', {}, own))
    t.match(await system.admin('purge-project', '--name', name, '--yes'), { scans: 1 })
  })
})
