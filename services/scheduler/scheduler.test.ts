import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import type { MonitorEvent } from '@tidemark/contracts/monitor'
import type { CreateMonitor } from '@tidemark/contracts/rpc/monitors'
import type { Database } from '@tidemark/db/database'
import { startOtlpReceiver } from '@tidemark/testing/otlp'
import { kill } from '@tidemark/testing/surroundings'
import { until, untilResolves } from '@tidemark/testing/until'
import { test } from 'tap'
import { databaseClock } from './adapters/clock.ts'
import { monitors as storedMonitors } from './adapters/monitors.ts'
import { recount } from './adapters/tick-rows.ts'
import { parseCron } from './domain/cron.ts'
import { nextMinute } from './domain/next-minute.ts'
import { pauseAfter } from './domain/tick.ts'
import { changeMonitor } from './handlers/change-monitor.ts'
import { settleRequest } from './handlers/run-monitor.ts'
import { fireNext } from './policies/fire.ts'
import { settings, startScene } from './scheduler.scene.ts'

const minuteMs = 60_000
const start = Date.parse('2026-03-01T10:00:00.000Z')
const stamp = (ms: number) => new Date(ms).toISOString()

/** The size of the next test. At full size it has 100 or 500 monitors and 20 kills. */
const monitorCount = Number(process.env.MONITORS ?? 12)
const kills = Number(process.env.KILLS ?? 2)

test('Two schedulers with wrong clocks that are killed in turn', async t => {
  const { spawn, create, list, setClock, settled, settledInAll, eventsOf, coordinator } = await startScene(t)
  const schedules = ['* * * * *', '*/2 * * * *', '1-59/3 * * * *', '5,7,11-13 10 1 mar *']
  const minutes = kills + 6
  const outage = 10
  const skews = [5 * minuteMs, -5 * minuteMs]
  const spawnNext = () => {
    const skew = skews.shift() ?? 0
    skews.push(skew)
    return spawn(skew)
  }
  const schedulers = [spawnNext(), spawnNext()]
  await setClock(start + minuteMs - 1)
  await untilResolves(() => list(1))
  const monitors = await Promise.all(
    Array.from({ length: monitorCount }, async (_, n) => {
      const schedule = schedules[n % schedules.length] ?? ''
      const { monitor } = await create({ projectId: 1 + (n % 3), schedule })
      return { id: monitor.id, schedule }
    }),
  )
  const isDue = (schedule: string, minute: number) => nextMinute(parseCron(schedule), minute - 1) === minute
  const dueOf = (schedule: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => start + (from + n) * minuteMs).filter(minute =>
      isDue(schedule, minute),
    )
  /** Returns each due minute, but only one for all that were missed during the outage. */
  const expectedOf = (schedule: string, to: number) => [
    ...dueOf(schedule, 1, minutes),
    ...dueOf(schedule, minutes + 1, minutes + outage).slice(0, 1),
    ...dueOf(schedule, minutes + outage + 1, to),
  ]
  const expectedInAll = (to: number) =>
    monitors.reduce((sum, { schedule }) => sum + expectedOf(schedule, to).length, 0)

  for (let n = 1; n <= minutes; n++) {
    const minute = start + n * minuteMs
    await setClock(minute + minuteMs - 1)
    if (n <= kills) {
      await sleep(Math.random() * 40)
      const [victim] = schedulers.splice(0, 1)
      if (victim) await kill(victim)
      schedulers.push(spawnNext())
    }
    await settled(minute, monitors.filter(({ schedule }) => isDue(schedule, minute)).length)
  }
  await Promise.all(schedulers.splice(0).map(kill))
  const last = minutes + outage + 3
  for (let n = minutes + outage; n <= last; n++) {
    await setClock(start + (n + 1) * minuteMs - 1)
    if (schedulers.length === 0) schedulers.push(spawnNext(), spawnNext())
    await settledInAll(expectedInAll(n))
  }

  const views = (await Promise.all([1, 2, 3].map(list))).flat()
  for (const { id, schedule } of monitors) {
    const expected = expectedOf(schedule, last).map(stamp)
    const fired = (await eventsOf(id, expected.length + 1)).flatMap(event =>
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
      'each run names the previous one',
    )
    t.equal(views.find(view => view.id === id)?.last_run_id, fired.at(-1)?.runId)
  }
  t.equal(coordinator.runs.length, expectedInAll(last), 'no other run is started')
  t.comment(`${coordinator.runs.length} runs after ${coordinator.startRequests} requests`)
})

test('A tick begins a trace, which its run continues', async t => {
  const receiver = await startOtlpReceiver()
  t.teardown(() => receiver.close())
  const { spawn, create, list, setClock } = await startScene(t)
  await setClock(start)
  spawn(0, {
    NODE_OPTIONS: `--import ${import.meta.resolve('@tidemark/telemetry/register')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  await untilResolves(() => list(1))
  const { monitor } = await create({ schedule: '* * * * *' })
  await setClock(start + 2 * minuteMs)
  const named = (name: string) => receiver.spans.find(span => span.name === name)
  await until(() => named('fire tick') !== undefined && named('ask.runs.start ask') !== undefined)
  const tick = named('fire tick')
  t.match(tick, { parentSpanId: '', attributes: { 'tidemark.service': 'scheduler' } })
  t.equal(Number(tick?.attributes['tidemark.monitor.id']), monitor.id)
  t.equal(named('ask.runs.start ask')?.parentSpanId, tick?.spanId)
})

test('scheduler', async t => {
  const scene = await startScene(t)
  const {
    start: startScheduler,
    create,
    list,
    change,
    remove,
    setClock,
    settled,
    eventsOf,
    coordinator,
  } = scene
  const { get, ticks, run } = scene
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
  t.pass('deletes expired keys')
  const at = async (ms: number) => {
    now = ms
    await setClock(ms)
  }
  const lastMinute = () => Math.floor(now / minuteMs) * minuteMs
  const endOf = (minute: number) => minute + minuteMs - 1
  const isFired = (event: MonitorEvent) => event.type === 'MonitorFired'

  t.test('publishes a new monitor and returns when it fires first', async t => {
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
    const [event] = await eventsOf(monitor.id, 1)
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

  t.test('reads the listed URLs of a monitor only where they are needed', async t => {
    const urls = ['https://example.com/a']
    const { monitor } = await create({ projectId: 18, settings: { ...settings, urls } })
    const { list: read, find } = storedMonitors({ pool: scene.pool } as Database)
    t.strictSame((await read(18))[0]?.settings, settings)
    t.strictSame((await find(18, monitor.id))?.settings.urls, urls)
    t.strictSame(await list(18), [monitor])
    await remove(18, monitor.id)
  })

  t.test('refuses an invalid schedule and one that is never due', async t => {
    for (const schedule of ['@daily', '* * * * * *', '0 0 30 2 *', '0 25 * * *', '']) {
      const refusal = { status: 400, code: 'invalid_input', reason: 'bad_cron', field: 'cron' }
      await t.rejects(create({ projectId: 12, schedule }), refusal, schedule)
      await t.rejects(scene.checkSchedule({ schedule }), refusal, 'also for an estimate')
    }
    t.strictSame(await list(12), [])
  })

  t.test('fires at local times of its time zone', async t => {
    const { monitor } = await create({ projectId: 15, schedule: '0 9 * * *', timezone: 'America/New_York' })
    t.match(monitor, { timezone: 'America/New_York', next_fires_at: /T14:00:/ })
    const [event] = await eventsOf(monitor.id, 1)
    t.match(event, { type: 'MonitorCreated', data: { timezone: 'America/New_York' } })
    const mine = { projectId: 15, monitorId: monitor.id }
    t.match(await change({ ...mine, timezone: 'Asia/Kathmandu' }), { next_fires_at: /T03:15:/ })
    t.match(await change({ ...mine, timezone: 'Asia/Kathmandu' }), { next_fires_at: /T03:15:/ }, 'no event')
    t.match(await change({ ...mine, schedule: '0 8 * * *' }), { next_fires_at: /T02:15:/ })
    const [, ...changes] = await eventsOf(monitor.id, 3)
    t.strictSame(
      changes.map(({ data }) => data),
      [{ timezone: 'Asia/Kathmandu' }, { schedule: '0 8 * * *' }],
    )
    for (const timezone of ['Mars/Olympus', '+01:00', '', 'UTC+1h', 'Europe/Berlin\n']) {
      const refusal = { code: 'invalid_input', reason: 'bad_timezone', field: 'timezone' }
      await t.rejects(create({ projectId: 16, timezone }), { ...refusal, status: 400 }, timezone)
      const checking = scene.checkSchedule({ schedule: '0 9 * * *', timezone })
      await t.rejects(checking, { ...refusal, status: 400 }, 'also for an estimate')
      await t.rejects(change({ ...mine, timezone }), { ...refusal, status: 422 }, timezone)
    }
    t.strictSame(await list(16), [], 'and nothing is stored')
    t.match(await list(15), [{ timezone: 'Asia/Kathmandu' }])
  })

  t.test('has a webhook whose events can be changed', async t => {
    const { monitor } = await create({ projectId: 19, schedule: '0 9 * * *' })
    t.match(monitor, { webhook_url: null, webhook_events: null, return_only_changed: false })
    const mine = { projectId: 19, monitorId: monitor.id }
    const refusal = { code: 'invalid_input', status: 422 }
    const webhookEvents = { events: ['crawl.diff_detected' as const], notices: ['page.fetched' as const] }
    await t.rejects(change({ ...mine, webhookEvents }), { ...refusal, field: 'webhook_events' })
    await t.rejects(change({ ...mine, onlyChanged: true }), { ...refusal, field: 'return_only_changed' })
    const webhookUrl = 'https://hooks.example/a'
    const names = ['crawl.diff_detected', 'page.fetched']
    t.match(await change({ ...mine, webhookUrl, webhookEvents }), {
      webhook_events: names,
      return_only_changed: false,
    })
    t.match(await change({ ...mine, onlyChanged: true }), {
      webhook_events: names,
      return_only_changed: true,
    })
    t.match(await change({ ...mine, webhookEvents }), { webhook_events: names }, 'no event')
    const moved = {
      webhookUrl: 'https://hooks.example/b',
      webhookEvents: { events: ['crawl.done' as const] },
    }
    t.match(await change({ ...mine, ...moved }), {
      webhook_events: ['crawl.done'],
      return_only_changed: true,
    })
    await t.rejects(change({ ...mine, webhookUrl: null, onlyChanged: false }), refusal)
    t.match(await change({ ...mine, webhookUrl: null }), { webhook_url: null, webhook_events: null })
    t.match(await change({ ...mine, webhookUrl }), {
      webhook_events: ['crawl.done'],
      return_only_changed: false,
    })
    const [, ...changes] = await eventsOf(monitor.id, 6)
    t.strictSame(
      changes.map(({ data }) => data),
      [
        { webhookUrl, webhookChoice: { ...webhookEvents, onlyChanged: false } },
        { webhookChoice: { ...webhookEvents, onlyChanged: true } },
        {
          webhookUrl: moved.webhookUrl,
          webhookChoice: { events: ['crawl.done'], onlyChanged: true },
        },
        { webhookUrl: null },
        { webhookUrl },
      ],
    )
    await remove(19, monitor.id)
  })

  t.test('has an intent that can be changed and removed', async t => {
    const { monitor } = await create({ projectId: 19, schedule: '0 9 * * *' })
    t.match(monitor, { intent: null, only_matching: false })
    const mine = { projectId: 19, monitorId: monitor.id }
    const refusal = { code: 'invalid_input', status: 422, field: 'only_matching' }
    await t.rejects(change({ ...mine, onlyMatching: true }), refusal)
    t.match(await change({ ...mine, intent: 'Falls' }), { intent: 'Falls', only_matching: false })
    t.match(await change({ ...mine, onlyMatching: true }), { intent: 'Falls', only_matching: true })
    t.match(await change({ ...mine, onlyMatching: true }), { only_matching: true }, 'no event')
    const next = monitor.next_fires_at
    t.match(await change({ ...mine, intent: 'Rises' }), {
      intent: 'Rises',
      only_matching: true,
      next_fires_at: next,
    })
    await t.rejects(change({ ...mine, intent: null, onlyMatching: true }), refusal)
    t.match(await change({ ...mine, intent: null }), { intent: null, only_matching: false })
    const [, ...changes] = await eventsOf(monitor.id, 5)
    t.strictSame(
      changes.map(({ data }) => data),
      [
        { intent: { text: 'Falls' } },
        { intent: { text: 'Falls', onlyMatching: true } },
        { intent: { text: 'Rises', onlyMatching: true } },
        { intent: null },
      ],
    )
  })

  const caps: [tier: CreateMonitor['tier'], cap: number][] = [
    ['free', 3],
    ['pro', 25],
    ['agency', 200],
    ['studio', 200],
  ]
  for (const [n, [tier, cap]] of caps.entries()) {
    t.test(`gives a project of tier ${tier} ${cap} monitors, even after 50 requests at once`, async t => {
      const projectId = 20 + n
      const wanted = { projectId, tier, schedule: '0 0 1 1 *' }
      const before = Math.max(0, cap - 10)
      await scene.pool.query(
        `insert into scheduler.monitor (project_id, tier, url, schedule, settings, created_at)
         select $1, $2, 'https://example.com/', '0 0 1 1 *', '{}', now() from generate_series(1, $3)`,
        [projectId, tier, before],
      )
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => create(wanted)))
      const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
      t.equal(refused.length, 50 - (cap - before))
      for (const refusal of refused)
        t.match(refusal, { status: 429, reason: 'monitor_cap', retryAfterSeconds: 3600 })
      const [first] = await list(projectId)
      t.equal((await list(projectId)).length, cap)
      t.equal(await remove(projectId, first?.id ?? 0), true)
      await create(wanted)
      await t.rejects(create(wanted), { code: 'too_many_requests' })
    })
  }

  t.test('returns the original monitor for the same idempotency key, until it is deleted', async t => {
    const wanted = { projectId: 60, schedule: '0 0 1 1 *', idempotencyKey: 'key' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(wanted)))
    t.equal(new Set(answers.map(({ monitor }) => monitor.id)).size, 1)
    t.equal(answers.filter(({ replayed }) => replayed).length, 9)
    t.match(await create({ ...wanted, fingerprint: 'b' }), { replayed: true, sameRequest: false })
    t.match(await create({ ...wanted, projectId: 61 }), { replayed: false })
    const known = { monitor: { id: answers[0]?.monitor.id }, replayed: true, sameRequest: false }
    t.match(await scene.findCreated(60, 'key'), known, 'also for an invalid body')
    t.equal(await scene.findCreated(62, 'key'), null)
    await scene.pool.query(
      `update scheduler.idempotency_key set created_at = now() - interval '25 hours' where project_id = 61`,
    )
    t.match(await create({ ...wanted, projectId: 61 }), { replayed: false }, 'a key is valid for a day')
    await remove(60, answers[0]?.monitor.id ?? 0)
    await t.rejects(create(wanted), { code: 'conflict', message: /was deleted/ })
    await t.rejects(scene.findCreated(60, 'key'), { code: 'conflict', message: /was deleted/ })
  })

  t.test('changes only the fields of the request, and publishes each change', async t => {
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
    t.match(await change({ ...mine, webhookUrl: null }), { webhook_url: null })
    t.match(await change({ ...mine, webhookUrl: null }), { webhook_url: null }, 'no change, no event')
    t.match(await list(70), [{ webhook_url: null, enabled: true }])
    const [, ...changes] = await eventsOf(monitorId, 7)
    t.strictSame(
      changes.map(({ data }) => data),
      [
        { schedule: '30 7 * * *' },
        { enabled: false },
        { schedule: '0 9 * * *' },
        { enabled: true },
        { webhookUrl },
        { webhookUrl: null },
      ],
    )
    const bad = { status: 422, code: 'invalid_input', reason: 'bad_cron', field: 'schedule' }
    await t.rejects(change({ ...mine, schedule: '0 0 30 2 *' }), bad)
    t.equal(await change({ ...mine, projectId: 71, schedule: 'bad' }), null, 'the monitor of another project')
    t.equal(await remove(71, monitorId), false)
    t.equal(await remove(70, monitorId), true)
    t.equal(await remove(70, monitorId), false)
    t.equal(await change({ ...mine, enabled: true }), null)
    await until(async () => (await eventsOf(monitorId, 1)).length === 1)
    t.match(await eventsOf(monitorId, 1), [{ type: 'MonitorDeleted' }], 'no earlier event is left')
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
    t.ok((await eventsOf(other, 2)).some(isFired))
    t.notOk((await eventsOf(disabled, 2)).some(isFired))
    t.notOk((await eventsOf(deleted, 1)).some(isFired))
    t.match(await list(80), [{ id: disabled }, { id: other, last_fired_at: stamp(now), last_run_id: Number }])
    for (const { id } of await list(80)) await remove(80, id)
  })

  t.test('fires once for all minutes that passed during an outage', async t => {
    const { monitor } = await create({ projectId: 90 })
    const missed = lastMinute() + minuteMs
    await at(endOf(missed + 9 * minuteMs))
    await settled(missed, 1)
    await at(endOf(missed + 10 * minuteMs))
    await settled(missed + 10 * minuteMs, 1)
    const fired = (await eventsOf(monitor.id, 3)).filter(isFired)
    t.match(fired, [
      { data: { minute: stamp(missed), previousRunId: null } },
      { data: { minute: stamp(missed + 10 * minuteMs), previousRunId: Number } },
    ])
    t.equal(fired.length, 2)
    await remove(90, monitor.id)
  })

  t.test('retries a minute until the coordinator responds', async t => {
    const { monitor } = await create({ projectId: 100 })
    const minute = lastMinute() + minuteMs
    const before = coordinator.startRequests
    coordinator.refusal = new Refusal({ status: 503, code: 'unavailable', message: 'away' })
    await at(endOf(minute))
    await until(async () => coordinator.startRequests > before)
    await at(endOf(minute) + 20_000)
    await until(async () => coordinator.startRequests > before + 1)
    await t.rejects(run(100, monitor.id), { code: 'unavailable' }, 'no other run starts meanwhile')
    coordinator.refusal = null
    await at(endOf(minute) + 40_000)
    await settled(minute, 1)
    const fired = (await eventsOf(monitor.id, 2)).filter(isFired)
    t.match(fired[0], { data: { minute: stamp(minute) } })
    await remove(100, monitor.id)
  })

  t.test('causes no run by a key with lower caps than those of its monitor', async t => {
    const { monitor } = await create({ projectId: 111 })
    const keyCaps = { pagesPerDay: 5 }
    const narrowed = { status: 409, code: 'conflict', reason: 'narrowed_key', message: /started the monitor/ }
    const mine = { projectId: 111, monitorId: monitor.id, keyCaps }
    await t.rejects(run(111, monitor.id, null, { keyCaps }), narrowed)
    await t.rejects(change({ ...mine, schedule: '0 * * * *' }), narrowed)
    await t.rejects(change({ ...mine, timezone: 'Asia/Kathmandu' }), narrowed, 'nor moves its due minute')
    await t.rejects(change({ ...mine, enabled: true }), narrowed)
    t.match(await change({ ...mine, enabled: false }), { enabled: false }, 'which may stop it')
    t.equal(await run(110, monitor.id, null, { keyCaps }), null)
    t.match(await run(111, monitor.id, null, { keyCaps: {} }), { status: 'queued' })
  })

  t.test('skips a minute with a reason when its run is refused or the previous one is active', async t => {
    // Otherwise the current minute may still be due for the new monitor, depending on its id.
    await at(endOf(lastMinute()))
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
    const [, ...events] = await eventsOf(monitor.id, 5)
    t.match(events, [
      { type: 'MonitorSkipped', data: { minute: stamp(minute), reason: 'concurrent_runs' } },
      { type: 'MonitorFired', data: { previousRunId: null, runId } },
      { type: 'MonitorSkipped', data: { reason: 'previous_run_active' } },
      { type: 'MonitorFired', data: { previousRunId: runId } },
    ])
    await remove(110, monitor.id)
  })

  t.test('fires no minute again when the clock moves backwards', async t => {
    const { monitor } = await create({ projectId: 115 })
    const minute = lastMinute() + minuteMs
    await at(endOf(minute))
    await settled(minute, 1)
    await at(endOf(minute - 5 * minuteMs))
    await sleep(100)
    await at(endOf(minute - minuteMs))
    for (const enabled of [false, true]) await change({ projectId: 115, monitorId: monitor.id, enabled })
    await at(endOf(minute))
    await until(
      async () =>
        (await get(115, monitor.id))?.next_fires_at?.startsWith(stamp(minute + minuteMs).slice(0, 16)) ??
        false,
    )
    await at(endOf(minute + minuteMs))
    await settled(minute + minuteMs, 1)
    const fired = (await eventsOf(monitor.id, 5)).filter(isFired)
    t.match(fired, [{ data: { minute: stamp(minute) } }, { data: { minute: stamp(minute + minuteMs) } }])
    t.equal(fired.length, 2)
    await remove(115, monitor.id)
  })

  t.test('leaves the active run of a deleted monitor alone', async t => {
    const { id } = (await create({ projectId: 116 })).monitor
    const minute = lastMinute() + minuteMs
    await at(endOf(minute))
    await settled(minute, 1)
    const runId = (await get(116, id))?.last_run_id ?? 0
    coordinator.active.add(runId)
    t.equal(await remove(116, id), true)
    t.equal(await get(116, id), null)
    t.equal(await ticks(116, id), null)
    const runs = coordinator.runs.length
    await at(endOf(minute + 2 * minuteMs))
    await sleep(100)
    t.equal(coordinator.runs.length, runs)
    coordinator.active.clear()
  })

  t.test(
    'starts one run for the minutes after one of which it is unknown whether it started a run',
    async t => {
      const { monitor } = await create({ projectId: 120 })
      const minute = lastMinute() + minuteMs
      await scene.pool.query(
        `insert into scheduler.tick (monitor_id, minute, begun_at) values ($1, $2, $2)`,
        [monitor.id, stamp(minute)],
      )
      await at(endOf(minute) + 24 * 60 * minuteMs)
      t.match((await eventsOf(monitor.id, 2))[1], { type: 'MonitorSkipped', data: { reason: 'too_late' } })
      const missed = { minute: stamp(minute + minuteMs), previousRunId: null }
      t.match((await eventsOf(monitor.id, 3))[2], { type: 'MonitorFired', data: missed })
      await at(endOf(lastMinute() + minuteMs))
      await settled(lastMinute(), 1)
      t.match((await eventsOf(monitor.id, 4)).slice(3), [{ data: { minute: stamp(lastMinute()) } }])
      await remove(120, monitor.id)
    },
  )

  t.test('starts no run for a minute of unknown outcome if no other one was missed', async t => {
    const { monitor } = await create({ projectId: 121, schedule: '0 0 1 1 *' })
    const minute = lastMinute() + minuteMs
    const due = [monitor.id, stamp(minute)]
    await scene.pool.query(
      `insert into scheduler.tick (monitor_id, minute, begun_at) values ($1, $2, $2)`,
      due,
    )
    await scene.pool.query(
      `update scheduler.monitor set next_minute = $2, next_fires_at = $2 where id = $1`,
      due,
    )
    await at(endOf(minute) + 24 * 60 * minuteMs)
    t.match((await eventsOf(monitor.id, 2))[1], { type: 'MonitorSkipped', data: { reason: 'too_late' } })
    t.match(await get(121, monitor.id), { last_run_id: null, next_fires_at: /^2027-01-01/ })
    await remove(121, monitor.id)
  })

  t.test('reports how runs ended, and how many failed in a row', async t => {
    const projectId = 130
    const { id } = (await create({ projectId, schedule: '*/10 * * * *' })).monitor
    const fireNext = async () => {
      await at(Date.parse((await get(projectId, id))?.next_fires_at ?? ''))
      await settled(lastMinute(), 1)
    }
    const lastRun = async () => (await get(projectId, id))?.last_run_id ?? 0
    const shows = async (last_status: string | null, consecutive_failures: number) => {
      await at(now + 120_000)
      await until(async () => (await get(projectId, id))?.last_status === last_status)
      t.match(await get(projectId, id), { last_status, consecutive_failures })
    }
    await fireNext()
    t.match(await get(projectId, id), { last_status: null, consecutive_failures: 0 })
    coordinator.active.add(await lastRun())
    await at(now + 60_000)
    await fireNext()
    t.match(await get(projectId, id), { consecutive_failures: 0 }, 'an active run is not a failure')
    coordinator.ended.set(await lastRun(), 'failed')
    coordinator.active.clear()
    await shows('failed', 1)
    coordinator.refusal = new Refusal({ status: 429, code: 'too_many_requests', message: 'full' })
    await fireNext()
    coordinator.refusal = null
    t.match(
      await get(projectId, id),
      { last_status: 'failed', consecutive_failures: 2 },
      'a refused run is a failure',
    )
    await fireNext()
    coordinator.ended.set(await lastRun(), 'cancelled')
    await shows('cancelled', 2)
    await fireNext()
    await shows('done', 0)
    await fireNext()
    coordinator.ended.set(await lastRun(), 'deleted')
    await at(now + 120_000)
    await until(async () => (await ticks(projectId, id))?.[0]?.runStatus === 'deleted')
    t.match(await get(projectId, id), { last_status: 'done', consecutive_failures: 0 })

    const all = await ticks(projectId, id)
    t.match(all, [
      { outcome: 'fired', runStatus: 'deleted', asked: false },
      { outcome: 'fired', runStatus: 'done', runId: Number, reason: null },
      { outcome: 'fired', runStatus: 'cancelled' },
      { outcome: 'skipped', runStatus: null, runId: null, reason: 'too_many_requests' },
      { outcome: 'skipped', reason: 'previous_run_active' },
      { outcome: 'fired', runStatus: 'failed' },
    ])
    t.strictSame(await ticks(projectId, id, { limit: 2, offset: 3 }), all?.slice(3, 5))
    t.equal(await ticks(131, id), null, 'the monitor of another project')
    t.equal(await get(131, id), null)
    await remove(projectId, id)
    await at(endOf(lastMinute()))
  })

  t.test('reports the later end of a failed run, while it is the last one', async t => {
    const projectId = 133
    const { id } = (await create({ projectId, schedule: '0 0 * * *' })).monitor
    const failNext = async () => {
      await at(Date.parse((await get(projectId, id))?.next_fires_at ?? ''))
      await settled(lastMinute(), 1)
      const runId = (await get(projectId, id))?.last_run_id ?? 0
      coordinator.ended.set(runId, 'failed')
      await at(now + 120_000)
      await until(async () => (await ticks(projectId, id))?.[0]?.runStatus === 'failed')
      return runId
    }
    const first = await failNext()
    const second = await failNext()
    t.match(await get(projectId, id), { last_status: 'failed', consecutive_failures: 2 })
    for (const runId of [first, second]) coordinator.ended.delete(runId)
    for (let hours = 0; hours < 3; hours++) await at(now + 3_600_000)
    await until(async () => (await get(projectId, id))?.last_status === 'done')
    t.match(await get(projectId, id), { last_status: 'done', consecutive_failures: 0 })
    t.equal((await ticks(projectId, id))?.[0]?.runStatus, 'done')
    await remove(projectId, id)
    await at(endOf(lastMinute()))
  })

  t.test('compares a run with the latest one that is not deleted', async t => {
    const projectId = 134
    const { id } = (await create({ projectId })).monitor
    const first = (await run(projectId, id))?.id ?? 0
    const second = (await run(projectId, id))?.id ?? 0
    coordinator.ended.set(second, 'deleted')
    const third = (await run(projectId, id))?.id ?? 0
    t.match(coordinator.runs[third - 1]?.tick, { previousRunId: first }, 'on request')
    coordinator.ended.set(third, 'deleted')
    await at(endOf(lastMinute() + minuteMs))
    await settled(lastMinute(), 1)
    t.match(coordinator.runs.at(-1)?.tick, { previousRunId: first }, 'and on schedule')
    const fourth = (await get(projectId, id))?.last_run_id ?? 0
    t.match((await eventsOf(id, 5)).slice(-2), [
      { type: 'MonitorRunAsked', data: { runId: third, previousRunId: first } },
      { type: 'MonitorFired', data: { runId: fourth, previousRunId: first } },
    ])
    coordinator.ended.set(fourth, 'deleted')
    coordinator.active.add(first)
    await t.rejects(
      run(projectId, id),
      { code: 'conflict', reason: 'previous_run_active' },
      'not while that one is active',
    )
    coordinator.active.clear()
    coordinator.ended.set(first, 'deleted')
    await run(projectId, id)
    t.match(
      coordinator.runs.at(-1)?.tick,
      { previousRunId: fourth },
      'a run after deleted ones is not the first of its chain',
    )
    await remove(projectId, id)
  })

  t.test('finds the latest run that is not deleted behind many deleted ones, and keeps it', async t => {
    const projectId = 135
    const { id } = (await create({ projectId, schedule: '0 0 29 2 *' })).monitor
    const next = async () => (await run(projectId, id))?.id ?? 0
    const first = await next()
    const deleted = []
    for (let n = 0; n < 12; n++) deleted.push(await next())
    for (const runId of deleted) coordinator.ended.set(runId, 'deleted')
    const last = await next()
    t.match(coordinator.runs.at(-1)?.tick, { previousRunId: first })
    t.strictSame(new Set(await scene.keptRuns(projectId)), new Set([first, last]), 'no deleted run counts')
    await remove(projectId, id)
  })

  t.test('counts a due run that began after a requested one as the last', async t => {
    const { id } = (await create({ projectId: 132 })).monitor
    await scene.pool.query(
      `insert into scheduler.tick (monitor_id, minute, begun_at, asked, outcome, run_id, run_status)
       values ($1, $2::timestamptz + interval '20 s', $2::timestamptz + interval '20 s', true, 'fired', 1, 'done'),
              ($1, $2, $2::timestamptz + interval '45 s', false, 'fired', 2, 'failed')`,
      [id, stamp(lastMinute())],
    )
    const client = await scene.pool.connect()
    await recount(client, id)
    client.release()
    t.match(await get(132, id), { last_status: 'failed', consecutive_failures: 1 })
    t.match(await ticks(132, id), [
      { runId: 2, asked: false },
      { runId: 1, asked: true },
    ])
    await remove(132, id)
  })

  t.test('keeps the last thousand ticks of a monitor', async t => {
    const { monitor } = await create({ projectId: 135 })
    const minute = lastMinute() + minuteMs
    await scene.pool.query(
      `insert into scheduler.tick (monitor_id, minute, begun_at, outcome)
       select $1, $2::timestamptz - make_interval(days => 5 + n / 500, mins => n), $2, 'fired'
       from generate_series(1, 3000) n`,
      [monitor.id, stamp(minute)],
    )
    await at(endOf(minute))
    await settled(minute, 1)
    const { rowCount } = await scene.pool.query(`select from scheduler.tick where monitor_id = $1`, [
      monitor.id,
    ])
    t.equal(rowCount, 1_000, 'and all of the last seven days')
    await remove(135, monitor.id)
  })

  t.test('starts a run on request', async t => {
    const projectId = 140
    const likeness = 'f'.repeat(64)
    const { id, next_fires_at } = (await create({ projectId, schedule: '0 0 1 1 *', likeness })).monitor
    const first = await run(projectId, id)
    t.match(coordinator.runs.at(-1), { likeness }, 'which max_age_seconds of a crawl may find')
    t.match(first, { id: Number, replayed: false, status: 'queued' })
    const { tick } = coordinator.runs[(first?.id ?? 0) - 1] ?? {}
    t.match(tick, { monitorId: id, previousRunId: null })
    t.not(Date.parse(tick?.minute ?? '') % minuteMs, 0, 'it is not a due minute')
    t.match(await get(projectId, id), { last_run_id: first?.id, last_fired_at: stamp(now), next_fires_at })
    t.match(await ticks(projectId, id), [{ asked: true, outcome: 'fired', runId: first?.id }])

    coordinator.active.add(first?.id ?? 0)
    const active = { status: 409, code: 'conflict', reason: 'previous_run_active' }
    await t.rejects(run(projectId, id), active, 'but not while another run is active')
    t.equal((await ticks(projectId, id))?.length, 1)
    coordinator.active.clear()
    await change({ projectId, monitorId: id, enabled: false })
    const second = await run(projectId, id)
    t.match(coordinator.runs.at(-1)?.tick, { previousRunId: first?.id }, 'also of a disabled monitor')
    t.match(coordinator.runs.at(-1), { likeness }, 'after a change too')
    const { type, data } = (await eventsOf(id, 4)).at(-1) ?? {}
    t.match(
      { type, data },
      { type: 'MonitorRunAsked', data: { runId: second?.id, previousRunId: first?.id } },
    )

    t.equal(await run(projectId, 999_999), null)
    t.equal(await run(141, id), null, 'the monitor of another project')
    coordinator.refusal = new Refusal({ status: 429, code: 'too_many_requests', message: 'full' })
    await t.rejects(run(projectId, id), { code: 'too_many_requests' })
    coordinator.refusal = null
    t.equal((await ticks(projectId, id))?.length, 2, 'a refused request leaves no tick')
    await remove(projectId, id)
  })

  t.test('starts one run for one Idempotency-Key, and one for many concurrent requests', async t => {
    const projectId = 150
    const { id } = (await create({ projectId, schedule: '0 0 1 1 *' })).monitor
    const answers = await Promise.all(Array.from({ length: 10 }, () => run(projectId, id, 'key')))
    t.equal(new Set(answers.map(answer => answer?.id)).size, 1)
    t.equal(answers.filter(answer => answer?.replayed === false).length, 1, 'the others are replays')
    const runId = answers[0]?.id ?? 0
    coordinator.active.add(runId)
    t.match(await run(projectId, id, 'key'), { id: runId, replayed: true }, 'also while it is active')
    await t.rejects(run(projectId, id, 'other'), { code: 'conflict' })
    coordinator.active.clear()

    const before = coordinator.runs.length
    coordinator.isBusy = true
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => run(projectId, id)))
    coordinator.isBusy = false
    coordinator.active.clear()
    t.equal(coordinator.runs.length, before + 1)
    for (const result of results) {
      if (result.status === 'fulfilled') t.match(result.value, { id: before + 1, replayed: false })
      else t.match(result.reason, { status: 409, reason: 'previous_run_active' })
    }
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1, 'only one request gets it')
    await remove(projectId, id)
  })

  t.test('returns only the run of the key to a client that may not start one', async t => {
    const projectId = 151
    const { id } = (await create({ projectId, schedule: '0 0 1 1 *' })).monitor
    const refusal = { status: 429, code: 'too_many_requests', reason: 'daily_pages', message: 'Spent.' }
    const before = coordinator.runs.length
    await t.rejects(run(projectId, id, null, { refusal }), refusal)
    await t.rejects(run(projectId, id, 'key', { refusal }), refusal)
    t.strictSame(await ticks(projectId, id), [], 'no tick is recorded')
    t.equal(await run(projectId, 999_999, 'key', { refusal }), null)
    const requests = [{ refusal }, {}, { refusal }, {}, { refusal }]
    const answers = await Promise.allSettled(requests.map(more => run(projectId, id, 'key', more)))
    for (const answer of answers) {
      if (answer.status === 'fulfilled') t.equal(answer.value?.id, before + 1)
      else t.match(answer.reason, refusal)
    }
    t.ok(answers.filter(({ status }) => status === 'fulfilled').length >= 2)
    t.match(await run(projectId, id, 'key', { refusal }), { id: before + 1, replayed: true })
    await t.rejects(run(projectId, id, 'other', { refusal }), refusal)
    t.equal(coordinator.runs.length, before + 1)
    await remove(projectId, id)
  })

  t.test('finishes an abandoned request before the due minutes of its monitor', async t => {
    const projectId = 160
    const { id } = (await create({ projectId, schedule: '* * * * *' })).monitor
    const before = coordinator.runs.length
    coordinator.isLosingAnswers = true
    await t.rejects(run(projectId, id), { code: 'unavailable' })
    t.equal(coordinator.runs.length, before + 1, 'the run exists, but the client does not know it')
    const minute = lastMinute() + minuteMs
    coordinator.active.add(before + 1)
    await at(endOf(minute))
    await sleep(100)
    t.match(await ticks(projectId, id), [{ asked: true, outcome: null }])
    coordinator.isLosingAnswers = false
    await at(endOf(minute) + 61_000)
    await until(async () => (await get(projectId, id))?.last_run_id === before + 1)
    await until(async () => (await ticks(projectId, id))?.filter(({ outcome }) => outcome).length === 2)
    t.match(await ticks(projectId, id), [
      { outcome: 'skipped', reason: 'previous_run_active' },
      { asked: true, outcome: 'fired', runId: before + 1 },
    ])
    t.equal(coordinator.runs.length, before + 1)
    coordinator.active.clear()
    await remove(projectId, id)
  })

  t.test('finds the run that it started before a failure, while a reopened one is active', async t => {
    const projectId = 165
    const { id } = (await create({ projectId, schedule: '*/10 * * * *' })).monitor
    const fire = async () => at(Date.parse((await get(projectId, id))?.next_fires_at ?? ''))
    await fire()
    await settled(lastMinute(), 1)
    const reopened = (await get(projectId, id))?.last_run_id ?? 0

    const before = coordinator.runs.length
    coordinator.isLosingAnswers = true
    await fire()
    const minute = lastMinute()
    await until(async () => coordinator.runs.length === before + 1)
    coordinator.active.add(reopened)
    await at(now + 20_000)
    await settled(minute, 1)
    t.match(await ticks(projectId, id), [{ outcome: 'fired', runId: before + 1 }, { runId: reopened }])
    t.match(await get(projectId, id), { last_run_id: before + 1 })

    await t.rejects(run(projectId, id), { code: 'unavailable' })
    coordinator.active.add(before + 1)
    await at(now + 61_000)
    await until(async () => (await ticks(projectId, id))?.[0]?.outcome !== null)
    t.match((await ticks(projectId, id))?.[0], { outcome: 'fired', runId: before + 2, asked: true })
    coordinator.isLosingAnswers = false
    coordinator.active.add(before + 2)
    await t.rejects(run(projectId, id, 'other'), {
      status: 409,
      code: 'conflict',
      reason: 'previous_run_active',
    })
    t.equal(coordinator.runs.length, before + 2, 'no other run starts')
    coordinator.active.clear()
    await remove(projectId, id)
    await at(endOf(lastMinute()))
  })

  t.test('refuses to move a minute that may have started a run already', async t => {
    const projectId = 170
    const { id } = (await create({ projectId })).monitor
    const before = coordinator.runs.length
    const minute = lastMinute() + minuteMs
    coordinator.isLosingAnswers = true
    coordinator.isBusy = true
    await at(endOf(minute))
    await until(async () => coordinator.runs.length === before + 1)
    const isFiring = { code: 'unavailable', retryAfterSeconds: 2 }
    await t.rejects(change({ projectId, monitorId: id, schedule: '*/2 * * * *' }), isFiring)
    await t.rejects(change({ projectId, monitorId: id, enabled: false }), isFiring)
    const webhookUrl = 'https://example.com/hook'
    t.match(await change({ projectId, monitorId: id, webhookUrl }), { webhook_url: webhookUrl })
    coordinator.isLosingAnswers = false
    await at(endOf(minute) + 20_000)
    await until(async () => (await get(projectId, id))?.last_run_id === before + 1)
    t.match(await change({ projectId, monitorId: id, schedule: '*/2 * * * *' }), { last_run_id: before + 1 })
    await at(endOf(minute) + 5 * minuteMs)
    let seen = (await ticks(projectId, id)) ?? []
    await until(async () => {
      seen = (await ticks(projectId, id)) ?? []
      return seen.length > 1 && seen.every(({ outcome }) => outcome !== null)
    })
    const [first, ...later] = seen.toReversed()
    t.match(first, { outcome: 'fired', runId: before + 1 })
    for (const tick of later) t.match(tick, { outcome: 'skipped', reason: 'previous_run_active' })
    t.equal(coordinator.runs.length, before + 1, 'no other run starts')
    coordinator.isBusy = false
    coordinator.active.clear()
    await remove(projectId, id)
  })

  t.test('reads the time from the database, not from its own clock', async t => {
    const [before, own] = [Date.now(), Date.now]
    Date.now = () => 0
    const time = await databaseClock(scene.pool)().finally(() => {
      Date.now = own
    })
    t.ok(Math.abs(time - before) < 30_000 && Number.isInteger(time))
  })
})

test('A monitor without stored bodies takes no intent', async t => {
  const bare = { settings: { ...settings, storeHtml: false } }
  const monitors = {
    change: async (...[, , , decide]: unknown[]) => (decide as (monitor: object) => unknown)(bare),
  }
  const ports = { clock: async () => start, monitors, publish: () => {} }
  const change = changeMonitor(ports as never)
  const refusal = { code: 'invalid_input', status: 422, field: 'intent', message: /store_html: false/ }
  await t.rejects(change({ projectId: 1, monitorId: 1, intent: 'Falls' }), refusal)
})

test('A requested run of unknown outcome is refused after a day, and one that started is found', async t => {
  const starts: number[] = []
  const runs = { start: async (_: unknown, minute: number) => ({ id: starts.push(minute) }) }
  const dayMs = 24 * 60 * minuteMs
  const settle = async (isSettled: boolean, now: number) => {
    const tick = { monitorId: 1, minute: start + 1, begunAt: start, attempts: 2, isSettled }
    let result: unknown = null
    const requested = {
      settle: async (...[, , act]: unknown[]) => {
        result = await (act as (...about: unknown[]) => unknown)({ lastRunId: null }, tick, {})
        return { type: 'missing' }
      },
    }
    await settleRequest({ requested, runs, publish: () => {} } as never, tick, now)
    return result
  }
  t.match(await settle(false, start + dayMs), { code: 'conflict' })
  t.strictSame(starts, [])
  t.match(await settle(true, start + dayMs), { started: { id: 1 } })
  t.match(await settle(false, start + dayMs - 2 * 60 * minuteMs), { started: { id: 2 } })
})

test('A tick that keeps failing is tried after up to 15 seconds, and is reported ever more rarely', async t => {
  t.strictSame([1, 2, 4, 5, 1_000].map(pauseAfter), [1_000, 2_000, 8_000, 15_000, 15_000])
  const reported: number[] = []
  let attempts = 0
  const ticks = {
    begin: async () => ({
      monitorId: 1,
      minute: start,
      begunAt: start,
      attempts: ++attempts,
      isSettled: false,
    }),
    settle: async () => {
      throw new Error('away')
    },
  }
  const report = () => void reported.push(attempts)
  const fire = fireNext({ clock: async () => start, ticks, runs: {}, publish: () => {}, report } as never)
  for (let n = 0; n < 120; n++) await fire()
  t.strictSame(reported, [1, 10, 100])
})
