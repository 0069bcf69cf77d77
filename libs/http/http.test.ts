/** One page is fetched within its limits, whatever the site does. */
import net from 'node:net'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { decodedPage, interimText } from '@tidemark/testing/origin-behaviours'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import t from 'tap'
import { createClient } from './client.ts'
import { decodeBody } from './decode.ts'
import { fetchPage } from './fetch.ts'
import { fetchCodes } from './fetch-error.ts'
import { Gathered } from './gather.ts'
import { fetchingFrom, limits, settings } from './local-fetch.scene.ts'
import { parseTarget } from './target.ts'

const certificate = selfSigned(['127.1.0.7'])
const origin = await startOrigin()
const client = createClient(settings)
t.teardown(() => Promise.all([client.close(), origin.close()]))

const { get, failure } = fetchingFrom(origin, client)

t.test('returns the bytes as the origin sent them, and their encodings', async t => {
  const rows: Record<string, string[]> = {
    '/plain': [],
    '/gzip': ['gzip'],
    '/brotli': ['br'],
    '/zstd': ['zstd'],
    '/deflate': ['deflate'],
    '/raw-deflate': ['deflate'],
    '/gzip-trailing-garbage': ['gzip'],
    '/stacked-encodings/2': ['gzip', 'gzip'],
    '/until-close': [],
  }
  for (const [path, encodings] of Object.entries(rows)) {
    const { body, status, url, hops, elapsedMs, ...page } = await get(`${path}#part`)
    t.same(
      { status, url, hops, encodings: page.encodings },
      { status: 200, url: origin.url + path, hops: [], encodings },
    )
    t.equal(decodeBody(body, encodings, limits.maxBytes).toString(), decodedPage, path)
    t.equal(body.buffer.byteLength, body.length, 'in a separate buffer')
    t.ok(elapsedMs > 0)
  }
})

t.test('accepts every status as a response, and joins repeated fields', async t => {
  for (const status of [200, 201, 304, 404, 410, 429, 500, 503])
    t.equal((await get(`/status/${status}`)).status, status)
  t.equal((await get('/status/302')).status, 302, 'also a redirect without a target')
  t.equal((await get('/retry-later/503')).headers['retry-after'], '7')
  origin.site({
    '/fields': {
      headers: {
        'Set-Cookie': ['a=1; Expires=Fri, 1 Jan', 'b=2'],
        Vary: ['a', 'b'],
        Location: ['/a,b', '/a,b'],
        'X-Robots-Tag': ['googlebot: noindex', 'max-snippet: 5, noai', 'otherbot/2: none', 'nofollow'],
      },
    },
  })
  const { headers } = await get('/fields')
  t.match(headers, { 'set-cookie': 'a=1; Expires=Fri, 1 Jan\nb=2', vary: 'a, b', location: '/a,b' })
  t.equal(
    headers['x-robots-tag'],
    'max-snippet: 5, noai, nofollow, googlebot: noindex, otherbot/2: none',
    'the name of a bot covers no rule of another field',
  )
  t.equal((await get('/plain', { method: 'HEAD' })).body.length, 0)
  origin.site({ '/unchanged': { status: 304, headers: { 'content-length': 5_000_000 } } })
  t.match(await get('/unchanged'), { status: 304, body: { length: 0 } }, 'a length without a body')
  t.equal((await get('/many-headers/500')).headers['x-one']?.split(', ').length, 500)
})

t.test('reads the page after interim responses', async t => {
  await using site = await startOrigin({ host: '127.1.0.7' })
  await using single = createClient({ ...settings, connectionsPerOrigin: 1 })
  const send = (path: string) => fetchPage(single, { ...limits, url: site.url + path })
  const statuses = ['100', '102', '103', '100-100', '103-100-103', Array(16).fill('100').join('-')]
  for (const path of statuses.flatMap(list => [`/interim/${list}`, `/interim/${list}`, '/plain'])) {
    const { status, body } = await send(path)
    t.same([status, body.toString()], [200, decodedPage], path)
  }
  t.equal(site.connections.opened, 1, 'and keeps the connection')
  for (const path of ['/interim-crumbs/100', '/interim-crumbs/103-100-100'])
    t.equal((await send(path)).body.toString(), decodedPage, `${path}, in single bytes`)
  t.equal((await send('/interim-in-body')).body.toString(), interimText.repeat(2), 'a body may look like one')
  t.equal((await send('/interim/100')).status, 200)
  const many = send(`/interim/${Array(17).fill('100').join('-')}`)
  await t.rejects(many, { code: 'protocol', message: /interim/ }, 'but not after too many of them')
})

t.test('reads an encrypted page after interim responses', async t => {
  await using site = await startOrigin({ host: '127.1.0.7', tls: certificate })
  await using secure = createClient({ ...settings, trust: { ca: certificate.cert } })
  for (const path of ['/interim/100', '/interim/103', '/interim-crumbs/100'])
    t.equal((await fetchPage(secure, { ...limits, url: site.url + path })).body.toString(), decodedPage, path)
})

const misbehaviour: Record<string, string> = {
  '/accepts-and-closes': 'protocol, may pass',
  '/resets-mid-body': 'protocol, may pass',
  '/lying-length-long': 'protocol, may pass',
  '/lying-length-negative': 'protocol',
  '/lying-length-two': 'protocol, may pass',
  '/chunk-cut': 'protocol, may pass',
  '/not-http': 'protocol',
  '/interim-forever': 'protocol',
  '/endless': 'too_large',
  '/endless-crumbs': 'too_large',
  '/huge-header': 'too_large',
  '/redirect-loop': 'too_many_redirects',
  '/redirect-chain/6': 'too_many_redirects',
  '/redirect-to?url=javascript:alert(1)': 'bad_url',
  '/redirect-to?url=file:///etc/passwd': 'bad_url',
  '/redirect-to?url=http://a:b@c.test/': 'bad_url',
  '/redirect-to?url=http://[': 'bad_url',
  '/redirect-to?url=http://127.1.0.1:22/': 'bad_url',
  '/redirect-to?url=//127.0.0.1/': 'private_address',
  'http://127.1.0.250:9/': 'bad_url',
  'http://127.1.0.250:1025/': 'connect, may pass',
  'http://127.0.0.1/': 'private_address',
  'gopher://127.1.0.1/': 'bad_url',
}

t.test('reports why there is no response, and ends the connection', async t => {
  for (const [path, wanted] of Object.entries(misbehaviour)) {
    const { code, transient, retryAfterMs, message } = await failure(path)
    t.equal(`${code}${transient ? ', may pass' : ''}`, wanted, `${path}: ${message}`)
    t.equal(retryAfterMs, transient ? fetchCodes[code].retryAfterMs : 0)
  }
  t.equal(
    (await get('/lying-length-short')).body.length,
    10,
    'data beyond the announced length is not part of the body',
  )
  await until(() => origin.connections.open <= 4)
  t.pass('connections to servers that broke a limit are closed')
})

t.test('one deadline covers everything, including a slow body', async t => {
  const paths = ['/never-answers', '/header-drip', '/body-drip', '/stalls-at-99', '/slow/60000']
  const errors = await Promise.all(paths.map(path => failure(path, { timeoutMs: 300 })))
  for (const [at, path] of paths.entries())
    t.match(errors[at], { code: 'timeout', transient: true, target: origin.url + path })
  const chain = await failure('/redirect-to?url=/body-drip', { timeoutMs: 300 })
  t.match(chain, { code: 'timeout', target: `${origin.url}/body-drip`, hops: [{ status: 302 }] })
})

t.test('counts bytes: exactly the maximum passes, and an announced excess fails at once', async t => {
  t.equal((await get('/plain', { maxBytes: decodedPage.length })).body.length, decodedPage.length)
  t.equal((await failure('/plain', { maxBytes: decodedPage.length - 1 })).code, 'too_large')
  t.equal((await failure('/body-drip', { maxBytes: 999_999 })).code, 'too_large')
  t.equal((await get('/until-close', { maxBytes: decodedPage.length })).body.length, decodedPage.length)
  t.equal((await failure('/until-close', { maxBytes: decodedPage.length - 1 })).code, 'too_large')
})

t.test('cuts long bodies if a part is enough', async t => {
  const max = { maxBytes: 1_000, cuts: true }
  for (const path of ['/endless', '/endless-crumbs', '/plain', '/until-close']) {
    const { status, body } = await get(path, max)
    t.strictSame([status, body.length], [200, 1_000], path)
  }
  t.equal((await get('/plain', { ...max, maxBytes: 1_000_000 })).body.length, decodedPage.length)
})

t.test('keeps connections by origin, up to the maximum', async t => {
  await using site = await startOrigin({ host: '127.1.0.3' })
  for (let time = 0; time < 10; time++) await get(`${site.url}/plain`)
  t.ok(site.connections.opened <= 2, `${site.connections.opened} for ten pages`)
  await Promise.all(Array.from({ length: 20 }, () => get(`${site.url}/slow/5`)))
  t.equal(site.connections.opened, 4)
})

t.test('repeats a request only if a kept connection was closed', async t => {
  await using moody = await startOrigin({ host: '127.1.0.4' })
  await using http = createClient({ ...settings, connectionsPerOrigin: 1 })
  const request = { ...limits, url: `${moody.url}/once-a-connection` }
  for (let time = 0; time < 3; time++) t.equal((await fetchPage(http, request)).status, 200)
  t.same({ opened: moody.connections.opened, hits: moody.hits.length }, { opened: 3, hits: 5 })
  await t.rejects(
    fetchPage(http, { ...request, method: 'POST' }),
    { code: 'protocol' },
    'a POST is sent once',
  )
  t.equal(moody.hits.length, 6)
})

t.test('a request that waited too long for a connection is not sent, and closes no connection', async t => {
  await using busy = await startOrigin({ host: '127.1.0.6' })
  await using http = createClient({ ...settings, connectionsPerOrigin: 1 })
  const send = (path: string, timeoutMs: number) =>
    fetchPage(http, { ...limits, url: busy.url + path, timeoutMs })
  const holder = send('/never-answers', 1_000)
  const late = [holder, ...Array.from({ length: 20 }, () => send('/plain', 200))]
  for (const end of await Promise.allSettled(late)) t.match(end, { reason: { code: 'timeout' } })
  t.equal((await send('/gzip', 20_000)).status, 200)
  t.same({ hits: busy.hits.length, opened: busy.connections.opened }, { hits: 2, opened: 2 })
})

t.test('can be cancelled before, during, and by closing the client', async t => {
  t.match(await failure('/plain', { signal: AbortSignal.abort() }), { code: 'aborted', transient: true })
  const stop = new AbortController()
  const pending = failure('/never-answers', { signal: stop.signal })
  setTimeout(() => stop.abort(new Error('drained')), 50)
  t.match(await pending, { code: 'aborted', cause: { message: 'drained' } })

  const short = createClient({ ...settings, connectionsPerOrigin: 1 })
  const fetches = ['/never-answers', '/plain'].map(path =>
    fetchPage(short, { ...limits, url: origin.url + path }),
  )
  const ends = Promise.allSettled(fetches)
  setTimeout(() => void short.close(), 50)
  for (const end of await ends) t.match(end, { status: 'rejected', reason: { code: 'aborted' } })
})

t.test('parses URLs strictly', async t => {
  t.equal(parseTarget('HTTPS://Example.COM:443/a b').href, 'https://example.com/a%20b')
  t.equal(parseTarget('http://0x7f.1/').hostname, '127.0.0.1')
  for (const bad of [
    '',
    'example.com',
    '//example.com',
    'ftp://a/',
    'http://',
    'http://u@a/',
    'http://:p@a/',
    'http://a:0/',
    'http://a:25/',
    'http://a:99999/',
    'data:,x',
    'http://a b/',
    'http://256.1.1.1/',
  ]) {
    t.throws(() => parseTarget(bad), { code: 'bad_url', transient: false, target: bad }, bad)
  }
})

t.test('a silent machine costs a timeout, not a hang', async t => {
  const silent = net.createServer({ pauseOnConnect: true })
  const { url } = await listening(silent, '127.1.0.5')
  t.equal((await failure(url, { timeoutMs: 200 })).code, 'timeout')
  silent.close()
})

t.test('a body is the same for every split into chunks', async t => {
  const piece = fc.tuple(fc.oneof(fc.nat(5), fc.nat(5_000), fc.nat(40_000)), fc.nat(255))
  const property = fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(2_000_000), (sizes, announced) => {
    const pieces = sizes.map(([size, byte]) => Buffer.alloc(size, byte))
    const whole = Buffer.concat(pieces)
    const gathered = new Gathered(whole.length, announced)
    const taken = pieces.every(one => gathered.push(one)) && !gathered.push(Buffer.of(1))
    const body = gathered.take()
    return taken && body.equals(whole) && body.buffer.byteLength === whole.length
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }))
})
