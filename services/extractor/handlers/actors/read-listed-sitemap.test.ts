/** Compressed sitemaps in audits: any fault yields the same reason, and the part before it. */
import zlib from 'node:zlib'
import { test } from 'tap'
import type { Fetched } from '../../adapters/fetch-now.ts'
import { readListedSitemap } from './read-listed-sitemap.ts'

const url = 'https://a.example/sitemap.xml.gz'
/** Returns a sitemap whose URLs differ, so that it stays long when compressed. */
const xmlOf = (pages: number) =>
  `<urlset>${Array.from({ length: pages }, (_, n) => `<url><loc>/${n}-${(n * 2_654_435_761) % 2 ** 32}</loc></url>`).join('')}</urlset>`

const request = { workId: -1, delayMs: 0, concurrency: 1, timeoutMs: 20_000, url, wanted: 50_000, from: 0 }
const packed: Fetched = {
  ...{ is: 'fetched', url, status: 200, hops: [], contentType: 'application/gzip', robotsHeader: null },
  ...{ headers: {}, encodings: [], elapsedMs: 1, body: Buffer.alloc(0) },
}

const read = (more: Partial<Fetched>) =>
  readListedSitemap({ now: () => 0, fetchPage: async () => ({ ...packed, ...more }) })(request)

const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 0xff
  return copy
}

test('A broken compressed sitemap', async t => {
  for (const pages of [3, 300, 5_000]) {
    const gzip = zlib.gzipSync(xmlOf(pages))
    const half = gzip.length >> 1
    const breaks: [where: string, body: Buffer, least?: number][] = [
      ['in its first byte', flipped(gzip, 0)],
      ['in its header', flipped(gzip, 2)],
      ['behind its header', gzip.subarray(0, 10)],
      ['at the beginning', flipped(gzip, 12)],
      ['in the middle', flipped(gzip, half)],
      ['off in the middle', gzip.subarray(0, half), Math.floor(pages / 3)],
      ['in its checksum', flipped(gzip, gzip.length - 6)],
      ['off before its checksum', gzip.subarray(0, gzip.length - 8), pages],
    ]
    for (const [where, body, least = 0] of breaks) {
      const sitemap = await read({ body })
      const what = `${pages} pages, broken ${where}`
      t.match(sitemap, { status: 200, error: 'broken_encoding', message: /compressed data is corrupt/ }, what)
      t.ok(sitemap.urls >= least && sitemap.entries.length <= sitemap.urls, what)
      t.ok(sitemap.isSitemap || sitemap.urls === 0, what)
      if (where.includes('first byte')) continue
      const sent = await read({ body, contentType: 'text/xml', encodings: ['gzip'] })
      t.match(sent, { error: 'broken_encoding', urls: sitemap.urls }, `${what}, compressed in transit`)
    }
    t.match(await read({ body: gzip }), { error: null, urls: pages })
    const behind = Buffer.concat([gzip, Buffer.from('more')])
    t.match(await read({ body: behind }), { error: null, urls: pages }, 'data after its end is no fault')
  }
})

test('A file that is not broken is not reported as broken', async t => {
  const page = '<!doctype html><title>Not here</title>'
  t.match(await read({ body: Buffer.from(page) }), { error: 'not_a_sitemap' }, 'a page in its place')
  t.match(await read({ body: Buffer.from(xmlOf(3)) }), { error: null, urls: 3 }, 'one that is not compressed')
  t.match(await read({ body: zlib.gzipSync(page) }), { error: 'not_a_sitemap' })
  const large = zlib.gzipSync(Buffer.concat([Buffer.from(xmlOf(9)), Buffer.alloc(51 * 1024 ** 2, ' ')]))
  t.match(await read({ body: large }), { error: 'incomplete', urls: 9, message: /too large/ })
  const repeating =
    '<urlset><url><loc>/a</loc></url><url><loc>/a#b</loc></url><url><loc>/c</loc></url></urlset>'
  t.match(await read({ body: Buffer.from(repeating) }), { urls: 3, repeated: 1, entries: { length: 2 } })
})

test('An uncompressed sitemap is read up to the size that the protocol allows', async t => {
  const xml = Buffer.from(xmlOf(9))
  const space = (megabytes: number) => Buffer.alloc(megabytes * 1024 ** 2, ' ')
  const plain = { url: 'https://a.example/sitemap.xml', contentType: 'application/xml' }
  // The fetcher cuts a body, and compresses a large one in transit.
  const sent = (body: Buffer, inTransit: (body: Buffer) => Partial<Fetched>) =>
    readListedSitemap({
      now: () => 0,
      fetchPage: async ({ maxBytes }) => ({ ...packed, ...plain, ...inTransit(body.subarray(0, maxBytes)) }),
    })({ ...request, url: plain.url })
  const ways = {
    'as it is': (body: Buffer) => ({ body }),
    'compressed in transit': (body: Buffer) => ({
      body: zlib.gzipSync(body, { level: 1 }),
      encodings: ['gzip'],
    }),
  }
  for (const [way, inTransit] of Object.entries(ways)) {
    const allowed = Buffer.concat([space(49), xml])
    t.match(await sent(allowed, inTransit), { error: null, message: null, urls: 9 }, way)
    const larger = Buffer.concat([xml, space(50)])
    t.match(await sent(larger, inTransit), { error: 'incomplete', urls: 9, message: /too large/ }, way)
  }
})

test('A sitemap that the fetcher cut at its own limit is no whole one', async t => {
  const gzip = zlib.gzipSync(xmlOf(5_000))
  for (const body of [
    Buffer.from('https://a.example/1\nhttps://a.example/2\n'),
    gzip.subarray(0, gzip.length >> 1),
  ])
    t.match(await read({ body, isCut: true }), { error: 'incomplete', message: /too large/ })
})

test('A sitemap holds its memory until it is read, within the limit of memory', async t => {
  const [deeds, body]: [string[], Buffer] = [[], zlib.gzipSync(xmlOf(5_000))]
  const read = readListedSitemap({
    now: () => 0,
    async fetchPage(request) {
      deeds.push('fetched')
      return { ...packed, url: request.url, body }
    },
  })
  const requested = Array.from({ length: 12 }, () => read(request).then(() => deeds.push('read')))
  await Promise.all(requested)
  const held = deeds.map((_, n) => {
    const until = deeds.slice(0, n + 1)
    return until.filter(deed => deed === 'fetched').length - until.filter(deed => deed === 'read').length
  })
  t.equal(Math.max(...held), 3, deeds.join(' '))
})
