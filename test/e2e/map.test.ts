/** `POST /v1/map`: the addresses of a site within seconds, from its sitemaps and its home page, without a crawl. */

import { gzipSync } from 'node:zlib'
import { type Origin, type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

type Item = { url: string; title?: string; lastmod?: string; source: string }

const xml = (body: string): Page => ({ headers: { 'content-type': 'application/xml' }, body })
const urlset = (paths: string[], base: string, more = '') =>
  `<urlset>${paths.map(path => `<url><loc>${base}${path}</loc>${more}</url>`).join('')}</urlset>`
const index = (paths: string[], base: string) =>
  `<sitemapindex>${paths.map(path => `<sitemap><loc>${base}${path}</loc></sitemap>`).join('')}</sitemapindex>`
const many = (count: number) => Array.from({ length: count }, (_, n) => `/item-${n}`)

async function site(pages: (base: string) => Record<string, Page>, host?: string): Promise<Origin> {
  const origin = await startOrigin(host === undefined ? {} : { host })
  origin.site(pages(origin.url))
  return origin
}

test('A map lists the addresses of a site without a crawl', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('mapping', '--unlimited')
  const map = (body: object) => system.call(key, 'POST', '/v1/map', body)
  const open = async (...args: Parameters<typeof site>) => {
    const origin = await site(...args)
    t.teardown(() => origin.close())
    return origin
  }

  await t.test('from robots.txt, nested and packed sitemaps, and the home page', async t => {
    const origin = await open(base => ({
      '/robots.txt': `User-agent: *\nDisallow: /private\nSitemap: ${base}/index.xml\nSitemap: ${base}/list.txt\n`,
      '/index.xml': xml(index(['/a.xml', '/b.xml.gz', '/index.xml', '/gone.xml'], base)),
      '/a.xml': xml(
        urlset(['/tides', '/moons?b=1&amp;a=2', '/tides#neap'], base, '<lastmod>2026-01-02</lastmod>'),
      ),
      '/b.xml.gz': {
        headers: { 'content-type': 'application/gzip' },
        body: gzipSync(urlset(['/packed'], base)),
      },
      '/list.txt': {
        headers: { 'content-type': 'text/plain' },
        body: `${base}/listed\nhttp://elsewhere.test/x\n`,
      },
      '/': '<title>Harbour</title><a href="/tides">All the tides</a> <a href="/pilot">The pilot</a> <a href="https://elsewhere.test/">away</a>',
    }))
    const { status, body } = await map({ url: origin.url })
    t.equal(status, 200)
    t.same(
      body.items,
      [
        { url: `${origin.url}/`, title: 'Harbour', source: 'link' },
        { url: `${origin.url}/tides`, title: 'All the tides', lastmod: '2026-01-02', source: 'sitemap' },
        { url: `${origin.url}/pilot`, title: 'The pilot', source: 'link' },
        { url: `${origin.url}/listed`, source: 'sitemap' },
        { url: `${origin.url}/moons?b=1&a=2`, lastmod: '2026-01-02', source: 'sitemap' },
        { url: `${origin.url}/packed`, source: 'sitemap' },
      ],
      'each URL once, the home page and its links first',
    )
    t.match(body, { url: `${origin.url}/`, total: 6, truncated: false })
    t.match(body.sources, {
      robots: { url: `${origin.url}/robots.txt`, status: 200, error: null },
      home_page: { url: `${origin.url}/`, status: 200, links: 3, error: null },
    })
    const read = Object.fromEntries(body.sources.sitemaps.map((one: { url: string }) => [one.url, one]))
    t.match(read, {
      [`${origin.url}/index.xml`]: { status: 200, urls: 0, sitemaps: 4, cut: null },
      [`${origin.url}/a.xml`]: { status: 200, urls: 3 },
      [`${origin.url}/b.xml.gz`]: { status: 200, urls: 1 },
      [`${origin.url}/list.txt`]: { status: 200, urls: 2 },
      [`${origin.url}/gone.xml`]: { status: 404, urls: 0 },
    })
    t.equal(body.sources.sitemaps.length, 5, 'a cycle is read once')
    const hits = origin.hits.map(({ path }) => path)
    t.equal(new Set(hits).size, hits.length, 'nothing is requested twice')
    t.notOk(hits.includes('/tides'), 'nothing is crawled')
  })

  await t.test(
    'from /sitemap.xml if robots.txt names none, and only from links if there is neither',
    async t => {
      const guessed = await open(base => ({ '/sitemap.xml': xml(urlset(['/found'], base)), '/': 'Home' }))
      t.match((await map({ url: `${guessed.url}/` })).body, {
        items: [{ url: `${guessed.url}/` }, { url: `${guessed.url}/found`, source: 'sitemap' }],
      })
      const bare = await open(() => ({ '/': '<a href=/one>One</a>' }))
      const { body } = await map({ url: bare.url })
      t.same(
        body.items.map(({ url }: Item) => url),
        [`${bare.url}/`, `${bare.url}/one`],
      )
      t.match(body, { total: 2, truncated: false, sources: { robots: { status: 404 } } })
      t.notOk(body.warnings)
      const alone = await map({ url: guessed.url, include_sitemaps: false })
      t.match(alone.body, { total: 1, sources: { sitemaps: { length: 0 } } })
    },
  )

  await t.test('up to its limit, and reports cut sitemaps', async t => {
    const origin = await open(base => ({
      '/robots.txt': `Sitemap: ${base}/big.xml\nSitemap: ${base}/more.xml`,
      '/big.xml': xml(urlset(many(60_000), base)),
      '/more.xml': xml(urlset(['/late'], base)),
      '/': 'Home',
    }))
    const whole = await map({ url: origin.url, limit: 50_000 })
    t.equal(whole.status, 200)
    t.equal(whole.body.items.length, 50_000)
    t.equal(whole.body.truncated, true)
    t.match(whole.body.sources.sitemaps[0], { urls: 50_000, cut: /more than 50000/ })
    const usual = await map({ url: origin.url })
    t.equal(usual.body.items.length, 5000)
    t.ok(usual.body.total >= 50_000)
    t.equal(usual.body.truncated, true)
    const three = await map({ url: origin.url, limit: 3, search: '59 LATE' })
    t.same(
      three.body.items.map(({ url }: Item) => url),
      [`${origin.url}/item-59`, `${origin.url}/late`, `${origin.url}/item-159`],
    )
    t.equal((await map({ url: origin.url, search: 'nothing-like-that' })).body.total, 0)
  })

  await t.test('of the host of the redirected home page', async t => {
    const origin = await open(
      base => ({ '/': '<a href=/there>There</a>', '/sitemap.xml': xml(urlset(['/mapped'], base)) }),
      '127.1.0.2',
    )
    const old = await open(() => ({ '/': { status: 301, headers: { location: `${origin.url}/` } } }))
    const { body } = await map({ url: old.url })
    t.same(
      body.items.map(({ url }: Item) => url),
      [`${origin.url}/`, `${origin.url}/there`, `${origin.url}/mapped`],
    )
    t.equal(body.url, `${origin.url}/`)
  })

  await t.test('as robots.txt allows', async t => {
    const origin = await open(base => ({
      '/robots.txt': `User-agent: *\nDisallow: /\nSitemap: ${base}/sitemap.xml`,
      '/sitemap.xml': xml(urlset(['/listed'], base)),
      '/': '<a href=/linked>x</a>',
    }))
    const { body } = await map({ url: origin.url })
    t.same(
      body.items.map(({ url }: Item) => url),
      [`${origin.url}/listed`],
      'forbidden pages are not fetched',
    )
    t.match(body.sources.home_page, { status: null, error: 'robots' })
    t.match(body.warnings, [/robots\.txt/])
    t.equal((await map({ url: origin.url, respect_robots: false })).body.total, 3)
    const broken = await open(() => ({ '/robots.txt': { status: 503 }, '/': 'Home' }))
    const forbidden = await map({ url: broken.url })
    t.match(forbidden, { status: 200, body: { total: 0, warnings: [/503/] } })
    t.same(
      broken.hits.map(({ path }) => path),
      ['/robots.txt'],
    )
  })

  await t.test('or returns an error for unreachable sites', async t => {
    const closed = await startOrigin()
    await closed.close()
    const failed = (reason: string) => ({ status: 502, body: { error: { code: 'fetch_failed', reason } } })
    t.match(await map({ url: closed.url }), failed('connect'))
    t.match(await map({ url: 'http://no-such-host.invalid/' }), failed('dns'))
    const refused = (reason: string) => ({ status: 400, body: { error: { code: 'invalid_input', reason } } })
    t.match(await map({ url: 'http://10.0.0.1/' }), refused('private_address'))
    t.match(await map({ url: 'ftp://example.com/' }), refused('bad_url'))
    t.match(await map({ url: closed.url, limit: 50_001 }), refused('out_of_range'))
    t.match(await map({}), refused('required'))
    const inward = await open(() => ({
      '/robots.txt': '',
      '/': { status: 302, headers: { location: 'http://10.0.0.1/' } },
    }))
    t.match(await map({ url: inward.url }), refused('private_address'))
    t.equal((await system.call(null, 'POST', '/v1/map', { url: closed.url })).status, 401)
  })

  await t.test('in time, even for slow sites', async t => {
    const began = performance.now()
    const origin = await open(base => ({
      '/robots.txt': `Sitemap: ${base}/never-answers\nSitemap: ${base}/good.xml`,
      '/good.xml': xml(urlset(['/good'], base)),
    }))
    const slow = await map({ url: `${origin.url}/body-drip` })
    t.match(slow, { status: 200, body: { items: [{ url: `${origin.url}/good` }], truncated: true } })
    t.match(slow.body.sources, { home_page: { error: 'timeout' } })
    const silent = await open(() => ({
      '/robots.txt': { status: 302, headers: { location: '/never-answers' } },
    }))
    t.match(await map({ url: silent.url }), { status: 502, body: { error: { reason: 'timeout' } } })
    t.ok(performance.now() - began < 25_000)
  })
})
