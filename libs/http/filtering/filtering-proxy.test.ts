/** The only egress of a browser: its logins, its targets, its counts and its limits. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startDns } from '@tidemark/testing/dns'
import { startOrigin } from '@tidemark/testing/origin'
import { decodedPage } from '@tidemark/testing/origin-behaviours'
import { startCanary } from '@tidemark/testing/origin-canary'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { disguisedLoopback } from '@tidemark/testing/origin-disguises'
import { startProxy } from '@tidemark/testing/proxy'
import { systemResolver } from '@tidemark/testing/system-resolver'
import { until } from '@tidemark/testing/until'
import { startWire } from '@tidemark/testing/wire'
import fc from 'fast-check'
import t from 'tap'
import { createClient } from '../client.ts'
import { countedRoute } from '../counted-route.ts'
import { decodeBody } from '../decode.ts'
import { createDnsResolver } from '../dns-resolver.scene.ts'
import { fetchPage } from '../fetch.ts'
import { FetchError } from '../fetch-error.ts'
import { createGuard } from '../guard.ts'
import { createProxyClients } from '../proxies/proxy-clients.ts'
import { readProxy } from '../proxy.ts'
import { dial, loginOf, say } from './filtering-proxy.scene.ts'
import { openFilteringProxy } from './filtering-proxy.ts'
import type { SessionOptions } from './filtering-session.ts'

const certificate = selfSigned(['127.1.0.1', '127.1.0.70'])
const [plain, secure] = await Promise.all([startOrigin(), startOrigin({ tls: certificate })])
const settings = {
  guard: createGuard({ allow: ['127.1.0.0/16'] }),
  resolver: systemResolver,
  connectTimeoutMs: 1_000,
  connectionsPerOrigin: 4,
  trust: { ca: certificate.cert },
}
const proxy = await openFilteringProxy({ headMs: 300 })
t.teardown(() => Promise.all([proxy[Symbol.asyncDispose](), plain.close(), secure.close()]))

const open = (more: Partial<SessionOptions> = {}) =>
  proxy.session({
    route: countedRoute(settings),
    maxConnections: 20,
    maxBytes: 10_000_000,
    timeoutMs: 20_000,
    ...more,
  })

type Login = { username: string; password: string }

const connectTo = (at: string, login: Login | null) =>
  `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\n${login ? loginOf(login) : ''}\r\n`
const get = (url: string, login: Login | null, more = '') =>
  `GET ${url} HTTP/1.1\r\nHost: ${URL.parse(url)?.host ?? 'x'}\r\n${login ? loginOf(login) : ''}Connection: close\r\n${more}\r\n`

t.test('connects to sites, plain and encrypted, and counts every byte on the wire', async t => {
  await using wire = await startWire(secure.port, '127.1.0.1')
  await using plainWire = await startWire(plain.port, '127.1.0.1')
  const session = open()
  const text = await say(proxy, get(`http://${plainWire.at}/plain`, session))
  t.match(text, /^HTTP\/1\.1 200 OK\r\n/)
  t.match(text, decodedPage.slice(0, 100))
  t.same(plain.hits.at(-1)?.headers, { host: plainWire.at, connection: 'keep-alive' })

  // Our own client can use it too: it sends CONNECT for both schemes.
  await using clients = createProxyClients({ ...settings, guard: createGuard({ allow: ['127.0.0.0/8'] }) })
  const at = `http://${session.username}:${session.password}@${new URL(proxy.server).host}`
  using lent = clients.lend(readProxy(at), 'operator')
  const limits = { maxBytes: 1e6, maxHops: 0, timeoutMs: 5_000 }
  for (const url of [`https://${wire.at}/gzip`, `http://${plainWire.at}/gzip`]) {
    const { body, encodings } = await fetchPage(lent.client, { ...limits, url })
    t.equal(decodeBody(body, encodings, 1e6).toString(), decodedPage)
  }
  await session[Symbol.asyncDispose]()
  await sleep(50)
  t.equal(session.moved, wire.bytes + plainWire.bytes)
  t.same(session.refusals, [])
})

t.test('passes over the interim responses of a site, but not over too many', async t => {
  const session = open()
  const after = (count: number) =>
    say(proxy, get(`${plain.url}/interim/${Array(count).fill('103').join('-')}`, session))
  t.match(await after(16), /^HTTP\/1\.1 200/)
  t.equal(await after(17), '')
  t.match(session.refusals, [{ error: { code: 'protocol' } }])
  await session[Symbol.asyncDispose]()
})

t.test('rejects clients without the login of an open session', async t => {
  const session = open()
  const opened = plain.connections.opened
  const wrong = [
    null,
    { username: session.username, password: 'x' },
    { username: session.username, password: `${session.password}x` },
    { username: '', password: '' },
    { username: '__proto__', password: session.password },
  ]
  for (const login of wrong) {
    t.match(
      await say(proxy, connectTo(`127.1.0.1:${plain.port}`, login)),
      /^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/s,
    )
    t.match(
      await say(proxy, get(`${plain.url}/plain`, login)),
      /^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/s,
    )
  }
  const bearer = `CONNECT 127.1.0.1:${plain.port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Bearer ${session.password}\r\n\r\n`
  t.match(await say(proxy, bearer), /^HTTP\/1\.1 407/)
  await session[Symbol.asyncDispose]()
  t.match(await say(proxy, get(`${plain.url}/plain`, session)), /^HTTP\/1\.1 407/, 'nor after its end')
  t.equal(plain.connections.opened, opened)
})

t.test('connects to no private address in any spelling, and reports the reason', async t => {
  await using canary = await startCanary()
  const session = open({ maxConnections: 1_000 })
  const forms = fc.sample(disguisedLoopback(canary.port), { numRuns: 150, seed: 7 })
  for (const form of forms) {
    const url = URL.parse(form)
    await say(proxy, get(form.replace(/^https/, 'http').replaceAll(/[\s\u0080-\uffff]/g, ''), session))
    if (url) t.notMatch(await say(proxy, connectTo(url.host, session)), /^HTTP\/1\.1 2/, form)
  }
  for (const at of [
    'localhost:80',
    '10.0.0.1:443',
    '[::1]:80',
    '169.254.169.254:80',
    '0x7f.1:8080',
    '2130706433:80',
  ])
    t.match(await say(proxy, connectTo(at, session)), /^HTTP\/1\.1 403/, at)
  for (const at of ['a b:80', 'user@10.0.0.1:80', 'x', ':80', 'x:', 'x:99999', '/plain', 'x:80/y', '[::1:80'])
    t.notMatch(await say(proxy, connectTo(at, session)), /^HTTP\/1\.1 [25]/, at)
  for (const url of ['https://127.1.0.1/', 'ftp://127.1.0.1/', '/plain', 'http://u:p@127.1.0.1/', 'http://'])
    t.match(await say(proxy, get(url, session)), /^HTTP\/1\.1 400/, url)
  t.equal(canary.hits, 0)
  t.match(session.refusals[0]?.error, { code: 'private_address' })
  t.ok(session.refusals.length <= 64)
  t.equal(await say(proxy, get('http://10.0.0.9/', session)), '', 'our own response is never shown as a page')
})

t.test('resolves a name once, and dials the judged address', async t => {
  await using canary = await startCanary()
  await using dns = await startDns({
    answer: (name, type, nth) =>
      type === 'AAAA'
        ? []
        : name === 'mixed.test'
          ? ['127.1.0.1', '127.0.0.1']
          : [nth === 1 ? '127.1.0.1' : '127.0.0.1'],
  })
  const resolver = createDnsResolver([dns.server])
  const session = open({ route: countedRoute({ ...settings, resolver }) })
  t.match(await say(proxy, get(`http://turns.test:${plain.port}/plain`, session)), /^HTTP\/1\.1 200/)
  t.equal(dns.queries.filter(({ type }) => type === 'A').length, 1)
  t.match(await say(proxy, connectTo(`turns.test:${canary.port}`, session)), /^HTTP\/1\.1 403/)
  t.match(await say(proxy, connectTo(`mixed.test:${canary.port}`, session)), /^HTTP\/1\.1 403/)
  t.match(session.refusals, [
    { host: 'turns.test', error: { code: 'private_address' } },
    { host: 'mixed.test', error: { code: 'private_address' } },
  ])
  t.equal(canary.hits, 0)
})

t.test('rejects hosts by the rule of its owner, and records the first rejection of each host', async t => {
  const judge = (host: string) => (host === 'listed.test' ? new FetchError('blocked_domain') : null)
  const session = open({ judge })
  t.match(await say(proxy, connectTo('listed.test:443', session)), /^HTTP\/1\.1 403/)
  t.equal(await say(proxy, get('http://listed.test/', session)), '')
  t.match(await say(proxy, connectTo('127.1.0.250:1025', session)), /^HTTP\/1\.1 502/)
  t.match(await say(proxy, connectTo('nowhere.invalid:80', session)), /^HTTP\/1\.1 502/)
  t.same(
    session.refusals.map(({ host, error }) => [host, error.code]),
    [
      ['listed.test', 'blocked_domain'],
      ['127.1.0.250', 'connect'],
      ['nowhere.invalid', 'dns'],
    ],
  )
})

t.test('rejects requests that are ambiguous, too large or too slow', async t => {
  const session = open()
  const before = plain.hits.length
  const url = `${plain.url}/plain`
  const bad = [
    get(url, session, 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n') +
      '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
    `${get(url, session, 'Content-Length: 4\r\nContent-Length: 40\r\n')}abcd`,
    `${get(url, session, 'Transfer-Encoding: xchunked\r\n')}0\r\n\r\n`,
    get(url, session, ` folded: x\r\n`),
    get(url, session, `x: ${'y'.repeat(70_000)}\r\n`),
    get(url, session, 'x: y\r\n'.repeat(20_000)),
    `GET ${url} HTTP/1.1\nX: y\r\r\n\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ]
  for (const request of bad) t.notMatch(await say(proxy, request), /^HTTP\/1\.1 2/)
  t.equal(plain.hits.length, before)
  const began = performance.now()
  await Promise.all(
    ['', 'GET http://', `CONNECT 127.1.0.1:80 HTTP/1.1\r\nHost: x\r\n`].map(part => say(proxy, part)),
  )
  t.ok(performance.now() - began < 5_000, 'silent clients do not occupy slots')
})

t.test('forwards bodies and fields unchanged, each request on its own connection', async t => {
  const session = open()
  const { socket, closed } = await dial(proxy)
  const opened = plain.connections.opened
  const kept = (path: string) => get(plain.url + path, session).replace('close', 'keep-alive, X-Hop')
  socket.write(kept('/status/404').replace('\r\n\r\n', '\r\nX-Mine: 1\r\nX-Hop: 2\r\nTE: trailers\r\n\r\n'))
  socket.write(get(`${plain.url}/status/201`, session))
  await closed
  t.equal(plain.connections.opened - opened, 2)
  const [first] = plain.hits.slice(-2)
  t.match(first?.headers, { 'x-mine': '1', connection: 'keep-alive' })
  t.notOk(['x-hop', 'te', 'proxy-authorization'].some(name => name in (first?.headers ?? {})))
})

t.test('limits the connections, bytes and time of a session', async t => {
  const few = open({ maxConnections: 2 })
  const at = `127.1.0.1:${plain.port}`
  const clients = await Promise.all([dial(proxy), dial(proxy)])
  for (const client of clients) client.socket.write(connectTo(at, few))
  await until(() => clients.every(({ received }) => received.startsWith('HTTP/1.1 200')))
  t.match(await say(proxy, connectTo(at, few)), /^HTTP\/1\.1 502/)
  clients[0]?.socket.destroy()
  await until(async () => (await say(proxy, get(`${plain.url}/plain`, few))) !== '')
  t.pass('a released slot is available again')
  await few[Symbol.asyncDispose]()
  await clients[1]?.closed
  t.pass('and all connections end with the session')

  const small = open({ maxBytes: 100_000 })
  const much = await say(proxy, get(`${plain.url}/endless`, small))
  t.ok(much.length < 250_000, `${much.length}`)
  t.equal(small.over?.code, 'too_large')
  t.equal(await say(proxy, get(`${plain.url}/plain`, small)), '')

  const calledOff = new AbortController()
  const sessions = [open({ timeoutMs: 200 }), open({ signal: calledOff.signal })]
  const waiting = sessions.flatMap(session => [
    say(proxy, get(`${plain.url}/never-answers`, session)),
    dial(proxy).then(client => client.whole(connectTo(at, session))),
  ])
  setTimeout(() => calledOff.abort(), 200)
  await Promise.all(waiting)
  t.same(
    sessions.map(({ over }) => over?.code),
    ['timeout', 'aborted'],
  )
  await until(() => plain.connections.open === 0)
  t.pass('no connection is left')
})

t.test('connects through a proxy of the installation, and counts its bytes too', async t => {
  for (const kind of ['http', 'socks5'] as const) {
    await using outer = await startProxy({
      kind,
      login: { user: 'anna', password: 'secret' },
      host: '127.2.0.1',
    })
    await using wire = await startWire(outer.port, '127.2.0.1')
    const member = readProxy(`${kind}://anna:secret@${wire.at}`)
    const session = open({ route: countedRoute(settings, member) })
    t.match(await say(proxy, get(`${plain.url}/plain`, session)), /^HTTP\/1\.1 200/)
    t.equal(await say(proxy, get('http://10.0.0.1/', session)), '')
    t.same(outer.requested, [`127.1.0.1:${plain.port}`])
    await session[Symbol.asyncDispose]()
    await sleep(50)
    t.equal(session.moved, wire.bytes, kind)
  }
  await using over = await startProxy({ kind: 'http', tls: certificate, host: '127.2.0.1' })
  await using wire = await startWire(over.port, '127.2.0.1')
  const route = countedRoute(
    { ...settings, trust: { rejectUnauthorized: false } },
    readProxy(`https://${wire.at}`),
  )
  const client = createClient({ ...settings, connect: route.connect })
  await fetchPage(client, { url: `${secure.url}/gzip`, maxBytes: 1e6, maxHops: 0, timeoutMs: 5_000 })
  await client.close()
  await sleep(50)
  t.equal(route.moved(), wire.bytes, 'below TLS, and below TLS in TLS')
})
