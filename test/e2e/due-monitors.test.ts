/**
 * Monitors that come due in the same moment, of each project as many as it may have crawls: each starts one crawl for that
 * minute, and its receiver is told of it, while the API answers. DUE=1000 are its full size.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { makeDue, makeMonitors, startWeb, ticksOf, timeCalls } from './due-monitors.scene.ts'
import { startSystem } from './system.ts'

const count = Number(process.env.DUE ?? 40)
const limitMs = 60_000 + count * 600
/** Under it nobody notices anything; the cores of a test are shared. */
const maxP95 = 1_000

test(`${count} monitors that are due at once`, { timeout: 120_000 + 2 * limitMs }, async t => {
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
  const telling = firing.then(() => {
    firedAfter = since()
    return until(() => web.told.size >= count, limitMs)
  })
  const busy = await beside(
    system,
    reader,
    telling.catch(() => {}),
  )
  const ticks = await ticksOf(pool, ids)
  t.comment({ count, firedAfter, toldAfter: since(), quiet, busy })

  t.strictSame(
    ticks.filter(tick => !fired(tick)),
    [],
    'none is skipped or left',
  )
  t.equal(new Set(ticks.map(({ monitor_id }) => Number(monitor_id))).size, count, 'each has fired')
  t.equal(ticks.length, count, `for ${minute.toISOString()} alone`)
  const runs = ticks.map(({ run_id }) => Number(run_id))
  t.equal(new Set(runs).size, count, 'each with a crawl of its own')
  const { rows } = await pool.query('select count(*)::int as runs from read.run where url = $1', [web.url])
  t.equal(rows[0].runs, count, 'and there is no other')
  t.strictSame(
    runs.filter(run => web.told.get(run) !== 1),
    [],
    'of each crawl its receiver was told once',
  )
  t.equal(busy.refused, 0, 'no call was refused meanwhile')
  t.ok(busy.p95 <= maxP95, `p95 of a call was ${busy.p95} ms, and ${quiet.p95} before`)
  t.match(await system.admin('verify'), { ok: true })
})

const fired = ({ outcome }: { outcome: string | null }) => outcome === 'fired'

/** How calls go while something else does. */
async function beside(system: Parameters<typeof timeCalls>[0], key: string, other: Promise<unknown>) {
  const stop = new AbortController()
  const timing = timeCalls(system, key, '/v1/crawls', stop.signal)
  await other
  stop.abort()
  return timing
}
