/** The content store with a real Postgres and a real object store, and its codecs with any input. */
import { hash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync, zstdDecompressSync } from 'node:zlib'
import { webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { startObjectStore } from '@tidemark/testing/object-store'
import fc from 'fast-check'
import tap, { type Test, test } from 'tap'
import { type Body, plainBody } from './body.ts'
import { type Extent, headBytes } from './edge-counts.ts'
import { countWithin, decodeEdges, type Edge, edgesWithin, encodeEdges, extentOf } from './edges.ts'
import { keepings, surroundings } from './keeping.scene.ts'
import { openLinks } from './links.ts'
import { openPageBatches, readMetadata } from './page-batches.ts'
import { maxPagesPerStatement, type StoredPage, storeStatement } from './statements.ts'

const digest = (bytes: Buffer) => hash('sha256', bytes, 'buffer')

const gzipped = (decoded: Buffer): Body => ({
  hash: digest(decoded),
  encodings: ['gzip'],
  size: decoded.byteLength,
  data: gzipSync(decoded),
})

const page = (runId: number, urlKey: string, more: Partial<StoredPage> = {}): StoredPage => ({
  runId,
  urlKey,
  body: null,
  charset: 'utf-8',
  contentType: 'text/html',
  metadata: '{"title":"A page"}',
  edges: encodeEdges([]),
  ...more,
})

const store = await startObjectStore()
tap.teardown(() => store.stop())

for (const kept of keepings) test(`The content store, bodies ${kept}`, t => storing(t, kept === 'in objects'))

async function storing(t: Test, isInObjects: boolean): Promise<void> {
  const { pool, content, count, named } = await surroundings(t, isInObjects ? store : null)

  await t.test('returns a page with its original bytes', async t => {
    const html = Buffer.from('<p>Hello</p>'.repeat(1000))
    const body = gzipped(html)
    const edges = [{ href: 'http://a.test/x', anchor: 'to x', rel: 'nofollow ugc', nofollow: true }]
    const headers = 'tdm-reservation: 1\n'
    await content.storePages([page(1, 'AAAAAAAAAAA', { body, edges: encodeEdges(edges), headers })])
    const stored = {
      bodyHash: body.hash.toString('hex'),
      encodings: ['gzip'],
      charset: 'utf-8',
      contentType: 'text/html',
      body: body.data,
    }
    t.strictSame(await content.readPage(1, 'AAAAAAAAAAA'), {
      ...stored,
      metadata: { title: 'A page' },
      headers,
    })
    t.strictSame(await content.readPacked(1, 'AAAAAAAAAAA'), {
      ...stored,
      metadata: '{"title":"A page"}',
      edges: encodeEdges(edges),
    })
  })

  await t.test('stores a body once for all its pages and runs', async t => {
    const before = await count('body')
    const body = gzipped(Buffer.from('the same everywhere'.repeat(100)))
    await content.storePages(['B', 'C', 'D'].map(name => page(1, name.repeat(11), { body })))
    await content.storePages([page(2, 'BBBBBBBBBBB', { body })])
    t.equal(await count('body'), before + 1)
    t.strictSame((await content.readPage(2, 'BBBBBBBBBBB'))?.body, body.data)
  })

  await t.test('has no body for a run without bodies', async t => {
    await content.storePages([page(3, 'AAAAAAAAAAA', { charset: null, contentType: null })])
    t.match(await content.readPage(3, 'AAAAAAAAAAA'), {
      bodyHash: null,
      body: null,
      encodings: { length: 0 },
      charset: null,
    })
  })

  await t.test('returns null for a page that was never stored', async t => {
    t.equal(await content.readPage(9, 'AAAAAAAAAAA'), null)
    t.equal(await content.readPacked(9, 'AAAAAAAAAAA'), null)
  })

  await t.test('keeps the later of two versions of a page, stored together or in sequence', async t => {
    const older = page(4, 'AAAAAAAAAAA', {
      metadata: '{"n":1}',
      body: plainBody(digest(Buffer.from('1')), Buffer.from('1')),
    })
    const newer = page(4, 'AAAAAAAAAAA', {
      metadata: '{"n":2}',
      body: plainBody(digest(Buffer.from('2')), Buffer.from('2')),
    })
    await content.storePages([older, newer])
    t.match(await content.readPage(4, 'AAAAAAAAAAA'), { metadata: { n: 2 }, body: Buffer.from('2') })
    await content.storePages([older])
    t.match(await content.readPage(4, 'AAAAAAAAAAA'), { metadata: { n: 1 }, body: Buffer.from('1') })
  })

  await t.test('stores all of a batch or nothing', async t => {
    const bad = page(5, 'BBBBBBBBBBB', { contentType: 'a\0b' })
    await t.rejects(content.storePages([page(5, 'AAAAAAAAAAA'), bad]), { code: '22021' })
    t.equal(await content.readPage(5, 'AAAAAAAAAAA'), null)
  })

  await t.test('stores any bytes and any text', async t => {
    const data = randomBytes(70_000)
    const body = { hash: digest(data), encodings: [], size: data.byteLength, data }
    const title = "nul \0, half \ud800, quote ', backslash \\, 漢字"
    await content.storePages([page(6, 'AAAAAAAAAAA', { body, metadata: JSON.stringify({ title }) })])
    const found = await content.readPage(6, 'AAAAAAAAAAA')
    t.strictSame(found?.body, data)
    t.strictSame(found?.metadata, { title })
  })

  await t.test('counts and reads the links of many pages at once, in the requested order', async t => {
    const links = openLinks(pool)
    const url = 'http://a.test/'
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        href: `${url}${n}`,
        anchor: '',
        rel: null,
        nofollow: false,
      }))
    const pages = [3, 0, 5000].map((count, n) =>
      page(10, `${n}`.repeat(11), { edges: encodeEdges(some(count)) }),
    )
    await content.storePages(pages)
    const names = ['22222222222', '99999999999', '11111111111', '00000000000'].map(urlKey => ({
      urlKey,
      url,
    }))
    t.strictSame(await links.count(10, names, null), [5000, 0, 0, 3])
    t.strictSame([...(await links.read(10, names))], [some(5000), [], [], some(3)])
    t.equal(await links.keepsBodies(10), false)
    t.equal(await links.keepsBodies(1), true)
    t.equal(await links.keepsBodies(999), true)
  })

  await t.test('reads the metadata of many pages a few megabytes at once', async t => {
    const text = 'é漢'.repeat(200_000)
    const pages = Array.from({ length: 12 }, (_, n) =>
      page(11, `${n}`.padStart(11, '0'), { metadata: JSON.stringify({ n, text: n < 9 ? text : '' }) }),
    )
    await content.storePages(pages)
    const read: number[] = []
    const query = async (sql: string, values: unknown[]) => {
      const { rows } = await pool.query<{ metadata: string | null }>(sql, values)
      read.push(rows.reduce((sum, { metadata }) => sum + Buffer.byteLength(metadata ?? ''), 0))
      return { rows }
    }
    const found = async (urlKeys: string[]) => {
      const all = await Array.fromAsync(readMetadata({ query: query as never }, 11, urlKeys))
      return all.map(known => (known as { n: number } | undefined)?.n ?? '-').join(' ')
    }
    const keys = pages.map(({ urlKey }) => urlKey).toReversed()
    const wanted = ['not-there--', ...keys.slice(0, 5), 'nor-this---', ...keys.slice(5), 'nor-that---']
    t.equal(await found(wanted), '- 11 10 9 8 7 - 6 5 4 3 2 1 0 -', 'in the requested order')
    t.equal(read.length, 4, 'the sizes, and nine megabytes in three statements')
    t.ok(Math.max(...read) <= 4 * 1024 ** 2)
    read.length = 0
    t.equal(await found(keys.slice(0, 4)), '11 10 9 8')
    t.equal(await found([]), '')
    t.equal(read.length, 1, 'short metadata in one statement')
    await content.storePages([
      page(11, 'long-------', { metadata: JSON.stringify({ n: 99, text: text.repeat(5) }) }),
    ])
    t.equal(await found(['long-------', 'not-there--', keys[0] as string]), '99 - 11', 'a longer page alone')
  })

  await t.test('leaves out large bodies, bodies in objects and large metadata on request', async t => {
    const body = plainBody(digest(Buffer.from('small')), Buffer.from('small'))
    const large = randomBytes(70_000)
    const metadata = JSON.stringify({ json_ld: ['x'.repeat(70_000)] })
    await content.storePages([
      page(12, 'small------', { body, metadata: '{}' }),
      page(12, 'body-------', { body: plainBody(digest(large), large), metadata: '{}' }),
      page(12, 'metadata---', { body, metadata }),
    ])
    const keys = ['small------', 'body-------', 'metadata---']
    const parts = { body: true, edges: false, metadata: true, headers: false, maxBodyBytes: 64 * 1024 }
    const found = await openPageBatches(pool)(12, keys, parts)
    const read = keys.map(key => [found.get(key)?.body?.toString() ?? null, found.get(key)?.metadata ?? null])
    const small = isInObjects ? null : 'small'
    t.strictSame(read, [
      [small, '{}'],
      [null, '{}'],
      [null, null],
    ])
  })

  await t.test('is not deadlocked by two writers of the same pages in opposite orders', async t => {
    const names = Array.from({ length: 50 }, (_, n) => String(n).padStart(11, '0'))
    const batch = names.map(name => page(7, name, { body: gzipped(Buffer.from(`body ${name}`)) }))
    for (let round = 0; round < 10; round++) {
      await Promise.all([content.storePages(batch), content.storePages(batch.toReversed())])
    }
    t.equal((await pool.query('select * from content.page where run_id = 7')).rows.length, 50)
  })

  await t.test('splits batches that exceed one statement', async t => {
    const pages = Array.from({ length: maxPagesPerStatement + 1 }, (_, n) =>
      page(8, String(n).padStart(11, '0')),
    )
    await content.storePages(pages)
    t.equal((await pool.query('select 1 from content.page where run_id = 8')).rows.length, pages.length)
  })

  await t.test('stores bytes only in their configured place', async t => {
    const bodies = await count('body')
    t.equal(await count(`body where object is null`), isInObjects ? 0 : bodies)
    t.equal(await count(`body where octet_length(data) > 0`), isInObjects ? 0 : bodies)
    const { held, announced } = await named()
    t.equal(held.length, isInObjects ? bodies : 0)
    t.strictSame(isInObjects ? (await store.names()).sort() : [], [...held, ...announced].sort())
  })
}

test('A statement that stores pages', t => {
  const body = gzipped(Buffer.from('body'))
  const one = storeStatement([page(1, 'AAAAAAAAAAA', { body })])
  const two = storeStatement([page(1, 'AAAAAAAAAAA', { body }), page(2, 'AAAAAAAAAAA', { body })])
  t.equal(one.text, two.text, 'is the same for every number of pages, so that it is prepared once')
  t.ok(
    two.values.some(value => Buffer.isBuffer(value) && value.includes(body.data)),
    'has bytes as they are',
  )
  // Messages between threads turn buffers into plain arrays of bytes.
  const edges = Uint8Array.of(1, 2, 3) as Buffer
  const { values } = storeStatement([page(1, 'AAAAAAAAAAA', { edges })])
  t.ok(
    values.some(value => Buffer.isBuffer(value) && value.includes(edges)),
    'also those of another thread',
  )
  t.end()
})

test('A body without content codings', async t => {
  const long = Buffer.from('words and words '.repeat(1000))
  const packed = plainBody(digest(long), long)
  t.match(packed, { encodings: ['zstd'], size: long.byteLength })
  t.strictSame(zstdDecompressSync(packed.data), long, 'is compressed')

  const short = Buffer.from('words')
  t.match(
    plainBody(digest(short), short),
    { encodings: { length: 0 }, data: short },
    'is stored unchanged if it is short',
  )

  const noise = randomBytes(5000)
  t.match(
    plainBody(digest(noise), noise),
    { encodings: { length: 0 }, data: noise },
    'or if compression saves nothing',
  )
})

test('Edges', async t => {
  const edge: fc.Arbitrary<Edge> = fc.record(
    {
      href: webUrl(),
      anchor: fc.string({ unit: codePoint }),
      rel: fc.option(fc.string(), { nil: null }),
      nofollow: fc.boolean(),
    },
    { noNullPrototype: true },
  )
  const survives = (edges: Edge[]) => isDeepStrictEqual(decodeEdges(encodeEdges(edges)), edges)
  t.doesNotThrow(
    () => fc.assert(fc.property(fc.array(edge), survives), { numRuns: 50 }),
    'are unchanged after a round trip',
  )
  t.equal(encodeEdges([]).byteLength, 0, 'an empty list takes no bytes')
  t.throws(() => decodeEdges(Buffer.of(9, 1, 2)), RangeError, 'of another version are rejected')

  const counts = (edges: Edge[], extent: Extent, own: string) => {
    const count = countWithin(encodeEdges(edges, own).subarray(0, headBytes), extent)
    return count === null || count === edgesWithin(edges, extent).length
  }
  const site = fc.constantFrom(
    'http://a.test/',
    'https://a.test/x',
    'http://a.test:81/',
    'http://b.a.test/',
    'http://a/',
  )
  const extent = fc.tuple(site, fc.constantFrom(null, 'a.test', 'test')).map(args => extentOf(...args))
  const own = fc.constantFrom('', 'a.test', 'b.a.test', 'test')
  const toSites = fc.array(fc.tuple(site, edge).map(([href, edge]) => ({ ...edge, href })))
  t.doesNotThrow(() => fc.assert(fc.property(toSites, extent, own, counts)), 'are counted by site')
  const scattered = Array.from({ length: 100 }, (_, n) => ({
    href: `http://site${n % 60}.test/`,
    anchor: '',
    rel: null,
    nofollow: false,
  }))
  const head = encodeEdges(scattered).subarray(0, headBytes)
  const countTo = (url: string, wideScope: string | null = null) =>
    countWithin(head, extentOf(url, wideScope))
  t.equal(countTo('http://site0.test/'), 2, 'to many sites are counted for the most frequent sites')
  t.equal(countTo('http://site59.test/'), null, 'and not for the others')
  const toMore = toSites.map(edges => [...scattered, ...edges])
  t.doesNotThrow(() => fc.assert(fc.property(toMore, extent, own, counts)), 'or not counted')
  t.equal(
    countTo('http://site0.test/', 'site0.test'),
    null,
    'nor for subdomains, some of which may be left out',
  )
  t.equal(decodeEdges(encodeEdges(scattered)).length, 100)

  const ofOwn = (hosts: string[], wideScope: string | null = 'b.a.test:81', own = 'a.test') => {
    const links = hosts.map(host => ({ href: `http://${host}/`, anchor: '', rel: null, nofollow: false }))
    const blob = encodeEdges([...scattered, ...links], own)
    t.equal(decodeEdges(blob).length, 100 + hosts.length)
    return countWithin(blob.subarray(0, headBytes), extentOf('http://a.test/', wideScope))
  }
  const ownHosts = ['b.a.test:81', 'c.b.a.test:81', 'b.a.test', 'a.test', 'xa.test', 'a.test.b.a.test:81']
  t.equal(ofOwn(ownHosts), 3, 'are counted for every host of the domain of the page')
  t.equal(ofOwn(ownHosts, null), 1, 'also for a single host')
  t.equal(ofOwn([], null), 0, 'that has no link')
  t.equal(ofOwn(ownHosts, 'xa.test'), null, 'but not for other domains')
  const crowd = Array.from({ length: 60 }, (_, n) => `${n}.b.a.test:81`)
  t.equal(ofOwn(crowd), null, 'nor if they have too many hosts')

  const many = Array.from({ length: 54 }, (_, n) => ({
    href: `http://site.test/s1/p${n}.html`,
    anchor: 'some words',
    rel: null,
    nofollow: false,
  }))
  t.ok(encodeEdges(many).byteLength < 500, 'of one site are small')
})
