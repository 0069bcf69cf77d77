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

async function sorted(stored: readonly Stored[]) {
  const describe = describedPagesOf(readsOf(stored), { robotsToken: 'Tidemark', now: () => now })
  const { pages, leftOut } = await describe(7, 70, 100)
  return {
    pages: pages.map(({ urlKey }) => urlKey),
    leftOut: leftOut.map(({ url, reason }) => `${url.slice(site.length)} ${reason}`),
  }
}

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
