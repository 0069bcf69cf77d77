/** The pages of a crawl that its llms.txt may list, by what the site states of them. */
import type { OfProject } from '@tidemark/db/of-project'
import { test } from 'tap'
import { describedPagesOf } from './described-pages.ts'

const site = 'https://tides.example'
const now = Date.parse('2026-02-01T00:00:00Z')

/** A stored page: its path and its metadata. */
type Stored = [path: string, metadata?: Record<string, unknown>, row?: object]

/** Returns reads of a project whose only crawl has these pages. */
const readsOf =
  (stored: readonly Stored[]): OfProject =>
  () => {
    const query = async (sql: string) => ({
      rows: stored.map(([path, metadata = {}, row = {}]) =>
        sql.includes('read.page')
          ? {
              ...{ url: `${site}${path}`, url_key: path, title: null, status: 200 },
              ...{ blocked: false, is_html: true, ...row },
            }
          : { url_key: path, metadata: JSON.stringify(metadata) },
      ),
    })
    return { query: query as never }
  }

/** Returns reads that return the metadata of a single page, as of very long metadata. */
const readsOfLong = (stored: readonly Stored[]): OfProject => {
  const reads = readsOf(stored)
  const query = async (sql: string, [, keys]: unknown[]) => {
    const all = await reads(7).query(sql, [])
    if (sql.includes('read.page')) return all
    const wanted = keys as string[]
    const rows = all.rows.filter(({ url_key }) => wanted.includes(url_key))
    const long = { bytes: 10 * 1024 ** 2, ...(wanted.length > 1 && { metadata: null }) }
    return { rows: rows.map(row => ({ ...row, ...long })) }
  }
  return () => ({ query: query as never })
}

async function sorted(stored: readonly Stored[], requested = '/') {
  const describe = describedPagesOf(readsOf(stored), { robotsToken: 'Tidemark', now: () => now })
  const limits = { url: `${site}${requested}`, max: 100 }
  const { pages, leftOut } = await describe(7, 70, limits)
  return {
    pages: pages.map(({ urlKey }) => urlKey),
    leftOut: leftOut.map(({ url, reason }) => `${url.slice(site.length)} ${reason}`),
  }
}

const canonical = (path: string) => ({ canonical: `${site}${path}` })

test('Pages that a site excludes from indexes are left out', async t => {
  t.test('by the header X-Robots-Tag for all crawlers, or for this one', async t => {
    const tagged = (path: string, tag: string): Stored => [path, { x_robots_tag: tag }]
    const found = await sorted([
      ['/'],
      tagged('/all', 'noindex'),
      tagged('/none', 'NONE'),
      tagged('/ours', 'tidemark: nofollow, noindex'),
      tagged('/other', 'otherbot: noindex'),
      tagged('/followed', 'nofollow'),
      tagged('/passed', 'unavailable_after: Sat, 31 Jan 2026 00:00:00 GMT'),
      tagged('/coming', 'unavailable_after: Sat, 28 Feb 2026 00:00:00 GMT'),
    ])
    t.strictSame(found, {
      pages: ['/', '/other', '/followed', '/coming'],
      leftOut: ['/all noindex', '/none noindex', '/ours noindex', '/passed noindex'],
    })
  })

  t.test('by the meta element of the page', async t => {
    const found = await sorted([['/'], ['/a', { robots: ['noindex'] }], ['/b', { robots: ['nofollow'] }]])
    t.strictSame(found, { pages: ['/', '/b'], leftOut: ['/a noindex'] })
  })
})

test('Of pages with one canonical, one page is listed', async t => {
  t.test('the canonical', async t => {
    const found = await sorted([
      ['/'],
      ['/a', canonical('/b')],
      ['/b', canonical('/b')],
      ['/c', canonical('/x')],
    ])
    t.strictSame(found, { pages: ['/', '/b', '/c'], leftOut: ['/a duplicate'] })
  })

  t.test('the end of a chain of canonicals, in any order of the pages', async t => {
    const chain: Stored[] = [['/a', canonical('/b')], ['/b', canonical('/c')], ['/c']]
    for (const pages of [chain, chain.toReversed()]) t.strictSame((await sorted(pages)).pages, ['/c'])
  })

  t.test('the page itself if its canonical is left out', async t => {
    const noindex = await sorted([
      ['/a', canonical('/b')],
      ['/b', { robots: ['noindex'] }],
    ])
    t.strictSame(noindex, { pages: ['/a'], leftOut: ['/b noindex'] })
    const failed = await sorted([
      ['/a', canonical('/b')],
      ['/b', {}, { status: 404 }],
    ])
    t.strictSame(failed, { pages: ['/a'], leftOut: ['/b http_error'] })
  })

  t.test('the requested page of a loop, else its first one', async t => {
    const loop: Stored[] = [
      ['/', canonical('/docs')],
      ['/docs/', canonical('/docs')],
      ['/docs', canonical('/docs/')],
    ]
    t.strictSame(await sorted(loop), { pages: ['/docs/'], leftOut: ['/ duplicate', '/docs duplicate'] })
    t.strictSame(await sorted(loop, '/docs'), {
      pages: ['/docs'],
      leftOut: ['/ duplicate', '/docs/ duplicate'],
    })
  })
})

test('Pages with long metadata are read in several statements', async t => {
  const breadcrumbs = (...names: string[]) => ({
    json_ld: [{ '@type': 'BreadcrumbList', itemListElement: names.map(name => ({ name })) }],
  })
  const reads = readsOfLong([
    ['/a', { description: 'A', og: { site_name: 'Tides' }, ...breadcrumbs('Home', 'x'.repeat(1_001), 'A') }],
    ['/b', canonical('/a')],
    ['/c', { robots: ['noindex'] }],
    ['/d', { description: 'D' }],
  ])
  const describe = describedPagesOf(reads, { robotsToken: 'Tidemark', now: () => now })
  const { pages, leftOut } = await describe(7, 70, { url: `${site}/`, max: 100 })
  t.strictSame(
    pages.map(({ urlKey, description, siteName, breadcrumbs }) => [
      urlKey,
      description,
      siteName,
      breadcrumbs,
    ]),
    [
      ['/a', 'A', 'Tides', ['Home', 'A']],
      ['/d', 'D', null, []],
    ],
    'and breadcrumbs have no name that is longer than any title',
  )
  t.strictSame(
    leftOut.map(({ reason }) => reason),
    ['duplicate', 'noindex'],
  )
})
