/** The page cap of a project: for any combination of requests, not one page more is fetched, stored or billed. */
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { startSite } from '../bench/served-site.ts'
import { startSlowSite } from './scale-out.scene.ts'
import { sharedSystem } from './system.ts'

/** Pages per day of a free project (docs/api/account.md, Limits). */
const cap = 500

test('A project with a cap', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const { call, crawl, untilEnded } = system
  await using site = await startSite(400, { hosts: 1 })
  const url = `${site.origins[0]}/`
  const key = await system.createProject('frugal', '--tier', 'free')
  const request = { url, max_pages: 1_000, depth: 50, delay_ms: 0, concurrency: 32 }
  const usage = async () => (await call(key, 'GET', '/v1/usage')).body.today.pages as number

  await t.test('gets exactly its pages from two concurrent crawls', async t => {
    const started = await Promise.all([1, 2].map(() => call(key, 'POST', '/v1/crawls', request)))
    t.strictSame(
      started.map(({ status }) => status),
      [202, 202],
    )
    const runs = await Promise.all(started.map(({ body }) => untilEnded(key, body.id)))
    t.equal(
      runs.reduce((sum, run) => sum + run.page_count, 0),
      cap,
    )
    for (const run of runs) t.equal(run.status, 'done')
    const stopped = runs.filter(run => run.stop_reason === 'quota')
    t.ok(stopped.length >= 1)
    await until(async () => (await usage()) === cap)
    for (const { id, page_count } of stopped) {
      const { body } = await call(key, 'GET', `/v1/crawls/${id}/coverage`)
      t.match(body, { holds: true, fetched: page_count, pending: 0, stop_reason: 'quota' })
      t.ok(body.not_reached.by_limit.quota > 0)
    }
  })

  await t.test('gets 429 for later requests, with the cap as the reason', async t => {
    for (const [path, body] of [
      ['/v1/crawls', request],
      ['/v1/scan', { url }],
      ['/v1/llms-txt-build', { url }],
    ] as const) {
      const { status, body: answer } = await call(key, 'POST', path, body)
      t.match([status, answer.error], [429, { code: 'too_many_requests', reason: 'daily_pages' }], path)
      t.ok(answer.error.retry_after_seconds > 0)
    }
    t.equal(await usage(), cap)
  })

  await t.test('gets 429 for every kind of new crawl, but still gets existing ones', async t => {
    const thrifty = await system.createProject('thrifty', '--tier', 'free', '--unlimited')
    const one = { ...request, max_pages: 1 }
    const start = (more: object, headers = {}) =>
      call(thrifty, 'POST', '/v1/crawls', { ...one, ...more }, headers)
    const runs = async () => (await call(thrifty, 'GET', '/v1/crawls')).body.items.length as number
    const { body: monitor } = await start({ cron: '0 0 1 1 *' })
    const run = (headers = {}) =>
      call(thrifty, 'POST', `/v1/crons/${monitor.monitor_id}/run`, undefined, headers)
    const [mine, ofMonitor] = [{ 'idempotency-key': 'mine' }, { 'idempotency-key': 'asked' }]
    const first = (await start({}, mine)).body
    await untilEnded(thrifty, first.id)
    const second = (await run(ofMonitor)).body
    await untilEnded(thrifty, second.id)
    await system.admin('set-project', '--name', 'thrifty', '--pages-per-day', '2')
    await until(async () => (await start({})).status === 429)
    const [before, other] = [await runs(), { 'idempotency-key': 'other' }]
    for (const refused of [
      await start({}),
      await start({}, other),
      await start({ max_pages: 2, max_age_seconds: 60 }),
      await start({ max_pages: 2, max_age_seconds: 60 }, other),
      await run(),
      await run(other),
    ]) {
      t.match(
        [refused.status, refused.body.error],
        [429, { code: 'too_many_requests', reason: 'daily_pages' }],
      )
      t.equal(Number(refused.headers.get('retry-after')), refused.body.error.retry_after_seconds)
    }
    t.equal(await runs(), before)
    const again = await start({}, mine)
    t.match(again, { status: 202, body: { id: first.id } })
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.match(await start({}, ofMonitor), { status: 429 }, 'the key belongs to the monitor')
    t.match((await run(ofMonitor)).body, { id: second.id })
    t.match((await start({ max_age_seconds: 60 })).body, { id: second.id, reused: true })
    t.match(await start({ depth: 99 }, mine), { status: 202, body: { id: first.id } }, 'for any body')
  })

  await t.test('does not delay other projects, and an unlimited project has no cap', async t => {
    const unlimited = await system.createProject('generous', '--tier', 'free', '--unlimited')
    t.match(await crawl(unlimited, request), { status: 'done', page_count: 400, stop_reason: 'exhausted' })
    const beyond = { ...request, max_pages: cap - 390 }
    t.match(await crawl(unlimited, beyond), { page_count: cap - 390, stop_reason: 'max_pages' })
    const small = await startSlowSite(40, 0)
    t.teardown(() => small.close())
    const few = { ...request, url: small.url }
    const other = await system.createProject('careful', '--tier', 'free')
    await system.admin('set-project', '--name', 'careful', '--pages-per-day', '100')
    t.match(await crawl(other, { ...few, max_pages: 30 }), { page_count: 30, stop_reason: 'max_pages' })
    t.match(await crawl(other, few), { page_count: 40, stop_reason: 'exhausted' })
    t.match(await crawl(other, few), { page_count: 30, stop_reason: 'quota' })
  })

  await t.test('uses caps of an administrator from the next request, and lower caps of a key', async t => {
    const steered = await system.createProject('steered', '--tier', 'free', '--unlimited')
    const few = { ...request, max_pages: 20 }
    t.match(await crawl(steered, { ...few, max_pages: 3 }), { page_count: 3, stop_reason: 'max_pages' })
    await system.admin('set-project', '--name', 'steered', '--pages-per-day', '12', '--tier', 'pro')
    t.match((await call(steered, 'GET', '/v1/usage')).body, { tier: 'pro', caps: { pages_per_day: 12 } })
    await system.admin('set-key', '--prefix', steered.slice(0, 12), '--pages-per-day', '7')
    t.match(await crawl(steered, few), { page_count: 4, stop_reason: 'quota' })
    t.equal((await call(steered, 'POST', '/v1/scan', { url })).status, 429)
    const { body: rotated } = await call(steered, 'POST', '/v1/keys/rotate')
    t.equal(
      (await call(rotated.api_key, 'POST', '/v1/crawls', few)).status,
      429,
      'the cap applies to another key too',
    )
    await system.admin('set-key', '--prefix', rotated.prefix, '--pages-per-day', 'default')
    t.match(await crawl(rotated.api_key, few), { page_count: 5, stop_reason: 'quota' })
  })

  await t.test('keeps consistent counts', async t => {
    const { ok, checks } = (await system.admin('verify')) as { ok: boolean; checks: unknown }
    t.ok(ok, JSON.stringify(checks))
  })
})
