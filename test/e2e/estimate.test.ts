/** `POST /v1/crawls/estimate`: the pages, duration and cost of a crawl before it starts. */

import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

test('An estimate applies the rules of a crawl', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('estimating', '--unlimited')
  const estimate = (body: object) => system.call(key, 'POST', '/v1/crawls/estimate', body)
  const origin = await startOrigin()
  t.teardown(() => origin.close())
  const listed = [
    '/a',
    '/b',
    '/private/c',
    '/drafts/d',
    '/x/x/x/x/x/x/x/x/x',
    ...Array.from({ length: 30 }, (_, n) => `/p${n}`),
  ]
  origin.site({
    '/robots.txt': `User-agent: *\nCrawl-delay: 2\nDisallow: /private\nSitemap: ${origin.url}/sitemap.xml`,
    '/sitemap.xml': {
      headers: { 'content-type': 'application/xml' },
      body: `<urlset>${listed.map(path => `<url><loc>${origin.url}${path}</loc></url>`).join('')}</urlset>`,
    },
    '/': '<a href=/linked>Linked</a><a href=https://elsewhere.test/>Away</a>',
  })
  const url = `${origin.url}/`
  const request = { url, exclude_paths: ['^/drafts/'], delay_ms: 100 }

  await t.test(
    'lists URLs, the rules that exclude others, and the time at the crawl delay of the host',
    async t => {
      const { status, body } = await estimate(request)
      t.equal(status, 200)
      const known = 1 + 1 + 32
      t.match(body, {
        pages: { low: known },
        cost: { pages: body.pages },
        seconds_at_polite_rate: { low: 2 * known, high: 2 * body.pages.high },
        basis: { listed: 37, would_be_crawled: known, truncated: false, last_run: null },
      })
      t.ok(body.pages.high >= known && body.pages.high <= 1000)
      t.equal(body.in.length, 20)
      t.equal(body.in[0], url)
      t.match(
        Object.fromEntries(body.out.map((one: { url: string }) => [one.url.slice(origin.url.length), one])),
        {
          '/private/c': { rule: 'robots', because: '/private' },
          '/drafts/d': { rule: 'exclude', because: '^/drafts/' },
          '/x/x/x/x/x/x/x/x/x': { rule: 'path_repetition' },
        },
      )
      t.equal(body.out.length, 3)
      t.ok(origin.hits.length <= 20)
    },
  )

  await t.test('respects the limits of the request', async t => {
    const { body } = await estimate({ ...request, max_pages: 5 })
    t.match(body, { pages: { low: 5, high: 5 }, basis: { would_be_crawled: 5 } })
    t.match(
      body.out.find(({ rule }: { rule: string }) => rule === 'max_pages'),
      { rule: 'max_pages' },
    )
    t.match((await estimate({ ...request, respect_robots: false })).body, { basis: { would_be_crawled: 35 } })
    t.match(await estimate({ ...request, max_pages: 0 }), {
      status: 400,
      body: { error: { field: 'max_pages' } },
    })
    t.match(await estimate({ url: 'http://10.0.0.1/' }), {
      status: 400,
      body: { error: { reason: 'private_address' } },
    })
  })

  await t.test('uses the result of the last run that followed the same URLs', async t => {
    const { exclude_paths } = request
    const run = await system.crawl(key, {
      url,
      exclude_paths,
      max_pages: 3,
      delay_ms: 0,
      respect_robots: false,
    })
    const other = await estimate({ ...request, exclude_paths: ['^/drafts'] })
    t.match(other.body, { pages: { low: 34 }, basis: { by: 'sitemaps', last_run: { id: run.id } } })
    const { body } = await estimate(request)
    t.match(body, {
      pages: { low: 2, high: 34 },
      basis: { by: 'last_run', last_run: { id: run.id, pages: 2, stop_reason: 'exhausted' } },
    })
    const sitemap = await estimate({ ...request, url: `${url}sitemap.xml`, seed_kind: 'sitemap' })
    t.match(sitemap, { status: 200, body: { pages: { low: 32, high: 32 }, basis: { listed: 35 } } })
  })

  await t.test('reads the same sitemaps as the crawl, also at another port of the site', async t => {
    const other = await startOrigin({ host: new URL(origin.url).hostname })
    t.teardown(() => other.close())
    const [www, maps] = [origin.url, other.url]
    const xml = (body: string) => ({ headers: { 'content-type': 'application/xml' }, body })
    origin.site({
      '/sitemap.xml': xml(`<sitemapindex><sitemap><loc>${maps}/m.xml</loc></sitemap></sitemapindex>`),
      '/a': '<p>A</p>',
      '/b': '<p>B</p>',
    })
    other.site({
      '/m.xml': xml(`<urlset><url><loc>${www}/a</loc></url><url><loc>${www}/b</loc></url></urlset>`),
    })
    const seeded = { url: `${www}/sitemap.xml`, seed_kind: 'sitemap' }
    t.match(await estimate(seeded), { status: 200, body: { basis: { would_be_crawled: 2 } } })
    const before = origin.hits.length
    const run = await system.crawl(key, { ...seeded, delay_ms: 0, headers: { 'x-secret': 'ours' } })
    t.match(run, { status: 'done', page_count: 2 })
    const sent = [...origin.hits.slice(before), ...other.hits].map(({ path, headers }) => [
      path,
      headers['x-secret'],
    ])
    t.strictSame(
      sent.find(([path]) => path === '/m.xml'),
      ['/m.xml', undefined],
      'without the headers for the seed',
    )
    t.strictSame(
      sent.find(([path]) => path === '/a'),
      ['/a', 'ours'],
    )
  })

  await t.test('sends no User-Agent of the headers, and judges only the site by its name', async t => {
    const name = 'partner-key-7f3a9c51d2e8'
    const [site, other] = [await startOrigin(), await startOrigin()]
    t.teardown(() => Promise.all([site.close(), other.close()]))
    const rules = (path: string) =>
      `User-agent: ${name}\nDisallow: ${path}\nSitemap: ${other.url}/sitemap.xml\n\nUser-agent: *\nAllow: /`
    site.site({
      '/robots.txt': rules('/forbidden'),
      '/moved': { status: 302, headers: { location: `${other.url}/home` } },
    })
    other.site({
      '/robots.txt': rules('/'),
      '/home': '<a href=/q1>Q1</a>',
      '/sitemap.xml': `<urlset><url><loc>${other.url}/q2</loc></url></urlset>`,
    })
    const headers = { 'User-Agent': `${name}/1`, 'x-auth': 'q' }
    const moved = await estimate({ url: `${site.url}/moved`, headers, delay_ms: 100 })
    t.match(moved, {
      status: 200,
      body: {
        in: [`${other.url}/home`, `${other.url}/q1`, `${other.url}/q2`],
        warnings: [/^the site was read without headers:/],
      },
    })
    const sent = [...site.hits, ...other.hits]
    t.ok(sent.some(({ path }) => path === '/home') && sent.some(({ path }) => path === '/sitemap.xml'))
    t.strictSame(
      sent.filter(hit => JSON.stringify(hit.headers).includes(name)),
      [],
    )
    t.match(await estimate({ url: `${site.url}/forbidden`, headers, delay_ms: 100 }), {
      body: { out: [{ rule: 'robots', because: '/forbidden' }] },
    })
  })
})
