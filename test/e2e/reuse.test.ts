/** `max_age_seconds`: a recent run is returned instead of a new one that would do the same. */

import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

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
    for (let n = 0; n < 100 && (await used()) < items.length; n++) await sleep(100)
    const before = await used()
    t.equal(before, items.length, 'one page per run')
    const ids = new Set<number>()
    for (let n = 0; n < 5; n++) {
      const { body } = await start(recent)
      if (!body.reused) break
      ids.add(body.id)
      t.equal((await system.call(key, 'DELETE', `/v1/crawls/${body.id}`)).status, 204)
    }
    t.ok(ids.has(id), `${ids.size} runs were returned, one after the other`)
    t.equal(await used(), before)
    const afterDeletion = await start({}, { 'idempotency-key': 'reuse' })
    t.match(afterDeletion, { status: 409, body: { error: { reason: 'idempotency_key_of_deleted_run' } } })
  })
})
