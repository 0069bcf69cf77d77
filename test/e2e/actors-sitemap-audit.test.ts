/** `POST /v1/actors/sitemap-audit`: every fault of a listed page, on a site that has them all. */

import { gzipSync } from 'node:zlib'
import { SitemapAuditAnswer } from '@tidemark/contracts/http/actors/sitemap-audit'
import { type Origin, type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { type Answer, sharedSystem } from './system.ts'

type Item = SitemapAuditAnswer['data']['items'][number]

const xml = (body: string | Buffer, more: Page = {}): Page => ({
  headers: { 'content-type': 'application/xml' },
  body,
  ...(more as object),
})
const namespaces =
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
const urlset = (entries: string) => `<?xml version="1.0"?><urlset ${namespaces}>${entries}</urlset>`
const entry = (loc: string, more = '') => `<url><loc>${loc}</loc>${more}</url>`
const index = (...locs: string[]) =>
  `<sitemapindex>${locs.map(loc => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`

async function site(host: string, pages: (base: string) => Record<string, Page>): Promise<Origin> {
  const origin = await startOrigin({ host })
  origin.site(pages(origin.url))
  return origin
}

const alternate = (href: string) => `<xhtml:link rel="alternate" hreflang="de" href="${href}"/>`
const image = (href: string) => `<image:image><image:loc>${href}</image:loc></image:image>`
const video = (href: string) => `<video:video><video:content_loc>${href}</video:content_loc></video:video>`

const faulty = (base: string): Record<string, Page> => ({
  '/robots.txt': `User-agent: *\nDisallow: /quiet\nSitemap: ${base}/index.xml\nsitemap: ${base}/packed.xml.gz\n`,
  '/index.xml': xml(
    index(
      `${base}/pages.xml`,
      `${base}/nested.xml`,
      `${base}/gone.xml`,
      `${base}/broken.xml`,
      `${base}/moved.xml`,
    ),
  ),
  '/pages.xml': xml(
    urlset(
      [
        entry(
          `${base}/fine`,
          `<lastmod>2026-01-02</lastmod>${image(`${base}/1.png`)}${image(`${base}/2.png`)}${alternate(`${base}/de`)}`,
        ),
        entry(`${base}/self?utm_source=map`, `<lastmod>2199-01-01</lastmod>${video(`${base}/v.mp4`)}`),
        entry(`${base}/old`, '<lastmod>last week</lastmod>'),
        entry(`${base}/gone`),
        entry(`${base}/status/503`),
        entry(`${base}/hidden`),
        entry(`${base}/hidden-by-header`),
        entry(`${base}/hidden-from-one`),
        entry(`${base}/away`),
        entry(`${base}/accepts-and-closes`),
        entry('http://10.0.0.1/private'),
        entry(`${base}/gone-and-hidden`),
        entry(`${base}/hidden-and-away`),
        entry(`${base}/a&#0;b?c&amp;d`),
        entry('javascript:alert(1)'),
        entry('http://[::'),
      ].join(''),
    ),
  ),
  '/nested.xml': xml(index(`${base}/deep.xml`)),
  '/deep.xml': xml(urlset(entry(`${base}/never`))),
  '/broken.xml': '<!doctype html><title>Not here</title>',
  '/moved.xml': { status: 301, headers: { location: '/moved-here.xml' } },
  '/moved-here.xml': xml(urlset(entry(`${base}/late`) + entry(`${base}/fine`))),
  '/packed.xml.gz': {
    headers: { 'content-type': 'application/gzip' },
    body: gzipSync(urlset(entry(`${base}/quiet`))),
  },
  '/fine': `<title>Fine</title><link rel="canonical" href="${base}/fine">`,
  '/self': '<link rel="canonical" href="/self">',
  '/old': { status: 308, headers: { location: '/new?a=b' } },
  '/hidden': '<meta name="robots" content="NOINDEX, follow">',
  '/hidden-by-header': { headers: { 'x-robots-tag': 'googlebot: noindex' }, body: 'text' },
  '/hidden-from-one': '<meta name="googlebot" content="none">',
  '/away': `<link rel="canonical" href="/fine">`,
  '/gone-and-hidden': { status: 410, headers: { 'x-robots-tag': 'noindex' } },
  '/hidden-and-away': `<meta name="robots" content="noindex"><link rel="canonical" href="/fine">`,
  '/late': 'late',
  '/quiet': 'quiet',
})

test('An audit of sitemaps', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('sitemaps', '--unlimited')
  const path = '/v1/actors/sitemap-audit'
  const audit = (body: object, headers = {}) => system.call(key, 'POST', path, body, headers)
  const billed = ({ headers }: Answer) => headers.get('x-pages-billed')
  const open = async (...args: Parameters<typeof site>) => {
    const origin = await site(...args)
    t.teardown(() => origin.close())
    return origin
  }
  const origin = await open('127.1.71.1', faulty)
  const { url } = origin
  const bucketsOf = (items: Item[]) =>
    Object.fromEntries(items.map(item => [item.url.replace(url, ''), item]))

  await t.test(
    'reads the sitemaps of robots.txt one level deep and finds every fault of their pages',
    async t => {
      const answer = await audit({ url: `${url}/` })
      const { body } = answer
      t.equal(answer.status, 200)
      t.ok(Check(SitemapAuditAnswer, body), JSON.stringify(body))
      t.match(body, { actor: 'sitemap-audit', url: `${url}/` })
      const { data } = body
      t.same(
        data.sitemaps_found,
        ['index.xml', 'pages.xml', 'nested.xml', 'moved.xml', 'packed.xml.gz'].map(name => `${url}/${name}`),
      )
      t.match(data, {
        ...{ total_urls_in_sitemap: 19, total_urls_probed: 15, total_urls_refused: 1, pages_billed: 15 },
        items: { length: 16 },
      })
      t.match(data.summary, {
        ...{ ok: 4, redirect: 1, client_error: 3, server_error: 1 },
        ...{ noindex: 4, canonicalised_away: 1, network_error: 2 },
      })
      t.equal(billed(answer), '15', 'private addresses cost nothing')
      t.same(data.lastmod_problems, { future: 1, unreadable: 1 })

      const found = bucketsOf(data.items)
      t.same(found['/fine'], {
        ...{
          url: `${url}/fine`,
          status_code: 200,
          bucket: 'ok',
          canonical: `${url}/fine`,
          x_robots_tag: null,
        },
        ...{ meta_robots: null, lastmod: '2026-01-02', error: null, redirected_to: null, challenge: null },
        found_in: `${url}/pages.xml`,
      })
      t.match(found, {
        '/self?utm_source=map': {
          status_code: 200,
          bucket: 'ok',
          canonical: `${url}/self`,
          lastmod: '2199-01-01',
        },
        '/old': {
          status_code: 308,
          bucket: 'redirect',
          redirected_to: `${url}/new?a=b`,
          lastmod: 'last week',
        },
        '/gone': { status_code: 404, bucket: 'client_error' },
        '/status/503': { status_code: 503, bucket: 'server_error' },
        '/hidden': { status_code: 200, bucket: 'noindex', meta_robots: 'noindex, follow' },
        '/hidden-by-header': { bucket: 'noindex', x_robots_tag: 'googlebot: noindex', meta_robots: null },
        '/hidden-from-one': { bucket: 'noindex', meta_robots: 'googlebot: none' },
        '/away': { bucket: 'canonicalised_away', canonical: `${url}/fine` },
        '/accepts-and-closes': { status_code: null, bucket: 'network_error', error: /^(connect|protocol)$/ },
        'http://10.0.0.1/private': { status_code: null, bucket: 'network_error', error: 'private_address' },
        '/gone-and-hidden': { status_code: 410, bucket: 'client_error', x_robots_tag: 'noindex' },
        '/hidden-and-away': { bucket: 'noindex', canonical: `${url}/fine` },
        '/a%EF%BF%BDb?c&d': { status_code: 404, bucket: 'client_error' },
        '/late': { bucket: 'ok', found_in: `${url}/moved.xml` },
        '/quiet': { bucket: 'ok', found_in: `${url}/packed.xml.gz` },
      })
      const hits = origin.hits.map(({ path }) => path)
      for (const never of ['/new?a=b', '/deep.xml', '/never', '/1.png', '/v.mp4', '/de'])
        t.notOk(hits.includes(never), `${never} is never requested`)
      t.equal(hits.filter(path => path === '/fine').length, 1, 'a page that is listed twice is probed once')
      const pauses = origin.hits.slice(1).map(({ at }, n) => at - (origin.hits[n]?.at ?? 0))
      const meanMs = pauses.reduce((sum, ms) => sum + ms, 0) / pauses.length
      t.ok(meanMs >= 95, `with the crawl delay: ${pauses.map(Math.round)}`)
      const short = pauses.filter(ms => ms < 95).length
      t.ok(
        short <= pauses.length / 4,
        'few requests arrive late on a busy machine, and the next ones soon after',
      )
    },
  )

  await t.test('reports the contents and faults of each sitemap', async t => {
    const { body } = await audit({ url, dry_run: true })
    const of = Object.fromEntries(
      body.data.sitemaps.map((one: { url: string }) => [one.url.replace(`${url}/`, ''), one]),
    )
    t.match(of, {
      'index.xml': { status: 200, urls: 0, sitemaps: 5, error: null },
      'pages.xml': { urls: 16, images: 2, videos: 1, alternates: 1, unusable: 2, error: null },
      'nested.xml': { status: 200, sitemaps: 1, error: 'index_in_index' },
      'gone.xml': { status: 404, urls: 0, error: 'http_status' },
      'broken.xml': { status: 200, urls: 0, error: 'not_a_sitemap' },
      'moved.xml': { status: 200, urls: 2, final_url: `${url}/moved-here.xml`, error: null },
      'packed.xml.gz': { status: 200, urls: 1, error: null },
    })
    t.match(body.warnings, [/1 listed pages are on another host/, /2 entries are not URLs/])
  })

  await t.test('only counts in a dry run, free of charge', async t => {
    const before = origin.hits.length
    const answer = await audit({ url, dry_run: true, max_urls: 1 })
    t.match(answer.body.data, {
      ...{ total_urls_in_sitemap: 19, total_urls_probed: 0, pages_billed: 0, items: { length: 0 } },
      summary: { ok: 0, redirect: 0, network_error: 0 },
    })
    t.equal(billed(answer), '0')
    t.ok(origin.hits.slice(before).every(({ path }) => /xml|robots/.test(path)))
  })

  await t.test('probes and bills at most `max_urls` pages', async t => {
    const other = await system.createProject('auditing-a-little', '--unlimited')
    const { body, headers } = await system.call(other, 'POST', path, { url, max_urls: 3 })
    t.match(body.data, { total_urls_in_sitemap: 19, total_urls_probed: 3, pages_billed: 3 })
    t.equal(body.data.items.length, 3)
    const ledger = async () =>
      (await system.call(other, 'GET', `/v1/usage/ledger?request_id=${headers.get('x-request-id')}`)).body
        .items
    await until(async () => (await ledger()).length === 3)
    t.match(await ledger(), [{ operation: 'sitemap_audit', kind: 'page', units: 1, url: `${url}/fine` }])
    const { body: usage } = await system.call(other, 'GET', '/v1/usage')
    t.equal(usage.today.pages, 3)
  })

  await t.test('falls back to /sitemap.xml, and accepts the address of a sitemap', async t => {
    const plain = await open('127.1.71.2', base => ({
      '/sitemap.xml': xml(urlset(entry('/one') + entry(`${base}/two`))),
      '/feed': xml(
        '<feed><entry><link href="/three"/><updated>2026-01-02T03:04:05Z</updated></entry></feed>',
      ),
      ...{ '/one': '1', '/two': '2', '/three': '3', '/page': 'a page' },
    }))
    const of = async (path: string) => (await audit({ url: plain.url + path })).body.data
    t.match(await of('/'), { sitemaps_found: [`${plain.url}/sitemap.xml`], summary: { ok: 2 } })
    t.match(await of('/page'), { sitemaps_found: [`${plain.url}/sitemap.xml`] })
    t.match(await of('/feed'), {
      sitemaps_found: [`${plain.url}/feed`],
      items: [{ lastmod: '2026-01-02T03:04:05Z' }],
    })
    const fromAddress = (await audit({ url: `${url}/packed.xml.gz` })).body.data
    t.match(fromAddress, { sitemaps_found: [`${url}/packed.xml.gz`], total_urls_probed: 1 })

    const shy = await open('127.1.71.5', base => ({
      '/robots.txt': { status: 503 },
      '/sitemap.xml': xml(urlset(entry('/one') + entry(`${base}/one`) + entry('/one#two'))),
      '/one': '1',
    }))
    t.match((await audit({ url: shy.url })).body, {
      data: { sitemaps: [{ urls: 3, repeated: 2 }], total_urls_probed: 1, summary: { ok: 1 } },
      warnings: [
        /^robots\.txt could not be fetched, .*: it answered 503$/,
        '2 pages are listed more than once; each is probed once',
      ],
    })

    const bare = await open('127.1.71.3', () => ({ '/': 'Home' }))
    const none = await audit({ url: bare.url })
    t.match(none.body, {
      data: {
        sitemaps_found: { length: 0 },
        total_urls_in_sitemap: 0,
        total_urls_probed: 0,
        items: { length: 0 },
      },
      warnings: [`no sitemap was found: ${bare.url}/sitemap.xml is not a sitemap`],
    })
    t.equal(billed(none), '0')
  })

  await t.test('streams its progress, and stops when the client disconnects', async t => {
    const accept = { accept: 'text/event-stream' }
    const { body } = await audit({ url, max_urls: 5 }, accept)
    const names = [...body.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
    t.same([names[0], names.at(-1)], ['progress', 'result'])
    t.match(body, /"stage":"reading sitemaps"/)
    t.match(body, /"stage":"probing","done":5,"total":5/)
    t.match(JSON.parse(body.split('event: result\ndata: ')[1]), { data: { total_urls_probed: 5 } })

    const long = await open('127.1.71.4', base => ({
      '/sitemap.xml': xml(
        urlset(Array.from({ length: 500 }, (_, n) => entry(`${base}/plain?${n}`)).join('')),
      ),
    }))
    const leaver = await system.createProject('leaving-early', '--unlimited')
    const stop = new AbortController()
    const left = fetch(system.base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${leaver}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: long.url, max_urls: 500 }),
      signal: stop.signal,
    }).catch(() => null)
    const probed = () => long.hits.filter(({ path }) => path.startsWith('/plain')).length
    await until(() => probed() >= 5)
    stop.abort()
    await left
    const pages = async () => (await system.call(leaver, 'GET', '/v1/usage')).body.today.pages
    await until(async () => (await pages()) > 0)
    t.ok(probed() < 30)
    t.ok((await pages()) <= probed())
    t.ok((await pages()) >= probed() - 4, 'probed pages are billed')
  })

  await t.test('rejects invalid requests and unreachable sites', async t => {
    const refused: [body: unknown, status: number, fields: object][] = [
      [{}, 400, { field: 'url', reason: 'required' }],
      [{ url: 7 }, 400, { field: 'url', reason: 'wrong_type' }],
      [{ url: 'example' }, 400, { field: 'url', reason: 'bad_url' }],
      [{ url: 'http://10.0.0.1/' }, 400, { field: 'url', reason: 'private_address' }],
      [{ url, max_urls: 0 }, 400, { field: 'max_urls', reason: 'out_of_range' }],
      [{ url, max_urls: 50_001 }, 400, { field: 'max_urls', reason: 'out_of_range' }],
      [{ url, max_urls: '5' }, 400, { field: 'max_urls', reason: 'wrong_type' }],
      [{ url, max_urls: 1.5 }, 400, { field: 'max_urls', reason: 'wrong_type' }],
      [{ url, dry_run: 'yes' }, 400, { field: 'dry_run', reason: 'wrong_type' }],
      [{ url: 'http://127.1.71.9:1999/' }, 502, { code: 'fetch_failed', reason: 'connect' }],
      [{ url: 'http://127.1.71.9:1999/sitemap.xml' }, 502, { code: 'fetch_failed', reason: 'connect' }],
    ]
    for (const [body, status, error] of refused) {
      const answer = await system.call(key, 'POST', path, body)
      t.equal(answer.status, status, JSON.stringify(body))
      t.match(answer.body.error, error)
      t.equal(billed(answer), '0')
    }
  })

  await t.test('ends at a cap with a partial result', async t => {
    const free = await system.createProject('auditing-at-a-cap', '--tier', 'free')
    const scans = { urls: Array.from({ length: 99 }, (_, n) => `http://127.1.72.${n}:1999/`) }
    for (let n = 0; n < 5; n++) await system.call(free, 'POST', '/v1/scan/bulk', scans)
    const answer = await system.call(free, 'POST', path, { url, max_urls: 50 })
    t.match(answer.body.data, { total_urls_probed: 5, pages_billed: 5 })
    t.match(answer.body.warnings.join(), /not all pages were probed: the daily page cap/)
    t.equal(billed(answer), '5')
    const spent = await system.call(free, 'POST', path, { url }, { accept: 'text/event-stream' })
    t.match([spent.status, spent.body.error], [429, { code: 'too_many_requests', reason: 'daily_pages' }])
    t.equal(
      (await system.call(free, 'POST', path, { url, dry_run: true })).status,
      200,
      'a dry run needs no quota',
    )
  })
})
