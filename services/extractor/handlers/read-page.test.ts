/** Oversized bodies and sitemaps, without any server. */
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { test } from 'tap'
import { createLargePages } from '../adapters/large-pages.ts'
import { ThreadTerminated } from '../concurrency/thread.ts'
import { messageId } from '../domain/names.ts'
import { createPageReader, type ReadPage } from './read-page.ts'

const url = 'https://site.test/dir/sitemap.xml'
const page: FetchedPage = {
  kind: 'sitemap',
  runId: 1,
  key: 'AAAAAAAAAAA',
  attempt: 1,
  url,
  scope: { host: 'site.test', subdomains: true },
  storeHtml: true,
  status: 200,
  contentType: 'application/xml',
  encodings: [],
  robotsHeader: null,
  fetchedAt: '2026-01-02T03:04:05.678Z',
  elapsedMs: 1,
  bulkyKey: null,
}
const bodies = {
  picture: async () => null,
  get: async ({ blob }: { blob: Uint8Array }) => Buffer.from(blob),
  forget: async () => {},
}
const reported: unknown[] = []
const largePages = createLargePages()
const ports = {
  bodies,
  storedPages: { read: async () => null },
  maxDecodedBytes: 4 * 1024 ** 2,
  robotsToken: 'tidemark',
  report: (error: unknown) => void reported.push(error),
}
const reader = createPageReader({ ...ports, largePages, pdfs: null })
const read = async (arrived: { page: FetchedPage; blob: Uint8Array }): Promise<ReadPage> =>
  (await reader.readInline(arrived)) ?? (await reader.readAny(arrived))

const outcomesOf = async (body: Uint8Array | string, more: Partial<FetchedPage> = {}) =>
  (await read({ page: { ...page, ...more }, blob: Buffer.from(body) })).outcomes
const outcomeOf = async (body: Uint8Array | string, more: Partial<FetchedPage> = {}) =>
  (await outcomesOf(body, more)).at(-1)
const targets = (outcome: Outcome | undefined) =>
  outcome && 'links' in outcome ? outcome.links.map(([, href]) => href) : null

const urlset = (...locs: string[]) =>
  `<?xml version="1.0"?><urlset>${locs.map(loc => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`
const plain = urlset(
  'https://site.test/a',
  '/b?utm_source=x',
  'HTTPS://SITE.TEST/a#top',
  'http://away.test/',
  'mailto:x',
)

test('A sitemap behind a redirect to another site has the URLs of that site', async t => {
  const moved = { url: 'https://www.other.test/sitemap.xml', scope: { host: 'site.test', subdomains: false } }
  const outcome = await outcomeOf(urlset('https://www.other.test/a', 'https://third.test/b'), moved)
  t.match(outcome, { movedTo: moved.url })
  t.strictSame(targets(outcome), ['https://www.other.test/a'])
  const many = Array.from({ length: 40_000 }, (_, n) => `https://www.other.test/${'x'.repeat(200)}${n}`)
  const outcomes = await outcomesOf(urlset(...many), moved)
  t.ok(outcomes.length > 1)
  for (const part of outcomes) t.match(part, { movedTo: moved.url }, part.type)
  t.notOk('movedTo' in ((await outcomeOf(plain)) ?? {}))
  const ofFiles = await outcomeOf(urlset('https://site.test/b', 'https://www.other.test/a'), moved)
  t.strictSame(targets(ofFiles), ['https://site.test/b'], 'a host for files lists URLs of the site')
  t.notOk('movedTo' in (ofFiles ?? {}))
  const followed = { ...moved, scope: { host: 'www.other.test', subdomains: false } }
  const ofBoth = await outcomeOf(urlset('https://other.test/old', 'https://www.other.test/a'), followed)
  t.strictSame(
    targets(ofBoth),
    ['https://www.other.test/a'],
    'one URL of the first host takes no page of a crawl that has moved to www',
  )
})

test('A sitemap', async t => {
  const done = await read({ page, blob: Buffer.from(plain) })
  t.equal(done.stored, null, 'is not a page, so nothing is stored')
  t.match(done.outcomes, [
    { type: 'sitemap', runId: 1, key: page.key, attempt: 1, status: 200, sitemaps: { length: 0 }, cut: null },
  ])
  t.same(
    targets(done.outcomes[0]),
    ['https://site.test/a', 'https://site.test/b'],
    'has the URLs in scope, once each',
  )

  const index = await outcomeOf(
    '<sitemapindex><sitemap><loc>/1.xml.gz</loc></sitemap><sitemap><loc>https://shop.site.test/2.xml</loc></sitemap><sitemap><loc>https://away.test/3.xml</loc></sitemap><sitemap><loc>/1.xml.gz</loc></sitemap></sitemapindex>',
  )
  t.match(index, { type: 'sitemap', links: { length: 0 }, cut: '1 sitemap of another site' })
  t.same(
    index?.type === 'sitemap' && index.sitemaps.map(([, href]) => href),
    ['https://site.test/1.xml.gz', 'https://shop.site.test/2.xml'],
    'has further sitemaps of any host in scope',
  )
  const narrow = {
    url: 'https://www.site.test/sitemap.xml',
    scope: { host: 'www.site.test', subdomains: false },
  }
  const far = await outcomeOf(
    '<sitemapindex><sitemap><loc>https://maps.site.test/m.xml</loc></sitemap></sitemapindex>',
    narrow,
  )
  t.match(
    far,
    { sitemaps: [[/./, 'https://maps.site.test/m.xml']], cut: null },
    'and of other hosts of the site',
  )
  const moved = { ...narrow, scope: { host: 'site.test', subdomains: false } }
  const itsOwn = '<sitemapindex><sitemap><loc>/m.xml</loc></sitemap></sitemapindex>'
  t.match(
    await outcomeOf(itsOwn, moved),
    { movedTo: narrow.url, links: { length: 0 }, sitemaps: [[/./, 'https://www.site.test/m.xml']] },
    'and still names the host that it may move to',
  )

  const packed = gzipSync(plain)
  for (const [how, body, more] of [
    ['as application/gzip', packed, { contentType: 'application/gzip' }],
    ['without a type', packed, { contentType: null }],
    ['and is compressed again in transit', brotliCompressSync(packed), { encodings: ['br'] }],
    ['by the origin on the way only', packed, { contentType: 'application/x-gzip', encodings: ['gzip'] }],
    ['with something behind it', Buffer.concat([packed, Buffer.from('\r\n')]), {}],
  ] as const)
    t.equal(
      targets(await outcomeOf(body, { ...more, encodings: [...('encodings' in more ? more.encodings : [])] }))
        ?.length,
      2,
      `may be packed ${how}`,
    )

  const marked = Buffer.from(
    `\ufeff${plain.replace('?xml version="1.0"?', '?xml version="1.0" encoding="utf-16"?')}`,
    'utf16le',
  )
  t.equal(targets(await outcomeOf(marked))?.length, 2, 'may be UTF-16')
  const latin = Buffer.from(
    '<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>/caf\xe9</loc></url></urlset>',
    'latin1',
  )
  t.same(targets(await outcomeOf(latin)), ['https://site.test/caf%C3%A9'], 'may declare another encoding')
  t.same(
    targets(await outcomeOf('https://site.test/a\nhttps://site.test/b', { contentType: 'text/plain' })),
    ['https://site.test/a', 'https://site.test/b'],
    'may be plain text',
  )

  t.match(await outcomeOf('<h1>Not found', { status: 404 }), {
    type: 'sitemap',
    status: 404,
    links: { length: 0 },
    sitemaps: { length: 0 },
    cut: null,
  })
  t.match(await outcomeOf('broken', { status: 503, encodings: ['gzip'] }), {
    type: 'sitemap',
    status: 503,
    links: { length: 0 },
  })
  t.match(await outcomeOf('<!doctype html><a href=/x>'), {
    type: 'sitemap',
    status: 200,
    links: { length: 0 },
    cut: 'it is not a sitemap',
  })
  t.match(await outcomeOf(''), { type: 'sitemap', links: { length: 0 }, cut: 'it is not a sitemap' })
})

test('A sitemap that is too large', async t => {
  const zeros = gzipSync(Buffer.alloc(51 * 1024 ** 2, ' '))
  const failed = { type: 'failed', reason: 'too_large', transient: false }
  t.match(await outcomeOf(zeros), { ...failed, kind: 'sitemap' }, 'a compressed file fails')
  t.match(
    await outcomeOf(zeros, { encodings: ['gzip'] }),
    failed,
    'and so does one that is compressed in transit',
  )
  t.match(
    await outcomeOf(gzipSync(zeros)),
    { type: 'sitemap', links: { length: 0 }, cut: 'it is not a sitemap' },
    'is decompressed once',
  )
  t.match(await outcomeOf(gzipSync(plain).subarray(0, 60)), {
    type: 'failed',
    reason: 'protocol',
    transient: false,
  })
  const long = Buffer.alloc(51 * 1024 ** 2, ' ')
  long.write(plain.slice(0, -'</urlset>'.length))
  t.match(
    await outcomeOf(long),
    { links: { length: 2 }, cut: 'the part after the first 50 MB' },
    'as it stands is read as far as may be',
  )

  const name = '/a/rather/long/path/of/a/page/'
  const locs = Array.from({ length: 60_000 }, (_, n) => `https://site.test${name}${n}`)
  let [longest, last] = [0, performance.now()]
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  const outcomes = await outcomesOf(urlset(...locs))
  clearInterval(ticking)
  const parts = outcomes.slice(0, -1)
  t.match(outcomes.at(-1), { type: 'sitemap', parts: parts.length, cut: 'more than 50000 addresses' })
  t.same(
    outcomes.flatMap(outcome => targets(outcome) ?? []),
    locs.slice(0, 50_000),
    'is sent in parts, in order and complete',
  )
  t.same(
    parts.map(outcome => outcome.type === 'links' && [outcome.part, outcome.kind]),
    [...parts.keys()].map(n => [n, 'sitemap']),
    'numbered from 0, as parts of a sitemap',
  )
  t.ok(outcomes.every(outcome => JSON.stringify(outcome).length < outcomeBytes))
  t.equal(
    new Set(outcomes.map(outcome => messageId([outcome]))).size,
    outcomes.length,
    'each in a separate message',
  )
  t.ok(longest < 1000, `others wait at most ${Math.round(longest)} ms`)

  const far = `https://site.test/${'far/'.repeat(1_900)}`
  const relative = Array.from({ length: 10_000 }, (_, n) => `${n}`)
  t.match(
    await outcomeOf(urlset(...relative), { url: far }),
    { cut: 'addresses beyond 50 MB of them' },
    'and a high compression ratio is bounded',
  )

  const children = locs.map(loc => `<sitemap><loc>${loc}.xml</loc></sitemap>`).join('')
  const [index, ...more] = await outcomesOf(`<sitemapindex>${children}</sitemapindex>`)
  t.ok(
    index?.type === 'sitemap' && index.sitemaps.length > 2000 && more.length === 0,
    'an index is one message',
  )
  t.ok(JSON.stringify(index).length < outcomeBytes)
  const part = children.slice(0, children.lastIndexOf('<sitemap>', 50_000 * 70))
  const [rest] = await outcomesOf(`<sitemapindex>${part}</sitemapindex>`)
  t.match(rest, { cut: /^\d+ further sitemaps$/ }, 'with the number of dropped ones')
})

test('A page that is a decompression bomb', async t => {
  const zeros = Buffer.alloc(16 * 1024 ** 2)
  const packers: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: bytes => gzipSync(bytes),
    deflate: bytes => deflateSync(bytes),
    br: bytes => brotliCompressSync(bytes),
    zstd: bytes => zstdCompressSync(bytes),
  }
  const { kind: _, ...requested } = { ...page, key: 'BBBBBBBBBBB', contentType: 'text/html' }
  const asPage = (body: Buffer, encodings: string[]) =>
    read({ page: { ...requested, encodings }, blob: body })
  for (const [name, pack] of Object.entries(packers)) {
    const before = process.memoryUsage.rss()
    const { outcomes, stored } = await asPage(pack(zeros), [name])
    t.match(outcomes, [{ type: 'failed', reason: 'too_large', transient: false }], `as ${name} fails`)
    t.equal(stored, null)
    t.ok(process.memoryUsage.rss() - before < 256 * 1024 ** 2)
    const garbage = Buffer.concat([pack(Buffer.from('<title>x</title>')), Buffer.from('\0garbage')])
    t.match(
      (await asPage(garbage, [name])).outcomes,
      [{ type: 'page', title: 'x' }],
      `${name} with something behind it is a page`,
    )
  }
  const five = [1, 2, 3, 4, 5].reduce(body => gzipSync(body), Buffer.from('<title>x</title>'))
  const { outcomes } = await asPage(five, Array<string>(5).fill('gzip'))
  t.match(
    outcomes,
    [{ type: 'failed', reason: 'protocol', transient: false }],
    'compressed five times is not decompressed',
  )
  t.same(reported, [], 'and none of it is reported as an error')
})

test('A page that exceeds the bytes of its order when it is decoded', async t => {
  const { kind: _, ...ordinary } = { ...page, attempt: 2, contentType: 'text/html', encodings: ['gzip'] }
  const html = Buffer.from(`<title>Long</title>${'x'.repeat(2_000_000)}`)
  const within = (maxBytes: number) => read({ page: { ...ordinary, maxBytes }, blob: gzipSync(html) })
  t.match((await within(html.length)).outcomes, [{ type: 'page', bytes: html.length }])
  const { stored, outcomes } = await within(html.length - 1)
  t.match(outcomes, [{ type: 'failed', attempt: 2, reason: 'max_bytes', transient: false }])
  t.equal(stored, null, 'so that the body of an earlier response stays')
})

test('A page in an unusual encoding', async t => {
  const { kind: _, ...ordinary } = { ...page, contentType: 'text/html', url: 'https://site.test/' }
  const pdfs = { head: async () => ({ fault: 'unreadable' }) as never }
  const reading = createPageReader({ ...ports, largePages, pdfs })
  for (const size of [3_000, 1_500_000]) {
    const html = Buffer.from(`<title>Odd</title>${'x'.repeat(size)}`)
    const odd: [string[], Buffer][] = [
      [['deflate'], deflateRawSync(html)],
      [['gzip', 'br'], brotliCompressSync(gzipSync(html))],
      [['br', 'deflate'], deflateRawSync(brotliCompressSync(html))],
    ]
    for (const [encodings, blob] of odd) {
      const { outcomes } = await reading.readAny({ page: { ...ordinary, encodings }, blob })
      t.match(outcomes, [{ type: 'page', title: 'Odd', bytes: html.length }], `${encodings} of ${size}`)
    }
  }
})

test('A large page', async t => {
  t.teardown(() => largePages[Symbol.asyncDispose]())
  const { kind: _, ...ordinary } = { ...page, contentType: 'text/html', url: 'https://site.test/' }
  const links = Array.from({ length: 30_000 }, (_, n) => `<a href="/${n}">Link ${n}</a>`).join('\n')
  const html = (padding: string) => Buffer.from(`<title>Large</title>${links}<!--${padding}-->`)
  const linksOf = (outcomes: Outcome[]) =>
    outcomes.flatMap(outcome => ('links' in outcome ? outcome.links : []))

  const small = await read({ page: ordinary, blob: html('') })
  const large = await read({ page: ordinary, blob: html('x'.repeat(600_000)) })
  t.ok((small.stored?.body?.size ?? 0) < 1024 ** 2 && (large.stored?.body?.size ?? 0) > 1024 ** 2)
  t.strictSame(linksOf(large.outcomes), linksOf(small.outcomes), 'has the same outcome on its own thread')
  t.strictSame(Buffer.from(large.stored?.edges ?? []), Buffer.from(small.stored?.edges ?? []))
  t.equal(linksOf(large.outcomes).length, 30_000)
  t.strictSame(
    zstdDecompressSync(large.stored?.body?.data ?? ''),
    html('x'.repeat(600_000)),
    'and is stored unchanged',
  )

  const sent = { page: { ...ordinary, encodings: ['gzip'] }, blob: gzipSync(html('x'.repeat(600_000))) }
  t.equal(await reader.readInline(sent), null, 'is not read here')
  t.equal(
    await reader.readInline({ page, blob: gzipSync(Buffer.alloc(2 * 1024 ** 2, ' ')) }),
    null,
    'nor a sitemap',
  )
  t.equal(await reader.readInline({ page: { ...ordinary, bulkyKey: '1:x:1' }, blob: Buffer.alloc(0) }), null)
  const packed = await reader.readAny(sent)
  t.match(
    packed.outcomes,
    large.outcomes.map(({ type }) => ({ type })),
  )
  t.match(packed.stored?.body, { encodings: ['gzip'], data: sent.blob, size: large.stored?.body?.size })
})

test('A small page has the same result on the thread for large pages', async t => {
  await using largePages = createLargePages()
  const reader = createPageReader({ ...ports, largePages, pdfs: null })
  const { kind: _, ...ordinary } = { ...page, contentType: 'text/html' }
  const html = '<title>Small</title><a href=/a>A</a>'
  const cases: [string, FetchedPage, Uint8Array][] = [
    ['a page', ordinary, Buffer.from(html)],
    ['a compressed page', { ...ordinary, encodings: ['gzip'] }, gzipSync(html)],
    ['a page that has not changed', { ...ordinary, status: 304, notModifiedSince: 7 }, Buffer.alloc(0)],
    ['a page above its limit', { ...ordinary, maxBytes: 9 }, Buffer.from(html)],
    ['an invalid encoding', { ...ordinary, encodings: ['gzip'] }, Buffer.from(html)],
    ['a sitemap', page, Buffer.from(plain)],
  ]
  for (const [name, ofCase, blob] of cases) {
    const inline = await reader.readInline({ page: ofCase, blob })
    const apart = await reader.readAny({ page: ofCase, blob })
    t.same(apart, inline, name)
  }
})

test('A page whose reading was aborted', async t => {
  const { kind: _, ...ordinary } = { ...page, contentType: 'text/html' }
  const readBy = (thrown: Error) =>
    createPageReader({ ...ports, pdfs: null, largePages: { read: () => Promise.reject(thrown) } }).readAny({
      page: ordinary,
      blob: Buffer.from('<p>'),
    })
  await t.rejects(
    readBy(new ThreadTerminated('closed')),
    new ThreadTerminated('closed'),
    'by a shutdown has not failed',
  )
  for (const why of ['time', 'memory'] as const)
    t.match(
      await readBy(new ThreadTerminated(why)),
      { outcomes: [{ type: 'failed', reason: 'unreadable' }] },
      why,
    )
  t.match(reported.splice(0), [{ why: 'time' }, { why: 'memory' }])
})
