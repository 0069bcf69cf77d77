/** Monitors in a whole system: crawls that they start on request, and the records of them. */

import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const settings = { max_pages: 1, delay_ms: 0, respect_robots: false, cron: '0 0 29 2 *' }

test('A monitor', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({
    pages: { '/': '<title>One page</title>', '/robots.txt': 'User-agent: *\nDisallow: /closed' },
  })
  t.teardown(() => origin.close())
  const key = await system.createProject('monitoring', '--unlimited')
  const call = (method: string, path: string, body?: object, headers = {}) =>
    system.call(key, method, `/v1${path}`, body, headers)
  const create = async (url: string, more = {}): Promise<number> =>
    (await call('POST', '/crawls', { url, ...settings, ...more })).body.monitor_id
  const shown = async (id: number) => (await call('GET', `/crons/${id}`)).body
  const run = (id: number, headers = {}) => call('POST', `/crons/${id}/run`, undefined, headers)

  await t.test('starts a crawl on request, and the next one refers to it', async t => {
    const id = await create(`${origin.url}/`)
    const first = await run(id, { 'idempotency-key': 'now' })
    t.match(first, { status: 202, body: { id: Number, url: `${origin.url}/` } })
    t.equal((await run(id, { 'idempotency-key': 'now' })).body.id, first.body.id)
    t.match(await system.untilEnded(key, first.body.id), { status: 'done', previous_run_id: null })
    await until(async () => (await shown(id)).last_status === 'done')
    const second = (await run(id)).body
    t.match(await system.untilEnded(key, second.id), { previous_run_id: first.body.id })
    await call('DELETE', `/crawls/${first.body.id}`)
    const common = { asked: true, reason: null }
    t.match((await call('GET', `/crons/${id}/runs`)).body, {
      items: [
        { ...common, run_id: second.id, status: 'done', page_count: 1, error_count: 0 },
        { ...common, run_id: first.body.id, status: 'deleted', page_count: null },
      ],
      next_offset: null,
    })
    t.match(await shown(id), { last_run_id: second.id, next_fires_at: /-02-29T00:00:/ })
  })

  await t.test('compares with the latest crawl that is not deleted', async t => {
    const id = await create(`${origin.url}/`)
    const next = async () => {
      const { id: runId } = (await run(id)).body
      return system.untilEnded(key, runId)
    }
    const first = await next()
    const second = await next()
    t.equal((await call('DELETE', `/crawls/${second.id}`)).status, 204)
    t.match(await next(), { status: 'done', previous_run_id: first.id })
    t.equal((await call('DELETE', `/crons/${id}`)).status, 204)
  })

  await t.test('sends a webhook if all earlier crawls are deleted', async t => {
    const monitor = { webhook_url: `${origin.url}/`, return_only_changed: true }
    const id = await create(`${origin.url}/`, monitor)
    const first = await system.untilEnded(key, (await run(id)).body.id)
    const statusOf = async (runId: number) => (await call('GET', `/crawls/${runId}`)).body.webhook_status
    await until(async () => (await statusOf(first.id)) === 'suppressed_no_baseline')
    t.equal((await call('DELETE', `/crawls/${first.id}`)).status, 204)
    const second = await system.untilEnded(key, (await run(id)).body.id)
    await until(async () => ![null, 'pending'].includes(await statusOf(second.id)))
    t.equal(await statusOf(second.id), 'delivered')
    t.equal((await call('DELETE', `/crons/${id}`)).status, 204)
  })

  await t.test('has one crawl at a time', async t => {
    const id = await create(`${origin.url}/slow/60000`)
    const { body: running } = await run(id)
    t.match(await run(id), { status: 409, body: { error: { reason: 'previous_run_active' } } })
    await call('POST', `/crawls/${running.id}/cancel`)
    await until(async () => (await shown(id)).last_status === 'cancelled')
    t.match(await shown(id), { consecutive_failures: 0 })
    t.equal((await call('DELETE', `/crons/${id}`)).status, 204)
  })

  await t.test('counts failures', async t => {
    const id = await create(`${origin.url}/closed`, { respect_robots: true })
    t.match(await system.untilEnded(key, (await run(id)).body.id), { status: 'failed' })
    await until(async () => (await shown(id)).consecutive_failures === 1)
    t.match(await shown(id), { last_status: 'failed' })
  })
})
