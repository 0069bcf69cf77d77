/** Redirects are followed one by one and judged like the first URL, and other origins receive no secrets. */
import { startOrigin } from '@tidemark/testing/origin'
import { decodedPage } from '@tidemark/testing/origin-behaviours'
import t from 'tap'
import { createClient } from './client.ts'
import type { PageRequest } from './fetch.ts'
import { fetchingFrom, settings } from './local-fetch.scene.ts'
import { keepsOrigin } from './redirect.ts'

const origin = await startOrigin()
const other = await startOrigin({ host: '127.1.0.2' })
const client = createClient(settings)
t.teardown(() => Promise.all([client.close(), origin.close(), other.close()]))

const { get, failure } = fetchingFrom(origin, client)

const echoed = async (path: string, more: Partial<PageRequest> = {}): Promise<Record<string, string>> =>
  JSON.parse((await get(path, more)).body.toString())

t.test('follows redirects one by one', async t => {
  const { hops, url, body } = await get('/redirect-chain/5')
  t.same(hops.map(hop => [hop.url.slice(origin.url.length), hop.status]).at(-1), ['/redirect-chain/1', 302])
  t.match(
    { hops: hops.length, url, body: body.length },
    { hops: 5, url: `${origin.url}/redirect-chain/0`, body: decodedPage.length },
  )
  t.match(await failure('/redirect-chain/1', { maxHops: 0 }), {
    code: 'too_many_redirects',
    target: `${origin.url}/redirect-chain/0`,
    hops: [{ status: 302 }],
  })
  t.equal(
    (await get(`/redirect-to?url=${encodeURIComponent('/échos?ü=1')}`)).url,
    `${origin.url}/%C3%A9chos?%C3%BC=1`,
    'a location in UTF-8',
  )
  t.ok((await get('/redirect-drip')).elapsedMs < 5_000, 'a redirect is followed before its own body arrives')
})

t.test('sends other origins the fields of a body, and no similar names', async t => {
  const headers = { 'content-type': 'text/plain', 'content-language': 'de', 'content-token': 'secret' }
  await get(`/redirect-to?status=307&url=${other.url}/echo`, { method: 'POST', body: 'sent', headers })
  t.match(other.hits.at(-1)?.headers, { 'content-type': 'text/plain', 'content-language': 'de' })
  t.equal(other.hits.at(-1)?.headers['content-token'], undefined)
})

t.test('a redirect changes the method as browsers do', async t => {
  const post = { method: 'POST', body: 'sent', headers: { 'content-type': 'text/plain' } } as const
  for (const status of [301, 302, 303]) {
    await get(`/redirect-to?status=${status}&url=/echo-headers`, post)
    t.match(origin.hits.at(-1), { method: 'GET', headers: { 'content-type': undefined } }, `${status}`)
  }
  for (const status of [307, 308])
    t.equal((await get(`/redirect-to?status=${status}&url=/echo`, post)).body.toString(), 'sent')
  for (const status of [301, 302])
    t.equal(
      (await get(`/redirect-to?status=${status}&url=/echo`, { ...post, method: 'PUT' })).body.toString(),
      'sent',
      `only POST becomes GET after ${status}`,
    )
  await get('/redirect-to?status=303&url=/plain', { method: 'HEAD' })
  t.equal(origin.hits.at(-1)?.method, 'HEAD')
})

t.test('POST and GET of one URL are no loop', async t => {
  origin.site({ '/form': { status: 303, headers: { location: '/form' } } })
  const error = await failure('/form', { method: 'POST', body: 'sent' })
  t.equal(error.code, 'too_many_redirects')
  t.equal(error.hops.length, 2, 'GET was sent, and only its redirect is a loop')
})

const secrets = {
  Authorization: 'Bearer x',
  cookie: 'a=b',
  'X-Api-Key': 'k',
  'User-Agent': 'tidemark',
  Accept: 'text/html',
}

t.test("a customer's headers are sent to the original origin only", async t => {
  const known = {
    authorization: 'Bearer x',
    cookie: 'a=b',
    'x-api-key': 'k',
    'user-agent': 'tidemark',
    accept: 'text/html',
  }
  t.match(await echoed('/redirect-to?url=/echo-headers', { headers: secrets }), known)
  const abroad = `/redirect-to?url=${other.url}/echo-headers`
  t.same(Object.keys(await echoed(abroad, { headers: secrets })).sort(), [
    'accept',
    'connection',
    'host',
    'user-agent',
  ])
  const andBack = `/redirect-to?url=${encodeURIComponent(`${other.url}/redirect-to?url=${origin.url}/echo-headers`)}`
  t.notMatch(await echoed(andBack, { headers: secrets }), { cookie: 'a=b' }, 'not even after a redirect back')
  const chosen = await echoed(abroad, {
    headers: secrets,
    headersFor: ({ hostname }) => ({ 'x-for': hostname }),
  })
  t.match(chosen, { 'x-for': '127.1.0.2', cookie: undefined, accept: undefined })
})

t.test('an origin includes its https twin, at the default ports only', async t => {
  const cases: [from: string, to: string, keeps: boolean][] = [
    ['http://a.test/x', 'http://a.test/y', true],
    ['http://a.test:8080/', 'http://a.test:8080/', true],
    ['http://a.test/', 'https://a.test/', true],
    ['https://a.test/', 'http://a.test/', false],
    ['http://a.test/', 'https://a.test:8443/', false],
    ['http://a.test:8080/', 'https://a.test/', false],
    ['http://a.test/', 'https://b.a.test/', false],
    ['http://a.test/', 'http://a.test:8080/', false],
  ]
  for (const [from, to, keeps] of cases)
    t.equal(keepsOrigin(new URL(from), new URL(to)), keeps, `${from} to ${to}`)
})

t.test('the caller cannot set headers of the connection', async t => {
  const headers = {
    Host: 'inside.test',
    Connection: 'x-api-key',
    'Transfer-Encoding': 'chunked',
    'Content-Length': '5',
    Expect: '100-continue',
    Upgrade: 'h2c',
    TE: 'x',
  }
  const seen = await echoed('/echo-headers', { headers })
  t.same(seen, { host: `127.1.0.1:${origin.port}`, connection: 'keep-alive' })
  const before = origin.hits.length
  t.equal((await failure('/plain', { headers: { 'x-a': 'b\r\nx-c: d' } })).code, 'bad_url')
  t.equal((await failure('/plain', { headers: { 'x\r\n': 'b' } })).code, 'bad_url')
  t.equal(origin.hits.length, before, 'nothing was sent')
})
