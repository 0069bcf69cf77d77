/** Connections: names with several addresses, encryption, and the errors. */

import assert from 'node:assert'
import { hash, X509Certificate } from 'node:crypto'
import dgram from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import zlib from 'node:zlib'
import { startDns } from '@tidemark/testing/dns'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { systemResolver } from '@tidemark/testing/system-resolver'
import t from 'tap'
import { errors } from 'undici'
import { cacheDnsLookups } from './cached-lookups.ts'
import { createClient } from './client.ts'
import { createConnect } from './connect.ts'
import { createDnsResolver } from './dns-resolver.scene.ts'
import { fetchPage } from './fetch.ts'
import { type FetchCode, FetchError, fetchCodes } from './fetch-error.ts'
import { namesIn } from './hosts-file.ts'
import { guard, limits } from './local-fetch.scene.ts'
import { queryNameServers } from './name-servers.ts'
import { addressesOf, createResolver, type Resolver } from './resolve.ts'
import { judgeTarget } from './target.ts'

const never: Resolver = () => new Promise(() => {})

const answering =
  (...addresses: string[]): Resolver =>
  async () =>
    addresses.map(address => ({ address, family: net.isIPv6(address) ? 6 : 4 }))

async function portOfNobody(): Promise<number> {
  await using server = await listening(net.createServer(), '127.1.0.9')
  return server.port
}

t.test('tries the addresses of a name until one responds', async t => {
  await using origin = await startOrigin()
  const connect = createConnect({
    guard,
    resolver: answering('127.1.9.9', '127.1.9.8', '127.1.0.1'),
    timeoutMs: 5_000,
  })
  const socket = await connect('several.test', origin.port)
  t.equal(socket.remoteAddress, '127.1.0.1')
  socket.destroy()

  const nobody = createConnect({ guard, resolver: answering('127.1.9.9', '127.1.9.8'), timeoutMs: 5_000 })
  await t.rejects(nobody('several.test', await portOfNobody()), { code: 'connect', transient: true })
  await t.rejects(nobody('several.test', await portOfNobody()), {
    message:
      /^No connection could be made: connect ECONNREFUSED 127.1.9.9:\d+; connect ECONNREFUSED 127.1.9.8:\d+/,
  })
})

t.test('dials no address if any of them is forbidden', async t => {
  await using origin = await startOrigin()
  for (const addresses of [
    ['127.1.0.1', '10.0.0.1'],
    ['::1', '127.1.0.1'],
    ['127.1.0.1', '127.1.0.1', '169.254.169.254'],
  ]) {
    const connect = createConnect({ guard, resolver: answering(...addresses), timeoutMs: 5_000 })
    const refused = { code: 'private_address', transient: false }
    const message = 'The address is not on the public internet.'
    await t.rejects(connect('mixed.test', origin.port), { ...refused, message }, 'without the address')
  }
  const connect = createConnect({ guard, resolver: answering(), timeoutMs: 5_000 })
  await t.rejects(
    connect('[::1]', origin.port),
    { message: /: ::1 is loopback$/ },
    'except if the client wrote it',
  )
  t.equal(origin.connections.opened, 0)
})

t.test('parses literals and localhost itself, and looks up all other spellings as names', async t => {
  const requested: string[] = []
  const resolver: Resolver = async host => {
    requested.push(host)
    return [{ address: '10.0.0.1', family: 4 }]
  }
  for (const host of ['127.0.0.1', '::1', '[::1]', 'localhost', 'LOCALHOST.', 'a.localhost']) {
    t.match(await addressesOf(host, resolver), [{ address: /^(127\.0\.0\.1|::1)$/ }], host)
  }
  t.same(requested, [])
  for (const host of ['0x7f.1', '127.1', 'localhost.test', 'notlocalhost']) await addressesOf(host, resolver)
  t.equal(requested.length, 4, 'other texts are names, whose addresses are judged')
})

t.test('reports whether a name does not exist, or no name server responded', async t => {
  await using dns = await startDns({
    answer: (name, type) =>
      ({
        'a.test': ['127.1.0.1', '127.1.0.2', '::1'],
        'four.test': type === 'A' ? ['127.1.0.3'] : null,
        'empty.test': [],
        'alias.test': { cname: 'a.test' },
      })[name] ?? null,
  })
  const resolver = createDnsResolver([dns.server])
  t.same(
    (await resolver('alias.test')).map(({ address }) => address),
    ['127.1.0.1', '127.1.0.2', '::1'],
  )
  t.same(await resolver('four.test'), [{ address: '127.1.0.3', family: 4 }])
  await t.rejects(addressesOf('gone.test', resolver), { code: 'dns', transient: false })
  await t.rejects(addressesOf('empty.test', resolver), { code: 'dns', transient: false })
  await t.rejects(addressesOf('a..test', resolver), { code: 'dns', transient: false })
  await t.rejects(
    addressesOf('nowhere.test', async () => []),
    { code: 'dns', transient: false },
  )
  await dns.close()
  await t.rejects(addressesOf('a.test', resolver), {
    code: 'dns',
    transient: true,
    retryAfterMs: fetchCodes.dns.retryAfterMs,
  })
  t.same(await systemResolver('127.0.0.1'), [{ address: '127.0.0.1', family: 4 }])
})

t.test('resolves the names of the hosts file and loopback without name servers', async t => {
  await using origin = await startOrigin()
  const hostsFile = `${t.testdir()}/hosts`
  writeFileSync(hostsFile, '# ours\n127.1.0.1 own.test Alias.Test # and more\n::1 own.test\nnonsense here\n')
  const silent = dgram.createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const nobody = `127.0.0.1:${await portOfNobody()}`
  for (const server of [nobody, `127.0.0.1:${silent.address().port}`]) {
    const resolver = createResolver({ servers: [server], timeoutMs: 200, hostsFile })
    const connect = createConnect({ guard, resolver, timeoutMs: 5_000 })
    for (const host of ['127.1.0.1', 'alias.test', 'ALIAS.test.']) {
      const socket = await connect(host, origin.port)
      t.equal(socket.remoteAddress, '127.1.0.1', host)
      socket.destroy()
    }
    t.same(await addressesOf('localhost', resolver), [{ address: '127.0.0.1', family: 4 }])
    t.same(
      (await resolver('own.test')).map(({ address }) => address),
      ['127.1.0.1', '::1'],
    )
    await t.rejects(addressesOf('elsewhere.test', resolver), { code: 'dns', transient: true })
  }
  t.same(
    [...namesIn('\t127.0.0.1\tone  two\r\n127.0.0.2 one').entries()],
    [
      ['one', ['127.0.0.1', '127.0.0.2']],
      ['two', ['127.0.0.1']],
    ],
  )
  const withoutFile = createResolver({ servers: [nobody], timeoutMs: 200, hostsFile: '/nowhere/hosts' })
  await t.rejects(addressesOf('own.test', withoutFile), { code: 'dns', transient: true })
})

t.test('resolves a name while others hang at a name server that never responds', async t => {
  await using dns = await startDns({
    answer: name => (name.endsWith('.dead.test') ? 'silence' : ['127.1.0.1']),
  })
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 500, hostsFile: '/nowhere/hosts' })
  const hanging = Array.from({ length: 60 }, (_, n) => addressesOf(`n${n}.dead.test`, resolver))
  const failed = Promise.allSettled(hanging)
  t.same(await addressesOf('alive.test', resolver), [{ address: '127.1.0.1', family: 4 }])
  const results = await failed
  t.ok(results.every(result => result.status === 'rejected' && result.reason.transient))
})

t.test('returns the addresses of one family if those of the other do not arrive', async t => {
  await using dns = await startDns({
    ttlSeconds: 300,
    answer: (name, type, nth) => {
      if (type === 'AAAA' && name === 'half.test') return 'silence'
      return name === 'lossy.test' && nth <= 2 ? 'silence' : ['127.1.0.1', '::1']
    },
  })
  const send = queryNameServers({ servers: [dns.server] })
  for (const name of ['one.test', 'two.test', 'three.test']) {
    t.same(await send(name), { addresses: ['127.1.0.1', '::1'], ttlSeconds: 300 })
  }
  t.same(await send('half.test'), { addresses: ['127.1.0.1'], ttlSeconds: 0 }, 'without caching them')
  t.ok((await send('lossy.test')).addresses.length > 0, 'lost queries are repeated')
})

t.test('caches addresses for their TTL, and at most for a minute', async t => {
  let now = 0
  const requested: string[] = []
  const answers: Record<string, () => { addresses: string[]; ttlSeconds: number }> = {
    brief: () => ({ addresses: ['1.1.1.1'], ttlSeconds: 5 }),
    long: () => ({ addresses: ['1.1.1.2'], ttlSeconds: 86_400 }),
    never: () => ({ addresses: ['1.1.1.3'], ttlSeconds: 0 }),
    gone: () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    },
    silent: () => {
      throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT' })
    },
    broken: () => {
      throw Object.assign(new Error('server failed'), { code: 'ESERVFAIL' })
    },
  }
  const query = async (name: string) => {
    requested.push(name)
    await new Promise(setImmediate)
    now++
    const answer = answers[name]?.()
    if (answer === undefined) throw new Error('unknown')
    return answer
  }
  const resolve = cacheDnsLookups({ resolve: query, now: () => now, maxUnderWay: 2 })
  const queriesSent = async (name: string, at: number) => {
    now = at
    const before = requested.length
    await Promise.allSettled([resolve(name), resolve(name.toUpperCase())])
    return requested.length - before
  }
  const cases: [string, [number, number][]][] = [
    [
      'brief',
      [
        [0, 1],
        [4_000, 0],
        [5_010, 1],
      ],
    ],
    [
      'long',
      [
        [10_000, 1],
        [69_000, 0],
        [70_010, 1],
      ],
    ],
    [
      'never',
      [
        [80_000, 1],
        [80_010, 1],
      ],
    ],
    [
      'gone',
      [
        [90_000, 1],
        [119_000, 0],
        [120_010, 1],
      ],
    ],
    [
      'silent',
      [
        [130_000, 1],
        [130_400, 0],
        [130_900, 1],
      ],
    ],
    [
      'broken',
      [
        [140_000, 1],
        [140_400, 0],
        [141_000, 1],
        [143_000, 1],
      ],
    ],
  ]
  for (const [name, looks] of cases)
    for (const [at, times] of looks) t.equal(await queriesSent(name, at), times, `${name} at ${at}`)

  now = 200_000
  await Promise.allSettled([resolve('never'), resolve('silent')])
  t.equal(await queriesSent('silent', 201_000), 1, 'a retry sends a new query')
  const three = await Promise.allSettled(['brief', 'long', 'never'].map(name => resolve(name)))
  t.same(
    three.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
    'and lookups beyond the maximum are rejected',
  )
  t.match(three[2], { reason: { code: 'EAI_AGAIN' } })
})

t.test('a name that never resolves is a timeout for the fetch, and unknown for the early check', async t => {
  const connect = createConnect({ guard, resolver: never, timeoutMs: 100 })
  await t.rejects(connect('slow.test', 80), { code: 'timeout', transient: true })
  t.equal(await judgeTarget(guard, new URL('http://slow.test/'), never, { timeoutMs: 100 }), null)
  const failing: Resolver = () => Promise.reject(new Error('no'))
  t.equal(await judgeTarget(guard, new URL('http://gone.test/'), failing, { timeoutMs: 100 }), null)
  t.match(
    await judgeTarget(guard, new URL('http://a.test/'), answering('127.1.0.1', '::1'), {
      timeoutMs: 1_000,
    }),
    { code: 'private_address', target: 'http://a.test/' },
  )
  t.match(await judgeTarget(guard, new URL('http://a.test:22/'), never, { timeoutMs: 1_000 }), {
    code: 'bad_url',
  })
})

t.test('encrypts for the requested name, whatever the dialled address', async t => {
  const tls = selfSigned(['a.test', '127.1.0.1'])
  await using secure = await startOrigin({ tls })
  await using http = createClient({
    guard,
    resolver: answering('127.1.0.1'),
    connectTimeoutMs: 5_000,
    connectionsPerOrigin: 2,
    trust: { ca: tls.cert },
  })
  const send = async (host: string) =>
    JSON.parse(
      (
        await fetchPage(http, { ...limits, url: `https://${host}:${secure.port}/echo-headers` })
      ).body.toString(),
    )
  t.match(await send('a.test'), { host: `a.test:${secure.port}` })
  t.match(await send('a.test.'), { host: `a.test.:${secure.port}` }, 'also with a trailing dot')
  t.match(await send('127.1.0.1'), { host: `127.1.0.1:${secure.port}` })
  await t.rejects(send('b.test'), { code: 'tls', transient: false })

  await using strict = createClient({
    guard,
    resolver: answering('127.1.0.1'),
    connectTimeoutMs: 5_000,
    connectionsPerOrigin: 2,
  })
  await t.rejects(
    fetchPage(strict, { ...limits, url: secure.url }),
    { code: 'tls', transient: false },
    'its authority is not trusted',
  )
})

t.test('names the address and the certificate of the host that responds', async t => {
  const tls = selfSigned(['a.test'])
  const certificate = hash('sha256', new X509Certificate(tls.cert).raw)
  await using secure = await startOrigin({ tls })
  await using http = createClient({
    ...{ guard, resolver: answering('127.1.0.1'), connectTimeoutMs: 5_000, connectionsPerOrigin: 2 },
    trust: { ca: tls.cert },
  })
  const peerAt = async (url: string) => (await fetchPage(http, { ...limits, url })).peer
  const base = `https://a.test:${secure.port}`
  const peer = { address: '127.1.0.1', certificate }
  t.strictSame(await peerAt(`${base}/plain`), peer)
  t.strictSame(await peerAt(`${base}/plain`), peer, 'on the same connection')
  t.strictSame(await peerAt(`${base}/until-close`), peer)
  t.strictSame(await peerAt(`${base}/plain`), peer, 'on a new one, with the TLS session of before')
  const many = await Promise.all(Array.from({ length: 9 }, () => peerAt(`${base}/plain`)))
  t.strictSame(new Set(many.map(one => JSON.stringify(one))).size, 1, 'also of requests that wait')

  await using plain = await startOrigin({ host: '127.1.0.3' })
  t.strictSame(await peerAt(`${plain.url}/plain`), { address: '127.1.0.3' }, 'without TLS')
  secure.site({ '/there': { status: 302, headers: { location: `${plain.url}/plain` } } })
  t.strictSame(await peerAt(`${base}/there`), { address: '127.1.0.3' }, 'after a redirect')
})

t.test('fails if the other side does not speak TLS, or stops responding', async t => {
  await using plain = await startOrigin()
  await using http = createClient({
    guard,
    resolver: systemResolver,
    connectTimeoutMs: 200,
    connectionsPerOrigin: 2,
  })
  await t.rejects(
    fetchPage(http, { ...limits, url: plain.url.replace('http', 'https') }),
    { code: 'tls', message: 'The encrypted connection could not be established: wrong version number' },
    'without internals of the library',
  )
  const ended = Promise.withResolvers<void>()
  const silent = net.createServer(socket => {
    socket.on('error', () => {}).on('close', () => ended.resolve())
    socket.resume()
  })
  const { port } = await listening(silent, '127.1.0.5')
  await t.rejects(fetchPage(http, { ...limits, url: `https://127.1.0.5:${port}/` }), { code: 'timeout' })
  await t.resolves(ended.promise, 'and the connection is closed')
  silent.close()
})

const foreign: [unknown, FetchCode, boolean][] = [
  [new errors.ConnectTimeoutError(), 'timeout', true],
  [new errors.BodyTimeoutError(), 'timeout', true],
  [new errors.HeadersOverflowError(), 'too_large', false],
  [new errors.ResponseContentLengthMismatchError(), 'protocol', true],
  [new errors.SocketError('other side closed'), 'protocol', true],
  [Object.assign(new Error('no'), { code: 'HPE_INVALID_VERSION' }), 'protocol', false],
  [new errors.InvalidArgumentError('no'), 'bad_url', false],
  [new errors.ClientDestroyedError(), 'aborted', true],
  [AbortSignal.abort().reason, 'aborted', true],
  [Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 'connect', true],
  [Object.assign(new Error('no'), { code: 'EAI_AGAIN' }), 'dns', true],
  [Object.assign(new Error('no'), { code: 'ENOTFOUND' }), 'dns', false],
  [Object.assign(new Error('no'), { code: 'CERT_HAS_EXPIRED' }), 'tls', false],
  [Object.assign(new Error('no'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), 'tls', false],
  [thrownBy(() => zlib.gunzipSync('no')), 'protocol', false],
  [thrownBy(() => zlib.gunzipSync(zlib.gzipSync('yes'), { maxOutputLength: 1 })), 'too_large', false],
  [new DOMException('late', 'TimeoutError'), 'timeout', true],
  [new TypeError('a bug'), 'protocol', false],
  [thrownBy(() => assert(Number('000') >= 100)), 'protocol', false],
  [new errors.SocketError('first line\nsecond line'), 'protocol', true],
  ['a word', 'protocol', false],
  [undefined, 'protocol', false],
  [{ code: 'constructor' }, 'protocol', false],
]

t.test('maps every foreign error to a code, and keeps it as the cause', async t => {
  for (const [thrown, code, transient] of foreign) {
    const error = FetchError.from(thrown)
    t.match(error, { code, transient, name: 'FetchError' }, String(thrown))
    t.equal(error.cause, thrown)
    t.ok(error.message.startsWith(fetchCodes[code].sentence.slice(0, -1)))
    if (isForMakers(thrown))
      t.equal(error.message, fetchCodes[code].sentence, 'and its message contains no unknown text')
    t.equal(FetchError.from(error), error, 'its own errors stay unchanged')
  }
})

/** Returns whether an error is only for developers: its code is unknown, or its message has several lines. */
const isForMakers = (thrown: unknown) =>
  !(thrown instanceof Error) ||
  thrown instanceof TypeError ||
  thrown instanceof assert.AssertionError ||
  thrown.message.includes('\n')

t.test('reports an invalid status as invalid HTTP, without internals', async t => {
  await using http = createClient({
    guard,
    resolver: systemResolver,
    connectTimeoutMs: 200,
    connectionsPerOrigin: 2,
  })
  const odd = net.createServer(socket => {
    socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 000 X\r\n\r\n'))
  })
  const { url } = await listening(odd, '127.1.0.5')
  await t.rejects(fetchPage(http, { ...limits, url }), {
    code: 'protocol',
    message: fetchCodes.protocol.sentence,
  })
  odd.close()
})

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
