/** The operator's overview against a real gateway, projector and bus, with fakes of the other services. */
import { publish } from '@tidemark/bus/publish'
import { serve } from '@tidemark/bus/rpc'
import { SettingsError } from '@tidemark/config/settings'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { caller, keyNamed, surroundings } from '../../gateway.scene.ts'
import { startService } from '../../service.ts'
import { groupOf, repairCommand, serviceOf } from './domain/consumers.ts'
import { costStates, projectStates } from './domain/projects.ts'
import { serviceStates } from './domain/services.ts'

const adminKey = 'o'.repeat(32)
const key = keyNamed('o')
const path = '/v1/operator/overview'

test("The operator's overview", async t => {
  const around = await surroundings(t, {
    env: { ADMIN_KEY: adminKey, TRACES_URL: 'https://traces.example.com/', DRAIN_MS: '0' },
  })
  const { bus, standIns, pool } = around
  standIns.addKey(key, 1)
  const { call, get } = caller(around, adminKey)
  const overview = async () => (await get(path)).json
  /** Waits until the shared overview is another one. */
  const next = async () => {
    const { generated_at } = await overview()
    for (;;) {
      const found = await overview()
      if (found.generated_at !== generated_at) return found
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const answering = { signal: stop.signal, report: (error: unknown) => t.fail(String(error)) }

  await t.test('needs the key of the operator', async t => {
    const none = await get(path, { key: null })
    t.match([none.status, none.json.error], [401, { code: 'unauthorized', message: /ADMIN_KEY/ }])
    t.equal((await get(path, { key: adminKey.slice(1) })).status, 401)
    t.equal((await get(path, { key: keyNamed('p') })).status, 401, 'an unknown key of a project')
    const ofProject = await get(path, { key })
    t.match(
      [ofProject.status, ofProject.json.error],
      [403, { code: 'unauthorized', message: /key of a project.*ADMIN_KEY/ }],
    )
    t.match(ofProject.json.error.request_id, /^[\w-]{36}$/)
    const mine = await get(path)
    t.equal(mine.status, 200)
    t.equal(mine.headers.get('cache-control'), 'no-store')
    t.equal((await call('POST', path, { body: {} })).status, 405, 'it is read only')
  })

  await t.test('is all that the key opens', async t => {
    for (const other of ['/v1/usage', '/v1/crawls', '/v1/keys'])
      t.equal((await get(other)).status, 401, other)
    t.equal((await call('POST', '/mcp', { body: {} })).status, 401)
    const { paths } = (await get('/openapi.json')).json
    t.notOk(
      Object.keys(paths).some(name => name.includes('operator')),
      'clients of projects do not see it',
    )
  })

  await t.test('names the parts that are unavailable, and has the others', async t => {
    const began = performance.now()
    const found = await next()
    t.ok(performance.now() - began < 5_000)
    t.match(found, { traces_url: 'https://traces.example.com/', day: /^\d{4}-\d\d-\d\d$/ })
    t.match(found.hosts, { available: false, missing: ['fetcher'], total: null, items: { length: 0 } })
    t.match(found.costs, { available: false, missing: ['usage-ledger'], today: null, month: null })
    t.match(found.projects, { available: false, missing: ['usage-ledger'], total: 0 })
    t.strictSame(found.projections.missing.sort(), ['extractor', 'usage-ledger', 'webhook'])
    t.match(
      found.projections.items.map(({ service, projection }: Record<string, string>) => [service, projection]),
      [
        ['projector', 'runs'],
        ['projector', 'accounts'],
        ['projector', 'audit'],
      ],
    )
    t.equal(found.services.available, true)
    t.equal(found.services.items.length, 9)
    t.ok(found.services.items.every(({ status }: { status: string }) => status === 'pass'))
    t.match(
      found.services.items.find(({ service }: { service: string }) => service === 'fetcher').instances,
      [{ instance: 'stand-in', status: 'pass', cause: null }],
    )
    t.match(found.dead_letters, { available: true, total: 0, items: { length: 0 } }, 'without the stream')
  })

  await t.test('waits for a service for a second only', async t => {
    const silent = new AbortController()
    const hanging = serve(bus, operatorRpc.throttledHosts, () => new Promise<never>(() => {}), {
      ...answering,
      signal: silent.signal,
    })
    await bus.nc.flush()
    await next()
    const began = performance.now()
    const found = await next()
    const took = performance.now() - began
    t.equal(found.hosts.available, false)
    t.ok(took > 500 && took < 10_000, `${Math.round(took)} ms`)
    silent.abort()
    await hanging
  })

  await t.test('has the lag of queues, and dead letters with their commands', async t => {
    await bus.jsm.streams.add({ name: streams.outcomes, subjects: ['outcomes.*'], retention: 'workqueue' })
    await bus.jsm.streams.add({ name: streams.dead, subjects: ['dead.>'] })
    for (const shard of ['07', '08']) {
      const durable_name = `coordinator-${shard}`
      const filter_subject = subjects.outcomesOfShard(shard)
      await bus.jsm.consumers.add(streams.outcomes, { durable_name, filter_subject, ack_policy: 'explicit' })
      await publish(bus, filter_subject, 'an outcome')
    }
    const reasons = { 'Dead-Reason': 'invalid input syntax: "a page of a customer" tmk_abcdefgh12345678' }
    for (const [stream, consumer] of [
      ['OUTCOMES', 'coordinator-07'],
      ['OUTCOMES', 'coordinator-08'],
      ['RUNS', 'runs'],
    ])
      await publish(bus, `dead.${stream}.${consumer}`, 'secret content', { headers: reasons })
    const found = await next()
    t.match(
      found.queues.items.filter(({ stream }: { stream: string }) => stream === 'OUTCOMES'),
      [{ service: 'crawl-coordinator', consumer: 'coordinator', waiting: 2, in_flight: 0 }],
      'the shards count as one',
    )
    t.ok(found.queues.items[0].oldest_seconds >= 0)
    t.match(found.dead_letters, {
      available: true,
      total: 3,
      items: [
        {
          service: 'crawl-coordinator',
          stream: 'OUTCOMES',
          consumer: 'coordinator',
          letters: 2,
          newest: { id: 2, reason: 'invalid input syntax: "…" tmk_abcdefgh[redacted]' },
          show: 'npm run admin -- dead-letters show 2',
          repair: 'npm run admin -- dead-letters replay --all --stream OUTCOMES',
        },
        { service: 'projector', letters: 1, repair: 'npm run admin -- rebuild-projections --name runs' },
      ],
    })
    t.notMatch(JSON.stringify(found), /secret content|a page of a customer/)
    t.match(
      found.streams.items.find(({ stream }: { stream: string }) => stream === 'DEAD'),
      { messages: 3, max_bytes: null },
    )
  })

  await t.test('joins the runs of projects with their units and costs', async t => {
    const account = (projectId: number, name: string) => ({
      type: 'ProjectCreated',
      data: { projectId, name, tier: 'pro', unlimited: false },
    })
    const events = [account(1, 'harbour'), account(2, 'lighthouse'), account(3, 'idle')]
    const at = '2026-01-02T03:04:05.678Z'
    await publish(bus, subjects.account(1), JSON.stringify({ at, events }))
    await until(async () => (await pool.query('select from read.project')).rowCount === 3)
    await pool.query(
      `insert into read.run (id, project_id, url, status, enqueued_at) values
         (101, 2, 'http://a.test/', 'running', now()), (102, 2, 'http://a.test/', 'queued', now()),
         (103, 2, 'http://a.test/', 'done', '2026-01-01'), (104, 1, 'http://a.test/', 'done', now())`,
    )
    const units = { pages: 12, cloudPages: 3, cloudCostUsd: 0.5, modelCalls: 1 }
    const spending = { today: units, month: units, byUnits: [{ projectId: 1, ...units }] }
    const spent = serve(
      bus,
      operatorRpc.readSpending,
      async () => ({ ...spending, byCost: [{ projectId: 1, ...units }] }),
      answering,
    )
    const pausedUntil = new Date(Date.now() + 60_000).toISOString()
    const hosts = { total: 1, hosts: [{ origin: 'https://slow.test', pausedUntil, pauses: 4 }] }
    const pressed = serve(bus, operatorRpc.throttledHosts, async () => hosts, answering)
    await bus.nc.flush()
    const found = await next()
    t.match(found.projects, { available: true, total: 3 })
    t.match(found.projects.items, [
      { project_id: 1, name: 'harbour', running: 0, started: 1, pages: 12, cloud_cost_usd: 0.5 },
      { project_id: 2, name: 'lighthouse', queued: 1, running: 1, started: 2, pages: 0 },
      { project_id: 3, name: 'idle', running: 0, started: 0, pages: 0 },
    ])
    t.match(found.costs, {
      available: true,
      month: { pages: 12, cloud_cost_usd: 0.5 },
      items: [{ project_id: 1, name: 'harbour', cloud_cost_usd: 0.5, model_calls: 1 }],
    })
    t.match(found.hosts, {
      total: 1,
      items: [{ origin: 'https://slow.test', paused_until: pausedUntil, is_paused: true, pauses: 4 }],
    })
    stop.abort()
    await Promise.all([spent, pressed])
  })

  await t.test('limits wrong keys of an address, as of API keys', async t => {
    const tries = Array.from({ length: 100 }, (_, n) => get(path, { key: `wrong-${n}` }))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    t.ok(statuses.includes(429), 'after 60 wrong keys')
    const refused = await get(path, { key: 'wrong' })
    t.match(
      [refused.status, refused.json.error.reason, refused.headers.has('retry-after')],
      [429, 'unknown_keys', true],
    )
    t.equal((await get('/v1/usage', { key })).status, 200, 'keys of projects have a limit of their own')
    await until(async () => (await get(path)).status === 200, 20_000)
  })

  await t.test('has a path as unknown as any other without the key of the operator', async t => {
    const gateway = await startService({ ...around.env, ADMIN_KEY: '' }, new AbortController().signal)
    t.teardown(() => gateway[Symbol.asyncDispose]())
    const { get } = caller({ ...around, url: gateway.url }, key)
    for (const one of [null, adminKey, key]) {
      const [found, other] = await Promise.all([
        get(path, { key: one }),
        get('/v1/operator/other', { key: one }),
      ])
      t.match([found.status, found.json.error.code], [404, 'not_found'])
      t.equal(
        found.json.error.message,
        other.json.error.message.replace('operator/other', 'operator/overview'),
      )
    }
  })
  await t.test('stops the start with a short key, or one like a key of a project', async t => {
    for (const [wrong, fault] of [
      ['x'.repeat(31), /ADMIN_KEY must have at least 32 characters/],
      [keyNamed('a'), /ADMIN_KEY must not begin with tmk_/],
      [`${'x'.repeat(32)} y`, /ADMIN_KEY must have visible ASCII characters only/],
    ] as const)
      await t.rejects(startService({ ...around.env, ADMIN_KEY: wrong }, new AbortController().signal), {
        constructor: SettingsError,
        message: fault,
      })
  })
})

test('The rules of the overview', async t => {
  t.test('a service is as healthy as its worst process that sends heartbeats', async t => {
    const beat = (instance: string, ageSeconds: number, more: object = {}) => ({
      heartbeat: { instance, status: 'pass' as const, ...more },
      ageSeconds,
    })
    const stateOf = (...beats: ReturnType<typeof beat>[]) =>
      serviceStates(new Map([['webhook', beats]])).find(({ service }) => service === 'webhook')
    t.match(stateOf(), { status: 'missing', instances: { length: 0 } })
    t.match(stateOf(beat('a', 2), beat('b', 90)), {
      status: 'pass',
      instances: [{ status: 'pass' }, { status: 'silent' }],
    })
    t.match(stateOf(beat('b', 90)), { status: 'missing' })
    t.match(stateOf(beat('b', 301)), { instances: { length: 0 } }, 'a stopped process is forgotten')
    t.match(stateOf(beat('a', 1, { cause: 'projection_lag: far' }), beat('b', 1)), { status: 'warn' })
    t.match(stateOf(beat('a', 1), beat('b', 1, { status: 'fail', cause: 'disk_full: x' })), {
      status: 'fail',
    })
    t.equal(stateOf(...Array.from({ length: 80 }, (_, n) => beat(`p${n}`, 1)))?.instances.length, 50)
  })

  t.test('consumers have a service, and a repair if one exists', async t => {
    t.strictSame([groupOf('coordinator-63'), groupOf('coordinator-64')], ['coordinator', 'coordinator-64'])
    t.strictSame([serviceOf('fetcher-browser'), serviceOf('nothing')], ['fetcher', null])
    t.equal(repairCommand('USAGE', 'ledger'), 'npm run admin -- rebuild-projections --name ledger')
    t.equal(repairCommand('RUNS', 'bill-runs'), null)
  })

  t.test('a full list of units says nothing of the other projects', async t => {
    const units = { pages: 1, cloudPages: 0, cloudCostUsd: 0, modelCalls: 0 }
    const byUnits = [{ projectId: 1, ...units }]
    const spending = { today: units, month: units, byUnits, byCost: byUnits }
    const project = (projectId: number) => ({
      ...{ projectId, name: `p${projectId}`, tier: 'pro' as const },
      ...{ queued: 0, running: 0, started: 0 },
    })
    const activity = { total: 2, projects: [project(1), project(2)], names: [] }
    t.match(projectStates(activity, spending, 1), [{ pages: 1 }, { pages: null }])
    t.match(projectStates(activity, spending, 2), [{ pages: 1 }, { pages: 0 }])
    t.match(projectStates(null, spending, 2), [{ project_id: 1, name: null, running: null, pages: 1 }])
    t.match(projectStates(activity, null, 2), [{ pages: null }, { pages: null }])
    t.match(costStates(activity, spending), [{ project_id: 1, name: null }])
  })
})
