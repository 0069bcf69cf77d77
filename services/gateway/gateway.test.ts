import net from 'node:net'
import { Refusal } from '@tidemark/bus/ask'
import { publish } from '@tidemark/bus/publish'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { PageList } from '@tidemark/contracts/http/pages'
import { subjects } from '@tidemark/contracts/subjects'
import fc from 'fast-check'
import { test } from 'tap'
import { checkOf } from './domain/key.ts'
import { keyNamed, keyView, type Surroundings, surroundings } from './gateway.behaviour.ts'
import { commit, finished, page, settled, started } from './projections/runs.examples.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')
const seed = 'http://127.0.0.1:8099/'

type Call = { key?: string | null; body?: unknown; raw?: string | Buffer; headers?: Record<string, string> }

test('The gateway', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const { standIns, bus } = around
  standIns.keys.set(mine.slice(0, 12), keyView(mine, 7))
  standIns.keys.set(foreign.slice(0, 12), keyView(foreign, 8))
  const { call, get, post, append } = caller(around)

  t.test('is alive and ready, publicly', async t => {
    t.match(await get('/v1/health', { key: null }), { status: 200, text: 'ok' })
    const ready = await get('/v1/ready', { key: null })
    t.match(ready, { status: 200, text: 'ready' })
    t.match(ready.headers.get('content-type'), /^text\/plain/)
    t.equal(ready.headers.get('cache-control'), 'no-store')
  })

  t.test('says which part is away when it is not ready', async t => {
    const [first, ...rest] = standIns.beating
    first?.[Symbol.dispose]()
    const { readinessChecks } = await import('./adapters/readiness.ts')
    const heard = new Map([['fetcher', { heartbeat: heartbeat('fetcher', 'fail'), ageSeconds: 1 }]])
    const checks = await readinessChecks({ pool: around.pool, bus, heard: () => heard })()
    t.match(checks, {
      database: { status: 'pass' },
      event_stream: { status: 'pass' },
      worker_heartbeat: { status: 'fail', age_seconds: null, max_age_seconds: 30 },
    })
    t.ok(checks.worker_heartbeat.missing?.includes('fetcher'))
    standIns.beating = rest
  })

  t.test('lets in by key alone', async t => {
    const expired = keyNamed('e')
    standIns.keys.set(expired.slice(0, 12), keyView(expired, 7, { expiresAt: '2020-01-01T00:00:00.000Z' }))
    const revoked = keyNamed('r')
    standIns.keys.set(revoked.slice(0, 12), keyView(revoked, 7, { revokedAt: '2020-01-01T00:00:00.000Z' }))
    const start = `${mine.slice(0, 12)}${'x'.repeat(32)}`
    const other = start + checkOf(start)
    const refused: [string, Record<string, string>][] = [
      ['nothing', {}],
      ['another scheme', { authorization: `Basic ${mine}` }],
      ['no key', { authorization: 'Bearer' }],
      ['what is no key of ours', { authorization: 'Bearer secret' }],
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
    const before = standIns.keysAsked
    await Promise.all(Array.from({ length: 20 }, () => get('/v1/usage')))
    t.equal(standIns.keysAsked, before, 'a known key is remembered for a moment')
  })

  t.test('reads keys from the read model before it asks for them', async t => {
    const known = keyNamed('k')
    await announceKey(around, known, 9)
    const before = standIns.keysAsked
    t.match(await get('/v1/usage', { key: known }), { status: 200, json: { tier: 'agency' } })
    t.equal(standIns.keysAsked, before)
  })

  t.test('starts a crawl, and the run can be read at once', async t => {
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
    const { rowCount } = await around.pool.query('select from read.run where id = $1', [id])
    t.equal(rowCount, 1, 'it waited for its row')
    t.strictSame((await get(`/v1/crawls/${id}`)).json, { ...emptyRun, id, url: seed })
  })

  t.test('answers a run that its read model does not know yet', async t => {
    const run: RunView = { ...emptyRun, id: 4711, url: seed, status: 'running' }
    standIns.runs.set('7/4711', run)
    t.strictSame((await get('/v1/crawls/4711')).json, run)
    t.match(await get('/v1/crawls/4711/pages'), { status: 200, json: { items: [], next_offset: null } })
    standIns.isPublishing = false
    t.equal((await post('/v1/crawls', { url: seed })).status, 202, 'the wait for the row ends by itself')
    standIns.isPublishing = true
  })

  t.test('tells what it ignored', async t => {
    const body = { url: seed, foo: 1, params: { depth: 1, bar: {} }, constructor: 1 }
    t.strictSame((await post('/v1/crawls', body)).json.warnings, [
      "unknown field 'foo' was ignored",
      "unknown field 'params' was ignored",
      "unknown field 'constructor' was ignored",
      "unknown field 'params.depth' was ignored",
      "unknown field 'params.bar' was ignored",
    ])
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`x${n}`, n]))
    const { warnings } = (await post('/v1/crawls', { ...many, url: seed })).json
    t.equal(warnings.length, 21)
    t.equal(warnings[20], '4980 more unknown fields were ignored')
  })

  t.test('returns the same run for the same Idempotency-Key', async t => {
    const headers = { 'idempotency-key': 'order-1' }
    const first = await call('POST', '/v1/crawls', { body: { url: seed }, headers })
    t.equal(first.headers.get('idempotent-replayed'), null)
    const again = await call('POST', '/v1/crawls', { body: { max_pages: 1000, url: seed }, headers })
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.strictSame(again.json, first.json, 'a default written out is the same request')
    const other = await call('POST', '/v1/crawls', { body: { url: `${seed}other` }, headers })
    t.match(other, { status: 202, json: { id: first.json.id, url: seed, warnings: [/Idempotency-Key/] } })
  })

  t.test('passes on why a run may not start', async t => {
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

  t.test('refuses bad fields by name, and starts nothing', async t => {
    const before = standIns.starts.length
    for (const [body, field, reason, message] of badBodies) {
      const { status, json } = await post('/v1/crawls', body)
      t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', reason }, `${field} ${reason}`)
      t.equal(json.error.field, field)
      if (message) t.equal(json.error.message, message)
    }
    t.equal(standIns.starts.length, before)
  })

  t.test('refuses addresses that cannot or may not be crawled', async t => {
    const before = standIns.starts.length
    for (const [url, reason] of badUrls) {
      const { status, json } = await post('/v1/crawls', { url })
      t.match(
        { status, ...json.error },
        { status: 400, code: 'invalid_input', reason, field: 'url' },
        `${reason}: ${url}`,
      )
    }
    t.equal(standIns.starts.length, before)
  })

  t.test('takes a name that does not resolve: the run will say so', async t => {
    t.equal((await post('/v1/crawls', { url: 'http://does-not-exist.invalid/' })).status, 202)
  })

  t.test('refuses keys of idempotency that are none', async t => {
    for (const key of ['', 'a b', 'x'.repeat(256), 'ä']) {
      const answer = await call('POST', '/v1/crawls', {
        body: { url: seed },
        headers: { 'idempotency-key': key },
      })
      t.match(
        answer,
        { status: 400, json: { error: { field: 'idempotency-key', reason: 'bad_value' } } },
        key,
      )
    }
  })

  t.test('answers every hostile request in the envelope, and none with 500', async t => {
    for (const [what, status, method, path, options] of hostile) {
      const answer = await call(method, path, options)
      t.equal(answer.status, status, what)
      if (status < 400) continue
      t.type(answer.json?.error?.code, 'string', what)
      t.equal(answer.json.error.request_id, answer.headers.get('x-request-id'), what)
    }
  })

  t.test('says by which methods a path answers', async t => {
    const answer = await call('DELETE', '/v1/crawls')
    t.match(answer, { status: 405, json: { error: { code: 'method_not_allowed' } } })
    t.strictSame(answer.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST'])
    t.equal((await call('PUT', '/v1/crawls/5/pages?x=1')).headers.get('allow'), 'GET, HEAD')
    t.equal((await call('OPTIONS', '/openapi.json')).status, 405)
  })

  t.test('answers what is not HTTP in the envelope', async t => {
    for (const [what, status, bytes] of notHttp) {
      const text = await raw(around.url, bytes)
      t.match(text, new RegExp(`^HTTP/1.1 ${status} `), what)
      const { error } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
      t.match(text.toLowerCase(), `x-request-id: ${error.request_id}`, what)
    }
  })

  t.test('speaks RFC 9457 to those who ask for it', async t => {
    const headers = { accept: 'application/problem+json' }
    const answer = await call('POST', '/v1/crawls', { body: { url: seed, depth: 51 }, headers })
    t.match(answer.headers.get('content-type'), /^application\/problem\+json/)
    t.strictSame(answer.json, {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'depth must be from 1 to 50; 51 was sent.',
      code: 'invalid_input',
      reason: 'out_of_range',
      field: 'depth',
      request_id: answer.headers.get('x-request-id'),
    })
  })

  t.test('hides other projects: foreign, missing and impossible ids are one answer', async t => {
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

  t.test('gives a list of any length, each page once', async t => {
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
      t.match(answer, { status: 200, json: { items: [], next_offset: null } }, `offset ${offset}`)
    }
    t.match((await get(`/v1/crawls/${id}`)).json, {
      status: 'done',
      page_count: 25,
      stop_reason: 'exhausted',
    })
  })

  t.test('lists runs, by state if asked', async t => {
    const { items, next_offset } = (await get('/v1/crawls?limit=2')).json
    t.match(items, [{ id: 1, webhook_attempts: 0 }, { id: Number }])
    t.equal(next_offset, 2)
    const done = (await get('/v1/crawls?status=done')).json.items
    t.ok(done.length > 0 && done.every((run: RunView) => run.status === 'done'))
    t.strictSame((await get('/v1/crawls', { key: foreign })).json, { items: [], next_offset: null })
    t.match(await get('/v1/crawls?status=odd'), {
      status: 400,
      json: { error: { reason: 'bad_value', message: /queued, running, done, failed, cancelled/ } },
    })
  })

  t.test('shows a page as it was fetched', async t => {
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
    t.match(await get('/v1/pages/2001'), {
      status: 409,
      json: { error: { code: 'conflict', reason: 'html_not_stored' } },
    })
    t.match(await get('/v1/pages/2000?format=xml'), {
      status: 400,
      json: {
        error: {
          field: 'format',
          reason: 'bad_value',
          message: 'format must be one of html; "xml" was sent.',
        },
      },
    })
  })

  t.test('says what was used, beside the caps', async t => {
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
      today: { pages: 1234, pages_pct: null, cloud_pages_pct: null },
      month: { pages_pct: null },
    })
  })

  t.test('describes itself in OpenAPI 3.1', async t => {
    const { status, json } = await get('/openapi.json', { key: null })
    t.equal(status, 200)
    t.match(json, { openapi: '3.1.0', info: { version: '0.5.0' } })
    const paths = [
      '/v1/health',
      '/v1/ready',
      '/v1/crawls',
      '/v1/crawls/{id}',
      '/v1/crawls/{id}/pages',
      '/v1/pages/{id}',
    ]
    t.strictSame(Object.keys(json.paths).sort(), [...paths, '/v1/usage'].sort())
    t.strictSame(
      Object.keys(json.components.schemas).filter(name => /^def-|^schema-/.test(name)),
      [],
    )
    const references = JSON.stringify(json).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
    for (const [, name = ''] of references) t.ok(json.components.schemas[name], name)
    t.match(json.paths['/v1/crawls'].post.security, [{ bearer: [] }])
    t.notOk(json.paths['/v1/health'].get.security)
    t.strictSame(
      json.components.schemas.CrawlRequest.required,
      ['url'],
      'what has a default need not be sent',
    )
  })

  t.test('never fails on a body that is JSON, whatever it holds', async () => {
    const known = [
      'url',
      'max_pages',
      'depth',
      'concurrency',
      'delay_ms',
      'subdomains',
      'store_html',
      'params',
    ]
    const body = fc.oneof(
      fc.jsonValue({ noUnicodeString: false } as never),
      fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string({ unit: 'binary' })), fc.jsonValue()),
      fc.record({
        url: fc.webUrl({ validSchemes: ['http'] }).map(url => url.replace(/\/\/[^/?#]+/, '//127.0.0.1')),
      }),
    )
    await fc.assert(
      fc.asyncProperty(body, async body => {
        const { status, json } = await post('/v1/crawls', body)
        if (status !== 202 && status !== 400) throw new Error(`${status} ${JSON.stringify(json)}`)
      }),
      { numRuns: 200 },
    )
  })
})

test('A gateway that lost what it needs', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const { pool, nats } = around
  const { get, post } = caller(around)
  await announceKey(around, mine, 7)

  t.test('survives that the database cuts its connections', async t => {
    t.equal((await get('/v1/crawls')).status, 200)
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await until(async () => (await get('/v1/crawls')).status === 200)
    const { id } = (await post('/v1/crawls', { url: seed })).json
    await until(async () => (await pool.query('select from read.run where id = $1', [id])).rowCount === 1)
  })

  t.test('answers 503 with Retry-After, never 500, while a table is away', async t => {
    await pool.query('alter table read.run rename to gone')
    t.match((await get('/v1/crawls')).status, 500, 'a missing table is a fault of ours')
    t.notMatch((await get('/v1/crawls')).text, /gone|relation|read\./)
    await pool.query('alter table read.gone rename to run')
  })

  t.test('is not ready, and says so in time, without its bus', async t => {
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
    t.equal(ready.headers.get('retry-after'), '5')
    t.ok(performance.now() - began < 10_000)
    const answer = await get('/v1/usage')
    t.match(answer, { status: 503, json: { error: { code: 'unavailable' } } })
    t.ok(answer.headers.get('retry-after'))
    t.equal((await get('/v1/crawls')).status, 200, 'what the read model knows can be read')
    await nats.restart()
    await until(async () => (await get('/v1/usage')).status === 200)
  })
})

const emptyRun: RunView = {
  id: 0,
  url: '',
  status: 'queued',
  page_count: 0,
  error_count: 0,
  enqueued_at: '2026-01-02T03:04:05.678Z',
  started_at: null,
  finished_at: null,
  error_message: null,
  stop_reason: null,
  proxy_url: null,
  ai_bot_policy: null,
  llms_txt: null,
  llms_full_txt: null,
  webhook_status: null,
  webhook_attempts: 0,
  webhook_last_error: null,
  previous_run_id: null,
}

const notFound = { error: { code: 'not_found', message: 'There is no such resource.' } }

const badBodies: [body: unknown, field: string | undefined, reason: string, message?: string][] = [
  [{}, 'url', 'required', 'url is required.'],
  [{ url: 7 }, 'url', 'wrong_type', 'url must be a string; 7 was sent.'],
  [{ url: null }, 'url', 'wrong_type'],
  [{ url: '' }, 'url', 'bad_url'],
  [{ url: `http://a.example/${'x'.repeat(9000)}` }, 'url', 'bad_url'],
  [
    { url: seed, max_pages: 0 },
    'max_pages',
    'out_of_range',
    'max_pages must be from 1 to 100000; 0 was sent.',
  ],
  [{ url: seed, max_pages: 100_001 }, 'max_pages', 'out_of_range'],
  [{ url: seed, max_pages: '5' }, 'max_pages', 'wrong_type', 'max_pages must be an integer; "5" was sent.'],
  [{ url: seed, max_pages: 1.5 }, 'max_pages', 'wrong_type'],
  [{ url: seed, max_pages: null }, 'max_pages', 'wrong_type'],
  [
    { url: seed, max_pages: [1] },
    'max_pages',
    'wrong_type',
    'max_pages must be an integer; a list was sent.',
  ],
  [{ url: seed, depth: 51 }, 'depth', 'out_of_range', 'depth must be from 1 to 50; 51 was sent.'],
  [{ url: seed, depth: true }, 'depth', 'wrong_type'],
  [
    { url: seed, concurrency: 0 },
    'concurrency',
    'out_of_range',
    'concurrency must be at least 1; 0 was sent.',
  ],
  [{ url: seed, delay_ms: -1 }, 'delay_ms', 'out_of_range'],
  [{ url: seed, delay_ms: 60_001 }, 'delay_ms', 'out_of_range'],
  [
    { url: seed, subdomains: 'yes' },
    'subdomains',
    'wrong_type',
    'subdomains must be true or false; "yes" was sent.',
  ],
  [{ url: seed, store_html: 1 }, 'store_html', 'wrong_type'],
  [{ url: seed, respect_robots: {} }, 'respect_robots', 'wrong_type'],
  [[], undefined, 'wrong_type', 'The body must be a JSON object; a list was sent.'],
  ['text', undefined, 'wrong_type', 'The body must be a JSON object; "text" was sent.'],
]

const badUrls: [string, string][] = [
  ['example.com', 'bad_url'],
  ['ftp://example.com/', 'bad_url'],
  ['file:///etc/passwd', 'bad_url'],
  ['javascript:alert(1)', 'bad_url'],
  ['http:example.com', 'bad_url'],
  [' http://example.com/', 'bad_url'],
  ['http://', 'bad_url'],
  ['http://a b/', 'bad_url'],
  ['http://user:word@example.com/', 'bad_url'],
  ['http://example.com:22/', 'bad_url'],
  ['http://example.com:99999/', 'bad_url'],
  ['http://example..com../', 'bad_url'],
  ['http://example.com/\0', 'bad_url'],
  ['http://example.com/\ud800', 'bad_url'],
  ['http://exa\nmple.com/', 'bad_url'],
  ['http://10.0.0.1/', 'private_address'],
  ['http://127.0.0.2/', 'private_address'],
  ['http://2130706434/', 'private_address'],
  ['http://0x7f.2/', 'private_address'],
  ['http://１２７.0.0.2/', 'private_address'],
  ['http://[::1]/', 'private_address'],
  ['http://[::ffff:10.0.0.1]/', 'private_address'],
  ['http://169.254.169.254/latest/meta-data/', 'private_address'],
  ['http://0.0.0.0/', 'private_address'],
]

const json = { 'content-type': 'application/json' }
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

const hostile: [what: string, status: number, method: string, path: string, options?: Call][] = [
  ['an unknown path', 404, 'GET', '/v2/nothing'],
  ['an unknown path without a key', 404, 'GET', '/', { key: null }],
  ['a path that climbs', 404, 'GET', '/v1/%2e%2e/%2e%2e/etc/passwd'],
  ['a broken escape', 404, 'GET', '/%c0%ae'],
  ['no body', 400, 'POST', '/v1/crawls'],
  ['an empty JSON body', 400, 'POST', '/v1/crawls', { raw: '', headers: json }],
  ['broken JSON', 400, 'POST', '/v1/crawls', { raw: '{"url":', headers: json }],
  ['JSON with more behind it', 400, 'POST', '/v1/crawls', { raw: '{} {}', headers: json }],
  [
    'bytes that are no UTF-8',
    400,
    'POST',
    '/v1/crawls',
    { raw: Buffer.from('{"url":"\xff"}', 'latin1'), headers: json },
  ],
  ['null', 400, 'POST', '/v1/crawls', { raw: 'null', headers: json }],
  ['deep JSON', 400, 'POST', '/v1/crawls', { raw: deep, headers: json }],
  [
    'deep JSON in a field',
    202,
    'POST',
    '/v1/crawls',
    { raw: `{"url":"${seed}","params":${deep}}`, headers: json },
  ],
  ['a prototype', 400, 'POST', '/v1/crawls', { raw: `{"__proto__":{"url":"${seed}"}}`, headers: json }],
  [
    'a prototype beside a url',
    400,
    'POST',
    '/v1/crawls',
    { raw: `{"url":"${seed}","__proto__":{"a":1}}`, headers: json },
  ],
  [
    'a prototype in a field',
    400,
    'POST',
    '/v1/crawls',
    { raw: `{"url":"${seed}","x":{"__proto__":1}}`, headers: json },
  ],
  ['a huge number', 400, 'POST', '/v1/crawls', { raw: `{"url":"${seed}","depth":1e999}`, headers: json }],
  [
    'a huge concurrency',
    202,
    'POST',
    '/v1/crawls',
    { raw: `{"url":"${seed}","concurrency":1e300}`, headers: json },
  ],
  [
    'a lone surrogate as a name',
    202,
    'POST',
    '/v1/crawls',
    { raw: `{"url":"${seed}","\\ud800":1}`, headers: json },
  ],
  [
    'a NUL in the url',
    400,
    'POST',
    '/v1/crawls',
    { raw: '{"url":"http://127.0.0.1/\\u0000"}', headers: json },
  ],
  [
    'a NUL in an unknown field',
    202,
    'POST',
    '/v1/crawls',
    { raw: `{"url":"${seed}","a\\u0000":"\\u0000"}`, headers: json },
  ],
  ['text', 415, 'POST', '/v1/crawls', { raw: 'url=x', headers: { 'content-type': 'text/plain' } }],
  [
    'a form',
    415,
    'POST',
    '/v1/crawls',
    { raw: 'url=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  ['a body without a type', 415, 'POST', '/v1/crawls', { raw: Buffer.from('{}'), headers: {} }],
  ['an absurd type', 415, 'POST', '/v1/crawls', { raw: '{}', headers: { 'content-type': ';;/' } }],
  ['a body that is too large', 413, 'POST', '/v1/crawls', { raw: 'x'.repeat(1_100_000), headers: json }],
  ['limit 0', 400, 'GET', '/v1/crawls?limit=0'],
  ['limit below 0', 400, 'GET', '/v1/crawls?limit=-5'],
  ['limit above all', 400, 'GET', '/v1/crawls?limit=1001'],
  ['limit in words', 400, 'GET', '/v1/crawls?limit=ten'],
  ['limit twice', 400, 'GET', '/v1/crawls?limit=1&limit=2'],
  ['limit empty', 400, 'GET', '/v1/crawls?limit='],
  ['limit with a fraction', 400, 'GET', '/v1/crawls?limit=1.5'],
  ['offset below 0', 400, 'GET', '/v1/crawls?offset=-1'],
  ['an offset that no integer holds', 200, 'GET', `/v1/crawls?offset=${'9'.repeat(30)}`],
  ['an offset longer than any number', 400, 'GET', `/v1/crawls?offset=${'9'.repeat(400)}`],
  ['a prototype in the query', 200, 'GET', '/v1/crawls?__proto__=1&constructor=2'],
  ['a NUL in the query', 400, 'GET', '/v1/crawls?status=%00'],
  ['pages limit above all', 400, 'GET', '/v1/crawls/1/pages?limit=100001'],
]

const notHttp: [string, number, string][] = [
  ['noise', 400, 'hello\r\n\r\n'],
  ['an unknown method', 400, 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['headers beyond measure', 431, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  [
    'two lengths',
    400,
    'POST /v1/crawls HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  ],
  [
    'an expectation that nobody knows',
    404,
    'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: tea\r\n\r\n',
  ],
  ['no host', 400, 'GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
]

const heartbeat = (service: string, status: 'pass' | 'fail') => ({ service, instance: 'x', status })
/** Puts a project with this key into the read model, as auth-billing does. */
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

function caller({ url, bus }: Surroundings) {
  async function call(method: string, path: string, { key = mine, body, raw, headers = {} }: Call = {}) {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && json),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    }
  }
  return {
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body: unknown) => call('POST', path, { body }),
    /** Appends a commit to a run, as the coordinator does. */
    append: (runId: number, ...events: object[]) =>
      publish(bus, subjects.run(runId), commit(runId, 10, ...events).payload),
  }
}

async function raw(url: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => {})
  let text = ''
  socket.on('data', data => {
    text += data
  })
  socket.write(bytes)
  await new Promise(resolve => socket.once('close', resolve))
  return text
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let left = 400; left > 0; left--) {
    if (await condition()) return
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('it did not come about within 10 s')
}
