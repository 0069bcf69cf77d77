/**
 * Monitors that are due at the same moment. Each project has as many of them as it may have concurrent runs. Each
 * monitor starts exactly one crawl for that minute and its receiver gets one webhook, while the API keeps responding.
 * DUE=1000 is the full size.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { makeDue, makeMonitors, startWeb, ticksOf, timeCalls } from './due-monitors.scene.ts'
import { startSystem } from './system.ts'

const count = Number(process.env.DUE ?? 15)
const limitMs = 60_000 + count * 600
/** Shorter response times count as unnoticeable, because the test shares its processors. */
const maxP95 = 1_000

test(`${count} monitors that are due at the same moment`, { timeout: 300_000 + 2 * limitMs }, async t => {
  const system = await startSystem({ PROCESSES: 'split' })
  t.teardown(() => system.stop())
  const web = await startWeb()
  t.teardown(() => web.close())
  const { postgres } = await system.runFile()
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  const ids = await makeMonitors(system, count, web.url)
  t.equal(ids.length, count)
  const reader = await system.createProject('reader', '--unlimited')

  const quiet = await beside(system, reader, sleep(2_000))
  const began = performance.now()
  const since = () => Math.round((performance.now() - began) / 100) / 10
  const minute = await makeDue(pool, ids)
  const firing = until(async () => (await ticksOf(pool, ids)).filter(fired).length >= count, limitMs)
  let firedAfter = 0
  const notified = firing.then(() => {
    firedAfter = since()
    return until(() => web.webhooks.size >= count, limitMs)
  })
  const busy = await beside(
    system,
    reader,
    notified.catch(() => {}),
  )
  const ticks = await ticksOf(pool, ids)
  t.comment({ count, firedAfter, notifiedAfter: since(), quiet, busy })

  t.strictSame(
    ticks.filter(tick => !fired(tick)),
    [],
    'none is skipped or pending',
  )
  t.equal(new Set(ticks.map(({ monitor_id }) => Number(monitor_id))).size, count, 'each monitor has fired')
  t.equal(ticks.length, count, `only for ${minute.toISOString()}`)
  const runs = ticks.map(({ run_id }) => Number(run_id))
  t.equal(new Set(runs).size, count, 'each started its own crawl')
  const { rows } = await pool.query('select count(*)::int as runs from read.run where url = $1', [web.url])
  t.equal(rows[0].runs, count, 'there are no other crawls')
  t.strictSame(
    runs.filter(run => web.webhooks.get(run) !== 1),
    [],
    'the receiver got one webhook per crawl',
  )
  t.equal(busy.refused, 0, 'all calls succeeded meanwhile')
  t.ok(busy.p95 <= maxP95, `the p95 of calls was ${busy.p95} ms, before ${quiet.p95} ms`)
  t.match(await system.admin('verify'), { ok: true })
})

const fired = ({ outcome }: { outcome: string | null }) => outcome === 'fired'

/** Measures calls while something else happens. */
async function beside(system: Parameters<typeof timeCalls>[0], key: string, other: Promise<unknown>) {
  const stop = new AbortController()
  const timing = timeCalls(system, key, '/v1/crawls', stop.signal)
  await other
  stop.abort()
  return timing
}
