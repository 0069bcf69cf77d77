/** The egress reaches public and allowed addresses only, in every spelling and by every entry point. */
import net from 'node:net'
import { type DnsAnswer, startDns } from '@tidemark/testing/dns'
import { startOrigin } from '@tidemark/testing/origin'
import { startCanary } from '@tidemark/testing/origin-canary'
import { disguisedLoopback } from '@tidemark/testing/origin-disguises'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import t from 'tap'
import { createClient, type HttpClient } from './client.ts'
import { createDnsResolver } from './dns-resolver.scene.ts'
import { fetchPage } from './fetch.ts'
import { FetchError } from './fetch-error.ts'
import { closePeers, createGuard, type Guard } from './guard.ts'
import type { Resolver } from './resolve.ts'
import { judgeTarget, parseTarget } from './target.ts'

const seed = Number(process.env.SEED ?? 20_261_121)
const forms = Number(process.env.SSRF_FORMS ?? 1_000)
const rebindings = Number(process.env.REBINDINGS ?? 100)

const testWeb = createGuard({ allow: ['127.1.0.0/16'] })
const loopback = createGuard({ allow: ['127.0.0.0/8', '0.0.0.0/8', '::1', '::'] })
const limits = { maxBytes: 100_000, maxHops: 3, timeoutMs: 10_000 }

const client = (guard: Guard, resolver: Resolver) =>
  createClient({ guard, resolver, connectTimeoutMs: 5_000, connectionsPerOrigin: 8 })

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    error => (error instanceof FetchError ? error.code : String(error)),
  )

const judged: Record<string, string[]> = {
  public:
    '1.1.1.1 8.8.8.8 100.63.255.255 172.32.0.1 192.167.1.1 223.255.255.255 2606:4700::1111 2a00::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8'.split(
      ' ',
    ),
  'private and local':
    '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 127.0.0.1 127.255.255.255 169.254.169.254 0.0.0.0 0.1.2.3 fe80::1 fec0::1 fd00:ec2::254 fc00::1 ::1 ::'.split(
      ' ',
    ),
  'shared, reserved and documentation':
    '100.64.0.1 100.100.100.200 192.0.0.192 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 240.0.0.1 255.255.255.255 224.0.0.1 192.88.99.1 2001:db8::1 3fff::1 5f00::1 100::1 4000::1 ff02::1 2001:2::1'.split(
      ' ',
    ),
  'called unicast and not public':
    '168.63.129.16 ::ffff:168.63.129.16 64:ff9b::168.63.129.16 100:0:0:1::1'.split(' '),
  'wrapped around an address':
    '::ffff:127.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::8.8.8.8 64:ff9b:1::1 2002:808:808::1 2002:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 ::8.8.8.8 ::808:808 ::ffff:0:8.8.8.8'.split(
      ' ',
    ),
  'not plain addresses': [
    '0x7f.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    'fe80::1%lo',
    '2606:4700::1%1',
    'localhost',
    '',
    '１２７.0.0.1',
    '8.8.8.8 ',
  ],
}

t.test('allows public addresses, and none that only look public', async t => {
  const guard = createGuard({ allow: [] })
  for (const [kind, addresses] of Object.entries(judged)) {
    for (const address of addresses) {
      const refusal = guard.judge(address, 443)
      t.equal(
        refusal?.code,
        kind === 'public' ? undefined : 'private_address',
        `${kind}: ${address} ${refusal?.because}`,
      )
    }
  }
})

t.test('adds the allowed addresses, and no others', async t => {
  const guard = createGuard({
    allow: ['10.1.0.0/16', 'fd00::7'],
    allowPeers: ['127.0.0.1:8081', '[::1]:8081'],
  })
  const pass = [
    '10.1.2.3 80',
    '::ffff:10.1.2.3 8080',
    'fd00::7 443',
    '127.0.0.1 8081',
    '::1 8081',
    '::ffff:127.0.0.1 8081',
    '1.1.1.1 80',
  ]
  const refused = [
    '10.2.0.1 80',
    'fd00::8 443',
    '127.0.0.1 8082',
    '127.0.0.2 8081',
    '::1 80',
    '10.1.2.3 22',
    '10.1.2.3 6379',
  ]
  const judge = (text: string) => {
    const [address = '', port] = text.split(' ')
    return guard.judge(address, Number(port))
  }
  for (const peer of pass) t.equal(judge(peer), null, peer)
  for (const peer of refused) t.ok(judge(peer), peer)
  for (const range of ['10.0.0.0/33', 'ten', '10.1/8', '', 'fd00::/129', '10.0.0.0/8/8', '1.1.1.1/x']) {
    t.throws(() => createGuard({ allow: [range] }), { message: new RegExp(`^"${range}"`) }, range)
  }
  for (const peer of ['127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', 'localhost:8081'])
    t.throws(
      () => createGuard({ allow: [], allowPeers: [peer] }),
      { message: new RegExp(`^"${peer}"`) },
      peer,
    )
})

t.test('rejects the addresses of this machine, unless they are allowed', async t => {
  const own = ['8.8.4.4', '2606:4700::53', 'fe80::1']
  const guard = createGuard({ allow: [], own })
  for (const address of ['8.8.4.4', '::ffff:8.8.4.4', '64:ff9b::808:404', '2606:4700:0::53'])
    t.match(guard.judge(address, 443), { code: 'private_address' }, address)
  for (const address of ['8.8.8.8', '2606:4700::54']) t.equal(guard.judge(address, 443), null, address)
  t.equal(createGuard({ allow: ['8.8.4.4'], own }).judge('8.8.4.4', 443), null)
})

/** Spellings that clients may use in a URL. Some resolve only within the network of a cloud. */
const metadataHosts = [
  ...['metadata.google.internal', 'METADATA.Google.Internal', 'metadata.google.internal.', 'metadata'],
  ...[
    'metadata.',
    'ｍｅｔａｄａｔａ.google.internal',
    'metadata。google。internal',
    'metadata%2egoogle.internal',
  ],
  ...[
    'metadata.exoscale.com',
    'data-server',
    'metadata.goog',
    'instance-data',
    'instance-data.ec2.internal',
    'x.instance-data.ec2.internal',
  ],
  ...['instance-data.eu-west-1.compute.internal', 'metadata.azure.internal', 'metadata.tencentyun.com'],
  ...[
    'api.metadata.cloud.ibm.com',
    'metadata.platformequinix.com',
    'metadata.packet.net',
    'rancher-metadata',
  ],
  ...['100-100-100-200', '100-100-100-200.nip.io', '169-254-169-254.sslip.io', 'app-169-254-169-254.nip.io'],
  ...['169.254.169.254.nip.io', 'a9fea9fe.nip.io', 'www.168.63.129.16.sslip.io', 'fd00-ec2--254.sslip.io'],
]

const otherHosts = [
  ...['metadata.example.com', 'example.com', 'google.internal', 'wiki.internal', 'metadata.org', 'xmetadata'],
  ...['instance-data.example', '1100-100-100-200.example', '169-254-169-2541.example', 'tencentyun.com'],
  ...['169.254.169.254', '[fd00:ec2::254]', '1.2.3.4', 'a9fea9feed.example', '100-100-100-20.example'],
]

t.test('rejects the metadata services of clouds by their names, whatever their addresses', async t => {
  let resolved = 0
  const resolver: Resolver = async () => {
    resolved += 1
    return [{ address: '127.1.0.1', family: 4 }]
  }
  const open = createGuard({ allow: ['0.0.0.0/0', '::/0'] })
  await using http = client(open, resolver)
  for (const host of metadataHosts) {
    const url = `http://${host}/latest/meta-data/`
    const refusal = await judgeTarget(open, parseTarget(url), resolver, { timeoutMs: 100 })
    t.match(refusal, { code: 'private_address', transient: false, message: /metadata service/ }, host)
    t.equal(await codeOf(fetchPage(http, { url, ...limits })), 'private_address', `dialled: ${host}`)
    t.equal(open.judgeHost(host)?.code, 'private_address', `as written: ${host}`)
  }
  t.equal(resolved, 0, 'no name server was queried for them')
  for (const host of otherHosts) t.equal(open.judgeHost(host), null, host)
})

t.test('allows only the ports of the web', async t => {
  for (const port of [80, 443, 1024, 3000, 8080, 8443, 65_535])
    t.equal(testWeb.judgePort(port), null, `${port}`)
  for (const port of [0, 1, 22, 25, 81, 1023, 5432, 6000, 6379, 6667, 10_080, 65_536, 1.5, Number.NaN]) {
    t.equal(testWeb.judgePort(port)?.code, 'bad_url', `${port}`)
  }
})

/** Tries every entry point for a URL, and returns those by which a forbidden address was reached. */
async function tryAll(http: HttpClient, url: string, origin: string): Promise<string[]> {
  const early = async () => {
    const refusal = await judgeTarget(http.guard, parseTarget(url), http.resolver, { timeoutMs: 5_000 })
    if (refusal) throw refusal
  }
  const redirect = `${origin}/redirect-to?url=${encodeURIComponent(url)}`
  return [
    await codeOf(early()),
    await codeOf(fetchPage(http, { url, ...limits })),
    await codeOf(
      fetchPage(http, { url: redirect, ...limits }).then(
        ({ url }) => url.startsWith(origin) && Promise.reject(new FetchError('bad_url')),
      ),
    ),
  ]
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>, lanes = 16) {
  const queue = items.values()
  const lane = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

t.test(`${forms} spellings of forbidden addresses make no connection`, { timeout: 600_000 }, async t => {
  await using canary = await startCanary()
  await using origin = await startOrigin()
  const inside = [['127.0.0.1'], ['::1'], ['127.1.0.1', '127.0.0.1'], ['127.1.0.1', '::1'], ['0.0.0.0']]
  let requested = 0
  const resolver: Resolver = async () =>
    (inside[requested++ % inside.length] ?? []).map(address => ({
      address,
      family: net.isIPv6(address) ? 6 : 4,
    }))
  const sample = fc.sample(disguisedLoopback(canary.port), { numRuns: forms * 2, seed })
  const urls = [...new Set(sample)].slice(0, forms)
  t.equal(urls.length, forms, `all different, from seed ${seed}`)

  await using closed = client(testWeb, resolver)
  const outcomes = new Map<string, number>()
  await inParallel(urls, async url => {
    for (const code of await tryAll(closed, url, origin.url)) {
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
      if (code !== 'private_address' && code !== 'bad_url') t.fail(`${code}: ${JSON.stringify(url)}`)
    }
  })
  t.comment(Object.fromEntries(outcomes))
  t.equal(canary.hits, 0, 'no server was reached')
  t.ok((outcomes.get('private_address') ?? 0) > forms / 2, 'most were parsed, and rejected for their address')

  await using open = client(loopback, async () => [{ address: '127.0.0.1', family: 4 }])
  await inParallel(urls.slice(0, 300), async url => void (await codeOf(fetchPage(open, { url, ...limits }))))
  t.ok(canary.hits > 50, `without the guard ${canary.hits} of 300 connect`)
})

const rebinding: Record<string, DnsAnswer> = {
  flip: (_name, type, nth) => (type === 'AAAA' ? [] : nth % 2 === 1 ? ['127.1.0.1'] : ['127.0.0.1']),
  flop: (_name, type, nth) => (type === 'AAAA' ? [] : nth % 2 === 0 ? ['127.1.0.1'] : ['127.0.0.1']),
  mixed: (_name, type) => (type === 'AAAA' ? [] : ['127.1.0.1', '127.0.0.1']),
  families: (_name, type) => (type === 'AAAA' ? ['::1'] : ['127.1.0.1']),
  mapped: (_name, type) => (type === 'AAAA' ? ['0:0:0:0:0:ffff:7f00:1'] : []),
  alias: () => ({ cname: 'hidden.inside.test' }),
  inside: (_name, type) => (type === 'AAAA' ? ['::1'] : ['127.0.0.1']),
}

t.test(
  `${rebindings} names with changing addresses connect only to judged ones`,
  { timeout: 600_000 },
  async t => {
    await using canary = await startCanary()
    await using origin = await startOrigin({ port: canary.port, pages: { '/': 'public' } })
    await using dns = await startDns({
      answer: (name, type, nth) => rebinding[name.split('.').at(-2) ?? '']?.(name, type, nth) ?? null,
    })
    const resolver = createDnsResolver([dns.server])
    const kinds = Object.keys(rebinding)
    const outcomes: Record<string, number> = {}

    for (let at = 0; at < rebindings; at++) {
      const kind = kinds[at % kinds.length] ?? ''
      const name = `n${at}.${kind}.test`
      const url = new URL(`http://${name}:${canary.port}/`)
      const requested = () => dns.queries.filter(query => query.name === name && query.type === 'A').length
      await judgeTarget(testWeb, url, resolver, { timeoutMs: 5_000 })
      for (let connect = 1; connect <= 3; connect++) {
        await using http = client(testWeb, resolver)
        const outcome = `${kind} ${connect} ${await codeOf(fetchPage(http, { url: url.href, ...limits }))}`
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        if (requested() !== connect + 1)
          t.fail(`${name} was looked up ${requested()} times in ${connect + 1}`)
      }
    }
    t.comment(outcomes)
    t.equal(canary.hits, 0, 'no private address was reached')
    const answered = Object.keys(outcomes).filter(outcome => outcome.endsWith(' answered'))
    t.same(
      answered.sort(),
      ['flip 2 answered', 'flop 1 answered', 'flop 3 answered'],
      'only public answers were dialled',
    )
    t.equal(
      origin.hits.length,
      Object.entries(outcomes).reduce((sum, [o, n]) => sum + (o.endsWith('answered') ? n : 0), 0),
    )

    const [careless] = await resolver('careless.inside.test')
    net.connect(canary.port, careless?.address)
    await t.resolves(
      until(() => canary.hits === 1),
      'dialling without judging is detected',
    )
  },
)

t.test('rejects peers after they are closed', async t => {
  const guard = createGuard({ allow: ['127.1.0.0/16'], allowPeers: ['127.0.0.1:8081'] })
  t.equal(guard.judge('127.0.0.1', 8081), null)
  closePeers()
  t.match(guard.judge('127.0.0.1', 8081), { code: 'private_address' })
  t.equal(guard.judge('127.1.0.1', 8081), null, 'addresses of allowed ranges stay allowed')
})
