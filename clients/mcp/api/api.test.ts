/** The API as the tools call it: repeated attempts and their key, operations and their paths, and the texts of errors. */
import { test } from 'tap'
import { ApiError, openApi } from './api.ts'

type Sent = { url: string; method: string; headers: Headers; body: unknown }

/** Plays the API: each answer is a response, or an error of the connection. */
function playing(...answers: (Response | Error)[]) {
  const sent: Sent[] = []
  const api = openApi({
    baseUrl: 'http://api.example/',
    apiKey: 'tmk_secret',
    fetch: async (url, { method = 'GET', headers, body }) => {
      sent.push({ url, method, headers: new Headers(headers), body })
      const answer = answers[sent.length - 1] ?? new Error('no further answer')
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  return { api, sent }
}

const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json(
    { error: { code, message: 'No.', reason: 'a_reason', request_id: 'r-1' } },
    { status, headers },
  )

test('A start that was cut is repeated with the same key', async t => {
  const cut = new TypeError('fetch failed', {
    cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }),
  })
  const { api, sent } = playing(cut, Response.json({ id: 7 }, { status: 202 }))
  const { body } = await api('POST', '/v1/crawls', { body: { url: 'https://a.example/' } })
  t.strictSame(body, { id: 7 })
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
  t.equal(keys.length, 2)
  t.ok(keys[0])
  t.equal(keys[0], keys[1])
  t.match(sent[1], {
    url: 'http://api.example/v1/crawls',
    method: 'POST',
    body: '{"url":"https://a.example/"}',
  })
})

test('A scan that was cut is not repeated, because it may cost twice', async t => {
  const { api, sent } = playing(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }))
  await t.rejects(api('POST', '/v1/scan', { body: { url: 'https://a.example/' } }), ApiError)
  t.equal(sent.length, 1)
  t.equal(sent[0]?.headers.get('idempotency-key'), null)
})

test('A deletion that a repeated attempt finds done has succeeded', async t => {
  const wasDone = refused(503, 'unavailable', { 'retry-after': '0' })
  const { api, sent } = playing(wasDone, refused(404, 'not_found'))
  t.match(await api('DELETE', '/v1/crons/7'), { status: 204, body: {} })
  t.equal(sent.length, 2)
})

test('Short waits are waited for, longer ones are reported to the model', async t => {
  const short = playing(
    refused(429, 'too_many_requests', { 'retry-after': '0' }),
    Response.json({ items: [] }),
  )
  t.match(await short.api('GET', '/v1/crawls', { query: { limit: 5, offset: undefined } }), { status: 200 })
  t.equal(short.sent[1]?.url, 'http://api.example/v1/crawls?limit=5')
  const long = playing(refused(429, 'too_many_requests', { 'retry-after': '600' }))
  await t.rejects(long.api('GET', '/v1/crawls'), {
    message:
      'The API refused this: No. (429, too_many_requests, a_reason) Retry after 600 seconds. Request id r-1.',
  })
})

test('An actor that may work for long is read as a stream', async t => {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  const result =
    ': beat\n\nevent: progress\ndata: {"stage":"pages"}\n\nevent: result\ndata: {"url":"u","data":{}}\n\n'
  const failure =
    'event: error\ndata: {"error":{"code":"fetch_failed","message":"No host.","reason":"dns"}}\n\n'
  const { api, sent } = playing(
    new Response(result, { headers }),
    new Response(failure, { headers }),
    Response.json({ data: {} }),
  )
  const { body } = await api('POST', '/v1/actors/check-links', { body: { url: 'https://a.example/' } })
  t.strictSame(body, { url: 'u', data: {} })
  await t.rejects(api('POST', '/v1/actors/sitemap-audit', { body: {} }), {
    message: 'The API refused this: No host. (502, fetch_failed, dns)',
    status: 502,
  })
  await api('POST', '/v1/actors/extract-article', { body: {} })
  t.strictSame(
    sent.map(({ headers }) => headers.get('accept')),
    ['text/event-stream', 'text/event-stream', 'application/json'],
  )
})

test('A response that is too large is not read to its end', async t => {
  const { api } = playing(new Response(new Uint8Array(49 * 1024 ** 2)))
  await t.rejects(api('GET', '/v1/crawls'), { name: 'ApiError', message: /^The response exceeds/ })
})

test('Paths lead to their operations, and units are read', async t => {
  const headers = { 'x-pages-billed': '1', 'x-cloud-pages-billed': '2' }
  const { api, sent } = playing(
    Response.json({}, { headers }),
    Response.json({}),
    new Response(null, { status: 204 }),
  )
  t.strictSame((await api('POST', '/v1/actors/audit-onpage', { body: {} })).billed, {
    pages: 1,
    cloud_pages: 2,
  })
  await api('GET', '/v1/crawls/3/diff/4/page', { query: { url: 'https://a.example/?b=c&d' } })
  await api('DELETE', '/v1/crons/5')
  t.strictSame(
    sent.map(({ url }) => url.replace('http://api.example', '')),
    [
      '/v1/actors/audit-onpage',
      '/v1/crawls/3/diff/4/page?url=https%3A%2F%2Fa.example%2F%3Fb%3Dc%26d',
      '/v1/crons/5',
    ],
  )
  await t.rejects(api('GET', '/v1/rockets'), /no operation GET/)
  for (const { headers } of sent) t.equal(headers.get('authorization'), 'Bearer tmk_secret')
})
