/** The fetcher with real servers and a site that misbehaves by path. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { openBulky } from '@tidemark/bus/bulky'
import { listenForHeartbeats } from '@tidemark/bus/heartbeat'
import { call } from '@tidemark/bus/rpc'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import { notifications, streams } from '@tidemark/contracts/subjects'
import { decodeBody } from '@tidemark/http/decode'
import { sealer } from '@tidemark/secrets/seal'
import { listening } from '@tidemark/testing/listening'
import { type Hit, startOrigin } from '@tidemark/testing/origin'
import { decodedPage } from '@tidemark/testing/origin-behaviours'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { createLocalClock } from './adapters/local-clock.ts'
import { type Came, orders, startScene } from './fetcher.scene.ts'

const failed = (reason: string, transient: boolean) => ({ type: 'failed', reason, transient })
const broken = { type: 'failed', reason: 'protocol' }
const fetched = (status: number) => ({ type: 'fetched', status })

/** The outcome of each misbehaviour. */
const ends: Record<string, object> = {
  '/never-answers': failed('timeout', true),
  '/header-drip': failed('timeout', true),
  '/body-drip': failed('timeout', true),
  '/stalls-at-99': failed('timeout', true),
  '/interim-forever': broken,
  '/interim/100': fetched(200),
  '/interim/103-100': fetched(200),
  '/accepts-and-closes': broken,
  '/resets-mid-body': broken,
  '/lying-length-long': broken,
  '/lying-length-negative': broken,
  '/lying-length-two': broken,
  '/not-http': broken,
  '/endless': failed('too_large', false),
  '/endless-crumbs': { type: 'failed', reason: /^(too_large|timeout)$/ },
  '/many-headers': fetched(200),
  '/huge-header': failed('too_large', false),
  '/status/404': fetched(404),
  '/status/500': fetched(500),
  '/status/503': fetched(503),
  '/until-close': fetched(200),
  '/redirect-to?url=file:///etc/passwd': fetched(302),
  '/redirect-to?url=javascript:alert(1)&status=301': fetched(301),
  '/status/302': fetched(302),
}

test('The fetcher', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await scene.start({ MAX_BODY_BYTES: String(9 * 1024 ** 2), RUN_CONCURRENCY: '32' })
  const one = async (runId: number, url: string) =>
    (await scene.cameOf(runId, 1)).get(`${urlKey(url)}/1`) as Came

  await t.test('ends each misbehaviour in bounded time', async t => {
    const paths = Object.keys(ends)
    for (let at = 0; at < paths.length; at += 8)
      await scene.order(
        orders(
          1,
          paths.slice(at, at + 8).map(path => origin.url + path),
          { concurrency: 32 },
        ),
      )
    const came = await scene.cameOf(1, paths.length)
    for (const path of paths) t.match(came.get(`${urlKey(origin.url + path)}/1`), ends[path] ?? {}, path)
  })

  await t.test('reads no more of a body than its order allows', async t => {
    const size = 100_000
    await using site = await startOrigin({ host: '127.1.0.16' })
    site.site({ '/fits': 'x'.repeat(size), '/long': 'x'.repeat(size + 1) })
    const paths = ['/fits', '/long', '/endless', '/huge-header']
    const urls = paths.map(path => site.url + path)
    await scene.order(orders(60, urls, { maxBytes: size }))
    const came = await scene.cameOf(60, urls.length)
    const [fits, long, endless, header] = urls.map(url => came.get(`${urlKey(url)}/1`))
    t.match(fits, fetched(200))
    t.notOk(Reflect.has(fits ?? {}, 'maxBytes'))
    t.match(long, failed('max_bytes', false))
    t.match(endless, failed('max_bytes', false))
    t.match(header, failed('too_large', false), 'its body is not the reason')
    const [again = ''] = urls
    await scene.order(orders(62, [{ url: again, attempt: 2, isRecheck: true }], { maxBytes: size }))
    const second = (await scene.cameOf(62, 1)).get(`${urlKey(again)}/2`)
    t.match(second, { ...fetched(200), maxBytes: size }, 'and passes the maximum on with a recheck')
    const [url = ''] = urls.slice(2)
    await scene.order(orders(61, [url], { maxBytes: 20 * 1024 ** 2 }))
    t.match(await one(61, url), failed('too_large', false), 'and never more than the fetcher does')
  })

  await t.test('keeps the encoding of bodies', async t => {
    const paths = ['/plain', '/gzip', '/brotli', '/zstd', '/deflate', '/raw-deflate']
    await scene.order(
      orders(
        2,
        paths.map(path => origin.url + path),
      ),
    )
    for (const came of (await scene.cameOf(2, paths.length)).values()) {
      if (came.type !== 'fetched') return t.fail(`a page came as ${came.type}`)
      t.equal(decodeBody(came.body, came.encodings, 1e6).toString(), decodedPage, came.url)
      t.match(came, {
        scope: { host: 'site.test' },
        storeHtml: true,
        bulkyKey: null,
        peer: { address: new URL(origin.url).hostname },
      })
    }
  })

  await t.test('returns redirects to the run', async t => {
    const url = `${origin.url}/redirect-to?url=${encodeURIComponent('HTTP://Elsewhere.test:80/é?utm_source=x#top')}`
    await scene.order(orders(3, [url]))
    const to = 'http://elsewhere.test/%C3%A9'
    t.match(await one(3, url), { type: 'redirect', to: [urlKey(to), to] })
  })

  await t.test('reads robots.txt, follows its redirects, and reports why it is missing', async t => {
    const origins = ['127.1.0.11', '127.1.0.12', '127.1.0.13', '127.1.0.14', '127.1.0.15']
    const sites = await Promise.all(origins.map(host => startOrigin({ host })))
    t.teardown(() => Promise.all(sites.map(site => site.close())))
    const [plain, moved, absent, endless, long] = sites
    plain?.site({ '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: '\ufeffUser-agent: *' } })
    moved?.site({ '/robots.txt': { status: 301, headers: { location: '/redirect-chain/3' } } })
    endless?.site({ '/robots.txt': { status: 302, headers: { location: '/endless' } } })
    const lines = '# 30 bytes of a comment, okay.\n'.repeat(16_500) // 31 bytes each
    long?.site({ '/robots.txt': `${lines}Disallow: /${'a'.repeat(100_000)}\n` })
    for (const [n, site] of sites.entries())
      await scene.order(orders(20 + n, [{ kind: 'robots', url: `${site.url}/robots.txt` }]))
    const robots = (n: number) => one(20 + n, `${sites[n]?.url}/robots.txt`)
    t.match(await robots(0), {
      type: 'robots',
      status: 200,
      body: 'User-agent: *',
      origin: plain?.url,
      bodyHash: /^[0-9a-f]{64}$/,
    })
    t.match(await robots(1), { type: 'robots', status: 200, body: decodedPage })
    t.match(await robots(2), { type: 'robots', status: 404, body: '', bodyHash: null, origin: absent?.url })
    const unending = await robots(3)
    t.equal(unending.type === 'robots' && unending.body, '', 'truncates an endless one')
    const cut = await robots(4)
    t.equal(cut.type === 'robots' && cut.body, lines, 'and reads the complete lines of its first 500 KiB')
  })

  await t.test('keeps the delay that a robots.txt demands from its own request on', async t => {
    for (const [n, delayMs] of [0, 100].entries()) {
      await using site = await startOrigin({ host: `127.1.0.${26 + n}` })
      site.site({ '/robots.txt': 'User-agent: *\nCrawl-delay: 0.8', '/': 'page' })
      await scene.order(orders(29 + n, [{ kind: 'robots', url: `${site.url}/robots.txt` }], { delayMs }))
      await one(29 + n, `${site.url}/robots.txt`)
      await scene.order(orders(29 + n, [`${site.url}/`], { delayMs: 800 }))
      await scene.cameOf(29 + n, 2)
      const [robots = 0, page = 0] = site.hits.map(({ at }) => at)
      t.ok(page - robots > 750, `the page comes ${page - robots} ms after the robots.txt`)
    }
  })

  await t.test('follows a redirect that changes nothing in the normal form', async t => {
    const tracking = createServer(({ url = '' }, response) => {
      if (url === '/same?utm_source=us') response.end('<title>Same</title>')
      else response.writeHead(302, { location: '/same?utm_source=us' }).end()
    })
    const site = await listening(tracking, '127.1.0.1')
    t.teardown(site.close)
    const url = `${site.url}/same`
    await scene.order(orders(40, [url]))
    t.match(await one(40, url), fetched(200))
  })

  await t.test('sends conditional requests for known pages, and returns their validators', async t => {
    const old = 'Thu, 01 Jan 2026 00:00:00 GMT'
    const paths = [
      '/versioned/a',
      '/versioned/b',
      '/versioned-strictly/c',
      '/plain',
      '/redirect-to?url=/versioned/d',
      '/status/304',
    ]
    const known = { etag: 'W/"1"', lastModified: old }
    const order = (runId: number, since: number | null, more: object = {}, validators?: object) =>
      scene.order(
        orders(
          runId,
          paths.map(path => ({ url: origin.url + path, ...(validators && { validators }) })) as never,
          { revisits: { since }, ...more },
        ),
      )
    const from = async (runId: number) => {
      const came = await scene.cameOf(runId, paths.length)
      return (path: string) => came.get(`${urlKey(origin.url + path)}/1`) as Came
    }
    const requested = (path: string) =>
      origin.hits
        .filter(hit => hit.path === path)
        .map(({ headers }) => [headers['if-none-match'], headers['if-modified-since']])

    await order(940, null)
    const first = await from(940)
    t.match(first('/versioned/a'), { status: 200, revisit: { ...known, sent: decodedPage.length } })
    t.notOk('revisit' in first('/plain'), 'it has no validator')
    t.notOk('revisit' in first('/redirect-to?url=/versioned/d'))

    await order(941, 940, {}, known)
    const second = await from(941)
    t.strictSame(requested('/versioned/a'), [
      [undefined, undefined],
      [known.etag, old],
    ])
    const unchanged = second('/versioned/a')
    t.match(unchanged, { status: 304, notModifiedSince: 940 })
    t.notOk('revisit' in unchanged)
    t.ok('headers' in first('/versioned/a'))
    t.notOk('headers' in unchanged, 'the copied page keeps the headers of its body')
    t.equal(unchanged.type === 'fetched' && unchanged.body.length, 0)
    t.match(second('/plain'), { status: 200 })
    t.match(
      second('/versioned-strictly/c'),
      { status: 200 },
      'a site that rejects conditions gets a request without',
    )
    t.strictSame(requested('/versioned-strictly/c').at(-1), [undefined, undefined])
    t.match(second('/redirect-to?url=/versioned/d'), { type: 'redirect' })

    await order(942, 940, {}, { etag: '"other"', lastModified: null })
    t.match((await from(942))('/versioned/b'), { status: 200, revisit: known })
    const own = sealer('0'.repeat(64)).seal(JSON.stringify({ 'If-None-Match': known.etag }))
    await order(943, 940, { headers: own }, { etag: '"ours"', lastModified: old })
    const fourth = (await from(943))('/versioned/a')
    t.strictSame(
      requested('/versioned/a').at(-1),
      [known.etag, undefined],
      "a client's own conditions stand alone",
    )
    t.match(fourth, { status: 304 })
    t.notOk('notModifiedSince' in fourth)
    await order(944, null)
    const unasked = (await from(944))('/status/304')
    t.match(unasked, { status: 304 })
    t.notOk('notModifiedSince' in unasked, 'it was not requested with a condition')
    await scene.order(orders(945, [`${origin.url}/versioned/a`]))
    t.notOk('revisit' in (await one(945, `${origin.url}/versioned/a`)), 'no later run will use it')
  })

  await t.test('answers the orders of stored pages without a request, a pause or a host slot', async t => {
    const pages = Array.from({ length: 8 }, (_, n) => `${origin.url}/plain?stored=${n}`)
    const fetchedAt = '2026-01-02T03:04:05.678Z'
    const stored = { runId: 7, status: 404, fetchedAt, rendered: true } as const
    const since = performance.now()
    await scene.order(
      orders(
        46,
        pages.map(url => ({ url, stored })),
        { delayMs: 60_000, loggedOut: '.login', comparison: { ignoreText: ['x'] } },
      ),
    )
    const came = [...(await scene.cameOf(46, pages.length)).values()]
    t.ok(performance.now() - since < 20_000)
    t.equal(came.length, pages.length)
    for (const page of came) {
      t.match(page, { type: 'fetched', storedIn: 7, status: 404, fetchedAt, rendered: true, attempt: 1 })
      t.match(page, { runId: 46, storeHtml: true, loggedOut: '.login', comparison: { ignoreText: ['x'] } })
      t.equal(page.type === 'fetched' && page.body.length, 0)
    }
    t.strictSame(
      origin.hits.filter(({ path }) => path.includes('stored=')),
      [],
    )
  })

  await t.test('drops the orders of an ended run at once', async t => {
    const slow = [1, 2, 3].map(n => `${origin.url}/slow/60000?n=${n}`)
    await scene.order(orders(41, slow))
    await until(() => slow.every(url => origin.hits.some(({ path }) => url.endsWith(path))))
    const open = origin.connections.open
    scene.bus.nc.publish(notifications.runEnded, JSON.stringify({ runId: 41, mayBeRetried: true }))
    await until(() => origin.connections.open <= open - slow.length)
    await scene.order(orders(41, [`${origin.url}/plain?retried`]))
    t.match(await one(41, `${origin.url}/plain?retried`), fetched(200), 'but not those of its retry')
    scene.bus.nc.publish(notifications.runEnded, JSON.stringify({ runId: 41 }))
    await scene.bus.nc.flush()
    const before = origin.hits.length
    await scene.order(orders(41, [`${origin.url}/plain?late`]))
    await scene.order(orders(42, [`${origin.url}/plain?other`]))
    t.match(await one(42, `${origin.url}/plain?other`), fetched(200))
    t.equal(origin.hits.length, before + 1)
    t.equal((await scene.cameOf(41, 1)).size, 1)
  })

  await t.test('refuses addresses that are not public', async t => {
    await scene.order(orders(4, ['http://127.0.0.1:8222/', 'http://[::1]/', 'http://169.254.169.254/latest']))
    for (const came of (await scene.cameOf(4, 3)).values()) t.match(came, failed('private_address', false))
  })

  await t.test('sends no requests to malicious hosts of the list, from any source of URLs', async t => {
    const listed = { page: 'http://malware.test/', robots: 'http://a.phishing.test/robots.txt' }
    const moved = `${origin.url}/redirect-to?url=${encodeURIComponent('http://malware.test/sitemap.xml')}`
    const wanted = [
      listed.page,
      { kind: 'robots' as const, url: listed.robots },
      { kind: 'sitemap' as const, url: moved },
    ]
    await scene.order(orders(44, wanted))
    const blocked = { reason: 'blocked_domain', transient: false }
    for (const came of (await scene.cameOf(44, 3)).values()) t.match(came, blocked)
  })

  await t.test('respects Retry-After of a host, also for another run', async t => {
    await using busy = await startOrigin({ host: '127.1.0.2' })
    busy.site({ '/busy': { status: 429, headers: { 'retry-after': '1' } }, '/calm': 'calm' })
    const url = `${busy.url}/busy`
    await scene.order(orders(5, [url]))
    t.match(await one(5, url), { ...failed('throttled', true), retryAfterMs: 1000 })
    await scene.order(orders(6, [`${busy.url}/calm`]))
    t.match(await one(6, `${busy.url}/calm`), fetched(200))
    const [first, second] = busy.hits
    t.ok((second?.at ?? 0) - (first?.at ?? 0) > 900, 'another run waits as well')
    await scene.order(orders(7, [{ url, attempt: 3 }]))
    t.match((await scene.cameOf(7, 1)).get(`${urlKey(url)}/3`), fetched(429))
    const { hosts } = await call(scene.bus, operatorRpc.throttledHosts, { limit: 50 }, { timeoutMs: 10_000 })
    t.match(
      hosts.find(({ origin }) => origin === new URL(url).origin),
      { pauses: 2 },
      'the operator sees its pauses',
    )
    const reopened = { url, earlier: 3 }
    await scene.order(
      orders(77, [
        { ...reopened, attempt: 4 },
        { ...reopened, kind: 'sitemap', attempt: 5 },
      ]),
    )
    const again = await scene.cameOf(77, 2)
    const throttled = failed('throttled', true)
    const [ofPage, ofSitemap] = [4, 5].map(attempt => again.get(`${urlKey(url)}/${attempt}`))
    t.match(ofPage, throttled, 'three attempts count')
    t.notOk(Reflect.has(ofPage ?? {}, 'kind'))
    t.match(ofSitemap, { ...throttled, kind: 'sitemap' }, 'also of a sitemap, which its failure names')
  })

  await t.test('compresses a large plain body, and stores a larger one externally', async t => {
    const [text, noise] = [Buffer.alloc(5 * 1024 ** 2, 'text '), randomBytes(7 * 1024 ** 2)]
    origin.site({ '/text': { body: text }, '/noise': { body: noise } })
    await scene.order(orders(8, [`${origin.url}/text`, `${origin.url}/noise`]))
    const came = await scene.cameOf(8, 2)
    const inMessage = came.get(`${urlKey(`${origin.url}/text`)}/1`)
    const aside = came.get(`${urlKey(`${origin.url}/noise`)}/1`)
    if (inMessage?.type !== 'fetched' || aside?.type !== 'fetched') return t.fail('a page is missing')
    t.strictSame(inMessage.encodings, ['gzip'])
    t.ok(gunzipSync(inMessage.body).equals(text))
    t.equal(aside.body.length, 0)
    const stored = await openBulky(scene.bus).get(aside.bulkyKey ?? '')
    t.ok(stored && gunzipSync(stored).equals(noise))
  })

  await t.test('respects the concurrency of a run', async t => {
    await using slow = await startOrigin({ host: '127.1.0.3' })
    const urls = Array.from({ length: 8 }, (_, n) => `${slow.url}/slow/50?n=${n}`)
    await scene.order(orders(9, urls, { concurrency: 2 }))
    t.equal((await scene.cameOf(9, 8)).size, 8)
    t.ok(slow.connections.opened < 5, `${slow.connections.opened} connections`)
  })

  await t.test('acks every message after its outcomes, and publishes pages together', async t => {
    const { num_ack_pending, num_pending } = await scene.bus.jsm.consumers.info(streams.fetch, 'fetcher-http')
    t.match({ num_ack_pending, num_pending }, { num_ack_pending: 0, num_pending: 0 })
    const url = (message: number, n: number) => `${origin.url}/plain?together=${message}.${n}`
    const before = (await scene.bus.jsm.streams.info(streams.pages)).state.messages
    for (let message = 0; message < 4; message++)
      await scene.order(
        orders(
          40,
          Array.from({ length: 8 }, (_, n) => url(message, n)),
        ),
      )
    await scene.cameOf(40, 32)
    t.ok((await scene.bus.jsm.streams.info(streams.pages)).state.messages - before < 32)
  })
})

const gaps = (hits: Hit[]) => hits.slice(1).map(({ at }, n) => at - (hits[n]?.at ?? 0))

test('Large bodies wait for memory, and small ones do not', async t => {
  const scene = await startScene()
  const half = Buffer.alloc(1024 ** 2 + 1, 'a')
  const gates = { announced: Promise.withResolvers<void>(), unannounced: Promise.withResolvers<void>() }
  const requested: string[] = []
  const server = createServer(async ({ url = '' }, response) => {
    const [, kind, name] = url.split('/')
    requested.push(url)
    if (kind !== 'announced' && kind !== 'unannounced') return response.end('small')
    if (kind === 'announced') response.setHeader('content-length', 2 * half.length)
    response.write(half)
    if (name === 'held') await gates[kind].promise
    return response.end(half)
  })
  const site = await listening(server, '127.1.0.36')
  t.teardown(() => Promise.all([scene.close(), site.close()]))
  const url = (path: string) => site.url + path
  await scene.start({ BODIES_IN_MEMORY: String(3 * 1024 ** 2), FETCH_TIMEOUT_MS: '30000' })

  for (const [run, kind] of (['announced', 'unannounced'] as const).entries()) {
    const order = (paths: string[]) => scene.order(orders(run + 1, paths.map(url), { concurrency: 8 }))
    await order([`/${kind}/held`])
    await until(() => requested.includes(`/${kind}/held`))
    await sleep(100)
    await order([`/${kind}/later`, `/small/${kind}`])
    await scene.cameOf(run + 1, 1)
    await sleep(300)
    t.same([...(await scene.cameOf(run + 1, 1)).keys()], [`${urlKey(url(`/small/${kind}`))}/1`])
    t.ok(requested.includes(`/${kind}/later`), 'the other one has started')
    gates[kind].resolve()
    for (const came of (await scene.cameOf(run + 1, 3)).values()) {
      t.match(came, fetched(200))
      const length = came.type === 'fetched' && came.body.length
      t.ok(length === 5 || length === 2 * half.length, `${length} bytes`)
    }
  }
})

test('A fetcher ends when it is disposed, with or without a signal to stop', async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const fetcher = await scene.start()
  await fetcher.dispose()
  t.equal((await scene.bus.jsm.consumers.info(streams.fetch, 'fetcher-http')).num_waiting, 0)
})

test('Two fetchers and two runs together keep the delay of a host', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await Promise.all([scene.start({ FETCH_MESSAGES: '1' }), scene.start({ FETCH_MESSAGES: '1' })])
  const urls = (run: number) => Array.from({ length: 5 }, (_, n) => `${origin.url}/plain?run=${run}&n=${n}`)
  await scene.order(orders(1, urls(1), { delayMs: 200 }))
  await scene.order(orders(2, urls(2), { delayMs: 200 }))
  await Promise.all([scene.cameOf(1, 5), scene.cameOf(2, 5)])

  t.equal(origin.hits.length, 10)
  for (const gap of gaps(origin.hits)) t.ok(gap > 150, `${gap.toFixed(1)} ms`)
})

test('A run with long delays neither starves nor slows a run with short ones', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await scene.start()
  const urls = (run: number, count: number) =>
    Array.from({ length: count }, (_, n) => `${origin.url}/plain?run=${run}&n=${n}`)
  await scene.order(orders(1, urls(1, 2), { delayMs: 600 }))
  await scene.order(orders(2, urls(2, 8), { delayMs: 100 }))
  await scene.order(orders(2, urls(3, 8), { delayMs: 100 }))
  await Promise.all([scene.cameOf(1, 2), scene.cameOf(2, 16)])
  const patient = origin.hits.filter(({ path }) => path.includes('run=1'))
  const last = origin.hits.at(-1)
  t.ok((gaps(patient)[0] ?? 0) > 550, 'the slow run keeps its own delay')
  t.not(patient.at(-1), last, 'and proceeds before the other has ended')
})

test('A fetcher that stops returns its orders, and nothing is fetched twice', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  const [now, later] = [`${origin.url}/plain?now`, `${origin.url}/plain?later`]
  const first = await scene.start()
  await scene.order(orders(1, [now, later], { delayMs: 60_000 }))
  await scene.cameOf(1, 1)
  await first.stop()

  const redis = new Redis(scene.redis.url)
  t.teardown(() => redis.disconnect())
  const clocks = await redis.keys('clock:*')
  t.equal(clocks.length, 2, 'the clocks of the host and of the run at it')
  await redis.del(...clocks)
  await scene.start()
  t.equal((await scene.cameOf(1, 2)).size, 2)
  t.strictSame(
    origin.hits.map(({ path }) => path),
    ['/plain?now', '/plain?later'],
  )
})

test('Without Redis the delays of hosts still hold', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await scene.start()
  await scene.redis.kill()
  const urls = Array.from({ length: 4 }, (_, n) => `${origin.url}/plain?n=${n}`)
  await scene.order(orders(1, urls, { delayMs: 200 }))
  t.equal((await scene.cameOf(1, 4)).size, 4)
  for (const gap of gaps(origin.hits)) t.ok(gap > 150, `${gap.toFixed(1)} ms`)
  const heartbeats = listenForHeartbeats(scene.bus)
  t.teardown(() => heartbeats.close())
  const beaten = () => heartbeats.latestByService().get('fetcher')?.heartbeat
  await until(() => beaten()?.cause !== undefined)
  t.match(beaten(), { status: 'pass', cause: /^redis_away: / }, 'a person should see to it')

  await scene.redis.restart()
  await sleep(500)
  await scene.order(orders(2, urls, { delayMs: 200 }))
  t.equal((await scene.cameOf(2, 4)).size, 4, 'and continues when it is back')
})

test('Delays are kept for any clients in any order', async t => {
  const delays = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 5 })
  const arePaced = (delays: number[]) => {
    let now = 0
    const clock = createLocalClock(() => now)
    const request = (run: number, delayMs: number) => ({
      host: 'host',
      protocol: 'http:',
      runId: run,
      delayMs,
    })
    const grants: { run: number; at: number }[] = []
    const until = 3 * Math.max(...delays)
    while (now <= until) {
      const waits = delays.map((delayMs, run) => clock.waitOf(request(run, delayMs)))
      const run = waits.indexOf(0)
      if (run >= 0) clock.recordSent(request(run, delays[run] ?? 0))
      if (run >= 0) grants.push({ run, at: now })
      else now += Math.min(...waits)
    }
    const own = (run: number) => grants.filter(grant => grant.run === run).map(({ at }) => at)
    const isApart = (times: number[], ms: number) =>
      times.every((at, n) => n === 0 || at - (times[n - 1] ?? 0) >= ms)
    return (
      isApart(
        grants.map(({ at }) => at),
        Math.min(...delays),
      ) && delays.every((delayMs, run) => isApart(own(run), delayMs))
    )
  }
  t.doesNotThrow(() => fc.assert(fc.property(delays, arePaced), { numRuns: 200 }))
})
