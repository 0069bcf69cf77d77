/** The fields of a crawl in a whole system: the effect of each, as its site and its reader see it. */

import { gzipSync } from 'node:zlib'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const many = 200
const links = (paths: string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join('')
const short = (path: string, hrefs: string[]): [string, string] => [
  path,
  `<title>Page ${path}</title><h1>Page ${path}</h1><p>Content of page ${path}.</p>${links(hrefs)}`,
]
const flat = Array.from({ length: 150 }, (_, n) => `/flat/${n}`)
const numbered = Array.from({ length: many }, (_, n) => `/n/${n}`)
/** As long as the list of all numbered pages, with a tenth of its links. */
const numberedPage = links(numbered.slice(0, many / 10)).padEnd(links(numbered).length, '.')

test('The fields of a crawl', { timeout: patient(300_000) }, async t => {
  const other = await startOrigin({
    pages: { '/sitemap.xml': '<urlset><url><loc>/a</loc></url></urlset>', '/a': 'a' },
  })
  t.teardown(() => other.close())
  const origin = await startOrigin({
    pages: {
      '/moved.xml': { status: 301, headers: { location: `${other.url}/sitemap.xml` } },
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /forbidden\n\nUser-agent: examplebot\nDisallow: /docs/\n',
      },
      '/': links([...numbered, '/docs/a', '/docs/b?draft=1', '/blog/c', '/forbidden', '/deep/1']),
      '/deep/1': links(['/deep/2']),
      '/deep/2': links(['/deep/3']),
      '/docs/a': 'a',
      '/large': 'x'.repeat(400_000),
      '/sitemap.xml': '<sitemapindex><sitemap><loc>/maps/one.xml.gz</loc></sitemap></sitemapindex>',
      '/maps/one.xml.gz': {
        headers: { 'content-type': 'application/gzip' },
        body: gzipSync('<urlset><url><loc>/docs/a</loc></url><url><loc>/blog/c?x=1&y=2</loc></url></urlset>'),
      },
      ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => short(`/chain/${n}`, [`/chain/${n + 1}`]))),
      ...Object.fromEntries([short('/list', flat), ...flat.map(path => short(path, ['/list']))]),
      ...Object.fromEntries(numbered.map(path => [path, numberedPage])),
    },
  })
  t.teardown(() => origin.close())
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('fields', '--unlimited')
  const url = `${origin.url}/`
  const crawl = (request: object) => system.crawl(key, { url, delay_ms: 0, ...request })
  const paths = async (request: object) => {
    const run = await crawl(request)
    const { body } = await system.call(key, 'GET', `/v1/crawls/${run.id}/pages?limit=1000`)
    return body.items.map((page: { url: string }) => page.url.slice(origin.url.length)).sort() as string[]
  }
  /** Returns the requests of pages, without those of llms.txt and llms-full.txt. */
  const crawled = () => origin.hits.filter(({ path }) => !/^\/llms(-full)?\.txt$/.test(path))
  /** The User-Agent of the last page. The site's robots.txt may be read for its policy after the crawl. */
  const lastAgent = () => crawled().findLast(({ path }) => path !== '/robots.txt')?.headers['user-agent']
  const unnumbered = { exclude_paths: ['^/n/'] }

  await t.test('max_pages is exact, with 32 requests in flight', async t => {
    for (const max_pages of [1, 2, 37]) {
      const before = crawled().length
      t.match(await crawl({ max_pages, concurrency: 32 }), {
        page_count: max_pages,
        stop_reason: 'max_pages',
      })
      t.ok(crawled().length - before <= max_pages + 1, 'only robots.txt is fetched beyond them')
    }
  })
  const budgetOf = async (id: number) =>
    (await system.call(key, 'GET', `/v1/crawls/${id}/coverage`)).body.budget

  await t.test('max_cost_usd is exact, with 64 requests in flight', async t => {
    for (const [max_cost_usd, pages] of [
      [0.001, 1],
      [0.0375, 37],
      [0.15, 150],
    ] as const) {
      const before = crawled().length
      // The numbered pages are equal. With trap guards, the crawl would leave out pages that are not yet ordered after
      // the first 60.
      const run = await crawl({ max_cost_usd, concurrency: 64, trap_guards: false })
      t.match(run, { status: 'done', page_count: pages, stop_reason: 'max_cost_usd' })
      t.ok(crawled().length - before <= pages + 1, 'only robots.txt is fetched beyond them')
      t.match(await budgetOf(run.id), { max_cost_usd, cost_usd: pages / 1_000 })
      const billed = async () => {
        const { body } = await system.call(key, 'GET', `/v1/usage/ledger?run_id=${run.id}&limit=1000`)
        return body.items.reduce((sum: number, { units }: { units: number }) => sum + units, 0)
      }
      await until(async () => (await billed()) >= pages)
      t.equal(await billed(), pages)
    }
  })

  await t.test('max_bytes is exact, with 64 requests in flight', async t => {
    const size = Buffer.byteLength(numberedPage)
    for (const max_bytes of [20 * size, 3_000_000]) {
      const before = crawled().length
      const more = { include_paths: ['^/n/'], trap_guards: false }
      const run = await crawl({ max_bytes, concurrency: 64, ...more })
      const { bytes } = await budgetOf(run.id)
      t.ok(bytes <= max_bytes, `${bytes} of ${max_bytes} bytes`)
      const first = bytes - (run.page_count - 1) * size
      t.ok(first > size && first < 2 * size, 'the pages have these bytes')
      const isWhole = run.page_count === many + 1
      t.equal(run.stop_reason, isWhole ? 'exhausted' : 'max_bytes')
      t.ok(isWhole || max_bytes - bytes < size, 'and no further page fits')
      t.ok(crawled().length - before <= run.page_count + 2, 'only robots.txt and the last page are beyond')
    }
  })

  await t.test('max_bytes fetches a large page with the whole rest, or ends', async t => {
    const large = { url: `${origin.url}/large`, max_pages: 1 }
    const fitting = await crawl({ ...large, max_bytes: 2_000_000 })
    t.match(fitting, { page_count: 1, stop_reason: 'exhausted', error_count: 0 })
    t.match(await budgetOf(fitting.id), { bytes: 400_000, max_cost_usd: null })
    const short = await crawl({ ...large, max_bytes: 399_999 })
    t.match(short, { status: 'done', page_count: 0, stop_reason: 'max_bytes', error_count: 0 })
  })

  await t.test('depth counts clicks from the seed', async t => {
    t.notOk((await paths({ depth: 1, ...unnumbered })).includes('/deep/2'))
    const two = await paths({ depth: 2, ...unnumbered })
    t.ok(two.includes('/deep/2') && !two.includes('/deep/3'))
  })
  await t.test('depth and max_pages cut a chain of short pages, and a list of them is whole', async t => {
    const chain = (more: object) => crawl({ url: `${origin.url}/chain/0`, max_pages: 200, ...more })
    t.match(await chain({ depth: 19 }), { page_count: 20, stop_reason: 'depth' })
    t.match(await chain({ depth: 50 }), { page_count: 51, stop_reason: 'depth' })
    t.match(await chain({ depth: 50, max_pages: 40 }), { page_count: 40, stop_reason: 'max_pages' })
    const list = await crawl({ url: `${origin.url}/list` })
    t.match(list, { page_count: flat.length + 1, stop_reason: 'exhausted' })
  })
  await t.test('exclude_paths wins over include_paths, and neither excludes the seed', async t => {
    t.strictSame(await paths({ include_paths: ['^/docs/'], exclude_paths: ['draft'] }), ['/', '/docs/a'])
  })
  await t.test('robots.txt applies to our user agent, to another one, or not at all', async t => {
    const ours = await paths(unnumbered)
    t.ok(ours.includes('/docs/a') && !ours.includes('/forbidden'))
    for (const named of [{ user_agent: 'ExampleBot/1.0' }, { headers: { 'User-Agent': 'ExampleBot/1.0' } }]) {
      const theirs = await paths({ ...unnumbered, ...named })
      t.ok(!theirs.includes('/docs/a') && theirs.includes('/forbidden'))
    }
    t.equal(lastAgent(), 'ExampleBot/1.0')
    const all = await paths({ ...unnumbered, respect_robots: false })
    t.ok(all.includes('/docs/a') && all.includes('/forbidden'))
    t.match(lastAgent(), /^Mozilla\/5\.0 \(/, 'a browser')
  })
  await t.test(
    'headers, cookies and user_agent are those of every request, also for the texts of the site',
    async t => {
      const staging = await startOrigin({
        pages: { '/': { body: '<a href="/a">A</a>' }, '/a': { body: 'A' } },
      })
      t.teardown(() => staging.close())
      const url = `${staging.url}/`
      const texts = ['/llms-full.txt', '/llms.txt', '/robots.txt']
      const fields = { 'x-staging': 'opened', cookie: 'a=b', 'user-agent': 'ExampleBot/1.0' }
      await crawl({ url, headers: { 'X-Staging': 'opened' }, cookies: 'a=b', user_agent: 'ExampleBot/1.0' })
      await until(() => texts.every(text => staging.hits.some(({ path }) => path === text)))
      for (const { path, headers } of staging.hits) t.match(headers, fields, path)
      const robotsIn = (hits: typeof staging.hits) => hits.filter(({ path }) => path === '/robots.txt').length
      t.equal(robotsIn(staging.hits), 2, 'once for the crawl, and once for ai_bot_policy')
      const first = staging.hits.length
      await crawl({ url })
      const hits = () => staging.hits.slice(first)
      await until(() => texts.every(text => hits().some(({ path }) => path === text)))
      t.ok(hits().every(({ headers }) => headers['x-staging'] === undefined))
      t.equal(robotsIn(hits()), 1, 'shared by both')
    },
  )
  await t.test(
    'a crawl with cookies is one browser for its site, and pauses itself on Retry-After',
    async t => {
      const pauseMs = 4_000
      const pages = Array.from({ length: 12 }, (_, n) => `/p/${n}`)
      const busy = { status: 429, headers: { 'retry-after': String(pauseMs / 1_000) } }
      const site = await startOrigin({
        pages: {
          '/': links(pages),
          '/llms.txt': busy,
          ...Object.fromEntries(pages.map(path => [path, path])),
        },
      })
      t.teardown(() => site.close())
      await crawl({ url: `${site.url}/`, cookies: 'a=b', delay_ms: 400 })
      await until(() => site.hits.some(({ path }) => path === '/llms-full.txt'))
      const at = site.hits.findIndex(({ path }) => path === '/llms.txt')
      const [refused, next] = site.hits.slice(at)
      t.ok(Number(next?.at) - Number(refused?.at) >= pauseMs - 50, `${next?.path} follows`)
      t.equal(new Set(site.hits.map(({ headers }) => headers['user-agent'])).size, 1)
      t.ok(site.hits.every(({ headers }) => headers.cookie === 'a=b'))
    },
  )
  await t.test('with a sitemap as the seed, links are not followed', async t => {
    const expected = ['/blog/c?x=1&y=2', '/docs/a']
    t.strictSame(await paths({ seed_kind: 'sitemap' }), expected)
    t.strictSame(await paths({ seed_kind: 'sitemap', url: `${origin.url}/maps/one.xml.gz` }), expected)
    const moved = await crawl({ seed_kind: 'sitemap', url: `${origin.url}/moved.xml` })
    t.match(
      moved,
      { status: 'done', page_count: 1 },
      'a sitemap that redirects to another site moves the crawl',
    )
    t.match(await crawl({ seed_kind: 'sitemap', url: `${origin.url}/none.xml` }), {
      status: 'failed',
      page_count: 0,
      error_count: 0,
      error_message: /sitemap answered HTTP 404/,
    })
  })
  await t.test('a page that is not stored cannot be read as markdown', async t => {
    const run = await crawl({ store_html: false, max_pages: 1 })
    const { body } = await system.call(
      key,
      'GET',
      `/v1/crawls/${run.id}/pages?fields=title,content_hash,depth`,
    )
    t.match(body.items, [{ status: 200, depth: 0, content_hash: /^[0-9a-f]{64}$/ }])
    const answer = await system.call(key, 'GET', `/v1/pages/${body.items[0].id}?format=markdown`)
    t.match(answer, { status: 409, body: { error: { code: 'conflict', reason: 'html_not_stored' } } })
  })
})
