import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/ask'
import type { MonitorEvent } from '@tidemark/contracts/monitor'
import { kill } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { databaseClock } from './adapters/clock.ts'
import { parseCron } from './domain/cron.ts'
import { nextMinute } from './domain/next-minute.ts'
import { settings, startScene } from './scheduler.scene.ts'

const minuteMs = 60_000
const start = Date.parse('2026-03-01T10:00:00.000Z')
const stamp = (ms: number) => new Date(ms).toISOString()

test('Two schedulers of which one after the other is killed', async t => {
  const { spawn, create, list, setClock, settled, told, coordinator } = await startScene(t)
  const schedules = ['* * * * *', '*/2 * * * *', '1-59/3 * * * *', '5,7,11-13 10 1 mar *']
  const kills = 10
  const minutes = 20
  const schedulers = [spawn(), spawn()]
  await setClock(start + minuteMs - 1)
  await until(() =>
    list(1).then(
      () => true,
      () => false,
    ),
  )
  const monitors = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const schedule = schedules[n % schedules.length] ?? ''
      const { monitor } = await create({ projectId: 1 + (n % 3), schedule })
      return { id: monitor.id, schedule }
    }),
  )
  const due = (schedule: string, minute: number) => nextMinute(parseCron(schedule), minute - 1) === minute

  for (let n = 1; n <= minutes; n++) {
    const minute = start + n * minuteMs
    await setClock(minute + minuteMs - 1)
    if (n <= kills) {
      await sleep(Math.random() * 40)
      const [victim] = schedulers.splice(0, 1)
      if (victim) await kill(victim)
      schedulers.push(spawn())
    }
    await settled(minute, monitors.filter(({ schedule }) => due(schedule, minute)).length)
  }

  let expectedRuns = 0
  const views = (await Promise.all([1, 2, 3].map(list))).flat()
  for (const { id, schedule } of monitors) {
    const expected = Array.from({ length: minutes }, (_, n) => start + (n + 1) * minuteMs)
      .filter(minute => due(schedule, minute))
      .map(stamp)
    expectedRuns += expected.length
    const fired = (await told(id, expected.length + 1)).flatMap(event =>
      event.type === 'MonitorFired' ? [event.data] : [],
    )
    t.strictSame(
      fired.map(({ minute }) => minute),
      expected,
      `monitor ${id} (${schedule}) fires in each due minute once, in order`,
    )
    const runs = fired.map(({ runId }) => coordinator.runs[runId - 1])
    t.strictSame(
      runs.map(run => run?.tick),
      fired.map(({ minute, previousRunId }) => ({ monitorId: id, minute, previousRunId })),
    )
    t.strictSame(
      fired.map(({ previousRunId }) => previousRunId),
      [null, ...fired.map(({ runId }) => runId)].slice(0, fired.length),
      'each run knows the one before',
    )
    t.equal(views.find(view => view.id === id)?.last_run_id, fired.at(-1)?.runId)
  }
  t.equal(coordinator.runs.length, expectedRuns, 'and no run is started beside those')
  t.comment(`${expectedRuns} runs, asked for ${coordinator.asked} times`)
})

test('scheduler', async t => {
  const scene = await startScene(t)
  const { start: startScheduler, create, list, change, remove, setClock, settled, told, coordinator } = scene
  let now = start + minuteMs - 1
  await setClock(now)
  await scene.pool.query(
    `insert into scheduler.idempotency_key (project_id, key, monitor_id, fingerprint, created_at)
     select 99, n::text, 1, '', now() - make_interval(hours => n) from generate_series(20, 29) n`,
  )
  await startScheduler()
  const keysLeft = async () =>
    (await scene.pool.query(`select key from scheduler.idempotency_key where project_id = 99`)).rowCount
  await until(async () => (await keysLeft()) === 5)
  t.pass('forgets keys that have outlived their day')
  const at = async (ms: number) => {
    now = ms
    await setClock(ms)
  }
  const lastMinute = () => Math.floor(now / minuteMs) * minuteMs
  const endOf = (minute: number) => minute + minuteMs - 1
  const isFired = (event: MonitorEvent) => event.type === 'MonitorFired'

  t.test('tells of a new monitor and when it fires first', async t => {
    const { monitor, replayed } = await create({ projectId: 10, schedule: '0 6 * * mon-fri' })
    t.match(monitor, {
      schedule: '0 6 * * mon-fri',
      url: 'https://example.com/',
      enabled: true,
      last_fired_at: null,
      last_run_id: null,
      webhook_url: null,
    })
    t.match(monitor.next_fires_at, /^2026-03-02T06:00:..\.000Z$/)
    t.equal(replayed, false)
    t.strictSame(await list(10), [monitor])
    t.strictSame(await list(11), [])
    const [event] = await told(monitor.id, 1)
    t.strictSame(event, {
      type: 'MonitorCreated',
      data: {
        monitorId: monitor.id,
        projectId: 10,
        tier: 'studio',
        url: 'https://example.com/',
        schedule: '0 6 * * mon-fri',
        settings,
      },
    })
  })

  t.test('refuses a schedule that is none, or never due', async t => {
    for (const schedule of ['@daily', '* * * * * *', '0 0 30 2 *', '0 25 * * *', '']) {
      const refusal = { status: 400, code: 'invalid_input', reason: 'bad_cron', field: 'cron' }
      await t.rejects(create({ projectId: 12, schedule }), refusal, schedule)
    }
    t.strictSame(await list(12), [])
  })

  for (const [tier, cap] of Object.entries({ free: 3, pro: 25 } as const)) {
    t.test(`gives a project of tier ${tier} ${cap} monitors of any number asked for at once`, async t => {
      const projectId = 20 + cap
      const wanted = { projectId, tier: tier as 'free', schedule: '0 0 1 1 *' }
      const results = await Promise.allSettled(Array.from({ length: cap + 20 }, () => create(wanted)))
      const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
      t.equal(refused.length, 20)
      for (const refusal of refused)
        t.match(refusal, { status: 429, code: 'too_many_requests', reason: 'monitor_cap' })
      const [first] = await list(projectId)
      t.equal((await list(projectId)).length, cap)
      t.equal(await remove(projectId, first?.id ?? 0), true)
      await create(wanted)
      await t.rejects(create(wanted), { code: 'too_many_requests' })
    })
  }

  t.test('gives the original for the same idempotency key, until it is deleted', async t => {
    const wanted = { projectId: 60, schedule: '0 0 1 1 *', idempotencyKey: 'key' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(wanted)))
    t.equal(new Set(answers.map(({ monitor }) => monitor.id)).size, 1)
    t.equal(answers.filter(({ replayed }) => replayed).length, 9)
    t.match(await create({ ...wanted, fingerprint: 'b' }), { replayed: true, sameRequest: false })
    t.match(await create({ ...wanted, projectId: 61 }), { replayed: false })
    await scene.pool.query(
      `update scheduler.idempotency_key set created_at = now() - interval '25 hours' where project_id = 61`,
    )
    t.match(await create({ ...wanted, projectId: 61 }), { replayed: false }, 'it holds for a day')
    await remove(60, answers[0]?.monitor.id ?? 0)
    await t.rejects(create(wanted), { code: 'conflict', message: /was deleted/ })
  })

  t.test('changes what is to be changed, and tells of that', async t => {
    const { monitor } = await create({ projectId: 70, schedule: '0 6 * * *' })
    const { id: monitorId } = monitor
    const mine = { projectId: 70, monitorId }
    t.match((await change({ ...mine, schedule: '30 7 * * *' }))?.next_fires_at, /T07:30:/)
    t.match(await change({ ...mine, enabled: false }), { enabled: false, next_fires_at: null })
    t.match(await change({ ...mine, enabled: false }), { enabled: false, next_fires_at: null })
    t.match(await change({ ...mine, schedule: '0 9 * * *' }), { next_fires_at: null })
    t.match((await change({ ...mine, enabled: true }))?.next_fires_at, /T09:00:/)
    const webhookUrl = 'https://example.com/hook'
    t.match(await change({ ...mine, webhookUrl }), { webhook_url: webhookUrl })
    t.match(await list(70), [{ webhook_url: webhookUrl, schedule: '0 9 * * *', enabled: true }])
    const [, ...changes] = await told(monitorId, 6)
    t.strictSame(
      changes.map(({ data }) => data),
      [
        { schedule: '30 7 * * *' },
        { enabled: false },
        { schedule: '0 9 * * *' },
        { enabled: true },
        { webhookUrl },
      ],
    )
    const bad = { status: 422, code: 'invalid_input', reason: 'bad_cron', field: 'schedule' }
    await t.rejects(change({ ...mine, schedule: '0 0 30 2 *' }), bad)
    t.equal(await change({ ...mine, projectId: 71, schedule: 'bad' }), null, 'a foreign one is a missing one')
    t.equal(await remove(71, monitorId), false)
    t.equal(await remove(70, monitorId), true)
    t.equal(await remove(70, monitorId), false)
    t.equal(await change({ ...mine, enabled: true }), null)
    t.match((await told(monitorId, 7)).at(-1), { type: 'MonitorDeleted' })
  })

  t.test('fires neither a disabled nor a deleted monitor', async t => {
    const { id: disabled } = (await create({ projectId: 80 })).monitor
    const { id: deleted } = (await create({ projectId: 80 })).monitor
    const { id: other } = (await create({ projectId: 80 })).monitor
    await change({ projectId: 80, monitorId: disabled, enabled: false })
    await remove(80, deleted)
    const minute = lastMinute() + minuteMs
    await at(endOf(minute))
    await settled(minute, 1)
    t.ok((await told(other, 2)).some(isFired))
    t.notOk((await told(disabled, 2)).some(isFired))
    t.notOk((await told(deleted, 2)).some(isFired))
    t.match(await list(80), [{ id: disabled }, { id: other, last_fired_at: stamp(now), last_run_id: Number }])
    for (const { id } of await list(80)) await remove(80, id)
  })

  t.test('fires once for all minutes that passed while nobody looked', async t => {
    const { monitor } = await create({ projectId: 90 })
    const missed = lastMinute() + minuteMs
    await at(endOf(missed + 9 * minuteMs))
    await settled(missed, 1)
    await at(endOf(missed + 10 * minuteMs))
    await settled(missed + 10 * minuteMs, 1)
    const fired = (await told(monitor.id, 3)).filter(isFired)
    t.match(fired, [
      { data: { minute: stamp(missed), previousRunId: null } },
      { data: { minute: stamp(missed + 10 * minuteMs), previousRunId: Number } },
    ])
    t.equal(fired.length, 2)
    await remove(90, monitor.id)
  })

  t.test('tries a minute again for as long as the coordinator is away', async t => {
    const { monitor } = await create({ projectId: 100 })
    const minute = lastMinute() + minuteMs
    const asked = coordinator.asked
    coordinator.refusal = new Refusal({ status: 503, code: 'unavailable', message: 'away' })
    await at(endOf(minute))
    await until(async () => coordinator.asked > asked)
    await at(endOf(minute) + 20_000)
    await until(async () => coordinator.asked > asked + 1)
    coordinator.refusal = null
    await at(endOf(minute) + 40_000)
    await settled(minute, 1)
    const fired = (await told(monitor.id, 2)).filter(isFired)
    t.match(fired[0], { data: { minute: stamp(minute) } })
    await remove(100, monitor.id)
  })

  t.test(
    'skips a minute for which no run is to be had, or whose last run still runs, and says why',
    async t => {
      const { monitor } = await create({ projectId: 110 })
      const minute = lastMinute() + minuteMs
      const refusal = { status: 429, code: 'too_many_requests', reason: 'concurrent_runs', message: 'full' }
      coordinator.refusal = new Refusal(refusal)
      await at(endOf(minute))
      await settled(minute, 1)
      coordinator.refusal = null
      await at(endOf(minute + minuteMs))
      await settled(minute + minuteMs, 1)
      const [{ last_run_id: runId } = { last_run_id: null }] = await list(110)
      coordinator.active.add(runId ?? 0)
      await at(endOf(minute + 2 * minuteMs))
      await settled(minute + 2 * minuteMs, 1)
      coordinator.active.clear()
      await at(endOf(minute + 3 * minuteMs))
      await settled(minute + 3 * minuteMs, 1)
      const [, ...events] = await told(monitor.id, 5)
      t.match(events, [
        { type: 'MonitorSkipped', data: { minute: stamp(minute), reason: 'concurrent_runs' } },
        { type: 'MonitorFired', data: { previousRunId: null, runId } },
        { type: 'MonitorSkipped', data: { reason: 'previous_run_active' } },
        { type: 'MonitorFired', data: { previousRunId: runId } },
      ])
      await remove(110, monitor.id)
    },
  )

  t.test('starts no second run for a minute whose first one it cannot know of any more', async t => {
    const { monitor } = await create({ projectId: 120 })
    const minute = lastMinute() + minuteMs
    await scene.pool.query(`insert into scheduler.tick (monitor_id, minute, begun_at) values ($1, $2, $2)`, [
      monitor.id,
      stamp(minute),
    ])
    await at(endOf(minute) + 24 * 60 * minuteMs)
    t.match((await told(monitor.id, 2))[1], { type: 'MonitorSkipped', data: { reason: 'too_late' } })
    await remove(120, monitor.id)
  })

  t.test('takes the time from the database, whatever its own clock says', async t => {
    const [before, own] = [Date.now(), Date.now]
    Date.now = () => 0
    const told = await databaseClock(scene.pool)().finally(() => {
      Date.now = own
    })
    t.ok(Math.abs(told - before) < 30_000 && Number.isInteger(told))
  })
})
