/** Pages by every backend beyond plain HTTP, and searches: with real proxies, a real TLS site, and fakes of vendors. */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { RenderError } from '@tidemark/browser/render-error'
import { call } from '@tidemark/bus/rpc'
import type { By, FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import { notifications } from '@tidemark/contracts/subjects'
import { createGuard } from '@tidemark/http/guard'
import { startOrigin } from '@tidemark/testing/origin'
import { decodedPage } from '@tidemark/testing/origin-behaviours'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { startProxy } from '@tidemark/testing/proxy'
import { systemResolver } from '@tidemark/testing/system-resolver'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { proxyProgram } from '../../test/programs.ts'
import { createRequestApi, operatorsClient } from './adapters/json-api.ts'
import { errorOfVisit } from './backends/browser-errors.ts'
import { startScene } from './fetcher.scene.ts'
import { type Picks, startPickySite } from './picky.scene.ts'
import { type ProxyProgramName, startWiredProxy } from './proxy-programs.scene.ts'
import { searxng } from './search/searxng.ts'
import { startSearchEngine, startVendor } from './vendor.scene.ts'

// Both clients must trust the certificate authority of the test: Node by its list, the faithful one by the file that it
// reads at its first use.
const certificate = selfSigned(['127.1.0.1', '127.1.0.31'])
const authority = path.join(await fs.mkdtemp(path.join(os.tmpdir(), 'authority-')), 'ca.pem')
await fs.writeFile(authority, certificate.cert)
process.env.SSL_CERT_FILE = authority
tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.cert])

const faithful = { backend: 'faithful' } as const
const byVendor = { backend: 'vendor', country: null, waitFor: null } as const
const render = { backend: 'browser', waitFor: 'load', picture: false } as const
const isp = { backend: 'proxy', pool: 'isp', country: null } as const
const failed = (reason: string, message?: RegExp) => ({ is: 'failed', reason, ...(message && { message }) })

type Scene = Awaited<ReturnType<typeof startScene>>

/** Fetches a page. Each request has its own work id by default. */
function askerOf(scene: Scene) {
  let works = 0
  return async (url: string, by?: By, more: Partial<FetchNow> = {}) => {
    works -= 1
    const limits = { maxHops: 3, maxBytes: 30e6, cuts: false, timeoutMs: 5_000 }
    const request = { workId: works, url, ...limits, ...(by && { by }), ...more }
    const subject = by?.backend === 'browser' ? fetchRpc.renderNow : fetchRpc.fetchNow
    const answer = { timeoutMs: 20_000 }
    const { header, blobs } = await call(scene.bus, subject, request, answer)
    const [body, picture] = blobs.map(blob => Buffer.from(blob))
    return { ...header, text: body?.toString() ?? '', picture }
  }
}

const search = (scene: Scene, query: string, limit = 10) =>
  call(scene.bus, searchRpc.searchWeb, { query, limit }, { timeoutMs: 30_000 })
const state = (scene: Scene) => call(scene.bus, searchRpc.cloudState, null, { timeoutMs: 10_000 })

test('An installation without backends names the missing setting', async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  await scene.start({ BROWSER: 'off' })
  const fetchNow = askerOf(scene)
  const url = 'http://127.1.0.1:1025/'
  t.match(await fetchNow(url, isp), failed('not_configured', /PROXY_POOLS/))
  t.match(await fetchNow(url, byVendor), failed('not_configured', /VENDOR_URL/))
  t.match(await fetchNow(url, render), failed('not_configured', /BROWSER/))
  await t.rejects(search(scene, 'tides'), { code: 'not_configured', status: 503, message: /SEARCH_URL/ })
  const nothing = { browser: false, proxyPools: [], vendor: false, search: false, balanceUsd: null }
  t.same(await state(scene), { ...nothing, faithful: true })
})

test('A failed rendering is reported in one sentence', t => {
  const visit = { refusals: [], over: null }
  const heavy = new RenderError('too_large', { because: 'it exceeded the memory limit of a page' })
  for (const error of [heavy, new RenderError('download'), new RenderError('busy')])
    t.match(errorOfVisit(visit, new URL('http://a.test/'), error), { message: error.message, cause: error })
  t.end()
})

test('Lanes are served by the processes that have them', async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  await scene.start({ FETCH_LANES: 'http', BROWSER: process.execPath })
  const fetchNow = askerOf(scene)
  await t.rejects(fetchNow('http://127.1.0.1:1025/', render), { code: 'unavailable' })
  const limit = { timeoutMs: 10_000 }
  const lane = () => call(scene.bus, searchRpc.browserState, null, limit)
  t.match(await state(scene), { browser: false }, 'there is a program, but no lane')
  await t.rejects(lane(), { code: 'unavailable' })
  const rendering = await scene.start({ FETCH_LANES: 'browser', BROWSER: process.execPath })
  t.same(await lane(), { browser: true })
  await rendering.stop()
  await scene.start({ FETCH_LANES: 'browser', BROWSER: 'off' })
  t.same(await lane(), { browser: false })
  t.match(await fetchNow('http://127.1.0.1:1025/', render), failed('not_configured', /BROWSER is off/))
  await t.rejects(scene.start({ FETCH_LANES: 'http,ftp' }), /FETCH_LANES/)
  await t.rejects(scene.start({ SEARCH_URL: 'engine' }), /SEARCH_URL/)
  await t.rejects(scene.start({ VENDOR_URL: 'ftp://vendor.test' }), /VENDOR_URL/)
})

test('The faithful client', async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await scene.start()
  const fetchNow = askerOf(scene)

  for (const picks of ['greeting', 'order'] satisfies Picks[]) {
    await t.test(`is let in where a site knows browsers by their ${picks}`, async t => {
      await using site = await startPickySite(certificate, picks)
      t.match(await fetchNow(site.url), { is: 'fetched', status: 403, text: /stay out/ })
      for (let n = 0; n < 12; n++)
        t.match(await fetchNow(site.url, faithful), { is: 'fetched', status: 200, text: /Welcome/ })
      const greetings = site.greetings.slice(1).map(({ ciphers }) => ciphers.length)
      t.ok(new Set(greetings).size > 1, 'with several fingerprints')
    })
  }

  await t.test('rejects untrusted certificates', async t => {
    await using site = await startPickySite(selfSigned(['127.1.0.31']), 'greeting')
    t.match(await fetchNow(site.url, faithful), failed('tls', /InvalidCertificate/))
  })

  await t.test('returns the body decoded, and follows allowed redirects', async t => {
    const gzip = await fetchNow(`${origin.url}/gzip`, faithful)
    t.match(gzip, { status: 200, encodings: { length: 0 }, contentType: /html/, hops: { length: 0 } })
    t.equal(gzip.text, decodedPage)
    t.ok(gzip.is === 'fetched' && (gzip.moved ?? 0) > 500)
    const chain = await fetchNow(`${origin.url}/redirect-chain/2`, faithful)
    t.match(chain, { url: `${origin.url}/redirect-chain/0`, hops: [{ status: 302 }, { status: 302 }] })
    t.match(await fetchNow(`${origin.url}/redirect-chain/9`, faithful), failed('too_many_redirects'))
    t.match(await fetchNow(`${origin.url}/redirect-loop/a`, faithful), failed('too_many_redirects'))
    t.match(await fetchNow(`${origin.url}/redirect-chain/2`, faithful, { maxHops: 0 }), { status: 302 })
    const names = Object.keys(origin.hits.at(-1)?.headers ?? {})
    t.notOk(
      names.some(name => name.startsWith('sec-')),
      'unencrypted, browsers leave out some fields',
    )
  })

  await t.test('reads pages after interim responses, like the plain client', async t => {
    await using secure = await startOrigin({ host: '127.1.0.31', tls: certificate })
    const paths = ['/interim/100', '/interim/103', '/interim/103-100-103'].map(path => origin.url + path)
    for (const url of [...paths, `${secure.url}/interim/100`, `${secure.url}/interim/103`])
      for (const by of [undefined, faithful]) {
        const { is, text } = await fetchNow(url, by)
        t.same({ is, text }, { is: 'fetched', text: decodedPage }, `${by?.backend ?? 'http'} ${url}`)
      }
  })

  await t.test('sends a host the cookies that it set in redirects', async t => {
    origin.site({
      '/door': {
        status: 302,
        headers: { location: '/room', 'set-cookie': ['seen=1; Path=/', 'gone=x; Max-Age=0'] },
      },
      '/room': 'Come in',
    })
    t.match(await fetchNow(`${origin.url}/door`, faithful), { status: 200, text: 'Come in' })
    t.equal(origin.hits.at(-1)?.headers.cookie, 'seen=1')
    t.match(await fetchNow(`${origin.url}/room`, faithful), { status: 200 })
    t.equal(origin.hits.at(-1)?.headers.cookie, undefined, 'and drops them after the page')
  })

  await t.test('connects to no forbidden address', async t => {
    for (const url of ['http://10.0.0.1/', 'https://127.0.0.1/', 'http://localhost:8222/', 'http://[::1]/'])
      t.match(await fetchNow(url, faithful), failed('private_address'), url)
    const to = (url: string) => `${origin.url}/redirect-to?url=${encodeURIComponent(url)}`
    t.match(await fetchNow(to('http://169.254.169.254/'), faithful), failed('private_address'))
    t.match(await fetchNow(to('https://www.malware.test/'), faithful), failed('blocked_domain'))
    t.match(await fetchNow(to('ftp://a.test/'), faithful), failed('bad_url'))
    t.match(await fetchNow('https://www.malware.test/', faithful), failed('blocked_domain'))
    t.match(await fetchNow('http://no-such-host.invalid/', faithful), failed('dns'))
    t.match(await fetchNow('https://127.1.0.250:1025/', faithful), failed('connect'))
  })

  await t.test('respects limits of bytes and time', async t => {
    t.match(await fetchNow(`${origin.url}/endless`, faithful, { maxBytes: 10_000 }), failed('too_large'))
    const cut = await fetchNow(`${origin.url}/endless`, faithful, { maxBytes: 10_000, cuts: true })
    t.equal(cut.text.length, 10_000)
    t.match(await fetchNow(`${origin.url}/never-answers`, faithful, { timeoutMs: 400 }), failed('timeout'))
    t.match(await fetchNow(`${origin.url}/body-drip`, faithful, { timeoutMs: 400 }), failed('timeout'))
    t.match(await fetchNow(`${origin.url}/accepts-and-closes`, faithful), failed('protocol'))
    const slow = fetchNow(`${origin.url}/never-answers`, faithful, { workId: -9_000 })
    const hits = origin.hits.length
    await until(() => origin.hits.length > hits)
    scene.bus.nc.publish(notifications.workDropped, JSON.stringify({ workId: -9_000 }))
    t.match(await slow, failed('aborted'))
    await until(() => origin.connections.open === 0)
    t.pass('and leaves no connection behind')
  })

  await t.test('keeps the delay of its host, like every client', async t => {
    const before = origin.hits.length
    const together = { workId: -9_001 }
    await Promise.all([1, 2, 3].map(() => fetchNow(`${origin.url}/plain`, faithful, together)))
    const at = origin.hits.slice(before).map(hit => hit.at)
    for (const [n, time] of at.entries()) if (n > 0) t.ok(time - (at[n - 1] ?? 0) > 80)
  })
})

test('Proxies of the installation', async t => {
  const scene = await startScene()
  const [origin, secure] = await Promise.all([startOrigin(), startOrigin({ tls: certificate })])
  const [good, other, dead] = await Promise.all([
    startProxy({ kind: 'http', host: '127.2.0.1' }),
    startProxy({ kind: 'socks5', host: '127.2.0.2' }),
    startProxy({ kind: 'http', host: '127.2.0.3', fault: 'closes' }),
  ])
  t.teardown(() => Promise.all([scene, origin, secure, good, other, dead].map(one => one.close())))
  origin.site({ '/large': { body: Buffer.alloc(300_000, 'tides ') } })
  secure.site({ '/large': { body: Buffer.alloc(300_000, 'tides ') } })

  for (const name of ['tinyproxy', 'microsocks'] satisfies ProxyProgramName[]) {
    await t.test(`are billed by what moves: ${name}, with a login`, async t => {
      const program = await proxyProgram(name).catch((error: Error) => error)
      if (program instanceof Error) return t.pass(program.message, { skip: program.message })
      await using proxy = await startWiredProxy(name, program)
      const fetcher = await scene.start({ PROXY_POOLS: JSON.stringify({ isp: { DE: [proxy.url] } }) })
      const fetchNow = askerOf(scene)
      let moved = 0
      for (const site of [origin, secure]) {
        for (const page of ['/plain', '/gzip', '/large', '/redirect-chain/2', '/status/404']) {
          const got = await fetchNow(site.url + page, { ...isp, country: 'de' })
          t.match(got, { is: 'fetched' }, page)
          if (got.is === 'fetched') moved += got.moved ?? 0
        }
      }
      const { bytes } = proxy.wire
      t.ok(Math.abs(moved - bytes) < bytes / 100, `${moved} of ${bytes}`)
      t.match(
        await fetchNow(origin.url, { ...isp, country: 'FR' }),
        failed('not_configured', /PROXY_POOLS.*isp in FR/),
      )
      t.match(await fetchNow('http://10.0.0.1/', isp), failed('private_address'))
      await fetcher.stop()
    })
  }

  await t.test('a host keeps its proxy, and a failing proxy rests', async t => {
    const pools = { isp: [good.url, other.url, dead.url], mobile: [dead.url] }
    await scene.start({ PROXY_POOLS: JSON.stringify(pools), BROWSER: 'off' })
    const fetchNow = askerOf(scene)
    for (let n = 0; n < 6; n++) t.match(await fetchNow(`${origin.url}/plain`, isp), { status: 200 })
    t.match([good.requested.length, other.requested.length].sort(), [0, 6])
    for (let n = 0; n < 12; n++) {
      await using site = await startOrigin({ host: `127.1.0.${100 + n}` })
      t.match(await fetchNow(`${site.url}/plain`, isp), { status: 200 }, 'the next one is used at once')
    }
    t.ok(good.requested.length > 0 && other.requested.length > 0, 'hosts are spread over them')
    const mobile = { ...isp, pool: 'mobile' } as const
    for (let n = 0; n < 3; n++) {
      const answer = await fetchNow(`${origin.url}/plain`, mobile)
      t.match(answer, failed('proxy'))
      t.notMatch(JSON.stringify(answer), /127\.2\.0\.3/, 'its address stays secret')
    }
    const opened = dead.connections.opened
    t.match(await fetchNow(`${origin.url}/plain`, mobile), failed('proxy', /failed recently/))
    t.equal(dead.connections.opened, opened)
    t.same((await state(scene)).proxyPools, ['isp', 'mobile'])
  })
})

test('A vendor', async t => {
  const scene = await startScene()
  const key = 'vendor-key-that-nobody-else-may-read'
  const vendor = await startVendor(key)
  t.teardown(() => Promise.all([scene.close(), vendor[Symbol.asyncDispose]()]))
  const settings = { VENDOR_URL: `${vendor.url}/`, VENDOR_KEY: key, BROWSER: 'off' }
  const fetcher = await scene.start({ ...settings, SEARCH_URL: 'vendor' })
  const fetchNow = askerOf(scene)
  const page = 'http://127.1.0.9:8080/page'

  await t.test('gets the page, and its price is reported', async t => {
    const got = await fetchNow(page, { ...byVendor, country: 'DE', waitFor: 'networkidle' })
    t.match(got, {
      is: 'fetched',
      url: `${page}?seen`,
      status: 203,
      costUsd: 0.00031,
      encodings: { length: 0 },
      hops: { length: 0 },
    })
    t.match(got, {
      contentType: 'text/html; charset=utf-8',
      headers: { 'cf-mitigated': 'none' },
      text: '<p>Grüße</p>',
    })
    const wish = {
      url: page,
      return_format: 'raw',
      country_code: 'de',
      request: 'chrome',
      request_timeout: 5,
    }
    t.match(vendor.requested.at(-1), { path: '/scrape', key: `Bearer ${key}`, body: wish })
    await fetchNow(page, byVendor)
    t.match(vendor.requested.at(-1)?.body, { request: 'smart' })
  })

  await t.test('reports its state, which is requested once a minute', async t => {
    for (let n = 0; n < 3; n++) t.match(await state(scene), { vendor: true, search: true, balanceUsd: 5.321 })
    t.equal(vendor.requested.filter(({ path }) => path === '/data/credits').length, 1)
  })

  await t.test('searches', async t => {
    const { hits, costUsd } = await search(scene, 'tides', 5)
    t.same(hits[0], { url: 'https://same.test/#one', title: 'Same', snippet: null })
    t.same(hits[1], { url: 'https://site.test/1', title: 'Page 1', snippet: 'About 1' })
    t.equal(hits.length, 5)
    t.equal(costUsd, 0.002)
  })

  await t.test('fails in bounded time and bytes, with an error that never has its key', async t => {
    const ends: [string, RegExp | string, Partial<FetchNow>?][] = [
      ['401', /VENDOR_KEY/],
      ['402', /no credit/],
      ['429', /429/],
      ['500', /answered 500/],
      ['html', /not JSON/],
      ['list', /not a page/],
      ['odd', /not a page/],
      ['none', /unreachable/],
      ['redirect', /redirect/],
      ['slow', 'timeout', { timeoutMs: 400 }],
      ['drips', 'timeout', { timeoutMs: 400 }],
      ['endless', 'too_large', { maxBytes: 1_000_000 }],
    ]
    for (const [fault, wanted, more = {}] of ends) {
      const requested = vendor.requested.length
      const answer = await fetchNow(`${page}?fault=${fault}`, byVendor, more)
      t.match(answer, typeof wanted === 'string' ? failed(wanted) : failed('vendor', wanted), fault)
      t.notMatch(JSON.stringify(answer), key)
      t.equal(vendor.requested.length, requested + 1, 'one request, and only to the vendor')
    }
    await t.rejects(search(scene, 'fault=402'), { code: 'fetch_failed', status: 502, reason: 'vendor' })
    await t.rejects(search(scene, 'fault=429'), {
      code: 'fetch_failed',
      reason: 'vendor',
      retryAfterSeconds: 7,
    })
    await t.rejects(search(scene, 'fault=endless'), { code: 'fetch_failed', reason: 'too_large' })
  })

  await t.test('gets no requests for addresses that are forbidden', async t => {
    const requested = vendor.requested.length
    t.match(await fetchNow('http://10.0.0.1/', byVendor), failed('private_address'))
    t.match(await fetchNow('https://www.malware.test/', byVendor), failed('blocked_domain'))
    t.match(await fetchNow('ftp://a.test/', byVendor), failed('bad_url'))
    t.match(await fetchNow('http://127.0.0.1:8080/', byVendor), failed('private_address'))
    t.equal(vendor.requested.length, requested)
  })

  await t.test('that is down leads to an error', async t => {
    await fetcher.stop()
    await scene.start({ ...settings, VENDOR_URL: 'http://127.0.0.1:1025' })
    const answer = await fetchNow(page, byVendor)
    t.match(answer, failed('vendor', /No connection/))
    t.notMatch(JSON.stringify(answer), /127\.0\.0\.1:1025/)
    t.match(await state(scene), { vendor: true, search: false, balanceUsd: null })
  })
})

test('A search engine', async t => {
  const scene = await startScene()
  const engine = await startSearchEngine()
  t.teardown(() => Promise.all([scene.close(), engine[Symbol.asyncDispose]()]))
  await scene.start({ SEARCH_URL: engine.url, BROWSER: 'off' })

  const few = await search(scene, 'high & low tides?', 3)
  t.same(
    few.hits.map(({ url }) => url),
    ['https://same.test/#one', 'https://site.test/1', 'https://site.test/2'],
  )
  t.same(few.hits[2], { url: 'https://site.test/2', title: 'Page 2', snippet: null })
  t.equal(few.costUsd, 0)
  t.equal(engine.requested.length, 1)
  t.equal(engine.requested[0]?.pathname, '/search')
  t.equal(engine.requested[0]?.searchParams.get('q'), 'high & low tides?')

  const many = await search(scene, 'tides', 50)
  t.equal(many.hits.length, 41, 'each page once, up to the number of results')
  t.same(
    engine.requested.slice(1).map(({ searchParams }) => searchParams.get('pageno')),
    ['1', '2', '3'],
  )

  const ends = {
    500: 'protocol',
    html: 'protocol',
    401: 'protocol',
    endless: 'too_large',
    redirect: 'too_many_redirects',
  }
  for (const [fault, reason] of Object.entries(ends))
    await t.rejects(search(scene, `fault=${fault}`), { code: 'fetch_failed', status: 502, reason }, fault)
  const guard = createGuard({ allow: [] })
  await using client = operatorsClient({
    guard,
    resolver: systemResolver,
    connectTimeoutMs: 500,
    connectionsPerOrigin: 1,
  })
  const hasty = searxng(createRequestApi(client), engine.url, 300)
  for (const slow of ['slow', 'drips'])
    await t.rejects(hasty(`fault=${slow}`, 10, new AbortController().signal), { code: 'timeout' })
  t.same((await search(scene, 'fault=list')).hits, [])
  t.match(await state(scene), { search: true, vendor: false })
})
