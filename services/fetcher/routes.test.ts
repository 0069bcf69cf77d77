/** Proxies, user agents and sitemaps of the fetcher, with real servers, sites and proxies. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { openBulky } from '@tidemark/bus/bulky'
import { notifications } from '@tidemark/contracts/subjects'
import { openRedis } from '@tidemark/redis/connect'
import { sealer } from '@tidemark/secrets/seal'
import { listening } from '@tidemark/testing/listening'
import { type Hit, startOrigin } from '@tidemark/testing/origin'
import { startProxy } from '@tidemark/testing/proxy'
import { throwawayRedis } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { shareHostPauses } from './adapters/host-pauses.ts'
import { createLocalClock } from './adapters/local-clock.ts'
import { createRunShares } from './adapters/run-shares.ts'
import { createSharedClock } from './adapters/shared-clock.ts'
import { openThrottledHosts } from './adapters/throttled-hosts.ts'
import { browsers } from './domain/browsers.ts'
import { type Came, orders, startScene } from './fetcher.scene.ts'

const { seal } = sealer('0'.repeat(64))
const login = { user: 'anna', password: 'a:secret' }
const failed = (reason: string, transient: boolean) => ({ type: 'failed', reason, transient })
const userAgents = (hits: Hit[]) => [...new Set(hits.map(({ headers }) => headers['user-agent']))]

test('Proxies, user agents and sitemaps', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  const [good, other, dead, ...strict] = await Promise.all([
    startProxy({ kind: 'socks5', login, host: '127.2.0.1' }),
    startProxy({ kind: 'http', host: '127.2.0.2' }),
    startProxy({ kind: 'http', host: '127.2.0.3', fault: 'closes' }),
    startProxy({ kind: 'http', host: '127.2.0.4', fault: 'refuses' }),
    startProxy({ kind: 'socks5', host: '127.2.0.5', fault: 'refuses' }),
  ])
  t.teardown(() => Promise.all([scene, origin, good, other, dead, ...strict].map(one => one.close())))
  const pools = {
    residential: { DE: [good.url, other.url], IT: [strict[0]?.url], any: [other.url] },
    mobile: [dead.url],
    isp: [dead.url, good.url],
    datacenter: strict.map(proxy => proxy.url),
  }
  await scene.start({ PROXY_POOLS: JSON.stringify(pools), MAX_SITEMAP_BYTES: String(9 * 1024 ** 2) })
  const one = async (runId: number, url: string, attempt = 1) =>
    (await scene.cameOf(runId, 1)).get(`${urlKey(url)}/${attempt}`) as Came
  const url = (path: string) => `${origin.url}${path}`

  await t.test('uses the proxy of the client, also for robots.txt and redirects', async t => {
    await using own = await startProxy({ kind: 'http', login })
    const wanted = [
      url('/plain?own'),
      { kind: 'robots' as const, url: url('/robots.txt') },
      { kind: 'sitemap' as const, url: url('/redirect-chain/2') },
    ]
    const before = origin.connections.opened
    await scene.order(orders(1, wanted, { proxy: seal(own.url) }))
    const came = await scene.cameOf(1, 3)
    t.same([...came.values()].map(({ type }) => type).sort(), ['fetched', 'fetched', 'robots'])
    t.equal(origin.connections.opened - before, own.requested.length, 'all connections use the proxy')
    t.ok(own.requested.every(requested => requested === `127.1.0.1:${origin.port}`))
  })

  await t.test('reports faults of a proxy, and requests no internal addresses from it', async t => {
    await using own = await startProxy({ kind: 'socks5', login })
    const bad = [
      own.url.replace('secret', 'wrong'),
      'http://10.0.0.1:3128',
      'ftp://h',
      'http://127.1.0.77:1025',
    ]
    const wanted = [
      failed('proxy', false),
      failed('private_address', false),
      failed('proxy', false),
      failed('proxy', true),
    ]
    for (const [n, proxy] of bad.entries()) {
      await scene.order(orders(10 + n, [url(`/plain?bad${n}`)], { proxy: seal(proxy) }))
      t.match(await one(10 + n, url(`/plain?bad${n}`)), wanted[n] ?? {}, proxy)
    }
    await scene.order(orders(14, ['http://127.0.0.1:8222/'], { proxy: seal(own.url) }))
    t.match(await one(14, 'http://127.0.0.1:8222/'), failed('private_address', false))
    t.same(own.requested, [])
  })

  await t.test('reports why a proxy refuses a connection', async t => {
    await using own = await startProxy({ kind: 'http', login, fault: 'refuses' })
    await scene.order(orders(15, [url('/plain?refused')], { proxy: seal(own.url) }))
    const because = `it refused CONNECT to port ${origin.port} (403)`
    t.match(await one(15, url('/plain?refused')), { ...failed('proxy', false), because })
  })

  await t.test('distributes a run over its pool, and retries with another proxy', async t => {
    const paths = Array.from({ length: 16 }, (_, n) => url(`/plain?pool${n}`))
    const inGermany = { proxyPool: { pool: 'residential' as const, country: 'DE' } }
    await scene.order(orders(20, paths.slice(0, 8), inGermany))
    await scene.order(orders(20, paths.slice(8), inGermany))
    for (const came of (await scene.cameOf(20, 16)).values()) t.match(came, { type: 'fetched', status: 200 })
    t.ok(good.requested.length > 0 && other.requested.length > 0)

    const none = { proxyPool: { pool: 'mobile' as const, country: 'FR' } }
    await scene.order(orders(21, [url('/plain?none')], none))
    t.match(await one(21, url('/plain?none')), failed('proxy', false))

    const isp = { proxyPool: { pool: 'isp' as const, country: null } }
    const attempts = [1, 2].map(attempt => ({ url: url('/plain?isp'), attempt }))
    await scene.order(orders(22, attempts, isp))
    const types = [...(await scene.cameOf(22, 2)).values()]
    t.same(types.map(({ type }) => type).sort(), ['failed', 'fetched'])
    t.match(
      types.find(({ type }) => type === 'failed'),
      failed('proxy', true),
    )
  })

  await t.test('rests a proxy that only fails, and reports it', async t => {
    const mobile = { proxyPool: { pool: 'mobile' as const, country: null } }
    for (let n = 0; n < 4; n++) {
      await scene.order(orders(30 + n, [url(`/plain?dead${n}`)], mobile))
      await one(30 + n, url(`/plain?dead${n}`))
    }
    const opened = dead.connections.opened
    await scene.order(orders(35, [url('/plain?aside')], mobile))
    const came = await one(35, url('/plain?aside'))
    t.match(came, failed('proxy', true))
    t.ok(came.type === 'failed' && came.retryAfterMs > 1_000, 'with the time of the retry')
    t.equal(dead.connections.opened, opened, 'it gets no requests meanwhile')
  })

  await t.test('keeps proxies in use whose policy forbids the targets of a run', async t => {
    const datacenter = { proxyPool: { pool: 'datacenter' as const, country: null } }
    const opened = () => strict.reduce((sum, { connections }) => sum + connections.opened, 0)
    for (let n = 0; n < 8; n++) {
      const [at, attempt] = [url(`/plain?forbidden${n >> 1}`), 1 + (n % 2)]
      const before = opened()
      await scene.order(orders(100 + n, [{ url: at, attempt }], datacenter))
      t.match(await one(100 + n, at, attempt), { ...failed('proxy', true), retryAfterMs: 5_000 })
      t.equal(opened(), before + 1, 'each attempt uses a proxy')
    }
    for (const proxy of strict) proxy.behave(undefined)
    const allowed = [1, 2].map(attempt => ({ url: url('/plain?allowed'), attempt }))
    await scene.order(orders(110, allowed, datacenter))
    for (const came of (await scene.cameOf(110, 2)).values()) t.match(came, { type: 'fetched', status: 200 })
  })

  await t.test('rests a proxy that refuses the targets of all projects', async t => {
    const inItaly = { proxyPool: { pool: 'residential' as const, country: 'IT' } }
    const [proxy] = strict
    const fetched = async (n: number, projectId: number, at: string) => {
      await scene.order(orders(120 + n, [at], { ...inItaly, projectId }))
      return one(120 + n, at)
    }
    const refused = (n: number, projectId: number) =>
      fetched(n, projectId, `http://127.1.0.${30 + n}:${origin.port}/plain`)
    proxy?.behave('refuses')
    for (let n = 20; n < 32; n++) {
      const came = await fetched(n, 1 + (n % 3), `http://127.1.0.29:${origin.port}/plain?${n}`)
      t.match(
        came,
        { ...failed('proxy', true), retryAfterMs: 5_000 },
        'many pages of one host are no evidence',
      )
    }
    proxy?.behave(undefined)
    t.match(await fetched(32, 1, `${origin.url}/plain`), { type: 'fetched' })
    proxy?.behave('refuses')
    for (const [n, project] of [1, 1, 1, 1, 1, 2, 3, 1, 2, 3, 1, 2, 3].entries())
      t.match(await refused(n, project), { ...failed('proxy', true), retryAfterMs: 5_000 })
    const opened = proxy?.connections.opened
    const came = await refused(13, 1)
    t.ok(came.type === 'failed' && came.reason === 'proxy' && came.retryAfterMs > 5_000)
    t.equal(proxy?.connections.opened, opened, 'it gets no requests meanwhile')
  })

  await t.test(
    'imitates one browser per host, also for robots.txt, or sends the user agent of the run',
    async t => {
      await using site = await startOrigin({ host: '127.1.0.21' })
      const wanted = ['/plain?a', '/plain?b'].map(path => site.url + path)
      await scene.order(orders(40, [...wanted, { kind: 'robots', url: `${site.url}/robots.txt` }]))
      await scene.cameOf(40, 3)
      const [agent, ...more] = userAgents(site.hits)
      const browser = browsers.find(({ fields }) => fields['user-agent'] === agent)
      t.ok(browser)
      t.same(more, [])
      const names = Object.keys(site.hits[0]?.headers ?? {})
      const shown = Object.keys(browser?.fields ?? {}).filter(name => names.includes(name))
      t.same(
        names.filter(name => shown.includes(name)),
        shown,
        'in the order of that browser',
      )

      const own = { headers: seal('{"X-Mine": "yes"}'), userAgent: 'Mine/1', cookies: seal('k=v') }
      const external = `${site.url}/redirect-to?url=${encodeURIComponent(url('/robots-of-another'))}`
      await scene.order(orders(41, [wanted[0] ?? '', { kind: 'robots', url: external }], own))
      await scene.cameOf(41, 2)
      const mine = site.hits.slice(3).map(({ headers }) => headers)
      t.equal(mine.length, 2)
      for (const headers of mine) {
        t.match(headers, { 'user-agent': 'Mine/1', 'x-mine': 'yes', cookie: 'k=v' })
        t.notOk('upgrade-insecure-requests' in headers)
      }
      const stranger = origin.hits.at(-1)?.headers ?? {}
      t.match(stranger, { 'user-agent': 'Mine/1' })
      t.notOk('x-mine' in stranger || 'cookie' in stranger, 'another host gets no secret')
    },
  )

  await t.test('returns sitemaps unchanged, after redirects', async t => {
    const xml = '<urlset><url><loc>http://a.test/</loc></url></urlset>'
    const noise = randomBytes(7 * 1024 ** 2)
    origin.site({
      '/sitemap.xml': { headers: { 'content-type': 'application/xml' }, body: xml },
      '/sitemap.xml.gz': { headers: { 'content-type': 'application/gzip' }, body: gzipSync(xml) },
      '/moved.xml': { status: 301, headers: { location: '/sitemap.xml' } },
      '/large.xml': { body: noise },
      '/larger.xml': { body: Buffer.alloc(10 * 1024 ** 2) },
      '/busy.xml': { status: 503, headers: { 'retry-after': '0' } },
    })
    const paths = [
      '/sitemap.xml',
      '/sitemap.xml.gz',
      '/moved.xml',
      '/large.xml',
      '/larger.xml',
      '/status/404',
      '/redirect-loop',
    ]
    const sitemaps = [...paths, '/redirect-to?url=http://127.0.0.1/'].map(path => ({
      kind: 'sitemap' as const,
      url: url(path),
    }))
    await scene.order(orders(50, sitemaps))
    const came = await scene.cameOf(50, sitemaps.length)
    const at = (path: string) => came.get(`${urlKey(url(path))}/1`)
    const plain = { type: 'fetched', kind: 'sitemap', status: 200 }
    t.match(at('/sitemap.xml'), {
      ...plain,
      url: url('/sitemap.xml'),
      contentType: 'application/xml',
      body: Buffer.from(xml),
    })
    t.match(at('/sitemap.xml.gz'), { ...plain, encodings: { length: 0 }, body: gzipSync(xml) })
    t.match(at('/moved.xml'), { ...plain, url: url('/sitemap.xml') })
    t.match(at('/larger.xml'), failed('too_large', false))
    t.match(at('/status/404'), { ...plain, status: 404 })
    t.match(at('/redirect-loop'), failed('too_many_redirects', false))
    t.match(at('/redirect-to?url=http://127.0.0.1/'), failed('private_address', false))
    const large = at('/large.xml')
    if (large?.type !== 'fetched') return t.fail('the large one is missing')
    const stored = await openBulky(scene.bus).get(large.bulkyKey ?? '')
    t.ok(stored && gunzipSync(stored).equals(noise))
    await scene.order(orders(51, [{ kind: 'sitemap', url: url('/busy.xml') }]))
    t.match(await one(51, url('/busy.xml')), failed('throttled', true))
  })

  await t.test('respects Retry-After of a robots.txt', async t => {
    for (const [n, status] of [429, 503].entries()) {
      await using busy = await startOrigin({ host: `127.1.0.3${n}` })
      busy.site({ '/robots.txt': { status, headers: { 'retry-after': '1' } }, '/calm': 'calm' })
      await scene.order(orders(60 + n, [{ kind: 'robots', url: `${busy.url}/robots.txt` }]))
      t.match(await one(60 + n, `${busy.url}/robots.txt`), { type: 'robots', status })
      await scene.order(orders(62 + n, [`${busy.url}/calm`]))
      await one(62 + n, `${busy.url}/calm`)
      const [first, second] = busy.hits
      t.ok((second?.at ?? 0) - (first?.at ?? 0) > 900, `after ${status}`)
    }
  })

  await t.test('applies throttling of own proxies, headers or names to their customer only', async t => {
    await using own = await startProxy({ kind: 'http' })
    const customers = [{ proxy: seal(own.url) }, { cookies: seal('k=v') }, { userAgent: 'Mine/1' }]
    for (const [n, customer] of customers.entries()) {
      await using host = await startOrigin({ host: `127.1.0.4${n}` })
      host.site({ '/busy': { status: 429, headers: { 'retry-after': '60' } }, '/calm': 'calm' })
      const run = 200 + 10 * n
      await scene.order(orders(run, [`${host.url}/busy`], { ...customer, delayMs: 5 }))
      t.match(await one(run, `${host.url}/busy`), { ...failed('throttled', true), retryAfterMs: 60_000 })
      await scene.order(orders(run, [`${host.url}/calm?own`], { ...customer, delayMs: 5 }))
      await scene.order(orders(run + 1, [`${host.url}/calm?other`], { delayMs: 5 }))
      t.match(await one(run + 1, `${host.url}/calm?other`), { type: 'fetched', status: 200 })
      const paths = host.hits.map(({ path }) => path)
      t.same(paths, ['/busy', '/calm?other'], `${Object.keys(customer)}: its own run waits`)
    }
  })

  await t.test('distinguishes origins and runs for Retry-After, in this and other processes', async t => {
    const redis = new Redis(scene.redis.url)
    t.teardown(() => redis.disconnect())
    const [local, shared] = [createLocalClock(() => 0), createSharedClock(redis)]
    const [all, own] = [
      { host: 'all.test', protocol: 'http:', runId: null },
      { host: 'own.test', protocol: 'http:', runId: 1 },
    ]
    for (const clock of [local, shared]) {
      await clock.backOff(all, 60_000)
      await clock.backOff(all, 1_000)
      await clock.backOff(own, 60_000)
    }
    const waits = async (host: string, protocol: string, runId: number) => {
      const request = { host, protocol, runId, delayMs: 10 }
      return [local.waitOf(request), await shared.take(request)].map(ms => ms > 50_000)
    }
    t.same(await waits('all.test', 'http:', 2), [true, true])
    t.same(await waits('all.test', 'https:', 2), [false, false])
    t.same(await waits('own.test', 'http:', 1), [true, true])
    t.same(await waits('own.test', 'http:', 2), [false, false])
  })

  await t.test(
    'sends the pause of a host to the clocks of other fetchers, which need no Redis for it',
    async t => {
      const [mine, other] = [createLocalClock(), createLocalClock()]
      using pauses = shareHostPauses(scene.bus, mine)
      using _ = shareHostPauses(scene.bus, other)
      const waitOf = (host: string, runId: number) =>
        other.waitOf({ host, protocol: 'http:', runId, delayMs: 0 })
      pauses.notify({ host: 'all.test', protocol: 'http:', runId: null }, 60_000)
      pauses.notify({ host: 'own.test', protocol: 'http:', runId: 1 }, 60_000)
      await until(() => waitOf('own.test', 1) > 50_000)
      t.ok(waitOf('all.test', 2) > 50_000, 'for all runs')
      t.equal(waitOf('own.test', 2), 0, 'or for the run that was refused')
    },
  )

  await t.test('pauses an undelayed crawl of this fetcher when another fetcher is refused', async t => {
    await using host = await startOrigin({ host: '127.1.0.19' })
    host.site({ '/calm': 'calm' })
    const { host: name } = new URL(host.url)
    const paused = { host: name, protocol: 'http:', runId: null, ms: 1_500 }
    await scene.bus.nc.flush()
    scene.bus.nc.publish(notifications.hostPaused, JSON.stringify(paused))
    await scene.bus.nc.flush()
    const began = performance.now()
    await scene.order(orders(7701, [`${host.url}/calm`]))
    t.match(await one(7701, `${host.url}/calm`), { type: 'fetched', status: 200 })
    t.ok(performance.now() - began > 1_000, 'its request waits')
  })

  await t.test('keeps the pause of a slot when an earlier request leaves late', async t => {
    const redis = new Redis(scene.redis.url)
    t.teardown(() => redis.disconnect())
    const shared = createSharedClock(redis)
    const of = (runId: number, delayMs: number) => ({ host: 'slow.test', protocol: 'http:', runId, delayMs })
    t.equal(await shared.take(of(1, 20)), 0)
    await sleep(40)
    t.equal(await shared.take(of(2, 60_000)), 0)
    await shared.moved(of(1, 20))
    const waitMs = await shared.take(of(3, 60_000))
    t.ok(waitMs > 50_000, `a third run waits ${waitMs} ms`)
  })

  await t.test('sends a host more concurrent requests while it copes, and fewer otherwise', async t => {
    for (const [status, max] of [
      [200, 8],
      [500, 2],
    ] as const) {
      await using site = await startBusySite(status)
      const urls = Array.from({ length: 64 }, (_, n) => `${site.url}/?n=${n}`)
      for (let at = 0; at < 64; at += 8) await scene.order(orders(70 + max, urls.slice(at, at + 8)))
      t.equal((await scene.cameOf(70 + max, 64)).size, 64)
      t.ok(site.atOnce.length === 64 && Math.max(...site.atOnce) <= max, `${site.atOnce}`)
      if (status === 200) t.ok(Math.max(...site.atOnce) > 4, 'it gets more requests')
      else t.equal(Math.max(...site.atOnce.slice(4)), 1, 'only one at a time')
    }
  })
})

/** Starts a site that takes 20 ms per response, and records the number of concurrent requests. */
async function startBusySite(status: number) {
  const atOnce: number[] = []
  let open = 0
  const server = createServer((_request, response) => {
    atOnce.push(++open)
    setTimeout(() => {
      open--
      response.writeHead(status).end('done')
    }, 20)
  })
  return { ...(await listening(server, '127.1.0.35')), atOnce }
}

/** Returns a process that works on a run, and uses all its slots. Each request takes 20 ms. */
function worker(redis: Redis, name: string, concurrency: number) {
  const shares = createRunShares(redis, name)
  let [part, out, served] = [0, 0, 0]
  const share = shares.join(
    1,
    concurrency,
    permits => {
      part = permits
      go()
    },
    () => out,
  )
  function go() {
    for (; out < part; out++) {
      setTimeout(() => {
        out--
        served++
        go()
      }, 20)
    }
  }
  return {
    resize: share.resize,
    get out() {
      return out
    },
    get served() {
      return served
    },
    leave() {
      part = 0
      share[Symbol.dispose]()
    },
    /** Ends without a notice. */
    die() {
      part = 0
      shares[Symbol.dispose]()
    },
  }
}

test('Hosts that requested a pause are listed for the operator', async t => {
  const server = await throwawayRedis()
  t.teardown(() => server.stop())
  // Without the time limit of the service for each command, which a busy machine exceeds.
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const { record, read } = openThrottledHosts(redis)
  const host = (n: number) => ({ host: `h${n}.test`, protocol: 'https:', runId: n })

  await t.test('with the end and the number of their pauses, the latest end first', async t => {
    t.strictSame(await read(50), { total: 0, hosts: [] })
    await record(host(1), 60_000)
    await record(host(1), 1_000)
    await record(host(2), 90_000)
    const { total, hosts } = await read(50)
    t.equal(total, 2)
    t.match(hosts, [
      { origin: 'https://h2.test', pauses: 1 },
      { origin: 'https://h1.test', pauses: 2 },
    ])
    const ends = Date.parse(hosts[1]?.pausedUntil ?? '') - Date.now()
    t.ok(ends > 30_000 && ends < 61_000, 'a shorter pause does not end a longer one')
    t.equal((await read(1)).hosts.length, 1)
  })

  await t.test('for ten minutes after their pause, and at most a thousand', async t => {
    const [ends, counts] = ['pressed:{hosts}', 'pressed:{hosts}:pauses']
    await redis.zadd(ends, Date.now() - 601_000, 'https://old.test')
    await redis.hset(counts, 'https://old.test', 3)
    t.equal((await read(50)).total, 2, 'the old one is not listed')
    for (let n = 3; n <= 1_010; n++) await record(host(n), 100_000 + n)
    t.equal(await redis.zcard(ends), 1_000)
    t.equal(await redis.hlen(counts), 1_000)
    const { hosts } = await read(50)
    t.equal(hosts.length, 50)
    t.equal(hosts[0]?.origin, 'https://h1010.test')
    const life = await redis.pttl(ends)
    t.ok(life > 600_000 && life < 710_000, 'without pauses Redis drops the list')
  })
})

test('The processes that work on a run share its concurrency', async t => {
  const server = await throwawayRedis()
  t.teardown(() => server.stop())
  using redis = await openRedis(server.url, { away() {}, back() {} })

  for (const concurrency of [1, 7]) {
    await t.test(`${concurrency} at once, wherever, and each has its turns`, async t => {
      await redis.flushall()
      const workers = ['a', 'b', 'c'].map(name => worker(redis, name, concurrency))
      const max = await maxAtOnce(workers, () => workers.every(({ served }) => served > 10))
      t.equal(max, concurrency, 'never more, and all of it if there is work')
      if (concurrency === 7) {
        const settled = () => workers.every(({ out }) => out === 2 || out === 3)
        await maxAtOnce(workers, settled)
        t.ok(settled(), 'in equal parts')
      }
      workers[0]?.leave()
      workers[1]?.die()
      const last = workers[2] as (typeof workers)[number]
      await maxAtOnce(workers, () => last.out === concurrency)
      t.equal(last.out, concurrency, 'the remaining process has all of it, even after a crash of the other')
      last.resize(concurrency + 1)
      await maxAtOnce(workers, () => last.out > concurrency)
      t.equal(last.out, concurrency + 1, 'and later increases of the run')
      last.leave()
    })
  }

  await t.test('each has all of it while Redis is down', async t => {
    using nobody = await openRedis('redis://127.0.0.1:1', { away() {}, back() {} })
    const workers = ['a', 'b'].map(name => worker(nobody, name, 3))
    await maxAtOnce(workers, () => workers.every(({ out }) => out === 3))
    t.same(
      workers.map(({ out }) => out),
      [3, 3],
    )
    for (const one of workers) one.leave()
  })

  /** Waits until the condition holds, for at most 15 s. */
  async function maxAtOnce(workers: { out: number }[], isSo: () => boolean): Promise<number> {
    let max = 0
    for (let left = 1_500; left > 0 && !isSo(); left--) {
      max = Math.max(
        max,
        workers.reduce((sum, { out }) => sum + out, 0),
      )
      await sleep(10)
    }
    return max
  }
})

test('Two fetchers together respect the concurrency of a run', async t => {
  const scene = await startScene()
  await using site = await startBusySite(200)
  t.teardown(() => scene.close())
  const own = (n: number) => scene.start({ FETCH_MESSAGES: '1', INSTANCE: `fetcher-${n}` })
  await Promise.all([own(1), own(2)])
  const urls = Array.from({ length: 120 }, (_, n) => `${site.url}/?n=${n}`)
  for (let at = 0; at < 120; at += 8) await scene.order(orders(1, urls.slice(at, at + 8), { concurrency: 3 }))
  t.equal((await scene.cameOf(1, 120)).size, 120)
  t.equal(Math.max(...site.atOnce), 3)
})

test('Two fetchers keep the different delays of two runs', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await Promise.all([scene.start({ FETCH_MESSAGES: '1' }), scene.start({ FETCH_MESSAGES: '1' })])
  const urls = (run: number, count: number) =>
    Array.from({ length: count }, (_, n) => `${origin.url}/plain?run=${run}&n=${n}`)
  const began = performance.now()
  // Each run is sent twice, so that both fetchers have orders of both.
  await scene.order(orders(1, urls(1, 2), { delayMs: 600 }))
  await scene.order(orders(2, urls(2, 5), { delayMs: 150 }))
  await scene.order(orders(1, urls(1, 4).slice(2), { delayMs: 600 }))
  await scene.order(orders(2, urls(2, 10).slice(5), { delayMs: 150 }))
  await Promise.all([scene.cameOf(1, 4), scene.cameOf(2, 10)])
  t.equal(origin.hits.length, 14)
  const slow = origin.hits.filter(({ path }) => path.includes('run=1'))
  // A request may leave late on a busy machine, and the next one then follows sooner; none is ahead of its delays.
  for (const [n, { at }] of slow.entries()) t.ok(at - began >= n * 600, `${at - began} ms of the patient run`)
  for (const [n, { at }] of origin.hits.entries()) t.ok(at - began >= n * 150, `${at - began} ms`)
})
