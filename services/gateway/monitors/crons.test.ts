import { Refusal, refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { MonitorView } from '@tidemark/contracts/http/crons'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as modelRpc from '@tidemark/contracts/rpc/model'
import type { ChangeMonitor, CreateMonitor, RunMonitor, TickView } from '@tidemark/contracts/rpc/monitors'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import type { RequestOf, ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'
import { failed, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'

test('Monitors over HTTP', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const mine = keyNamed('m')
  const foreign = keyNamed('f')
  around.standIns.addKey(mine, 7, { tier: 'agency' })
  around.standIns.addKey(foreign, 8)
  const scheduler = standIn(around.bus, t)
  const { call, get, post, append } = caller(around, mine)
  const patch = (id: number | string, body: unknown, key = mine) =>
    call('PATCH', `/v1/crons/${id}`, { body, key })
  const withoutId = (text: string) => text.replace(/"request_id":"[^"]*"/, '')

  t.test('POST /v1/crawls with cron creates one', async t => {
    const body = {
      url: seed,
      cron: '0 6 * * *',
      max_pages: 5,
      cookies: 'a=secret',
      webhook_url: `${seed}hook`,
      webhook_events: ['crawl.diff_detected', 'page.fetched'],
      return_only_changed: true,
      conditional: false,
      nonsense: 1,
      timezone: 'Europe/Berlin',
      ignore_selectors: ['.clock'],
      ignore_text: [],
      min_changed_words: 3,
    }
    const { status, json, headers } = await post('/v1/crawls', body)
    t.equal(status, 201)
    t.match(json, {
      monitor_id: 1,
      schedule: '0 6 * * *',
      timezone: 'Europe/Berlin',
      next_fires_at: '2026-01-02T06:00:00.000Z',
      url: seed,
      info: /in the time zone Europe\/Berlin\. .*\/v1\/crons\/1/,
      warnings: [/nonsense/],
    })
    t.equal(headers.get('location'), null)
    t.match(scheduler.created, [
      {
        projectId: 7,
        tier: 'agency',
        url: seed,
        schedule: '0 6 * * *',
        timezone: 'Europe/Berlin',
        idempotencyKey: null,
        fingerprint: /^[0-9a-f]{64}$/,
        settings: {
          maxPages: 5,
          cookies: /^sealed2\./,
          webhook: {
            ...{ url: `${seed}hook`, events: ['crawl.diff_detected'], notices: ['page.fetched'] },
            onlyChanged: true,
          },
          conditional: false,
          comparison: { ignoreSelectors: ['.clock'] },
          minChangedWords: 3,
        },
      },
    ])
    t.equal(around.standIns.starts.length, 0, 'and starts no run')
    const { cron: _, timezone: __, return_only_changed: ___, conditional: ____, ...once } = body
    t.equal((await post('/v1/crawls', once)).status, 202)
    const { likeness } = around.standIns.starts.at(-1) ?? {}
    t.match(likeness, /^[0-9a-f]{64}$/)
    t.equal(scheduler.created[0]?.likeness, likeness, 'its runs are like a crawl with the same fields')
  })

  t.test('POST /v1/crawls gives the original for its Idempotency-Key, and warns of another body', async t => {
    const headers = { 'idempotency-key': 'once' }
    const first = await call('POST', '/v1/crawls', { body: { url: seed, cron: '0 6 * * *' }, headers })
    const again = await call('POST', '/v1/crawls', { body: { url: seed, cron: '0 6 * * *' }, headers })
    t.equal(again.status, 201)
    t.strictSame(again.json, first.json)
    t.equal(first.headers.get('idempotent-replayed'), null)
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    const other = await call('POST', '/v1/crawls', { body: { url: seed, cron: '0 7 * * *' }, headers })
    t.match(other.json, { ...first.json, warnings: [/Idempotency-Key/] })
    const none = await call('POST', '/v1/crawls', { body: { url: 7, cron: null }, headers })
    t.match(none, { status: 201, json: { ...first.json, warnings: [/Idempotency-Key/] } })
    t.equal(none.headers.get('idempotent-replayed'), 'true')
  })

  t.test('POST /v1/crawls refuses what no monitor can be made of', async t => {
    const before = scheduler.created.length
    for (const [body, field, reason] of [
      [{ url: 'http://10.0.0.1/', cron: '* * * * *' }, 'url', 'private_address'],
      [{ url: seed, cron: '* * * * *', webhook_url: 'http://10.0.0.1/' }, 'webhook_url', 'private_address'],
      [{ url: seed, cron: '* * * * *', webhook_url: 'ftp://example.com/' }, 'webhook_url', 'bad_url'],
      [{ url: seed, cron: 5 }, 'cron', 'wrong_type'],
      [{ url: seed, cron: 'bad' }, 'cron', 'bad_cron'],
      [{ url: seed, cron: '' }, 'cron', 'bad_cron'],
    ] as const) {
      const { status, json } = await post('/v1/crawls', body)
      t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', field, reason })
    }
    t.equal(scheduler.created.length, before)
    scheduler.refusal = capReached
    const { status, json, headers } = await post('/v1/crawls', { url: seed, cron: '* * * * *' })
    scheduler.refusal = null
    t.match({ status, ...json.error }, { status: 429, code: 'too_many_requests', reason: 'monitor_cap' })
    t.strictSame([headers.get('retry-after'), json.error.retry_after_seconds], ['3600', 3600])
  })

  t.test('has an intent only with a language model and the consent of the project', async t => {
    const text = 'The price falls.'
    const hook = { url: seed, cron: '0 6 * * *', webhook_url: `${seed}hook` }
    const create = (more: object) => post('/v1/crawls', { ...hook, ...more })
    const before = scheduler.created.length
    const refused = async (body: object, status: number, error: object) => {
      const found = await create(body)
      t.match({ status: found.status, ...found.json.error }, { status, ...error }, JSON.stringify(body))
    }
    await refused({ intent: text }, 503, {
      code: 'not_configured',
      field: 'intent',
      message: /no language model/,
    })
    t.match((await patch(1, { intent: text })).json.error, { code: 'not_configured', field: 'intent' })
    scheduler.modelHost = 'models.test'
    await refused({ intent: text }, 409, {
      reason: 'model_consent',
      field: 'intent',
      message: /models\.test/,
    })
    t.match((await patch(1, { intent: text })).json.error, { reason: 'model_consent', field: 'intent' })
    scheduler.consent = 'models.test'
    const bad = { code: 'invalid_input', field: 'intent' }
    for (const intent of ['', '  ', 'x'.repeat(1_001), 5, null]) await refused({ intent }, 400, bad)
    for (const intent of ['', ' ', 'x'.repeat(1_001), 5])
      t.match(await patch(1, { intent }), { status: 422, json: { error: bad } })
    const conflicting = { reason: 'conflicting_fields' }
    await refused({ only_matching: true }, 400, { ...conflicting, field: 'only_matching' })
    await refused({ intent: text, store_html: false }, 400, { ...conflicting, field: 'intent' })
    t.equal(scheduler.created.length, before, 'nothing is created')
    t.match(await create({ intent: text, only_matching: true }), { status: 201 })
    t.strictSame(scheduler.created.at(-1)?.settings.intent, { text, onlyMatching: true })
    t.match((await create({ intent: text, webhook_url: undefined })).json.warnings, [
      /no effect until .* webhook_url/,
    ])
    t.match((await create({ return_only_changed: true, webhook_url: undefined })).json.warnings, [
      /^return_only_changed was ignored, because there is no webhook_url/,
    ])
    const { json } = await post('/v1/crawls', { url: seed, intent: text })
    t.match(json.warnings, [/intent was ignored, because only monitors/])
    t.equal(around.standIns.starts.at(-1)?.settings.intent, undefined)
    const id = before + 1
    t.match((await get(`/v1/crons/${id}`)).json, { intent: text, only_matching: true })
    t.match((await patch(id, { only_matching: false })).json, { intent: text, only_matching: false })
    t.match((await patch(id, { intent: null })).json, { intent: null })
    t.strictSame(scheduler.changes.splice(0), [
      { projectId: 7, monitorId: id, onlyMatching: false },
      { projectId: 7, monitorId: id, intent: null },
    ])
    for (const made of [id, id + 1, id + 2]) await call('DELETE', `/v1/crons/${made}`)
    around.standIns.starts.length = 0
  })

  t.test("GET /v1/crons lists the project's own", async t => {
    const { status, json } = await get('/v1/crons')
    t.equal(status, 200)
    t.match(json.items, [{ id: 1, schedule: '0 6 * * *', url: seed, enabled: true, last_fired_at: null }, {}])
    t.strictSame((await get('/v1/crons', { key: foreign })).json, { items: [] })
    t.equal((await get('/v1/crons', { key: null })).status, 401)
  })

  t.test('GET /v1/crons/{id} shows one', async t => {
    const { items } = (await get('/v1/crons')).json
    t.strictSame((await get('/v1/crons/1')).json, items[0])
    t.match(items[0], { last_status: null, consecutive_failures: 0 })
    t.equal((await get('/v1/crons/1', { key: null })).status, 401)
  })

  t.test('GET /v1/crons/{id}/runs returns the result of each due minute', async t => {
    t.strictSame((await get('/v1/crons/1/runs')).json, { items: [], next_offset: null })
    await append(202, queued(202, 8), started)
    await append(201, queued(201), started, settled(page(1), page(2)), failed('x'))
    await until(async () => (await get('/v1/crawls/201')).json.page_count === 2)
    const tick = { asked: false, outcome: null, reason: null, runId: null, runStatus: null }
    const fired = { ...tick, outcome: 'fired' as const }
    scheduler.ticks = [
      { ...tick, minute: '2026-01-06T06:00:00.000Z' },
      { ...fired, minute: '2026-01-05T06:00:00.001Z', runId: 204, asked: true },
      { ...fired, minute: '2026-01-05T06:00:00.000Z', runId: 203 },
      { ...fired, minute: '2026-01-04T06:00:30.123Z', runId: 201, asked: true },
      { ...tick, outcome: 'skipped', reason: 'concurrent_runs', minute: '2026-01-03T06:00:00.000Z' },
      { ...fired, minute: '2026-01-02T06:00:00.000Z', runId: 200, runStatus: 'done' },
      { ...fired, minute: '2026-01-01T06:00:00.000Z', runId: 202, runStatus: 'done' },
    ]
    around.standIns.runs.set('7/203', {} as RunView)
    const { json } = await get('/v1/crons/1/runs')
    const none = { page_count: null, error_count: null, reason: null, run_id: null, asked: false }
    t.strictSame(json.items, [
      { ...none, minute: '2026-01-06T06:00:00.000Z', status: 'starting' },
      { ...none, minute: '2026-01-05T06:00:00.001Z', run_id: 204, status: 'deleted', asked: true },
      { ...none, minute: '2026-01-05T06:00:00.000Z', run_id: 203, status: 'queued' },
      {
        minute: '2026-01-04T06:00:30.123Z',
        asked: true,
        run_id: 201,
        status: 'running',
        reason: null,
        page_count: 2,
        error_count: 1,
      },
      { ...none, minute: '2026-01-03T06:00:00.000Z', status: 'skipped', reason: 'concurrent_runs' },
      { ...none, minute: '2026-01-02T06:00:00.000Z', run_id: 200, status: 'deleted' },
      { ...none, minute: '2026-01-01T06:00:00.000Z', run_id: 202, status: 'deleted' },
    ])
    t.equal(json.next_offset, null)
    const part = (await get('/v1/crons/1/runs?limit=2&offset=1')).json
    t.strictSame(part, { items: json.items.slice(1, 3), next_offset: 3 })
    t.match((await get('/v1/crons/1/runs?limit=0')).json, { error: { reason: 'out_of_range' } })
  })

  t.test('POST /v1/crons/{id}/run starts a crawl now', async t => {
    const { status, json, headers } = await call('POST', '/v1/crons/1/run')
    t.equal(status, 202)
    t.strictSame(json, { id: 77, status: 'queued', url: seed, enqueued_at: '2026-01-02T03:04:05.678Z' })
    t.equal(headers.get('location'), '/v1/crawls/77')
    t.equal(headers.get('idempotent-replayed'), null)
    const again = await call('POST', '/v1/crons/1/run', { headers: { 'idempotency-key': 'again' } })
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.strictSame(scheduler.asked, [
      { projectId: 7, monitorId: 1, idempotencyKey: null },
      { projectId: 7, monitorId: 1, idempotencyKey: 'again' },
    ])
    const bad = await call('POST', '/v1/crons/1/run', { headers: { 'idempotency-key': 'a b' } })
    t.equal(bad.status, 400)
    scheduler.refusal = refuse('conflict', { reason: 'previous_run_active' })
    const active = await call('POST', '/v1/crons/1/run')
    scheduler.refusal = null
    t.match(active, { status: 409, json: { error: { code: 'conflict', reason: 'previous_run_active' } } })
    t.equal(scheduler.asked.length, 2)
  })

  t.test('PATCH /v1/crons/{id} changes what is sent, and nothing else', async t => {
    const { status, json } = await patch(1, { schedule: '30 7 * * *' })
    t.equal(status, 200)
    t.match(json, { id: 1, schedule: '30 7 * * *', enabled: true, next_fires_at: String })
    t.match((await patch(1, { enabled: false, webhook_url: `${seed}other` })).json, {
      schedule: '30 7 * * *',
      enabled: false,
      webhook_url: `${seed}other`,
    })
    t.strictSame(scheduler.changes, [
      { projectId: 7, monitorId: 1, schedule: '30 7 * * *' },
      { projectId: 7, monitorId: 1, enabled: false, webhookUrl: `${seed}other` },
    ])
    t.match((await patch(1, { timezone: 'Asia/Tokyo' })).json, { timezone: 'Asia/Tokyo' })
    t.strictSame(scheduler.changes.at(-1), { projectId: 7, monitorId: 1, timezone: 'Asia/Tokyo' })
    const names = ['page.fetched', 'crawl.done', 'page.fetched']
    t.equal((await patch(1, { webhook_events: names, return_only_changed: true })).status, 200)
    t.strictSame(scheduler.changes.at(-1), {
      projectId: 7,
      monitorId: 1,
      webhookEvents: { events: ['crawl.done'], notices: ['page.fetched'] },
      onlyChanged: true,
    })
  })

  t.test('PATCH /v1/crons/{id} takes a webhook away, and says what it ignored', async t => {
    const { status, json } = await patch(1, { webhook_url: null, cron: '* * * * *' })
    t.match({ status, ...json }, { status: 200, webhook_url: null })
    t.strictSame(json.warnings, ["unknown field 'cron' was ignored"])
    t.strictSame(scheduler.changes.at(-1), { projectId: 7, monitorId: 1, webhookUrl: null })
    t.notOk('warnings' in (await patch(1, { webhook_url: `${seed}other` })).json)
    const silent = (await patch(1, { webhook_events: [] })).json
    t.strictSame(silent.warnings, ['webhook_events is empty: only failures are sent'])
  })

  t.test('PATCH /v1/crons/{id} answers 422 to what is no change', async t => {
    const before = scheduler.changes.length
    for (const [body, wanted] of [
      [{}, { reason: 'required' }],
      [{ cron: '* * * * *' }, { reason: 'required' }],
      [[], { reason: 'wrong_type' }],
      [{ enabled: 'yes' }, { reason: 'wrong_type', field: 'enabled' }],
      [{ schedule: '*'.repeat(256) }, { reason: 'bad_value', field: 'schedule' }],
      [{ schedule: 'bad' }, { reason: 'bad_cron', field: 'schedule' }],
      [{ timezone: 1 }, { reason: 'wrong_type', field: 'timezone' }],
      [{ webhook_url: 'http://10.0.0.1/' }, { reason: 'private_address', field: 'webhook_url' }],
      [{ webhook_url: '' }, { reason: 'bad_url', field: 'webhook_url' }],
      [{ webhook_events: ['crawl.begun'] }, { reason: 'bad_value', field: 'webhook_events[0]' }],
      [{ return_only_changed: 'yes' }, { reason: 'wrong_type', field: 'return_only_changed' }],
      [
        { webhook_url: 7 },
        { reason: 'wrong_type', message: 'webhook_url must be a string or null; 7 was sent.' },
      ],
    ] as const) {
      const { status, json } = await patch(1, body)
      t.match(
        { status, ...json.error },
        { status: 422, code: 'invalid_input', ...wanted },
        JSON.stringify(body),
      )
    }
    t.equal(scheduler.changes.length, before)
    t.equal((await call('PATCH', '/v1/crons/1')).status, 422)
    const unreadable = { raw: '{', headers: { 'content-type': 'application/json' } }
    t.equal((await call('PATCH', '/v1/crons/1', unreadable)).status, 422)
  })

  t.test('a missing monitor and a foreign one are the same', async t => {
    const enabled = { enabled: true }
    for (const [missing, notMine] of [
      [await patch(999, enabled), await patch(1, enabled, foreign)],
      [await patch('x', enabled), await patch(1, enabled, foreign)],
      [await get('/v1/crons/999'), await get('/v1/crons/1', { key: foreign })],
      [await get('/v1/crons/999/runs'), await get('/v1/crons/1/runs', { key: foreign })],
      [await get('/v1/crons/x/runs'), await get('/v1/crons/1/runs', { key: foreign })],
      [await call('POST', '/v1/crons/999/run'), await call('POST', '/v1/crons/1/run', { key: foreign })],
      [await call('DELETE', '/v1/crons/999'), await call('DELETE', '/v1/crons/1', { key: foreign })],
    ] as const) {
      t.equal(missing.status, 404)
      t.equal(notMine.status, 404)
      t.equal(withoutId(missing.text), withoutId(notMine.text))
    }
  })

  t.test('DELETE /v1/crons/{id} answers 204 once', async t => {
    const { status, text } = await call('DELETE', '/v1/crons/1')
    t.equal(status, 204)
    t.equal(text, '')
    t.equal((await call('DELETE', '/v1/crons/1')).status, 404)
  })

  t.test('the published description knows them', async t => {
    const { paths } = (await get('/openapi.json')).json
    t.strictSame(Object.keys(paths['/v1/crons/{id}']).sort(), ['delete', 'get', 'patch'])
    t.ok(paths['/v1/crons'].get)
    t.ok(paths['/v1/crawls'].post.responses['201'])
  })
})

const capReached = new Refusal({
  status: 429,
  code: 'too_many_requests',
  reason: 'monitor_cap',
  retryAfterSeconds: 3600,
  message: 'full',
})
const badCron = (status: number, field: string) =>
  new Refusal({ status, code: 'invalid_input', reason: 'bad_cron', field, message: 'bad' })
const isBad = (schedule: string | undefined) => schedule === 'bad' || schedule === ''

/** A scheduler as far as answers show it. */
function standIn(bus: Parameters<typeof serve>[0], t: { teardown(fn: () => void): unknown }) {
  const known = {
    created: [] as CreateMonitor[],
    changes: [] as ChangeMonitor[],
    ticks: [] as TickView[],
    asked: [] as RunMonitor[],
    monitors: new Map<number, MonitorView & { projectId: number }>(),
    refusal: null as Refusal | null,
    /** The host of the language model, and the one to which the project has consented. */
    modelHost: null as string | null,
    consent: null as string | null,
  }
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const serving = { signal: stop.signal, report: () => {} }
  const on = <Procedure extends Rpc>(
    rpc: Procedure,
    handler: (request: RequestOf<Procedure>) => ResponseOf<Procedure>,
  ) => void serve(bus, rpc, async request => handler(request), serving)
  const own = ({ projectId, monitorId }: { projectId: number; monitorId: number }) => {
    const monitor = known.monitors.get(monitorId)
    return monitor?.projectId === projectId ? monitor : null
  }
  on(modelRpc.offerModel, () => ({
    model: known.modelHost === null ? null : { name: 'small', host: known.modelHost },
  }))
  on(accountsRpc.readModelConsent, () => ({
    consent: known.consent === null ? null : { host: known.consent, by: 'x', at: '2026-01-02T03:04:05.678Z' },
  }))
  on(monitorsRpc.createMonitor, wanted => {
    if (known.refusal) throw known.refusal
    if (isBad(wanted.schedule)) throw badCron(400, 'cron')
    const { idempotencyKey: key, fingerprint } = wanted
    const before = known.created.findIndex(({ idempotencyKey }) => key !== null && key === idempotencyKey)
    const id = before >= 0 ? before + 1 : known.created.push(wanted)
    const monitor = known.monitors.get(id) ?? { ...viewOf(id, wanted), projectId: wanted.projectId }
    known.monitors.set(id, monitor)
    const sameRequest = known.created[id - 1]?.fingerprint === fingerprint
    return { monitor, replayed: before >= 0, sameRequest }
  })
  on(monitorsRpc.findCreated, ({ projectId, idempotencyKey }) => {
    const before = known.created.findIndex(
      one => one.idempotencyKey === idempotencyKey && one.projectId === projectId,
    )
    const monitor = known.monitors.get(before + 1)
    return { created: monitor ? { monitor, replayed: true, sameRequest: false } : null }
  })
  on(monitorsRpc.listMonitors, ({ projectId }) => ({
    monitors: [...known.monitors.values()].filter(monitor => monitor.projectId === projectId),
  }))
  on(monitorsRpc.changeMonitor, change => {
    const monitor = own(change)
    if (monitor === null) return { monitor: null }
    if (isBad(change.schedule)) throw badCron(422, 'schedule')
    known.changes.push(change)
    const {
      schedule = monitor.schedule,
      timezone = monitor.timezone,
      enabled = monitor.enabled,
      webhookUrl = monitor.webhook_url,
      intent = monitor.intent ?? null,
      onlyMatching = monitor.only_matching ?? false,
    }: ChangeMonitor = change
    const changed = { schedule, timezone, enabled, webhook_url: webhookUrl, intent }
    return { monitor: Object.assign(monitor, { ...changed, only_matching: onlyMatching }) }
  })
  on(monitorsRpc.getMonitor, request => ({ monitor: own(request) }))
  on(monitorsRpc.listTicks, request => ({
    ticks: own(request) && known.ticks.slice(request.offset, request.offset + request.limit),
  }))
  on(monitorsRpc.runMonitor, request => {
    if (own(request) === null) return { started: null }
    if (known.refusal) throw known.refusal
    known.asked.push(request)
    const started = {
      id: 77,
      status: 'queued',
      url: seed,
      enqueuedAt: '2026-01-02T03:04:05.678Z',
      sequence: 0,
    }
    return { started: { ...started, replayed: request.idempotencyKey === 'again', sameRequest: true } }
  })
  on(monitorsRpc.deleteMonitor, request => ({
    deleted: own(request) !== null && known.monitors.delete(request.monitorId),
  }))
  return known
}

const viewOf = (id: number, { schedule, timezone = 'UTC', url, settings }: CreateMonitor): MonitorView => ({
  id,
  schedule,
  timezone,
  url,
  enabled: true,
  last_fired_at: null,
  next_fires_at: '2026-01-02T06:00:00.000Z',
  last_run_id: null,
  last_status: null,
  consecutive_failures: 0,
  webhook_url: settings.webhook?.url ?? null,
  intent: settings.intent?.text ?? null,
  only_matching: settings.intent?.onlyMatching ?? false,
})
