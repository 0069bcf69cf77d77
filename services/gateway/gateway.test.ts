import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { publish } from '@tidemark/bus/publish'
import { Refusal } from '@tidemark/bus/refusal'
import { isHeldUp } from '@tidemark/bus/stall'
import { checkOf } from '@tidemark/contracts/api-key'
import { type Heartbeat, services } from '@tidemark/contracts/heartbeat'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { PageList } from '@tidemark/contracts/http/pages'
import { notifications, subjects } from '@tidemark/contracts/subjects'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { cacheKeys } from './access/adapters/key-cache.ts'
import { lookUpKey } from './access/adapters/keys.ts'
import { untilPolicyRead } from './crawls/until-policy-read.ts'
import { lonelyServer } from './document.scene.ts'
import {
  type Call,
  caller,
  keyNamed,
  keyView,
  type Surroundings,
  seed,
  surroundings,
} from './gateway.scene.ts'
import { readModelClock } from './read-model/adapters/projected.ts'
import { finished, page, settled, started } from './read-model/projections/runs.examples.ts'
import { runView } from './stand-ins.scene.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')

/** On a busy machine a check would name the stall of this process first. */
const untilRunning = () => until(() => !isHeldUp(), 60_000)

test('The gateway', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const { standIns, bus } = around
  standIns.addKey(mine, 7)
  standIns.addKey(foreign, 8)
  const { call, get, post, append } = caller(around, mine)

  t.test('is alive and ready, publicly', async t => {
    t.match(await get('/v1/health', { key: null }), { status: 200, text: 'ok' })
    const ready = await get('/v1/ready', { key: null })
    t.match(ready, { status: 200, text: 'ready' })
    t.match(ready.headers.get('content-type'), /^text\/plain/)
    t.equal(ready.headers.get('cache-control'), 'no-store')
  })

  t.test('names the unavailable part when it is not ready', async t => {
    const [first, ...rest] = standIns.beating
    first?.[Symbol.dispose]()
    const { readinessChecks } = await import('./operations/adapters/readiness.ts')
    const failing = {
      ...heartbeat('fetcher', 'fail'),
      cause: 'FETCH cannot be read: connect ECONNREFUSED 10.0.0.1:4222',
    }
    const received = new Map([['fetcher', { heartbeat: failing, ageSeconds: 1 }]])
    await untilRunning()
    const checks = await readinessChecks({ pool: around.pool, bus, latestByService: () => received })()
    t.match(checks, {
      database: { status: 'pass' },
      event_stream: { status: 'pass' },
      worker_heartbeat: { status: 'fail', age_seconds: null, max_age_seconds: 30 },
    })
    t.ok(checks.worker_heartbeat.missing?.includes('fetcher'))
    const { cause } = checks.worker_heartbeat
    t.match(
      cause,
      /fetcher fails: FETCH cannot be read: connect ECONNREFUSED …; .*webhook sends no heartbeat/,
    )
    standIns.beating = rest
  })

  t.test('is ready while a service has a warning, and shows the warning', async t => {
    const { judgeHeartbeats } = await import('./operations/adapters/readiness.ts')
    const beating = (service: string) => ({ heartbeat: heartbeat(service, 'pass'), ageSeconds: 1 })
    const received = new Map<string, { heartbeat: Heartbeat; ageSeconds: number }>(
      services.map(service => [service, beating(service)]),
    )
    t.match(judgeHeartbeats(received), { status: 'pass', cause: undefined })
    const warning = { ...heartbeat('auth-billing', 'pass'), cause: '2 mails wait for mail.example.com' }
    received.set('auth-billing', { heartbeat: warning, ageSeconds: 1 })
    const cause = 'auth-billing works, but: 2 mails wait for …'
    t.match(judgeHeartbeats(received), { status: 'pass', missing: undefined, cause })
    received.delete('fetcher')
    t.match(judgeHeartbeats(received), {
      status: 'fail',
      missing: ['fetcher'],
      cause: 'fetcher sends no heartbeat',
    })
  })

  t.test('names a silent event stream first, and blames no service that depends on it', async t => {
    const { readinessChecks } = await import('./operations/adapters/readiness.ts')
    const { readinessOf } = await import('./operations/adapters/measure-readiness.ts')
    const list = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })
    const silent = { ...bus, jsm: { streams: { list } } } as unknown as typeof bus
    const ages = { gateway: 40, fetcher: 1 }
    const received = new Map(
      Object.entries(ages).map(([service, ageSeconds]) => [
        service,
        { heartbeat: heartbeat(service, 'pass'), ageSeconds },
      ]),
    )
    const ready = readinessChecks({ pool: around.pool, bus: silent, latestByService: () => received })
    await untilRunning()
    const checks = await ready()
    t.strictSame(checks.worker_heartbeat, {
      status: 'fail',
      age_seconds: null,
      max_age_seconds: 30,
      cause: 'heartbeats are unavailable without the event stream',
    })
    t.strictSame(readinessOf(checks), [
      ['database', 1],
      ['event_stream', 0],
    ])
    const { worker_heartbeat } = await readinessChecks({
      pool: around.pool,
      bus,
      latestByService: () => received,
    })()
    const readiness = readinessOf({ ...checks, worker_heartbeat })
    t.match(Object.fromEntries(readiness), { gateway: 0, fetcher: 1 }, 'else each is reported')
    const app = await lonelyServer('narrative', { ready })
    const { statusCode, body } = await app.inject('/v1/ready')
    await app.close()
    t.equal(statusCode, 503)
    t.match(
      JSON.parse(body).error.message,
      // On a busy machine the process may find itself stalled, which is the better reason.
      /^Not ready: the event stream is away or full \((no answer within 1500 ms|event loop stalled for \d+ ms of the last minute)\); not all services work \(heartbeats are unavailable without the event stream\)\.$/,
    )
  })

  t.test('reports early a stream that will be full, names each full one, and each change once', async t => {
    const { readinessChecks } = await import('./operations/adapters/readiness.ts')
    const reports: string[] = []
    const broken = {
      query: async () => Promise.reject(Object.assign(new Error('at 10.0.0.1'), { code: '57P03' })),
    }
    const sources = { pool: around.pool, bus, latestByService: () => new Map() }
    const look = readinessChecks(sources, (check, { status, cause = '' }) =>
      reports.push(`${check} ${status} ${cause}`),
    )
    const limits = { max_bytes: 4 * 1024 ** 2, discard: 'new' } as const
    await bus.jsm.streams.add({ name: 'GROWS', subjects: ['grows'], ...limits })
    await bus.jsm.streams.add({ name: 'DRAINS', subjects: ['drains'], retention: 'workqueue', ...limits })
    await bus.jsm.streams.add({
      name: 'FORGETS',
      subjects: ['forgets'],
      max_bytes: 200_000,
      discard: 'old',
    })
    const filler = new Uint8Array(95_000)
    const fill = async (count: number, ...names: string[]) => {
      for (let n = 0; n < count; n++) for (const name of names) await bus.js.publish(name, filler)
    }
    await fill(40, 'grows', 'drains', 'forgets')
    for (let times = 0; times < 2; times++) {
      const { event_stream } = await look()
      t.match(event_stream, { status: 'pass', cause: 'nearly full: GROWS' }, 'its producers continue')
      t.equal(event_stream.full, undefined)
    }
    const ready = await get('/v1/ready', { key: null })
    t.match(ready, { status: 200, text: 'ready' })
    await fill(3, 'drains')
    const cause = 'full: DRAINS; nearly full: GROWS'
    t.match((await look()).event_stream, { status: 'fail', full: ['DRAINS'], cause })
    await fill(3, 'grows')
    t.match((await look()).event_stream, { status: 'fail', full: ['DRAINS', 'GROWS'] })
    t.match(await get('/v1/ready', { key: null }), { status: 503 })
    for (const name of ['GROWS', 'DRAINS', 'FORGETS']) await bus.jsm.streams.delete(name)
    t.match((await look()).event_stream, { status: 'pass' })
    Object.assign(sources, { pool: broken })
    const { database } = await look()
    t.match(database, { status: 'fail', cause: '57P03' }, 'without internal addresses')
    t.strictSame(
      reports.filter(line => !line.startsWith('worker')),
      [
        'event_stream pass nearly full: GROWS',
        `event_stream fail ${cause}`,
        'event_stream fail full: DRAINS, GROWS',
        'event_stream pass ',
        'database fail 57P03',
      ],
    )
  })

  t.test('caches known keys apart from unknown ones, of which few are looked up at once', async t => {
    let [now, requested, underWay, maxAtOnce] = [0, 0, 0, 0]
    const known = keyView(mine, 7)
    let answering = Promise.withResolvers<void>()
    const { findKey, forget } = cacheKeys(
      async prefix => {
        requested++
        maxAtOnce = Math.max(maxAtOnce, ++underWay)
        if (prefix !== known.prefix) await answering.promise
        underWay--
        return prefix === known.prefix ? known : null
      },
      () => now,
    )
    t.strictSame(await findKey(known.prefix, ''), known)
    const flood = Array.from({ length: 1_000 }, (_, n) => findKey(`unknown ${n}`, '').catch(error => error))
    t.strictSame(await findKey(known.prefix, ''), known)
    t.equal(maxAtOnce, 8)
    forget()
    now += 60_000
    t.strictSame(await findKey(known.prefix, ''), known, 'a known key never waits')
    answering.resolve()
    const all = await Promise.all(flood)
    t.equal(all.filter(found => found === null).length, 60)
    t.match(all.at(-1), { status: 429, reason: 'unknown_keys' })
    t.equal(maxAtOnce, 9, 'eight, and the known one')
    answering = Promise.withResolvers()
    answering.resolve()
    for (let n = 0; n < 20_000; n++) await findKey(`another ${n}`, `10.${n >> 8}.${n & 255}.1`)
    const before = requested
    t.strictSame(await findKey(known.prefix, ''), known)
    t.equal(requested, before, 'and is not forgotten for them')
  })

  t.test('requires a key', async t => {
    const expired = keyNamed('e')
    standIns.addKey(expired, 7, { expiresAt: '2020-01-01T00:00:00.000Z' })
    const revoked = keyNamed('r')
    standIns.addKey(revoked, 7, { revokedAt: '2020-01-01T00:00:00.000Z' })
    const start = `${mine.slice(0, 12)}${'x'.repeat(32)}`
    const other = start + checkOf(start)
    const refused: [string, Record<string, string>][] = [
      ['nothing', {}],
      ['another scheme', { authorization: `Basic ${mine}` }],
      ['no key', { authorization: 'Bearer' }],
      ['a text that is not a key', { authorization: 'Bearer secret' }],
      ['a key with more behind it', { authorization: `Bearer ${mine}x` }],
      ['a mistyped key', { authorization: `Bearer ${mine.replace('mm', 'mn')}` }],
      ['an unknown key', { authorization: `Bearer ${keyNamed('u')}` }],
      ['the right prefix and a wrong rest', { authorization: `Bearer ${other}` }],
      ['an expired key', { authorization: `Bearer ${expired}` }],
      ['a revoked key', { authorization: `Bearer ${revoked}` }],
    ]
    for (const [what, headers] of refused) {
      const answer = await get('/v1/usage', { key: null, headers })
      t.match(answer, { status: 401, json: { error: { code: 'unauthorized' } } }, what)
      t.equal(answer.headers.get('www-authenticate'), 'Bearer', what)
    }
    t.equal(
      (await get('/v1/usage', { key: null, headers: { authorization: `bearer  ${mine}` } })).status,
      200,
    )
    const before = standIns.keyRequests
    await Promise.all(Array.from({ length: 20 }, () => get('/v1/usage')))
    t.equal(standIns.keyRequests, before, 'a known key is cached for a moment')
  })

  t.test(
    'prefers the service that knows the keys, and uses the read model only if it is unavailable',
    async t => {
      const [known, revoked, unknown] = [keyNamed('k'), keyNamed('g'), keyNamed('n')]
      await announceKey(around, known, 9)
      await announceKey(around, revoked, 10)
      const set = (key: string, projectId: number, revokedAt: string | null) =>
        standIns.addKey(key, projectId, { tier: 'agency', unlimited: true, revokedAt })
      set(known, 9, null)
      set(revoked, 10, now())
      const statuses = async () => {
        const answers = [known, revoked, unknown].map(key => get('/v1/usage', { key }))
        return (await Promise.all(answers)).map(({ status }) => status).join(' ')
      }
      t.equal(await statuses(), '200 401 401', 'the read model does not know yet that a key has ended')

      standIns.isKeyRingAway = true
      const soonerThanForgotten = 2_500
      bus.nc.publish(notifications.keysChanged)
      await until(async () => (await statuses()) === '200 200 503', soonerThanForgotten)
      standIns.isKeyRingAway = false
      bus.nc.publish(notifications.keysChanged)
      await until(async () => (await statuses()) === '200 401 401', soonerThanForgotten)
    },
  )

  t.test('waits for the service that knows the keys if the read model is unavailable', async t => {
    const { promise, resolve } = Promise.withResolvers<void>()
    standIns.keyRingPause = promise
    const query = async () => {
      resolve()
      throw new Error('no database')
    }
    const findKey = lookUpKey({ query } as unknown as Parameters<typeof lookUpKey>[0], bus)
    t.match(await findKey(mine.slice(0, 12)), { projectId: 7 })
  })

  t.test('starts a crawl, and the run can be read', async t => {
    const answer = await post('/v1/crawls', { url: seed, max_pages: 10, concurrency: 4, store_html: false })
    const { id } = answer.json
    t.equal(answer.status, 202)
    t.strictSame(answer.json, { id, status: 'queued', url: seed, enqueued_at: '2026-01-02T03:04:05.678Z' })
    t.equal(answer.headers.get('location'), `/v1/crawls/${id}`)
    t.match(standIns.starts.at(-1), {
      projectId: 7,
      tier: 'pro',
      settings: {
        maxPages: 10,
        depth: 5,
        concurrency: 4,
        delayMs: 250,
        subdomains: false,
        respectRobots: true,
        storeHtml: false,
      },
    })
    await until(async () => (await get(`/v1/crawls/${id}`)).status === 200)
    t.strictSame((await get(`/v1/crawls/${id}`)).json, { ...emptyRun, id, url: seed })
  })

  t.test('waits for its read model to contain a write, but not for ever', async t => {
    const clock = readModelClock()
    let waits = true
    const waiting = clock.waitFor('RUNS', 5, 600_000).then(() => {
      waits = false
    })
    await turn()
    t.ok(waits, 'while no notification arrives')
    clock.note({ stream: 'RUNS', sequence: 4 })
    clock.note({ stream: 'ACCOUNTS', sequence: 5 })
    await turn()
    t.ok(waits, 'an older write, or one of another stream, is not enough')
    clock.note({ stream: 'RUNS', sequence: 6 })
    await waiting
    t.notOk(waits)
    await clock.waitFor('RUNS', 6, 600_000)
    await clock.waitFor('RUNS', 7, 1)
  })

  t.test('answers a run that its read model does not know yet', async t => {
    const run: RunView = { ...emptyRun, id: 4711, url: seed, status: 'running' }
    standIns.runs.set('7/4711', run)
    t.strictSame((await get('/v1/crawls/4711')).json, run)
    t.match(await get('/v1/crawls/4711/pages'), {
      status: 200,
      json: { items: { length: 0 }, next_offset: null },
    })
    standIns.isPublishing = false
    t.equal((await post('/v1/crawls', { url: seed })).status, 202, 'the wait for the row ends by itself')
    standIns.isPublishing = true
  })

  t.test('answers a crawl that has just ended with the policy of its site', async t => {
    const finished_at = '2026-01-02T03:04:05.000Z'
    const ended: RunView = { ...emptyRun, id: 4712, url: seed, status: 'done', finished_at }
    const withPolicy = { ...ended, ai_bot_policy: { GPTBot: 'disallowed' } }
    const looksOf = async (msSinceEnd: number, answers: RunView[]) => {
      let now = Date.parse(finished_at) + msSinceEnd
      let looks = 0
      const read = async () => {
        looks++
        now += 500
        return answers.shift() ?? ended
      }
      return { run: await untilPolicyRead(ended, { read, now: () => now }), looks }
    }
    t.strictSame(await looksOf(100, [ended, withPolicy]), { run: withPolicy, looks: 2 })
    t.strictSame(
      await looksOf(100, []),
      { run: ended, looks: 4 },
      'a site without one is not waited for longer',
    )
    t.strictSame(await looksOf(2_000, []), { run: ended, looks: 0 }, 'nor long after the end')
    t.strictSame(await looksOf(-60_000, []), { run: ended, looks: 4 }, 'nor if clocks differ')
  })

  t.test('reports ignored fields', async t => {
    const body = { url: seed, foo: 1, params: { depth: 1, bar: {} }, constructor: 1 }
    t.strictSame((await post('/v1/crawls', body)).json.warnings, [
      "unknown field 'foo' was ignored",
      "unknown field 'params' was ignored with all its content (depth, bar): send fields at the top level",
      "unknown field 'constructor' was ignored",
    ])
    for (const params of [{}, [], 7, null]) {
      const { json } = await post('/v1/crawls', { url: seed, params })
      t.strictSame(json.warnings, ["unknown field 'params' was ignored"])
    }
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`x${n}`, n]))
    const { warnings } = (await post('/v1/crawls', { ...many, url: seed })).json
    t.equal(warnings.length, 21)
    t.equal(warnings[20], '4980 more unknown fields were ignored')
    const shortest = (n: number) =>
      Buffer.from([n >> 16, n >> 8, n])
        .toString('base64')
        .slice(1)
    const params = Object.fromEntries(Array.from({ length: 130_000 }, (_, n) => [shortest(n), 0]))
    const full = await post('/v1/crawls', { url: seed, foo: 1, params })
    t.equal(full.status, 202, 'the maximum that a body can hold')
    t.match(full.json.warnings, [/'foo'/, /\(AAA, AAB, AAC, AAD, AAE and 129995 more\)/])
    t.equal(full.json.warnings.length, 2)
  })

  t.test('reports ignored query parameters, in answers of every form', async t => {
    const unknown = (name: string) => `unknown query parameter '${name}' was ignored`
    const headerOf = ({ headers }: { headers: Headers }) => JSON.parse(headers.get('x-warnings') ?? 'null')
    const started = await post('/v1/crawls?fromat=csv', { url: seed, foo: 1 })
    const both = [unknown('fromat'), "unknown field 'foo' was ignored"]
    t.strictSame([started.json.warnings, headerOf(started)], [both, both])
    const combined = await post('/v1/crawls', { url: seed, foo: 1, return_only_changed: true })
    t.match(combined.json.warnings, [/'foo'/, /^return_only_changed was ignored/])
    t.strictSame(headerOf(combined), combined.json.warnings, 'also those of fields without an effect')
    const { id } = started.json
    const path = `/v1/crawls/${id}`
    await until(async () => (await get(path)).status === 200)
    const read = await get(`${path}?a`)
    t.strictSame([read.json.warnings, headerOf(read)], [[unknown('a')], [unknown('a')]])
    const again = await get(`${path}?a`, { headers: { 'if-none-match': read.headers.get('etag') ?? '' } })
    t.strictSame([again.status, headerOf(again)], [304, [unknown('a')]], 'an unchanged answer')
    t.strictSame(headerOf(await call('HEAD', `${path}?a`)), [unknown('a')])
    const csv = await get(`${path}/pages?format=csv&field=title`)
    t.strictSame([csv.text.includes('unknown'), headerOf(csv)], [false, [unknown('field')]])
    const refused = await get(`${path}/pages?limit=0&toString=1&limit=0`)
    t.strictSame([refused.status, headerOf(refused)], [400, [unknown('toString')]], 'a refusal')
    t.equal(headerOf(await get('/v1/nothing?a')), null, 'an unknown path has no parameters')
    t.equal(headerOf(await get(`${path}?a`, { key: null })), null, 'nor has a request without a key')
    const hostile = await get(`${path}?${'ä'.repeat(300)}=1&%0d%0aX-Evil:1=2&%22%5c=3&=4`)
    t.strictSame(headerOf(hostile), hostile.json.warnings)
    t.strictSame(hostile.json.warnings, ['ä'.repeat(100), '\r\nX-Evil:1', '"\\', ''].map(unknown))
    t.equal(hostile.headers.get('x-evil'), null)
    const names = Array.from({ length: 25 }, (_, n) => `${'€'.repeat(35)}${n}`)
    const many = await get(`${path}?${names.map(encodeURIComponent).join('&')}`)
    t.equal(many.json.warnings.length, 21)
    t.equal(many.json.warnings[20], '5 more unknown query parameters were ignored')
    t.ok((many.headers.get('x-warnings')?.length ?? 0) < 4_100)
    t.match(headerOf(many).at(-1), /^\d+ more warnings$/)
  })

  t.test('returns the same run for the same Idempotency-Key', async t => {
    const headers = { 'idempotency-key': 'order-1' }
    const first = await call('POST', '/v1/crawls', { body: { url: seed }, headers })
    t.equal(first.headers.get('idempotent-replayed'), null)
    const again = await call('POST', '/v1/crawls', { body: { max_pages: 1000, url: seed }, headers })
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.strictSame(again.json, first.json, 'an explicit default is the same request')
    const other = await call('POST', '/v1/crawls', { body: { url: `${seed}other` }, headers })
    t.match(other, { status: 202, json: { id: first.json.id, url: seed, warnings: [/Idempotency-Key/] } })
    for (const body of [{ url: 7 }, { url: 'http://10.0.0.1/' }, { depth: 99, url: seed }, []]) {
      const again = await call('POST', '/v1/crawls', { body, headers })
      const sent = JSON.stringify(body)
      t.match(again, { status: 202, json: { ...first.json, warnings: [/Idempotency-Key/] } }, sent)
      t.equal(again.headers.get('idempotent-replayed'), 'true', sent)
      t.equal(again.headers.get('location'), `/v1/crawls/${first.json.id}`, sent)
      const unknown = await call('POST', '/v1/crawls', { body, headers: { 'idempotency-key': 'order-2' } })
      t.match(unknown, { status: 400, json: { error: { code: 'invalid_input' } } }, sent)
    }
    const raw = { raw: '{"url":', headers: { ...headers, 'content-type': 'application/json' } }
    t.match(await call('POST', '/v1/crawls', raw), { status: 202, json: { id: first.json.id } })
  })

  t.test('forwards why a run may not start', async t => {
    standIns.refusal = new Refusal({
      status: 429,
      code: 'too_many_requests',
      message: 'Five runs are queued or running.',
      reason: 'concurrent_runs',
      retryAfterSeconds: 5,
    })
    const answer = await post('/v1/crawls', { url: seed })
    t.match(answer, {
      status: 429,
      json: {
        error: {
          code: 'too_many_requests',
          message: 'Five runs are queued or running.',
          reason: 'concurrent_runs',
          retry_after_seconds: 5,
        },
      },
    })
    t.equal(answer.headers.get('retry-after'), '5')
    standIns.refusal = null
  })

  t.test('ends a cancelled run, with an empty body or none', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const path = `/v1/crawls/${id}/cancel`
    t.match(await call('POST', path), { status: 200, json: { id, status: 'cancelled' } })
    const json = { 'content-type': 'application/json' }
    t.match(await call('POST', path, { headers: json }), { status: 200, json: { stop_reason: 'cancelled' } })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    t.equal((await call('POST', path, { raw: '', headers: form })).status, 200, 'curl sends no body')
    t.equal((await call('POST', path, { raw: 'a=b', headers: form })).status, 415)
    t.equal(
      (await call('POST', '/v1/crawls', { raw: '', headers: form })).status,
      415,
      'if a body is required',
    )
    t.equal((await call('POST', path, { key: foreign })).status, 404)
    t.equal((await call('POST', '/v1/crawls/99999999/cancel')).status, 404)
  })

  t.test('returns what the read model knows of a run that a command changes', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    await around.pool.query(
      `update read.run set webhook_status = 'delivered', webhook_attempts = 1, llms_txt = '# Site',
         ai_bot_policy = '{"GPTBot": "allowed"}', status = 'queued' where id = $1`,
      [id],
    )
    const known = {
      ...{ webhook_status: 'delivered', webhook_attempts: 1, llms_txt: '# Site' },
      ai_bot_policy: { GPTBot: 'allowed' },
    }
    const change = (what: string) => call('POST', `/v1/crawls/${id}/${what}`)
    t.match(await change('pause'), { status: 200, json: { ...known, status: 'running', paused_at: String } })
    t.match(await change('resume'), { status: 200, json: { ...known, status: 'running', paused_at: null } })
    t.match(await change('cancel'), { status: 200, json: { ...known, status: 'cancelled' } })
    standIns.ended.add(id)
    const again = await change('retry-failed')
    standIns.ended.delete(id)
    t.match(again, { status: 200, json: { ...known, status: 'running', retried_urls: 2 } })
  })

  t.test('returns the run that a command changed also if the read model cannot be read', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const change = (what: string) => call('POST', `/v1/crawls/${id}/${what}`)
    await around.pool.query('alter table read.run rename column llms_txt to renamed')
    const paused = await change('pause')
    standIns.ended.add(id)
    const again = await change('retry-failed')
    standIns.ended.delete(id)
    await around.pool.query('alter table read.run rename column renamed to llms_txt')
    t.match(paused, { status: 200, json: { id, paused_at: String } })
    t.match(again, { status: 200, json: { id, status: 'running', retried_urls: 2 } })
  })

  t.test('pauses and resumes a run, and refuses one that has ended', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const change = (what: string, more: object = {}) => call('POST', `/v1/crawls/${id}/${what}`, more)
    const state = { id, status: 'running', finished_at: null }
    t.match(await change('pause'), { status: 200, json: { ...state, paused_at: String } })
    t.match(await change('resume'), { status: 200, json: { ...state, paused_at: null } })
    standIns.ended.add(id)
    for (const what of ['pause', 'resume']) {
      const answer = await change(what)
      t.match(answer, { status: 409, json: { error: { code: 'conflict', reason: 'run_ended' } } })
      t.equal((await call('POST', `/v1/crawls/99999999/${what}`)).status, 404)
      t.equal((await change(what, { raw: '{', headers: { 'content-type': 'application/json' } })).status, 400)
    }
    standIns.ended.delete(id)
    t.equal((await change('pause', { key: foreign })).status, 404)
  })

  t.test('retries the failed URLs of a run that has ended, and refuses others', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const retry = (more: object = {}) => call('POST', `/v1/crawls/${id}/retry-failed`, more)
    const refused = {
      status: 409,
      json: { error: { code: 'conflict', reason: 'run_active', message: String } },
    }
    t.match(await retry(), refused)
    standIns.ended.add(id)
    const state = { id, status: 'running', finished_at: null, stop_reason: null, retried_urls: 2 }
    t.match(await retry(), { status: 200, json: state })
    t.equal((await retry({ key: foreign })).status, 404)
    t.equal((await retry({ raw: '{', headers: { 'content-type': 'application/json' } })).status, 400)
    standIns.ended.delete(id)
  })

  t.test('hides other projects: foreign, missing and impossible ids have the same answer', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    await append(id, started, settled(page(90_001)))
    await until(async () => (await get('/v1/pages/90001')).status !== 404)
    const paths = (id: unknown, pageId: unknown) => [
      `/v1/crawls/${id}`,
      `/v1/crawls/${id}/pages`,
      `/v1/pages/${pageId}`,
    ]
    const ids = [
      0,
      -1,
      'x',
      '1.5',
      '1e3',
      '01',
      '%20',
      '9007199254740992',
      '9'.repeat(200),
      '%zz',
      '5%00',
      99_999_999,
    ]
    const all = [...paths(id, 90_001), ...ids.flatMap(id => paths(id, id))]
    for (const path of [...all, `/v1/crawls/${id}/pages?limit=5000`]) {
      const { status, json } = await get(path, { key: foreign })
      delete json.error.request_id
      t.strictSame({ status, json }, { status: 404, json: notFound }, path)
    }
  })

  t.test('returns a list of any length, each page once', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    await append(id, started)
    await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'running')
    await around.pool.query(
      `insert into read.page (id, run_id, project_id, url_key, url, status, bytes, depth, fetched_at, content_hash, raw_hash)
      select 50000 + n, $1, 7, lpad(n::text, 11, '0'), 'https://example.com/' || n, 200, 1, 1, now(), '', ''
      from generate_series(1, 3000) n`,
      [id],
    )
    for (const [limit, offset, first, length, next] of [
      [100_000, 0, 50_001, 3000, null],
      [2000, 0, 50_001, 2000, 2000],
      [2000, 1000, 51_001, 2000, null],
      [2999, 0, 50_001, 2999, 2999],
      [1500, 5000, undefined, 0, null],
    ]) {
      const { items, next_offset }: PageList = (
        await get(`/v1/crawls/${id}/pages?limit=${limit}&offset=${offset}`)
      ).json
      const ids = items.map(({ id }) => id)
      t.strictSame([ids[0], new Set(ids).size, ids.length, next_offset], [first, length, length, next])
    }
  })

  t.test('lists the pages of a run in the order of their ids', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const pages = Array.from({ length: 25 }, (_, n) => page(1_000 + n))
    await append(id, started, settled(...pages.toReversed()))
    await append(id, finished(25, 0))
    await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'done')
    const seen: number[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { items, next_offset }: PageList = (await get(`/v1/crawls/${id}/pages?limit=10&offset=${offset}`))
        .json
      seen.push(...items.map(({ id }) => id))
      offset = next_offset
    }
    t.strictSame(
      seen,
      pages.map(({ id }) => id),
    )
    const { items } = (await get(`/v1/crawls/${id}/pages`)).json
    const { url, status, bytes, fetchedAt } = page(1_000)
    t.strictSame(items[0], { id: 1_000, url, status, bytes, fetched_at: fetchedAt })
    for (const offset of [25, 1_000_000, Number.MAX_SAFE_INTEGER, '9'.repeat(25)]) {
      const answer = await get(`/v1/crawls/${id}/pages?offset=${offset}`)
      t.match(answer, { status: 200, json: { items: { length: 0 }, next_offset: null } }, `offset ${offset}`)
    }
    t.match((await get(`/v1/crawls/${id}`)).json, {
      status: 'done',
      page_count: 25,
      stop_reason: 'exhausted',
    })
  })

  t.test('lists runs, by state if requested', async t => {
    const { items, next_offset } = (await get('/v1/crawls?limit=2')).json
    const { rows } = await around.pool.query('select id from read.run where project_id = 7 order by id desc')
    const ids = rows.map(({ id }) => Number(id))
    t.match(items, [{ id: ids[0], webhook_attempts: 0 }, { id: ids[1] }], 'the latest first')
    t.equal(next_offset, 2)
    const { id: newest } = (await post('/v1/crawls', { url: seed })).json
    const rest = (await get('/v1/crawls?limit=1000&offset=2')).json.items
    const seen = [...items, ...rest].map(({ id }: RunView) => id)
    t.strictSame([...new Set(seen)], ids, 'and a new run hides none of the others')
    t.equal((await get('/v1/crawls?limit=1')).json.items[0].id, newest)
    const after = (await get(`/v1/crawls?limit=1000&before=${items[0].id}`)).json.items
    t.strictSame(
      after.map(({ id }: RunView) => id),
      ids.slice(1),
      'or only those before an id',
    )
    const [third, fourth] = (await get(`/v1/crawls?limit=1&offset=1&before=${ids[1]}`)).json.items
    t.strictSame([third.id, fourth], [ids[3], undefined], 'from which the offset counts')
    t.strictSame((await get('/v1/crawls?before=1')).json, { items: [], next_offset: null })
    for (const wrong of ['0', '9'.repeat(30), 'x', '1.5'])
      t.match(
        await get(`/v1/crawls?before=${wrong}`),
        { status: 400, json: { error: { field: 'before' } } },
        wrong,
      )
    const done = (await get('/v1/crawls?status=done')).json.items
    t.ok(done.length > 0 && done.every((run: RunView) => run.status === 'done'))
    t.strictSame((await get('/v1/crawls', { key: foreign })).json, { items: [], next_offset: null })
    t.match(await get('/v1/crawls?status=odd'), {
      status: 400,
      json: { error: { reason: 'bad_value', message: /queued, running, done, failed, cancelled/ } },
    })
  })

  t.test('returns a page as it was fetched', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const stored = page(2_000, { contentType: 'text/html; charset=iso-8859-1' })
    const bare = page(2_001)
    await append(id, started, settled(stored, bare))
    await until(async () => (await get(`/v1/crawls/${id}/pages`)).json.items.length === 2)
    const metadata = JSON.stringify({
      title: 'Grüße',
      og: { title: 'x', broken: 1 },
      json_ld: [{ '@type': 'Thing' }],
    })
    const data = Buffer.from('<title>Grüße</title>', 'latin1')
    const body = { hash: Buffer.alloc(32, 1), encodings: [], size: data.length, data }
    const common = {
      runId: id,
      charset: null,
      contentType: stored.contentType,
      metadata,
      edges: Buffer.alloc(0),
    }
    await around.content.storePages([
      { ...common, urlKey: stored.key, body },
      { ...common, urlKey: bare.key, body: null },
    ])
    t.strictSame((await get('/v1/pages/2000?format=html')).json, {
      id: 2_000,
      url: stored.url,
      status: 200,
      bytes: 1234,
      fetched_at: stored.fetchedAt,
      content_hash: stored.contentHash,
      content_type: stored.contentType,
      html: '<title>Grüße</title>',
      metadata: {
        title: 'Grüße',
        description: null,
        canonical: null,
        lang: null,
        robots: [],
        og: { title: 'x' },
        twitter: {},
        json_ld: [{ '@type': 'Thing' }],
      },
    })
    const { contentHash: content_hash, contentType: content_type, fetchedAt: fetched_at, url } = bare
    const [{ status }, { metadata: kept }] = [bare, (await get('/v1/pages/2000')).json]
    const inAnyCase = { id: 2_001, url, status, bytes: 1234, fetched_at, content_hash, content_type }
    const { warnings, ...rest } = (await get('/v1/pages/2001')).json
    t.strictSame(rest, { ...inAnyCase, html: null, metadata: kept })
    t.match(warnings, [/store_html: false/])
    t.match(await get('/v1/pages/2000?format=xml'), {
      status: 400,
      json: {
        error: {
          field: 'format',
          reason: 'bad_value',
          message: 'format must be one of html, markdown, article, both, full, signals; "xml" was sent.',
        },
      },
    })
  })

  t.test('reports the usage and the caps', async t => {
    standIns.usage = {
      today: { pages: 1234, cloudPages: 5, cloudCostUsd: 0.25 },
      month: { pages: 20_000, cloudPages: 6, cloudCostUsd: 0.5 },
    }
    const { json } = await get('/v1/usage')
    t.match(json, {
      tier: 'pro',
      caps: { pages_per_day: 10_000, pages_per_month: 200_000, cloud_pages_per_day: 500 },
      today: { pages: 1234, cloud_pages: 5, cloud_cost_usd: 0.25, pages_pct: 12.34, cloud_pages_pct: 1 },
      month: { pages: 20_000, cloud_pages: 6, cloud_cost_usd: 0.5, pages_pct: 10 },
    })
    t.match(json.today.date, /^\d{4}-\d\d-\d\d$/)
    t.ok(json.retry_after_seconds > 0 && json.retry_after_seconds <= 86_400)
    t.match((await get('/v1/usage', { key: keyNamed('k') })).json, {
      caps: { pages_per_day: null, pages_per_month: null, cloud_pages_per_day: null },
      today: { pages: 1234, pages_pct: 0, cloud_pages_pct: 0 },
      month: { pages_pct: 0 },
    })
  })

  t.test('gives each project its own secret to sign webhooks', async t => {
    t.strictSame((await get('/v1/webhook/secret')).json, { secret_hex: '07'.repeat(32) })
    t.strictSame((await get('/v1/webhook/secret', { key: foreign })).json, { secret_hex: '08'.repeat(32) })
    const rotated = await post('/v1/webhook/secret/rotate')
    t.match(rotated, { status: 200, json: { secret_hex: '86400'.padStart(64, '0') } })
    t.equal(rotated.headers.get('cache-control'), 'no-store')
    const soon = await post('/v1/webhook/secret/rotate', { grace_seconds: 0 })
    t.match(soon.json, { secret_hex: '0'.repeat(64) })
    const unread = await post('/v1/webhook/secret/rotate', { grace: 0 })
    t.match(unread, { status: 200, json: { warnings: ["unknown field 'grace' was ignored"] } })
    const never = await post('/v1/webhook/secret/rotate', { grace_seconds: 2_592_001 })
    t.match(never, { status: 400, json: { error: { field: 'grace_seconds', reason: 'out_of_range' } } })
  })

  t.test('lists the deliveries of a crawl, and redelivers them', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const webhookId = `msg_run${id}_crawl_done`
    t.match(await get(`/v1/crawls/${id}/deliveries`), {
      status: 200,
      json: { items: [{ id: webhookId, run_id: id, state: 'dead', attempts: [{ round: 1, status: 410 }] }] },
    })
    const first = (await get(`/v1/crawls/${id}/deliveries?limit=1`)).json
    t.match(first, { items: [{ id: webhookId }], next_offset: 1 }, 'and one part of them')
    for (const offset of ['1', '9'.repeat(20)])
      t.strictSame((await get(`/v1/crawls/${id}/deliveries?limit=1&offset=${offset}`)).json, { items: [] })
    t.match(await get(`/v1/crawls/${id}/deliveries?limit=101`), {
      status: 400,
      json: { error: { field: 'limit', reason: 'out_of_range' } },
    })
    const again = await post(`/v1/crawls/${id}/deliveries/${webhookId}/redeliver`)
    t.match(again, { status: 202, json: { id: webhookId, state: 'pending' } })
    t.match(await post(`/v1/crawls/${id}/deliveries/under-way/redeliver`), {
      status: 409,
      json: { error: { code: 'conflict', reason: 'delivery_under_way' } },
    })
    for (const path of [
      `/v1/crawls/${id}/deliveries/other/redeliver`,
      '/v1/crawls/999/deliveries/x/redeliver',
    ])
      t.match(await post(path), { status: 404, json: notFound })
    for (const options of [{ key: foreign }, { key: null }])
      t.equal((await get(`/v1/crawls/${id}/deliveries`, options)).status, options.key === null ? 401 : 404)
    t.strictSame((await post('/v1/webhook/redeliver', { since: '2026-01-02T03:04:05+01:00' })).json, {
      redelivered: Date.parse('2026-01-02T02:04:05Z') / 1000,
      left: 0,
    })
    const unread = await post('/v1/webhook/redeliver', { since: '2026-01-02T00:00:00Z', until: 1 })
    t.match(unread, { status: 202, json: { warnings: ["unknown field 'until' was ignored"] } })
    for (const since of ['yesterday', '2026-01-02', '2016-12-31T23:59:60Z', 7, null])
      t.match(await post('/v1/webhook/redeliver', { since }), {
        status: 400,
        json: { error: { field: 'since' } },
      })
    const delivered = await post('/v1/webhook/redeliver', {
      since: '2026-01-02T00:00:00Z',
      state: 'delivered',
    })
    t.match(delivered, { status: 400, json: { error: { field: 'state' } } })
  })

  t.test('sends a sample to an allowed receiver', async t => {
    const answer = await post('/v1/webhook/test', { url: `${seed}hook` })
    t.match(answer, { status: 200, json: { delivered: true, status: 204, error: null } })
    const unread = await post('/v1/webhook/test', { url: `${seed}hook`, event: 'x' })
    t.match(unread, { status: 200, json: { warnings: ["unknown field 'event' was ignored"] } })
    for (const [url, reason] of [
      ['http://10.0.0.1/', 'private_address'],
      ['http://169.254.169.254/latest', 'private_address'],
      ['ftp://example.com/', 'bad_url'],
    ])
      t.match(await post('/v1/webhook/test', { url }), {
        status: 400,
        json: { error: { code: 'invalid_input', reason, field: 'url' } },
      })
  })

  t.test('describes itself in OpenAPI 3.1', async t => {
    const { status, json } = await get('/openapi.json', { key: null })
    t.equal(status, 200)
    t.match(json, { openapi: '3.1.0', info: { version: '0.5.0' } })
    const paths = [
      '/v1/health',
      '/v1/ready',
      '/v1/llms-txt-build',
      '/v1/map',
      '/v1/robots-policy',
      '/v1/scan',
      '/v1/scan/bulk',
      '/v1/cloud/scrape',
      '/v1/cloud/unblock',
      '/v1/cloud/render',
      '/v1/cloud/screenshot',
      '/v1/cloud/links',
      '/v1/cloud/proxy-fetch',
      '/v1/cloud/crawl',
      '/v1/cloud/search',
      '/v1/cloud/transform',
      '/v1/cloud/scrapers',
      '/v1/cloud/fetch/{domain}',
      '/v1/cloud/fetch/{domain}/{path}',
      '/v1/cloud/balance',
      '/v1/health/cloud',
      '/v1/actors/extract-article',
      '/v1/actors/render-diff',
      '/v1/actors/check-links',
      '/v1/actors/sitemap-audit',
      '/v1/actors/internal-link-graph',
      '/v1/actors/structured-data',
      '/v1/actors/audit-onpage',
      '/v1/actors/audit-site',
      '/v1/scan/batch',
      '/v1/scans',
      '/v1/scan/batches',
      '/v1/scan/batches/{id}',
      '/v1/scan/batches/{id}/cancel',
      '/v1/scan/batches/{id}/results',
      '/v1/crawls',
      '/v1/crawls/estimate',
      '/v1/crawls/{id}',
      '/v1/crawls/{id}/cancel',
      '/v1/crawls/{id}/pause',
      '/v1/crawls/{id}/resume',
      '/v1/crawls/{id}/retry-failed',
      '/v1/crawls/{id}/fork',
      '/v1/crawls/{id}/share',
      '/v1/crawls/{id}/coverage',
      '/v1/crawls/{id}/errors',
      '/v1/crawls/{id}/events',
      '/v1/crawls/{id}/explain',
      '/v1/crawls/{id}/pages',
      '/v1/crawls/{id}/links',
      '/v1/crawls/{id}/orphans',
      '/v1/crawls/{id}/evidence',
      '/v1/crawls/{id}/evidence/leaves',
      '/v1/crawls/{id}/policy',
      '/v1/crawls/{id}/replay',
      '/v1/evidence-keys',
      '/v1/crawls/{old_id}/diff/{new_id}',
      '/v1/crawls/{old_id}/diff/{new_id}/page',
      '/v1/pages/{id}',
      '/v1/pages/{id}/extract',
      '/v1/pages/{id}/screenshot',
      '/v1/pages/{id}/evidence',
      '/v1/crawls/{id}/exports',
      '/v1/exports/{id}',
      '/v1/exports/{id}/file',
      '/v1/crons',
      '/v1/model-consent',
      '/v1/keys',
      '/v1/keys/rotate',
      '/v1/keys/{prefix}',
      '/v1/signup',
      '/v1/billing/checkout',
      '/v1/billing/webhook',
      '/v1/billing/status',
      '/v1/logs',
      '/v1/usage',
      '/v1/usage/history',
      '/v1/usage/ledger',
      '/v1/crons/{id}',
      '/v1/crons/{id}/run',
      '/v1/crons/{id}/runs',
      '/v1/webhook/secret',
      '/v1/webhook/secret/rotate',
      '/v1/webhook/redeliver',
      '/v1/webhook/test',
      '/v1/crawls/{id}/deliveries',
      '/v1/crawls/{id}/deliveries/{delivery_id}/redeliver',
    ]
    t.strictSame(Object.keys(json.paths).sort(), paths.sort())
    t.strictSame(
      Object.keys(json.components.schemas).filter(name => /^def-|^schema-/.test(name)),
      [],
    )
    const references = JSON.stringify(json).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
    for (const [, name = ''] of references) t.ok(json.components.schemas[name], name)
    t.match(json.paths['/v1/crawls'].post.security, [{ bearer: { length: 0 } }])
    t.strictSame(json.paths['/v1/health'].get.security, [], 'without a key')
    t.strictSame(json.components.schemas.CrawlRequest.required, ['url'], 'fields with a default are optional')
  })
})

test('A gateway without its dependencies', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const { pool, nats, standIns } = around
  const { call, get, post } = caller(around, mine)
  await announceKey(around, mine, 7)
  standIns.addKey(mine, 7, { tier: 'agency', unlimited: true })

  t.test('survives closed database connections', async t => {
    t.equal((await get('/v1/crawls')).status, 200)
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await until(async () => (await get('/v1/crawls')).status === 200)
    let id: number | undefined
    await until(async () => {
      id = (await post('/v1/crawls', { url: seed })).json.id
      return id !== undefined
    })
    await until(async () => (await pool.query('select from read.run where id = $1', [id])).rowCount === 1)
  })

  t.test('discloses nothing internal after an internal error', async t => {
    await pool.query('alter table read.run rename to gone')
    const answer = await get('/v1/crawls')
    t.match(answer, { status: 500, json: { error: { code: 'internal' } } })
    t.notMatch(answer.text, /gone|relation|read\./)
    await pool.query('alter table read.gone rename to run')
  })

  t.test('reports within 2 s that NATS hangs, on any request', async t => {
    const capped = keyNamed('w')
    await announceKey(around, capped, 9)
    standIns.addKey(capped, 9)
    await Promise.all([get('/v1/crawls'), get('/v1/crawls', { key: capped })])
    await sleep(1_100) // the measurements of the streams have expired
    await nats.pause()
    const requested = async (method: string, path: string, more: Call = {}) => {
      const began = performance.now()
      const { status, json, headers } = await call(method, path, more)
      const tookMs = Math.round(performance.now() - began)
      // A machine that stood still for seconds explains a late response as well.
      const message = /nats_away|event_loop_stalled/
      t.match({ status, ...json.error }, { status: 503, code: 'unavailable', message }, path)
      t.ok(headers.get('retry-after'), path)
      t.ok(tookMs < 2_000, `${method} ${path} took ${tookMs} ms`)
    }
    const url = seed
    const all = () =>
      Promise.all([
        requested('GET', '/v1/keys'),
        requested('GET', '/v1/usage'),
        requested('GET', '/v1/crons'),
        requested('GET', '/v1/billing/status'),
        requested('POST', '/v1/crawls', { body: { url } }),
        requested('POST', '/v1/scan', { body: { url } }),
        requested('POST', '/v1/scan', { body: { url }, key: capped }),
        requested('POST', '/v1/scan/bulk', { body: { urls: [url] } }),
        requested('POST', '/v1/cloud/scrape', { body: { url } }),
        requested('POST', '/v1/actors/extract-article', { body: { url } }),
        requested('POST', '/v1/signup', { key: null, body: { project_name: 'x', email: 'x@y.example' } }),
        requested('GET', '/v1/usage', { key: keyNamed('y') }),
      ])
    await all()
    await all()
    await sleep(8_000)
    await requested('GET', '/v1/keys')
    nats.resume()
    await until(async () => (await get('/v1/usage')).status === 200)
  })

  t.test('is not ready without its bus, and reports that in time', async t => {
    await get('/v1/crawls')
    await nats.kill()
    const began = performance.now()
    const ready = await get('/v1/ready', { key: null })
    t.match(ready, {
      status: 503,
      json: {
        status: 'fail',
        error: { code: 'not_ready', retry_after_seconds: 5 },
        checks: { database: { status: 'pass' }, event_stream: { status: 'fail' } },
      },
    })
    t.ok(ready.json.checks.event_stream.cause)
    t.equal(ready.headers.get('retry-after'), '5')
    t.ok(performance.now() - began < 10_000)
    const answer = await get('/v1/usage')
    t.match(answer, { status: 503, json: { error: { code: 'unavailable' } } })
    t.ok(answer.headers.get('retry-after'))
    t.equal((await get('/v1/crawls')).status, 200, 'the read model is still readable')
    await nats.restart()
    await until(async () => (await get('/v1/usage')).status === 200)
  })
})

const emptyRun = runView({ paused_at: null, forked_from: null, pages_reused: 0 })

const notFound = { error: { code: 'not_found', message: 'There is no such resource.' } }

const heartbeat = (service: string, status: 'pass' | 'fail') => ({ service, instance: 'x', status })
/** Inserts a project with this key into the read model, as auth-billing does. */
async function announceKey({ bus, pool }: Surroundings, key: string, projectId: number): Promise<void> {
  const { hash, prefix } = keyView(key, projectId)
  const events = [
    { type: 'ProjectCreated', data: { projectId, name: 'acme', tier: 'agency', unlimited: true } },
    { type: 'KeyCreated', data: { projectId, prefix, hash, label: '', createdAt: now(), expiresAt: null } },
  ]
  await publish(bus, subjects.account(projectId), JSON.stringify({ at: now(), events }))
  await until(
    async () => (await pool.query('select from read.key where prefix = $1', [prefix])).rowCount === 1,
  )
}

const now = () => new Date().toISOString()
