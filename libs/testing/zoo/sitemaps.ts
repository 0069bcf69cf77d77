/** Sitemaps with cycles, endless depth, foreign hosts, or decompression bombs (sitemaps.org). */
import zlib from 'node:zlib'
import { numbered, page, series, stream, thousands } from './answers.ts'
import { type Count, done, type Expectation, failed, type Site, type Visit } from './site.ts'

type Pieces = Iterable<string | Buffer>

const xml = '<?xml version="1.0" encoding="UTF-8"?>'
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const urlset = (...inside: (string | Pieces)[]): Pieces =>
  series(xml, `<urlset ${namespace}>`, ...inside, '</urlset>')
const index = (...locs: string[]): Pieces =>
  series(
    xml,
    `<sitemapindex ${namespace}>`,
    locs.map(loc => `<sitemap><loc>${loc}</loc></sitemap>`),
    '</sitemapindex>',
  )
const entry = (loc: string) => `<url><loc>${loc}</loc></url>`

type Row = {
  name: string
  /** The sitemap at a path; null for every other page. */
  sitemap: (visit: Visit) => Pieces | null
  type?: string
  twin?: 'http'
  maxPages?: number
  expect: Expectation
}

const listed = (count: Count, more: Partial<Expectation> = {}) => done(count, more)

const rows: Row[] = [
  { name: 'sitemap-in-a-circle', sitemap: circle, expect: listed(3) },
  // The index at the root and five levels below it are read, and so are the lists of the first five.
  { name: 'sitemap-ten-levels-deep', sitemap: levels, expect: listed({ atLeast: 4, atMost: 6 }) },
  // No entity is expanded: at most the two references count as odd URLs, as written.
  { name: 'sitemap-with-an-entity-bomb', sitemap: entityBomb, expect: listed({ atLeast: 1, atMost: 3 }) },
  {
    name: 'sitemap-is-a-gzip-bomb',
    type: 'application/gzip',
    sitemap: ({ url }) => (url.pathname === '/sitemap.xml' ? [gzipBomb()] : null),
    expect: failed(/larger than the limit/, { settledWithinMs: 30_000 }),
  },
  {
    name: 'sitemap-of-sixty-thousand-urls',
    sitemap: ({ url, home }) =>
      url.pathname === '/sitemap.xml' ? urlset(numbered(60_000, n => entry(`${home}/leaf/${n}`))) : null,
    maxPages: 100,
    expect: listed(100, { stopReason: 'max_pages' }),
  },
  {
    name: 'sitemap-lists-another-host',
    twin: 'http',
    sitemap: ({ url, home, twin, forbidden }) => {
      const locs = [`${home}/1`, `${twin}/2`, `${home}/3`, `${forbidden}/4`, 'file:///etc/passwd']
      return url.pathname === '/sitemap.xml' ? urlset(locs.map(entry)) : null
    },
    expect: listed(2),
  },
  {
    name: 'sitemap-a-million-deep',
    sitemap: ({ url, home }) =>
      url.pathname === '/sitemap.xml' ? urlset(entry(`${home}/1`), thousands('<x>', 1000)) : null,
    expect: listed(1),
  },
]

export const sitemaps: Site[] = rows.map(
  ({ name, sitemap, type = 'application/xml', twin, maxPages, expect }) => ({
    name,
    group: 'sitemaps',
    ...(twin && { twin }),
    seed: { path: '/sitemap.xml' },
    crawl: { seed_kind: 'sitemap', ...(maxPages !== undefined && { max_pages: maxPages }) },
    expect,
    serve(visit) {
      const pieces = sitemap(visit)
      const { pathname } = visit.url
      if (pieces) stream(visit, pieces, { 'content-type': type })
      else page(visit, pathname, `<p>This is ${pathname}.`)
    },
  }),
)

/** Two indexes that list each other and themselves, and one list. */
function circle({ url, home }: Visit): Pieces | null {
  if (url.pathname === '/sitemap.xml')
    return index(`${home}/b.xml`, `${home}/sitemap.xml`, `${home}/list.xml`)
  if (url.pathname === '/b.xml') return index(`${home}/sitemap.xml`, `${home}/b.xml`, `${home}/list.xml`)
  return url.pathname === '/list.xml' ? urlset([1, 2, 3].map(n => entry(`${home}/${n}`))) : null
}

/** Ten nested indexes, each with a list of one page. */
function levels({ url, home }: Visit): Pieces | null {
  const [, kind, digits] = url.pathname.match(/^\/(sitemap|list)(\d*)\.xml$/) ?? []
  const level = Number(digits || 0)
  if (kind === 'list') return urlset(entry(`${home}/leaf/${level}`))
  if (kind === undefined) return null
  const below = level < 10 ? [`${home}/sitemap${level + 1}.xml`] : []
  return index(`${home}/list${level}.xml`, ...below)
}

/** Ten entities, each ten times the previous one: three gigabytes if expanded, and a local file if fetched. */
function entityBomb({ url, home }: Visit): Pieces | null {
  if (url.pathname !== '/sitemap.xml') return null
  const names = [...'abcdefghij']
  const entities = names.map((name, at) => {
    const before = names[at - 1]
    return `<!ENTITY ${name} "${before === undefined ? 'lol' : `&${before};`.repeat(10)}">`
  })
  const outside = '<!ENTITY file SYSTEM "file:///etc/passwd">'
  return series(
    `${xml}<!DOCTYPE urlset [${entities.join('')}${outside}]>`,
    `<urlset ${namespace}>${entry(`${home}/1`)}${entry(`${home}/&j;`)}${entry('&file;')}</urlset>`,
  )
}

let packed: Buffer | undefined

/** A list of one page, and a gigabyte of blanks in a megabyte. */
function gzipBomb(): Buffer {
  const first = zlib.gzipSync(`${xml}<urlset ${namespace}>${entry('/1')}`)
  const blanks = zlib.gzipSync(Buffer.alloc(16 * 1024 ** 2, ' '))
  packed ??= Buffer.concat([first, ...Array<Buffer>(64).fill(blanks)])
  return packed
}
