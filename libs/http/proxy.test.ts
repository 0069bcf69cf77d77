/** Proxies lead only to public addresses, and fail in bounded time with a clear error. */
import { hash, X509Certificate } from 'node:crypto'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { decodedPage } from '@tidemark/testing/origin-behaviours'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { type ProxyFault, type ProxyOptions, startProxy } from '@tidemark/testing/proxy'
import { startMicrosocks, startTinyproxy } from '@tidemark/testing/proxy-programs'
import fc from 'fast-check'
import t from 'tap'
import { proxyProgram } from '../../test/programs.ts'
import { decodeBody } from './decode.ts'
import { fetchPage } from './fetch.ts'
import { createGuard } from './guard.ts'
import { createProxyClients, type ProxyOwner } from './proxies/proxy-clients.ts'
import { readProxy } from './proxy.ts'
import { hasPool, poolNames, proxiesOf, proxyPoolsFault, readProxyPools } from './proxy-pools.ts'
import type { Resolver } from './resolve.ts'

const certificate = selfSigned(['site.test', '127.1.0.1', '127.1.0.50'])
const ofSite = { certificate: hash('sha256', new X509Certificate(certificate.cert).raw) }
const login = { user: 'anna', password: 'pass:w/rd ü' }
const limits = { maxBytes: 1_000_000, maxHops: 5, timeoutMs: 10_000 }

const names: Record<string, string[]> = {
  'site.test': ['127.1.0.1'],
  'inside.test': ['10.1.2.3'],
  'mixed.test': ['127.1.0.1', '192.168.0.1'],
  'two.test': ['127.1.0.200', '127.1.0.1'],
}
const resolver: Resolver = async name => {
  const found = names[name]
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return found.map(address => ({ address, family: 4 }))
}

const settings = {
  guard: createGuard({ allow: ['127.1.0.0/16'] }),
  resolver,
  connectTimeoutMs: 500,
  connectionsPerOrigin: 4,
  trust: { ca: certificate.cert },
}
const clients = createProxyClients(settings)
const [plain, secure] = await Promise.all([startOrigin(), startOrigin({ tls: certificate })])
t.teardown(() => Promise.all([clients[Symbol.asyncDispose](), plain.close(), secure.close()]))

async function by(proxy: string, url: string, owner: ProxyOwner = 'customer', using = clients) {
  const lent = using.lend(readProxy(proxy), owner)
  try {
    return await fetchPage(lent.client, { ...limits, url })
  } finally {
    lent[Symbol.dispose]()
  }
}

const sites = () => [
  `${plain.url}/gzip`,
  `${secure.url}/gzip`,
  `http://site.test:${plain.port}/gzip`,
  `https://site.test:${secure.port}/gzip`,
]

const ways: ProxyOptions[] = [
  { kind: 'http' },
  { kind: 'http', login },
  { kind: 'http', login, tls: certificate },
  { kind: 'socks5' },
  { kind: 'socks5', login },
]

t.test('fetches through each kind of proxy, encrypted and plain, and keeps its connections', async t => {
  for (const way of ways) {
    await using proxy = await startProxy(way)
    for (const url of [...sites(), ...sites()]) {
      const { body, encodings, status, peer } = await by(proxy.url, url)
      t.equal(status, 200, `${proxy.url} ${url}`)
      t.equal(decodeBody(body, encodings, 1_000_000).toString(), decodedPage)
      t.strictSame(
        peer,
        url.startsWith('https:') ? ofSite : {},
        'no address, and no certificate of the proxy',
      )
    }
    t.equal(proxy.connections.opened, 4, 'one for each origin')
    const addresses = [`127.1.0.1:${plain.port}`, `127.1.0.1:${secure.port}`]
    t.same(proxy.requested, [...addresses, ...addresses], 'and receives addresses, never names')
  }
})

for (const [name, start] of [
  ['tinyproxy', startTinyproxy],
  ['microsocks', startMicrosocks],
] as const) {
  t.test(`works with ${name}`, async t => {
    const program = await proxyProgram(name).catch((error: Error) => error)
    if (program instanceof Error) return t.pass(program.message, { skip: program.message })
    await using proxy = await start(program, { user: 'anna', password: 'secret' })
    for (const url of [...sites(), ...sites()]) t.equal((await by(proxy.url, url)).status, 200, url)
    const wrong = proxy.url.replace('secret', 'wrong')
    await t.rejects(by(wrong, `${plain.url}/plain`), { code: 'proxy', transient: false })
    await t.rejects(by(proxy.url, 'http://127.1.0.250:1025/'), { code: 'connect', transient: true })
  })
}

t.test('requests no private address from a proxy, in any spelling', async t => {
  const targets = [
    'http://127.0.0.1/',
    'http://[::1]:8080/',
    'https://10.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::ffff:169.254.169.254]/',
    'http://localhost:8222/',
    'http://inside.test/',
    'https://mixed.test/',
  ]
  for (const kind of ['http', 'socks5'] as const) {
    await using proxy = await startProxy({ kind })
    for (const owner of ['customer', 'operator'] as const) {
      for (const url of targets) {
        await t.rejects(by(proxy.url, url, owner), { code: 'private_address', transient: false }, url)
      }
      await t.rejects(by(proxy.url, 'http://nowhere.test/', owner), { code: 'dns' })
      await t.rejects(by(proxy.url, 'http://site.test:22/', owner), { code: 'bad_url' })
      const inward = `${plain.url}/redirect-to?url=http://inside.test/`
      await t.rejects(by(proxy.url, inward, owner), { code: 'private_address' }, 'nor by a redirect')
    }
    t.same([...new Set(proxy.requested)], [`127.1.0.1:${plain.port}`])
  }
})

t.test('dials no private proxy of a customer, and any of the operator', async t => {
  for (const kind of ['http', 'socks5'] as const) {
    await using inside = await startProxy({ kind, host: '127.2.0.1' })
    const refused = { code: 'private_address', transient: false, message: new RegExp(inside.at) }
    await t.rejects(by(inside.url, `${plain.url}/plain`), refused)
    t.equal(inside.connections.opened, 0)
    t.equal((await by(inside.url, `${plain.url}/plain`, 'operator')).status, 200)
  }
  for (const proxy of [
    'http://10.0.0.1:3128',
    'socks5://inside.test',
    'https://[::1]:8443',
    'http://0x7f.1:3128',
  ])
    await t.rejects(by(proxy, `${plain.url}/plain`), { code: 'private_address' }, proxy)
  for (const proxy of ['http://site.test:22', 'socks5://site.test:6379', 'http://site.test:25'])
    await t.rejects(by(proxy, `${plain.url}/plain`), { code: 'bad_url' }, proxy)
  await using custom = await startProxy({ kind: 'socks5', port: 1080 })
  t.equal((await by(custom.url, `${plain.url}/plain`)).status, 200, 'the usual port of SOCKS')
})

const ends: Record<ProxyFault, string> = {
  hangs: 'proxy, may pass',
  closes: 'proxy, may pass',
  truncates: 'proxy, may pass',
  drips: 'proxy, may pass',
  endless: 'proxy, may pass',
  garbage: 'proxy, may pass',
  talkative: 'proxy, may pass',
  refuses: 'proxy',
  unreachable: 'connect, may pass',
  'silent-tunnel': 'timeout, may pass',
}

t.test('reports the fault of a proxy, in bounded time and bytes, and never its password', async t => {
  for (const kind of ['http', 'socks5'] as const) {
    for (const [fault, wanted] of Object.entries(ends) as [ProxyFault, string][]) {
      await using proxy = await startProxy({ kind, login, fault })
      const began = performance.now()
      const error = await by(proxy.url, `${secure.url}/plain`).catch(thrown => thrown)
      const { code, transient, message } = error
      t.equal(`${code}${transient ? ', may pass' : ''}`, wanted, `${kind} ${fault}: ${message}`)
      t.ok(performance.now() - began < 5_000)
      if (fault !== 'silent-tunnel') t.match(message, `${kind}://anna:***@${proxy.at}`)
      t.notMatch(`${message} ${error.stack} ${error.cause?.message}`, /pass:w|pass%3Aw/)
      for (let tries = 0; proxy.connections.open > 0 && tries < 200; tries++) await sleep(10)
      t.equal(proxy.connections.open, 0, 'and its connection is closed')
    }
    await using strict = await startProxy({ kind, login })
    for (const user of ['', 'anna:wrong@']) {
      const error = await by(`${kind}://${user}${strict.at}`, `${plain.url}/plain`).catch(thrown => thrown)
      t.match(error, { code: 'proxy', transient: false, message: /user and password/ })
    }
    await using narrow = await startProxy({ kind, fault: 'refuses' })
    const refusal = {
      http: `it refused CONNECT to port ${plain.port} (403)`,
      socks5: 'not allowed by its rules',
    }
    await t.rejects(by(narrow.url, `${plain.url}/plain`), { cause: { message: refusal[kind] } })
    const dead = { code: 'proxy', transient: true, message: /127\.1\.0\.77:1025/ }
    await t.rejects(by(`${kind}://127.1.0.77:1025`, `${plain.url}/plain`), dead)
    await t.rejects(by(`${kind}://nowhere.test:1025`, `${plain.url}/plain`), {
      code: 'proxy',
      transient: false,
    })
  }
  const server = net.createServer(socket => socket.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n'))
  const { url } = await listening(server, '127.1.0.50')
  const noProxy = { code: 'proxy', transient: true, message: /405/ }
  await t.rejects(by(url, `${plain.url}/plain`), noProxy, 'a server is no proxy')
  server.close()
  await using unencrypted = await startProxy({ kind: 'http' })
  await t.rejects(by(`https://${unencrypted.at}`, `${plain.url}/plain`), { code: 'proxy', transient: false })
})

t.test('tries another address of a target if one is unreachable', async t => {
  await using proxy = await startProxy({ kind: 'socks5' })
  t.equal((await by(proxy.url, `http://two.test:${plain.port}/plain`)).status, 200)
  t.same(proxy.requested, [`127.1.0.200:${plain.port}`, `127.1.0.1:${plain.port}`])
})

t.test('keeps a client for each proxy and login, and closes idle and surplus ones', async t => {
  await using proxy = await startProxy({ kind: 'http' })
  const few = createProxyClients({ ...settings, maxIdle: 2, idleMs: 100 })
  const logins = ['', 'a:1@', 'a:2@', 'b:1@'].map(user => `http://${user}${proxy.at}`)
  for (const url of logins) t.equal((await by(url, `${plain.url}/plain`, 'customer', few)).status, 200)
  t.equal(proxy.connections.opened, 4, 'none shares the connection of another login')
  t.ok(few.size <= 3)
  const held = few.lend(readProxy(logins[3] ?? ''), 'customer')
  for (let tries = 0; few.size > 1 && tries < 200; tries++) await sleep(20)
  t.equal(few.size, 1, 'only the one in use stays')
  t.equal((await fetchPage(held.client, { ...limits, url: `${plain.url}/plain` })).status, 200)
  held[Symbol.dispose]()
  await few[Symbol.asyncDispose]()
  t.equal(few.size, 0)
})

t.test('parses addresses of proxies strictly, and repeats no password', async t => {
  t.match(readProxy('SOCKS5://a%40b:p%3Aq@[2001:db8::1]'), {
    scheme: 'socks5',
    host: '[2001:db8::1]',
    port: 1080,
    login: { user: 'a@b', password: 'p:q' },
    shown: 'socks5://a%40b:***@[2001:db8::1]:1080',
  })
  t.match(readProxy('http://h'), { port: 80, login: null, shown: 'http://h:80' })
  t.match(readProxy('https://h:80/'), { port: 80 })
  t.match(readProxy('https://h'), { port: 443 })
  t.match(readProxy('http://0x7f.1:3128'), { host: '127.0.0.1', port: 3128 })
  const words = ['', 'h:1', 'ftp://h', 'socks4://h', 'http://', 'http://h/x', 'http://h?x', 'http://h:99999']
  for (const bad of [...words, 'socks5h://h', 'http://a:%@h', `socks5://${'u'.repeat(256)}@h`])
    t.throws(() => readProxy(bad), { code: 'bad_url' }, bad)
  const word = fc.string({ minLength: 1, maxLength: 40 })
  const reads = (user: string, password: string) => {
    const text = `socks5://${encodeURIComponent(user)}:${encodeURIComponent(password)}@h.test:9`
    const { login, shown } = readProxy(text)
    return login?.user === user && login.password === password && shown.endsWith(':***@h.test:9')
  }
  t.doesNotThrow(() => fc.assert(fc.property(word, word, reads)))
})

t.test('parses the pools of an installation', async t => {
  const pools = readProxyPools(
    '{"residential": {"de": ["http://a:b@h:1", "socks5://h"], "any": ["http://h:2"]}, "isp": ["http://h:3"]}',
  )
  const shown = (pool: 'residential' | 'isp' | 'mobile', country: string | null) =>
    proxiesOf(pools, { pool, country }).map(proxy => proxy.shown)
  t.same(shown('residential', 'DE'), ['http://a:***@h:1', 'socks5://h:1080'])
  t.equal(shown('residential', null).length, 3)
  t.same(shown('isp', null), ['http://h:3'])
  t.same(shown('isp', 'DE'), [])
  t.notOk(hasPool(pools, { pool: 'mobile', country: null }))
  t.ok(hasPool(pools, { pool: 'residential', country: 'DE' }))
  t.same(poolNames(pools), ['residential (DE)', 'isp'])
  t.equal(readProxyPools(' ').size, 0)
  for (const bad of [
    'residential',
    '[]',
    '{"fast": []}',
    '{"isp": "http://h"}',
    '{"isp": []}',
    '{"isp": {"Germany": ["http://h"]}}',
    '{"isp": {"DE": ["http://a:hidden@h:1/x"]}}',
  ]) {
    t.throws(() => readProxyPools(bad), { message: /^PROXY_POOLS(?!.*hidden)/ }, bad)
    t.match(proxyPoolsFault(bad), /^(?!PROXY_POOLS)(?!.*hidden)/, bad)
  }
})
