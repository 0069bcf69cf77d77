/** The log of every call, and the rate limit. */
import { connect } from 'node:net'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { ApiCalled } from '@tidemark/contracts/audit'
import type { ReadUsageResponse } from '@tidemark/contracts/rpc/usage'
import { until } from '@tidemark/testing/until'
import fastify from 'fastify'
import { test } from 'tap'
import { Check } from 'typebox/value'
import type { App } from '../app.ts'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'
import { installClientAddress } from '../http/plugins/client-address.ts'
import { scene } from '../scan/scan.scene.ts'
import { openAudit } from './adapters/audit.ts'
import { pagesLeftBy } from './adapters/pages-left.ts'
import { installAudit } from './audit.ts'

test('The log of calls', async t => {
  const around = await surroundings(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const mine = keyNamed('m')
  const foreign = keyNamed('f')
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const { call, get } = caller(around, mine)
  const items = async (query = '', key = mine) => (await get(`/v1/logs${query}`, { key })).json.items
  const rows = async (projectId: number) => {
    const { rows } = await around.pool.query(
      'select count(*)::int as n from read.log where project_id = $1',
      [projectId],
    )
    return rows[0].n as number
  }

  await t.test('has one entry for each call, the latest first, without its query, body or key', async t => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const first = await get('/v1/usage?secret=swordfish', { headers })
    const second = await call('POST', '/v1/crawls', { body: { url: 'swordfish' }, headers })
    t.equal(second.status, 400)
    await until(async () => (await rows(7)) === 2)
    const [later, earlier, ...more] = await items()
    t.strictSame(more, [])
    t.match(later, { method: 'POST', path: '/v1/crawls', status: 400, client_ip: '203.0.113.9' })
    t.match(earlier, {
      method: 'GET',
      path: '/v1/usage',
      status: 200,
      request_id: first.headers.get('x-request-id'),
    })
    t.ok(earlier.duration_ms >= 0 && Math.abs(Date.parse(earlier.ts) - Date.now()) < 60_000)
    const { rows: everything } = await around.pool.query('select * from read.log')
    t.notMatch(JSON.stringify(everything), /swordfish|mmmmmm/)
  })

  await t.test('is each project’s own, and has no calls without a key', async t => {
    await get('/v1/usage', { key: null })
    await get('/v1/usage', { key: keyNamed('x') })
    t.strictSame(await items('', foreign), [])
    await until(async () => (await rows(8)) === 1)
    t.match(await items('', foreign), [{ path: '/v1/logs', status: 200 }])
  })

  await t.test('can be filtered by status, in parts', async t => {
    const before = await rows(7)
    for (let n = 0; n < 5; n++) await get(`/v1/crawls/${9_000 + n}`)
    await until(async () => (await rows(7)) === before + 5)
    t.equal((await items('?status_min=404&status_max=404&limit=500')).length, 5)
    t.match(await items('?status_min=404&limit=2&offset=1'), [
      { path: '/v1/crawls/9003' },
      { path: '/v1/crawls/9002' },
    ])
    t.strictSame(await items('?status_min=500'), [])
    const path = '/v1/logs?status_min=404&status_max=404&limit=2'
    t.equal((await get(`${path}&offset=1`)).json.next_offset, 3)
    t.equal((await get(`${path}&offset=3`)).json.next_offset, null)
    const csv = await get(`${path}&offset=1&format=csv`)
    t.match(csv.text.split('\r\n'), [
      'ts,method,path,status,duration_ms,client_ip,request_id',
      /^\d{4}-[^,]+Z,GET,\/v1\/crawls\/9003,404,[\d.]+,127\.0\.0\.1,[-\w]+$/,
      /,\/v1\/crawls\/9002,/,
      '',
    ])
    t.match(Object.fromEntries(csv.headers), {
      'content-disposition': 'attachment; filename="logs.csv"',
      'x-next-offset': '3',
      link: /^<\/v1\/logs\?.*offset=3.*>; rel="next"$/,
    })
    t.match(await get('/v1/logs?format=xml'), { status: 400, json: { error: { field: 'format' } } })
    t.match(await get('/v1/logs?status_min=500&status_max=400'), {
      json: { items: { length: 0 }, warnings: [/^no call can match: status_min \(500\)/] },
    })
    const all = (await items('?status_min=0&status_max=600&limit=500')).length
    t.ok(all >= before + 5)
    for (const far of ['1000001', '9'.repeat(30)]) {
      t.strictSame(await items(`?offset=${far}`), [])
      t.strictSame(await items(`?status_min=${far}`), [])
      t.strictSame(await items(`?status_max=-${far}`), [])
      t.ok((await items(`?status_min=-${far}&status_max=${far}&limit=500`)).length >= all)
    }
    for (const query of ['?limit=0', '?limit=501', '?offset=-1', '?status_min=1.5', '?status_max=x']) {
      t.match(
        await get(`/v1/logs${query}`),
        { status: 400, json: { error: { code: 'invalid_input' } } },
        query,
      )
    }
  })

  await t.test('ends at a time, so that reads of it do not move its parts', async t => {
    const [latest, ...others] = await items('?limit=4')
    const older = others.at(-1)
    const until = async (text: string) => items(`?limit=500&until=${encodeURIComponent(text)}`)
    t.strictSame((await until(latest.ts))[0], latest, 'the bound is inclusive, and later reads are left out')
    t.ok((await until(older.ts)).length < (await until(latest.ts)).length)
    const east = new Date(Date.parse(older.ts) + 3_600_000).toISOString().replace('Z', '+01:00')
    t.strictSame(await until(east), await until(older.ts), 'in any time zone')
    t.strictSame(await until('0000-01-01T00:00:00+23:59'), [])
    t.ok((await until('9999-12-31T23:59:59-23:59')).length > 0)
    for (const [text, message] of [
      ['yesterday', /until must be a time as in RFC 3339/],
      ['2016-12-31T23:59:60Z', /until is outside the range of supported times: 2016.*Use a time such as/],
    ] as const)
      t.match(
        await get(`/v1/logs?until=${text}`),
        {
          status: 400,
          json: { error: { code: 'invalid_input', field: 'until', reason: 'bad_value', message } },
        },
        text,
      )
  })

  await t.test('is read a few times at once for a project, each for some seconds', async t => {
    const holder = await around.pool.connect()
    await holder.query('begin; lock table read.log in access exclusive mode')
    const queries = ['', '', '?status_min=400', '?offset=20000', '']
    const answers = await Promise.all(queries.map(query => get(`/v1/logs${query}`)))
    await holder.query('rollback')
    holder.release()
    const found = answers.map(({ status }) => status)
    t.strictSame(found.toSorted(), [429, 503, 503, 503, 503])
    for (const { status, json } of answers)
      t.match(
        json.error,
        status === 429
          ? { code: 'too_many_requests', reason: 'concurrent_requests', message: /4 parts of the log/ }
          : { code: 'unavailable', message: /within 3 seconds.*Use a smaller offset with until/ },
      )
    t.equal((await get('/v1/logs')).status, 200, 'the slots are free again')
  })

  await t.test('keeps of a key in a path its prefix, however it is written', async t => {
    const whole = keyNamed('w')
    const kept = async (): Promise<string[]> =>
      (await items('?status_min=404&status_max=404&limit=500'))
        .map(({ path }: { path: string }) => path)
        .filter((path: string) => path.startsWith('/v1/keys/'))
    const written = [whole, `%74mk%5F${whole.slice(4)}`, `a%20${whole}`]
    for (const text of written) t.equal((await call('DELETE', `/v1/keys/${text}`)).status, 404, text)
    await until(async () => (await kept()).length === written.length)
    const prefix = whole.slice(0, 12)
    t.strictSame(
      await kept(),
      [`a%20${prefix}`, prefix, prefix].map(text => `/v1/keys/${text}`),
    )
    const { rows: everything } = await around.pool.query('select * from read.log')
    t.notMatch(JSON.stringify(everything), /w{9}/)
  })

  await t.test('has those whose clients hang up before they are answered', async t => {
    const left = async () => await items('?status_min=499&status_max=499&limit=500')
    const { hostname, port } = new URL(around.url)
    const tries = 20
    for (let n = 0; n < tries; n++) {
      const socket = connect(Number(port), hostname)
      await new Promise(resolve =>
        socket.write(
          `DELETE /v1/crawls/${8_000 + n} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${mine}\r\n\r\n`,
          resolve,
        ),
      )
      socket.destroy()
    }
    const abortedCalls = async () =>
      (await items('?limit=500')).filter(({ path }: { path: string }) => path.startsWith('/v1/crawls/80'))
    await until(async () => (await abortedCalls()).length === tries)
    t.ok((await left()).length > 0, 'some of which were not even begun to be answered')
    t.match(await left(), [{ method: 'DELETE', status: 499, client_ip: '127.0.0.1' }])
    t.ok((await abortedCalls()).every(({ client_ip }: { client_ip: string }) => client_ip === '127.0.0.1'))
  })

  await t.test('loses none of a thousand calls that are made at once', async t => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => get('/v1/usage')))
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    const found = async (): Promise<{ calls: number; each: number }> => {
      const { rows } = await around.pool.query(
        `select count(*)::int as calls, count(distinct request_id)::int as each from read.log where request_id = any($1)`,
        [ids],
      )
      return rows[0]
    }
    await until(async () => (await found()).each === 1_000)
    t.strictSame(await found(), { calls: 1_000, each: 1_000 })
  })
})

// Nothing else limits refused calls, so the log of one project could have filled the disk.
test('Of refused calls the log has the first sixty of a minute, for each project', async t => {
  const app = fastify() as unknown as App
  const calls: ApiCalled['data'][] = []
  installClientAddress(app)
  app.addHook('onRequest', async request => {
    request.caller = { projectId: Number(request.headers.project) } as typeof request.caller
  })
  installAudit(app, { noteCall: call => void calls.push(call) })
  app.get('/refused', (_request, reply) => void reply.code(429).send({}))
  app.get('/served', async () => ({}))
  t.teardown(() => app.close())
  const send = (url: string, project: number) => app.inject({ url, headers: { project: `${project}` } })
  for (let n = 0; n < 70; n++) await send('/refused', 7)
  await send('/refused', 8)
  await send('/served', 7)
  await until(() => calls.length >= 62)
  const of = (projectId: number, status: number) =>
    calls.filter(call => call.projectId === projectId && call.status === status).length
  t.strictSame([of(7, 429), of(8, 429), of(7, 200)], [60, 1, 1])
})

test('A call whose client leaves is in the log, once', async t => {
  const app = fastify() as unknown as App
  const calls: ApiCalled['data'][] = []
  installClientAddress(app)
  const door = Promise.withResolvers<void>()
  app.addHook('onRequest', async request => {
    if (request.url === '/entered') await door.promise
    request.caller = { projectId: 7 } as typeof request.caller
  })
  installAudit(app, { noteCall: call => void calls.push(call) })
  const held = Promise.withResolvers<void>()
  let ended = 0
  app.get('/held', async () => {
    await held.promise
    ended += 1
    return { late: true }
  })
  app.get('/entered', async () => ({}))
  app.get('/begun', (_request, reply) => void reply.hijack().raw.writeHead(200).write('a'))
  app.get('/whole', async () => ({}))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())

  const disconnect = new AbortController()
  const pending = fetch(`${url}/held`, { signal: disconnect.signal })
  const entering = fetch(`${url}/entered`, { signal: disconnect.signal })
  const begun = await fetch(`${url}/begun`, { signal: disconnect.signal })
  setTimeout(() => disconnect.abort(), 20)
  await Promise.all([t.rejects(pending), t.rejects(entering), t.rejects(begun.text())])
  await until(() => calls.length === 2)
  door.resolve()
  await until(() => calls.length === 3)
  held.resolve()
  await until(() => ended === 1)
  t.equal((await fetch(`${url}/whole`)).status, 200)
  await until(() => calls.length > 3)
  await nextTurn()
  t.match(
    calls.map(({ path, status }) => `${path} ${status}`).sort(),
    ['/begun 200', '/entered 499', '/held 499', '/whole 200'],
    'as 499 where nothing was answered, else as what was begun',
  )
  t.ok(calls.every(({ durationMs, projectId }) => durationMs >= 0 && projectId === 7))
  t.ok(calls.every(({ clientIp }) => clientIp === '127.0.0.1'))
  t.ok(
    calls.every(data => Check(ApiCalled, { type: 'ApiCalled', data })),
    'as it is returned',
  )
})

test('The rate of requests', async t => {
  const { around, mine, post } = await scene(t, { REQUEST_RATES: 'true' })
  const free = keyNamed('f')
  const other = keyNamed('o')
  const unlimited = keyNamed('u')
  around.standIns.addKey(free, 7, { tier: 'free' })
  around.standIns.addKey(other, 8, { tier: 'free' })
  around.standIns.addKey(unlimited, 9, { unlimited: true })
  const narrowed = keyNamed('n')
  const caps = { caps: { pagesPerDay: 300, pagesPerMonth: null }, keyCaps: { pagesPerDay: 200 } }
  around.standIns.addKey(narrowed, 10, { tier: 'free', ...caps })
  const capped = keyNamed('c')
  const fifty = { unlimited: true, caps: { pagesPerDay: 50 } }
  around.standIns.addKey(capped, 11, fifty)
  around.standIns.usage = { ...around.standIns.usage, today: { pages: 188, cloudPages: 0, cloudCostUsd: 0 } }
  const { get, call } = caller(around, free)

  await t.test('is in every response, with the pages of the day', async t => {
    const fieldsOf = async () => (await get('/v1/usage')).headers
    await until(async () => (await fieldsOf()).get('ratelimit')?.includes('pages-day') ?? false)
    const headers = await fieldsOf()
    t.equal(headers.get('ratelimit-policy'), '"rps";q=20;w=10, "pages-day";q=500;w=86400')
    t.match(headers.get('ratelimit'), /^"rps";r=\d+;t=1, "pages-day";r=312;t=\d+$/)
    const refused = await call('POST', '/v1/crawls', { body: {}, key: other })
    t.equal(refused.status, 400)
    t.match(refused.headers.get('ratelimit'), /^"rps";r=19;t=1/)
    t.equal((await get('/v1/usage', { key: unlimited })).headers.get('ratelimit-policy'), null)
    const narrow = await get('/v1/usage', { key: narrowed })
    t.match(narrow.json.caps, { pages_per_day: 200, pages_per_month: null, cloud_pages_per_day: 25 })
    t.match(narrow.headers.get('ratelimit-policy'), /"pages-day";q=200;/)
    t.equal((await get('/v1/health', { key: null })).headers.get('ratelimit-policy'), null)
    await until(async () => (await get('/v1/usage', { key: capped })).headers.has('ratelimit'))
    const pagesAlone = await get('/v1/usage', { key: capped })
    t.equal(pagesAlone.headers.get('ratelimit-policy'), '"pages-day";q=50;w=86400')
    t.match(pagesAlone.headers.get('ratelimit'), /^"pages-day";r=0;t=\d+$/)
  })

  await t.test('is that of the key, which its retries and resumptions name', async t => {
    for (const change of ['retry-failed', 'resume'])
      t.match(
        await call('POST', `/v1/crawls/1/${change}`, { key: narrowed }),
        { status: 409, json: { error: { code: 'conflict', reason: 'narrowed_key' } } },
        change,
      )
    t.match(await call('POST', '/v1/crawls/1/resume', { key: unlimited }), { status: 404 })
    t.match(await call('POST', '/v1/crawls/1/retry-failed', { key: unlimited }), {
      status: 409,
      json: { error: { reason: 'run_active' } },
    })
  })

  await t.test('reports zero pages left to a project without pages, until the end of the wait', async t => {
    const { grant } = around.standIns
    around.standIns.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 77 })
    for (const [key, left] of [
      [other, /^"rps";r=\d+;t=\d+, "pages-day";r=0;t=77$/],
      [capped, /^"pages-day";r=0;t=77$/],
    ] as const) {
      const { status, headers } = await call('POST', '/v1/scan', { body: { url: seed }, key })
      t.strictSame([status, headers.get('retry-after')], [429, '77'])
      t.match(headers.get('ratelimit'), left)
    }
    around.standIns.grant = grant
  })

  await t.test('refuses a project above its rate with the time to wait, and leaves others alone', async t => {
    const write = (key = free) => call('POST', '/v1/crawls', { body: {}, key })
    const answers = await Promise.all(Array.from({ length: 60 }, () => write()))
    const refused = answers.filter(({ status }) => status === 429)
    t.ok(refused.length >= 30 && refused.length <= 41, `${refused.length} of 60 refused`)
    for (const { json, headers } of refused) {
      t.match(json.error, { code: 'too_many_requests', reason: 'request_rate', retry_after_seconds: 1 })
      t.equal(headers.get('retry-after'), '1')
      t.match(headers.get('ratelimit'), /"rps";r=0;t=1\b/, 'no later than Retry-After')
    }
    t.equal((await write(other)).status, 400)
    t.equal((await write(unlimited)).status, 400)
  })

  await t.test('lacks the pages that the response bills', async t => {
    around.standIns.addKey(mine, 12, { tier: 'free' })
    const figures = ({ status, headers }: { status: number; headers: Headers }) => [
      status,
      headers.get('x-pages-billed'),
      /"pages-day";r=\d+/.exec(headers.get('ratelimit') ?? '')?.[0],
    ]
    const scan = () => post('/v1/scan', { url: seed })
    await until(
      async () => (await post('/v1/scan', {})).headers.get('ratelimit')?.includes('pages-day') ?? false,
    )
    t.strictSame(figures(await scan()), [200, '1', '"pages-day";r=311'])
    const reserved = { reason: 'daily_pages', retryAfterSeconds: 77, held: 3 } as const
    around.standIns.grant = () => ({ granted: 0, ...reserved })
    t.equal((await scan()).status, 429)
    const unserved = await post('/v1/scan/bulk', { urls: [seed] })
    const why = 'reservations may be released, so they use up no pages'
    t.strictSame(figures(unserved), [200, '0', '"pages-day";r=311'], why)
    around.standIns.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 77 })
    const refused = await post('/v1/scan/bulk', { urls: [seed] })
    t.match(refused.json.items, [{ ok: false, reason: 'daily_pages' }])
    t.strictSame(figures(refused), [200, '0', '"pages-day";r=0'])
    t.strictSame(figures(await scan()), [429, '0', '"pages-day";r=0'])
  })
})

test('The pages that are left of the day', async t => {
  let now = Date.parse('2026-11-21T10:00:00.000Z')
  let requested: PromiseWithResolvers<ReadUsageResponse>[] = []
  const { read, bill, exhaust } = pagesLeftBy(
    () => {
      const answer = Promise.withResolvers<ReadUsageResponse>()
      requested.push(answer)
      return answer.promise
    },
    () => now,
  )
  const project = { projectId: 7, tier: 'free' } as const
  const left = async () => (await read(project))?.remaining ?? null
  const answer = async (pages: number) => {
    const used = { pages, cloudPages: 0, cloudCostUsd: 0 }
    for (const { resolve } of requested.splice(0)) resolve({ today: used, month: used })
    await nextTurn()
  }

  await t.test('are awaited for a moment, and only once', async t => {
    t.strictSame(
      await Promise.all([left(), left()]),
      [null, null],
      'no service answers, and all are accepted',
    )
    t.equal(requested.length, 1)
    now += 4_000
    t.equal(await left(), null)
    t.equal(requested.length, 1)
    await answer(100)
    t.equal(await left(), 400)
  })

  await t.test('have the last known values during an update', async t => {
    now += 5_000
    t.strictSame([await left(), await left(), requested.length], [400, 400, 1])
    await answer(150)
    t.equal(await left(), 350)
  })

  await t.test('are absent if they are old, or of another day', async t => {
    now += 60_000
    t.equal(await left(), null)
    await answer(200)
    t.equal(await left(), 300)
  })

  await t.test('are awaited for a moment if they are older than five seconds', async t => {
    now += 5_000
    const awaited = left()
    await answer(220)
    t.equal(await awaited, 280)
  })

  await t.test('lack the pages that this gateway bills at once, without a request', async t => {
    bill(7, 8)
    t.equal(await left(), 272)
    now += 4_999
    bill(7, 1)
    bill(7, 0)
    t.strictSame([await left(), requested.length], [271, 0])
    now += 1
    const awaited = left()
    await answer(228)
    t.equal(await awaited, 271, 'also if usage-ledger has not counted them yet')
    now += 5_000
    const later = left()
    await answer(229)
    t.equal(await later, 271)
  })

  await t.test('are zero after a refusal, until usage-ledger has another number', async t => {
    exhaust({ ...project, keyCaps: { pagesPerDay: 100 } })
    t.equal(await left(), 271, 'the cap of a key is not the cap of the project')
    exhaust(project)
    t.equal(await left(), 0)
    now += 5_000
    const awaited = left()
    await answer(230)
    t.equal(await awaited, 270)
  })

  await t.test('follow usage-ledger after a refusal, even if the project continues to work', async t => {
    exhaust(project)
    for (const pages of [230, 231, 232]) {
      now += 4_000
      bill(7, 1)
      now += 1_000
      const awaited = left()
      await answer(pages + 1)
      t.equal(await awaited, 500 - pages - 1)
    }
  })

  await t.test('count a page once, even if it is billed while usage-ledger responds', async t => {
    for (const pages of [234, 235, 236]) {
      now += 5_000
      const awaited = left()
      bill(7, 1)
      await answer(pages)
      await awaited
    }
    t.equal(await left(), 264)
  })

  await t.test('are unknown on the next day', async t => {
    now = Date.parse('2026-11-22T00:00:00.000Z')
    t.equal(await left(), null)
    requested = []
  })
})

const someCall = {
  projectId: 7,
  at: '2026-11-21T10:00:00.000Z',
  method: 'GET',
  path: '/v1/usage',
  status: 200,
  durationMs: 1,
  clientIp: '127.0.0.1',
}

test('Calls that the log loses while the bus is unavailable are counted, and logged once a minute', async t => {
  const maxWaiting = 50_000
  const bus = { nc: { isClosed: () => true, async *status() {} } } as unknown as Bus
  const reports: string[] = []
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const audit = openAudit(bus, { instance: 'this', report: error => reports.push(String(error)) })
  const lost = () => reports.filter(line => line.includes('lost'))
  const note = (times: number) => {
    for (let n = 0; n < times; n++) audit.note({ ...someCall, requestId: `${n}` })
  }

  note(maxWaiting + 300)
  t.strictSame(lost(), [])
  mock.timers.tick(60_000)
  await nextTurn()
  t.match(lost(), [/lost 300 entries/])
  note(2)
  await audit[Symbol.asyncDispose]()
  t.match(lost(), [/lost 300 entries/, /lost 2 entries/])
  t.equal(lost().length, 2)
})
