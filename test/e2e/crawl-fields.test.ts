/** The fields of a crawl in a whole system: the effect of each, as its site and its reader see it. */

import { gzipSync } from 'node:zlib'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const many = 200
const links = (paths: string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join('')
const numbered = Array.from({ length: many }, (_, n) => `/n/${n}`)

test('The fields of a crawl', { timeout: patient(300_000) }, async t => {
  const origin = await startOrigin({
    pages: {
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /forbidden\n\nUser-agent: examplebot\nDisallow: /docs/\n',
      },
      '/': links([...numbered, '/docs/a', '/docs/b?draft=1', '/blog/c', '/forbidden', '/deep/1']),
      '/deep/1': links(['/deep/2']),
      '/deep/2': links(['/deep/3']),
      '/docs/a': 'a',
      '/sitemap.xml': '<sitemapindex><sitemap><loc>/maps/one.xml.gz</loc></sitemap></sitemapindex>',
      '/maps/one.xml.gz': {
        headers: { 'content-type': 'application/gzip' },
        body: gzipSync('<urlset><url><loc>/docs/a</loc></url><url><loc>/blog/c?x=1&y=2</loc></url></urlset>'),
      },
      ...Object.fromEntries(numbered.map(path => [path, links(numbered)])),
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
  await t.test('depth counts clicks from the seed', async t => {
    t.notOk((await paths({ depth: 1, ...unnumbered })).includes('/deep/2'))
    const two = await paths({ depth: 2, ...unnumbered })
    t.ok(two.includes('/deep/2') && !two.includes('/deep/3'))
  })
  await t.test('exclude_paths wins over include_paths, and neither excludes the seed', async t => {
    t.strictSame(await paths({ include_paths: ['^/docs/'], exclude_paths: ['draft'] }), ['/', '/docs/a'])
  })
  await t.test('robots.txt applies to our user agent, to another one, or not at all', async t => {
    const ours = await paths(unnumbered)
    t.ok(ours.includes('/docs/a') && !ours.includes('/forbidden'))
    const theirs = await paths({ ...unnumbered, user_agent: 'ExampleBot/1.0' })
    t.ok(!theirs.includes('/docs/a') && theirs.includes('/forbidden'))
    t.equal(crawled().at(-1)?.headers['user-agent'], 'ExampleBot/1.0')
    const all = await paths({ ...unnumbered, respect_robots: false })
    t.ok(all.includes('/docs/a') && all.includes('/forbidden'))
    t.match(crawled().at(-1)?.headers['user-agent'], /^Mozilla\/5\.0 \(/, 'a browser')
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
      const first = staging.hits.length
      await crawl({ url })
      const hits = () => staging.hits.slice(first)
      await until(() => texts.every(text => hits().some(({ path }) => path === text)))
      t.ok(hits().every(({ headers }) => headers['x-staging'] === undefined))
    },
  )
  await t.test('with a sitemap as the seed, links are not followed', async t => {
    const expected = ['/blog/c?x=1&y=2', '/docs/a']
    t.strictSame(await paths({ seed_kind: 'sitemap' }), expected)
    t.strictSame(await paths({ seed_kind: 'sitemap', url: `${origin.url}/maps/one.xml.gz` }), expected)
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
