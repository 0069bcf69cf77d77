/** Every recorded exchange of `clients/conformance`, against a local server. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from '@tidemark/testing/listening'
import { patient } from '@tidemark/testing/slowness'
import { type Test, test } from 'tap'
import { methodOf } from './methods.scene.ts'
import { ApiError, linesOf, metaOf, Tidemark, TidemarkError, verifyWebhook } from './tidemark.ts'

type Headers = Record<string, string | null>
type Exchange = {
  request: { method: string; path: string; headers?: Headers; json?: unknown }
  answer: {
    status?: number
    headers?: Record<string, string>
    json?: unknown
    text?: string
    cut?: 'before' | 'within'
    hang?: boolean
  }
}
type Call = {
  operation: string
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  options?: { idempotency_key?: string; last_event_id?: string }
  as?: 'value' | 'first' | 'all' | 'events' | 'wait' | 'twice'
}
type Case = {
  name: string
  client?: { max_retries?: number; max_retry_after?: number; timeout_ms?: number }
  call: Call
  exchanges: Exchange[]
  outcome: Record<string, unknown> & { waited_ms?: number; error?: Record<string, unknown> }
  unreachable?: boolean
}
type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

const casesOf = <T = Case>(name: string): T[] =>
  JSON.parse(readFileSync(new URL(`../conformance/${name}.json`, import.meta.url), 'utf8'))

for (const name of ['paging', 'retries', 'events', 'errors', 'responses'])
  test(`Exchanges: ${name}`, async t => {
    for (const one of casesOf(name))
      await t.test(one.name, async t => {
        const { baseUrl, close, received } = await serving(one.exchanges)
        if (one.unreachable) await close()
        const { max_retries, max_retry_after, timeout_ms } = one.client ?? {}
        const client = new Tidemark({
          apiKey: 'tmk_test',
          baseUrl,
          maxRetries: max_retries,
          maxRetryAfter: max_retry_after,
          timeout: timeout_ms,
        })
        const begun = performance.now()
        const { error, waited_ms = 0, ...expected } = one.outcome
        const outcome = await outcomeOf(client, one.call, expected).catch((failed: unknown) => failed)
        t.ok(performance.now() - begun >= waited_ms, `waits ${waited_ms} ms`)
        if (error) t.match(factsOf(outcome), error)
        else t.strictSame(outcome, expected)
        t.equal(received.length, one.exchanges.length, 'the number of requests')
        for (const [n, { request }] of one.exchanges.entries()) compare(t, request, received, n)
        await close()
      })
  })

async function outcomeOf(client: Tidemark, call: Call, expected: Record<string, unknown>) {
  if (call.as === 'events')
    return { events: await Array.fromAsync(client.crawls.events(2, eventOptions(call))) }
  if (call.as === 'wait') return { value: plain(await client.crawls.wait(2)) }
  const method = methodOf(client, call.operation)
  const options = call.options?.idempotency_key ? { idempotencyKey: call.options.idempotency_key } : {}
  const ask = (more = {}) => method(call, { ...options, ...more })
  if (call.as === 'all') return { items: await Array.fromAsync(ask() as AsyncIterable<unknown>) }
  const value = await ask()
  if (call.as === 'twice') {
    const second = await ask({ known: value })
    return { value: plain(second), same: second === value }
  }
  const meta = expected.meta === undefined ? {} : { meta: snakeMeta(value) }
  return { value: plain(value), ...meta }
}

const eventOptions = ({ query, options }: Call) => ({
  ...query,
  ...(options?.last_event_id && { lastEventId: options.last_event_id }),
})
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

function snakeMeta(value: unknown) {
  const meta = metaOf(value)
  return {
    request_id: meta?.requestId,
    etag: meta?.etag,
    warnings: meta?.warnings,
    pages_billed: meta?.pagesBilled,
    cloud_pages_billed: meta?.cloudPagesBilled,
  }
}

function factsOf(error: unknown) {
  if (!(error instanceof TidemarkError)) return error
  const { name, message } = error
  if (!(error instanceof ApiError)) return { class: name, message }
  const { status, code, reason, field, requestId, retryAfter, runId } = error
  return {
    class: name,
    message,
    status,
    code,
    reason,
    field,
    request_id: requestId,
    retry_after: retryAfter,
    run_id: runId,
  }
}

function compare(t: Test, expected: Exchange['request'], received: readonly Received[], n: number) {
  const request = received[n]
  if (request === undefined) return
  const at = new URL(request.path, 'http://x')
  const wanted = new URL(expected.path, 'http://x')
  t.strictSame([request.method, at.pathname], [expected.method, wanted.pathname])
  t.strictSame([...at.searchParams].sort(), [...wanted.searchParams].sort(), 'the query')
  t.strictSame(request.body === '' ? undefined : JSON.parse(request.body), expected.json, 'the body')
  const headers: Headers = { authorization: 'Bearer tmk_test', ...expected.headers }
  for (const [name, value] of Object.entries(headers)) {
    const sent: unknown = request.headers[name]
    if (value === null) t.equal(sent, undefined, name)
    else if (value === '*') t.ok(sent, name)
    else t.equal(sent, value.startsWith('=') ? received[Number(value.slice(1))]?.headers[name] : value, name)
  }
}

async function serving(exchanges: readonly Exchange[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const exchange = exchanges[received.length]
    const { method = '', url = '', headers } = request
    const index = received.push({ method, path: url, headers, body: '' }) - 1
    const body = await text(request)
    if (received[index]) received[index].body = body
    answer(response, exchange?.answer ?? { status: 599 })
  })
  const { url: baseUrl, close } = await listening(server)
  return { baseUrl, close, received }
}

function answer(
  response: ServerResponse,
  { status, headers, json, text = '', cut, hang }: Exchange['answer'],
) {
  if (hang) return
  if (cut === 'before') return void response.destroy()
  const body = json === undefined ? text : JSON.stringify(json)
  const type = json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }
  response.writeHead(status ?? 200, { ...type, ...headers })
  if (cut !== 'within') return void response.end(status === 204 || status === 304 ? undefined : body)
  response.write(body)
  setTimeout(() => response.destroy(), 50)
}

test('Lines', async t => {
  const linesIn = (...chunks: string[]) => {
    const encoder = new TextEncoder()
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
        controller.close()
      },
    })
    return Array.fromAsync(linesOf(new Response(body)))
  }
  t.strictSame(await linesIn('a\r', '\nb', 'c\n\n', 'd\r\r\ne\rf\n', 'rest'), ['a', 'bc', '', 'd\r', 'e\rf'])
  t.strictSame(await linesIn('a\n', '', '\r', '\n'), ['a', ''])
  const long = 'x'.repeat(4096)
  const began = performance.now()
  const [line = ''] = await linesIn(...Array.from({ length: 4096 }, () => long), '\n')
  t.equal(line.length, 4096 * 4096)
  t.ok(performance.now() - began < patient(4000), 'the time of a long line grows with its length only')
})

const stream = { 'content-type': 'text/event-stream; charset=utf-8' }
const ofActor = (path: string, text: string, headers = stream): Exchange => ({
  request: { method: 'POST', path },
  answer: { headers, text },
})
const progressed = 'event: progress\ndata: {"stage":"pages","done":1}\n\n'
const resulted = 'event: result\ndata: {"actor":"audit-site","data":{}}\n\n'

test('An actor and its progress', async t => {
  const failed =
    'event: error\ndata: {"error":{"code":"fetch_failed","message":"No host.","reason":"dns"}}\n\n'
  const { baseUrl, close, received } = await serving([
    ofActor('/v1/actors/extract-article', `: beat\n\n${progressed}${resulted}`),
    ofActor('/v1/actors/extract-article', '{"actor":"plain"}', { 'content-type': 'application/json' }),
    ofActor('/v1/actors/audit-site', resulted),
    ofActor('/v1/actors/audit-site', progressed + failed),
    ofActor('/v1/actors/check-links', progressed),
    ofActor('/v1/actors/check-links', '{"actor":"check-links"}', { 'content-type': 'application/json' }),
  ])
  const { actors } = new Tidemark({ apiKey: 'tmk_test', baseUrl })
  const url = 'https://example.com/'
  const seen: unknown[] = []
  const value = await actors.extractArticle({ url }, { onProgress: progress => seen.push(progress) })
  t.match(value, { actor: 'audit-site' })
  t.strictSame(seen, [{ stage: 'pages', done: 1 }])
  t.match(await actors.extractArticle({ url }), { actor: 'plain' }, 'a short actor without a listener')
  t.equal(received[1]?.headers.accept, 'application/json')

  t.match(await actors.auditSite({ crawl_id: 1 }), { actor: 'audit-site' }, 'a long actor is always a stream')
  t.equal(received[2]?.headers.accept, 'text/event-stream')
  await t.rejects(actors.auditSite({ crawl_id: 1 }), { name: 'FetchFailedError', status: 502, reason: 'dns' })
  const endless = actors.checkLinks({ url })
  await t.rejects(endless, { name: 'ConnectionFailedError', wasSent: true }, 'a stream without a result')
  t.match(await actors.checkLinks({ url }), { actor: 'check-links' }, 'an answer without a stream')
  t.equal(received.length, 6, 'nothing is repeated')
  await close()
})

test('The rows of an audit are read from a raw answer', async t => {
  const text = 'rule,page\r\n'
  const { baseUrl, close, received } = await serving([
    ofActor('/v1/actors/audit-site', text, { 'content-type': 'text/csv' }),
  ])
  const client = new Tidemark({ apiKey: 'tmk_test', baseUrl })
  const body = { crawl_id: 1, format: 'csv' } as const
  // @ts-expect-error the method returns objects, so it takes no format of rows
  const refused: Parameters<typeof client.actors.auditSite>[0] = { crawl_id: 1, format: 'csv' }
  t.strictSame(refused, body)
  const kept: Parameters<typeof client.crawls.export>[1] = { format: 'jsonl' }
  t.ok(kept, 'other formats are fields of their bodies')
  t.equal(await (await client.request('auditSite', { body })).text(), text)
  t.strictSame([received[0]?.body, received[0]?.headers.accept], [JSON.stringify(body), '*/*'])
  await close()
})

type WebhookCase = {
  name: string
  body: string
  headers: Record<string, string>
  secrets: string[]
  now: number
  tolerance?: number
  without_time?: boolean
  outcome: { valid: boolean; error?: string }
}

test('Webhooks', async t => {
  for (const one of casesOf<WebhookCase>('webhooks')) {
    const { name, body, headers, secrets, now, tolerance = 300, without_time = false, outcome } = one
    for (const form of [body, Buffer.from(body)]) {
      const options = { now, tolerance, withoutTime: without_time }
      const verified = verifyWebhook(form, new Headers(headers), secrets, options)
      if (outcome.valid) t.strictSame(await verified, JSON.parse(body), name)
      else await t.rejects(verified, { name: outcome.error ?? 'WebhookVerificationError' }, name)
    }
  }
})

test('A key', async t => {
  t.throws(() => new Tidemark({ apiKey: 'tmk_a\nb' }), { name: 'TidemarkError', message: /^(?!.*tmk_a)/s })
  const sent: (string | null)[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get('authorization'))
    return Response.json({})
  }
  const { TIDEMARK_API_KEY } = process.env
  t.teardown(() => {
    if (TIDEMARK_API_KEY === undefined) delete process.env.TIDEMARK_API_KEY
    else process.env.TIDEMARK_API_KEY = TIDEMARK_API_KEY
  })
  process.env.TIDEMARK_API_KEY = 'tmk_environment'
  for (const apiKey of [' tmk_file\n', ''])
    await new Tidemark({ apiKey, baseUrl: 'http://tidemark.test', fetch }).account.usage()
  t.strictSame(sent, ['Bearer tmk_file', 'Bearer tmk_environment'], 'an empty option counts as absent')
})

test('An address that no request can have is refused by the constructor', async t => {
  // Given addresses without a scheme, of another one, without a host, or with a password.
  // When a client is made, then its error names the option, without the password.
  for (const baseUrl of [
    ...['localhost:8080', '127.0.0.1:8080', 'ftp://tidemark.test', 'http://', '/api'],
    'http://me:pw@tidemark.test',
  ])
    t.throws(
      () => new Tidemark({ baseUrl }),
      { name: 'TidemarkError', message: /^(?!.*pw).*base URL/ },
      baseUrl,
    )
  const fetch = async (url: unknown) => Response.json({ url })
  const own = new Tidemark({ baseUrl: '/console/api', fetch })
  t.match(
    await own.account.usage(),
    { url: '/console/api/v1/usage' },
    'a fetch of the caller may resolve paths',
  )
})

test('A request with an invalid header is neither sent nor a failed connection', async t => {
  // Given a service.
  let requests = 0
  const client = clientOf(async () => Response.json({ requests: ++requests }), { maxRetries: 2 })
  // When a header has a character that no header has.
  // Then the error names the header without its value, and is not one of a connection.
  for (const [options, name] of [
    [{ idempotencyKey: 'ключ' }, 'idempotency-key'],
    [{ headers: { 'x-trace': 'a\nsecret' } }, 'x-trace'],
    [{ headers: { 'x trace': 'a' } }, 'x trace'],
  ] as const)
    await t.rejects(client.crawls.start({ url: 'https://a.example/' }, options), {
      name: 'TidemarkError',
      message: new RegExp(`^(?!.*(ключ|secret)).*'${name}'`, 's'),
    })
  t.equal(requests, 0)
})

/** Returns a client whose requests are answered here. */
const clientOf = (answer: (url: string, init: RequestInit) => Promise<Response>, more = {}) =>
  new Tidemark({
    apiKey: 'tmk_test',
    baseUrl: 'http://tidemark.test',
    maxRetries: 0,
    fetch: (url, init) => answer(String(url), init ?? {}),
    ...more,
  })

/** A body that sends some bytes, and then nothing. */
const silentAfter = (text: string) =>
  new ReadableStream({ start: controller => controller.enqueue(new TextEncoder().encode(text)) })

test('An error does not have the signature of a download', async t => {
  const client = clientOf(() => Promise.reject(new Error('refused')))
  const download_url = 'http://x/v1/exports/9/file?expires=1&signature=deadbeef'
  const failed = client.exports.download({ id: 9, download_url } as never)
  await t.rejects(failed, {
    name: 'ConnectionFailedError',
    message: /^(?!.*deadbeef).*\/v1\/exports\/9\/file failed/,
  })
})

test('A redirect has the base URL to set in its error', async t => {
  const redirectTo = (location: string) => async () =>
    new Response('moved', { status: 301, headers: { location } })
  const sent: unknown[] = []
  for (const [location, message] of [
    [
      'https://api.tidemark.test/v1/crawls/1',
      /redirects to https:\/\/api\.tidemark\.test\/v1\/crawls\/1\b.*base URL to https:\/\/api\.tidemark\.test\.$/,
    ],
    ['/api/v1/crawls/1', /base URL to http:\/\/tidemark\.test\/api\.$/],
    [
      'https://me:pw@login.test/?to=tmk_x',
      /^(?!.*(pw|tmk_)).*redirects to https:\/\/login\.test\/.*address of the service/,
    ],
    ['http://[', /^http:\/\/tidemark\.test\/v1\/crawls\/1 redirects.*address of the service/],
  ] as const) {
    // Given a proxy that redirects, when a client calls the API through it.
    const client = clientOf((_, { redirect }) => {
      sent.push(redirect)
      return redirectTo(location)()
    })
    // Then the error names the address and what to set.
    await t.rejects(client.crawls.get(1), { name: 'ApiError', status: 301, code: null, message }, location)
  }
  t.strictSame(sent, Array(4).fill('manual'), 'the runtime follows none')
  const hidden = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } })
  const inBrowser = clientOf(async () => hidden).crawls.get(1)
  await t.rejects(inBrowser, {
    name: 'ApiError',
    status: 0,
    message: /crawls\/1 redirects.*address of the service/,
  })
})

test('A body that falls silent ends after the timeout', async t => {
  const line = '{"id":1}\n'
  const ndjson = { headers: { 'content-type': 'application/x-ndjson' } }
  const client = clientOf(async () => new Response(silentAfter(line), ndjson), { timeout: 100 })
  const pages = client.crawls.pages(2, { include: 'markdown' })
  await t.rejects(pages.all(), { name: 'AttemptTimedOutError', message: /no data for 100 ms/ })
  const response = await client.request('listPages', { path: { id: 2 } }, 'text/csv')
  await t.rejects(response.text(), { name: 'AttemptTimedOutError' })
})

test('A body may take longer than the timeout, but no part of it', async t => {
  const parts = ['{"id"', ':', '1', '}']
  const slow = () =>
    new ReadableStream({
      async pull(controller) {
        await sleep(60)
        const part = parts.shift()
        if (part === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(part))
      },
    })
  const json = { headers: { 'content-type': 'application/json' } }
  const slowly = clientOf(async () => new Response(slow(), json), { timeout: 150 })
  t.strictSame(await slowly.crawls.get(1), { id: 1 })
  for (const status of [200, 500]) {
    const silent = clientOf(async () => new Response(silentAfter('{'), { ...json, status }), { timeout: 100 })
    await t.rejects(silent.crawls.get(1), { name: 'AttemptTimedOutError', message: /100 ms/ }, `${status}`)
  }
})

test('An llms.txt is awaited for longer than the crawl behind it', async t => {
  const { setTimeout } = globalThis
  t.teardown(() => Object.assign(globalThis, { setTimeout }))
  const limits: (number | undefined)[] = []
  const recorded = (run: () => void, ms?: number) => {
    limits.push(ms)
    return setTimeout(run, ms)
  }
  Object.assign(globalThis, { setTimeout: recorded })
  const client = clientOf(async () => Response.json({}), { timeout: undefined })
  const limitOf = async (sent: Promise<unknown>) => {
    limits.length = 0
    await sent
    return limits[0]
  }
  const body = { url: 'https://example.com/', wait_seconds: 180 }
  t.equal(await limitOf(client.llmsTxt(body)), 290_000)
  t.equal(await limitOf(client.request('buildLlmsTxt', { body })), 290_000)
  t.equal(await limitOf(client.request('auditSite', { body: { crawl_id: 1, format: 'csv' } })), 290_000)
  t.equal(await limitOf(client.llmsTxt(body, { timeout: 5 })), 5, 'the caller decides')
  t.equal(await limitOf(client.map(body)), 200_000, 'others have the usual limit')
  const patient = clientOf(async () => Response.json({}), { timeout: 900_000 })
  t.equal(await limitOf(patient.llmsTxt(body)), 900_000)
})

/** An answer without content as Chromium gives it. */
const withoutContent = () =>
  Object.defineProperty(new Response(null, { status: 204 }), 'body', { value: new Blob([]).stream() })

test('An answer without content may have an empty body', async t => {
  t.equal(await clientOf(async () => withoutContent()).crawls.endShares(1), undefined)
})

test('A download has the headers of its caller', async t => {
  const sent: (string | null)[][] = []
  const client = clientOf(async (_, { headers }) => {
    const given = new Headers(headers)
    sent.push([given.get('x-trace'), given.get('range')])
    return new Response('file')
  })
  const file = { id: 9, download_url: 'http://x/v1/exports/9/file?signature=a' } as never
  for (const from of [0, 5]) await client.exports.download(file, from, { headers: { 'x-trace': 'a' } })
  t.strictSame(sent, [
    ['a', null],
    ['a', 'bytes=5-'],
  ])
})

test('An export without a file is an error before a request', async t => {
  // Given an export that is not finished, and one whose file was deleted.
  let requests = 0
  const client = clientOf(async () => Response.json({ requests: ++requests }))
  // When its file is downloaded, then the error names the status.
  for (const status of ['queued', 'expired'])
    await t.rejects(client.exports.download({ id: 9, status, download_url: null } as never), {
      name: 'TidemarkError',
      message: `Export 9 has no file to download: its status is ${status}.`,
    })
  t.equal(requests, 0)
})

test('Events and a wait have the headers and the timeout of their caller', async t => {
  // Given a service whose first stream is silent.
  const sent: (string | null)[][] = []
  const end = 'id: 1-0\nevent: end\ndata: {}\n\n'
  let streams = 0
  const client = clientOf(async (url, { headers }) => {
    const given = new Headers(headers)
    sent.push([new URL(url).pathname, given.get('x-trace'), given.get('last-event-id')])
    if (!url.includes('/events')) return Response.json({ status: 'done' })
    return new Response(silentAfter(++streams === 1 ? ': open\n\n' : end))
  })
  const options = { headers: { 'x-trace': 'a' }, timeout: 50 }
  // When a caller follows a crawl, and waits for it.
  for await (const { id } of client.crawls.events(2, { ...options, lastEventId: '0-7' })) t.equal(id, '1-0')
  t.match(await client.crawls.wait(2, options), { status: 'done' })
  // Then silence of that time replaces the connection, and each request has the headers.
  t.strictSame(sent, [
    ['/v1/crawls/2/events', 'a', '0-7'],
    ['/v1/crawls/2/events', 'a', '0-7'],
    ['/v1/crawls/2/events', 'a', null],
    ['/v1/crawls/2', 'a', null],
  ])
})

test('A signal that outlives many requests keeps no listener of them', async t => {
  const listeners = new Set<unknown>()
  const { signal } = new AbortController()
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener)
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener)
  const end = 'id: 1-0\nevent: end\ndata: {}\n\n'
  const client = clientOf(
    async url => new Response(url.endsWith('/events') ? silentAfter(end) : '{"id":1}\n'),
  )
  t.equal((await client.crawls.pages(2, { include: 'markdown', signal }).all()).length, 1)
  for await (const { event } of client.crawls.events(2, { signal })) t.equal(event, 'end')
  await t.rejects(clientOf(() => Promise.reject(new Error('cut'))).account.usage({ signal }))
  await clientOf(async () => withoutContent()).request('followCrawl', { path: { id: 1 } }, '*/*', { signal })
  t.equal(listeners.size, 0)
  const [leaving, silent] = [new AbortController(), clientOf(async () => new Response(silentAfter('a')))]
  const response = await silent.request('listPages', { path: { id: 2 } }, '*/*', { signal: leaving.signal })
  leaving.abort(new Error('left'))
  await t.rejects(response.text(), { message: 'left' }, 'the signal ends a body that is being read')
})

test('Pages with content have types for their metadata and signals', async t => {
  const line = '{"metadata":{"title":"A"},"signals":{"word_count":3}}\n{"metadata":null,"signals":null}\n'
  const client = clientOf(async () => new Response(line))
  const found: { title: string | null | undefined; words: number | undefined }[] = []
  for await (const { metadata, signals } of client.crawls.pages(2, { include: 'metadata,signals' }))
    found.push({ title: metadata?.title, words: signals?.word_count })
  t.strictSame(found, [
    { title: 'A', words: 3 },
    { title: undefined, words: undefined },
  ])
})

test('A path with another value than a text or a number is not requested', async t => {
  let requests = 0
  const client = clientOf(async () => Response.json({ requests: ++requests }))
  for (const value of [undefined, null, { id: 1 }])
    await t.rejects(client.crawls.get(value as never), {
      name: 'TidemarkError',
      message: "The path /v1/crawls/{id} needs a text or a number for 'id'.",
    })
  t.equal(requests, 0)
})

test('A body that the API does not need can be left out', async t => {
  const sent: unknown[] = []
  const client = clientOf(async (_, { body }) => {
    sent.push(body)
    return Response.json({ prefix: 'tmk_abcdefgh' })
  })
  await client.keys.rotate()
  await client.webhooks.rotateSecret()
  t.strictSame(sent, [undefined, undefined])
})

test('A list has the methods of a promise', async t => {
  let status = 500
  const client = clientOf(async () => Response.json({ items: [1], next_offset: null }, { status }))
  t.match(await client.crawls.links(2).catch((error: unknown) => error), { status: 500 })
  let ends = 0
  await t.rejects(
    client.crawls.links(2).finally(() => void ends++),
    { name: 'ApiError' },
  )
  status = 200
  t.match(await client.crawls.links(2).catch(() => null), { items: [1] })
  t.match(await client.crawls.links(2).finally(() => void ends++), { items: [1] })
  t.equal(ends, 2)
})

test('A list whose first part failed can be awaited again', async t => {
  let requests = 0
  const client = clientOf(async () =>
    requests++ === 0 ? Response.json({}, { status: 500 }) : Response.json({ items: [1], next_offset: null }),
  )
  const links = client.crawls.links(2)
  t.match(await Promise.resolve(links).catch((error: unknown) => error), { status: 500 })
  t.match(await links, { items: [1] })
  await links
  t.equal(requests, 2, 'and a part that arrived is kept')
})

test('An event of the payment provider is sent as its bytes', async t => {
  const sent: unknown[] = []
  const client = clientOf(async (_, { body, headers }) => {
    sent.push(Buffer.from(body as string).toString(), new Headers(headers).get('payment-signature'))
    return Response.json({ received: true })
  })
  const event = '{ "id": "evt_1" }\n'
  await client.account.paymentEvent(event, 't=1')
  await client.account.paymentEvent(Buffer.from(event), 't=2')
  t.strictSame(sent, [event, 't=1', event, 't=2'])
})
