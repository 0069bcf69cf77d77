/** The packed links of runs: read link by link, and batch by batch from a real Postgres. */

import { webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { freshDatabase } from '@tidemark/testing/servers'
import fc from 'fast-check'
import pg from 'pg'
import { test } from 'tap'
import { EdgeScan, nameOf, type Span } from './edge-scan.ts'
import { type Edge, encodeEdges } from './edges.ts'
import { openPackedLinks } from './packed-links.ts'
import { openContent } from './store.ts'
import { contentTables, headerTables, revisitTables } from './tables.ts'
import { Unpacker } from './unpacker.ts'
import { compress, decompress } from './zstd.ts'

const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom('', '"', '\\', '\\"', 'a"b', 'é', '漢字', '\u2028'),
)
const edge: fc.Arbitrary<Edge> = fc.record({
  href: webUrl({ withQueryParameters: true }),
  anchor: text,
  rel: fc.option(text),
  nofollow: fc.boolean(),
})

const named = ({ low, high }: Span) => `${low} ${high}`

test('Packed links', async t => {
  await t.test('are read link by link without a change, and equal texts have equal hashes', async t => {
    const scan = new EdgeScan()
    fc.assert(
      fc.property(fc.array(edge), edges => {
        scan.open(encodeEdges(edges))
        for (const { href, anchor, nofollow } of edges) {
          t.ok(scan.next())
          t.strictSame(
            [scan.textOf(scan.href), scan.textOf(scan.anchor), scan.nofollow],
            [href, anchor, nofollow],
          )
          t.equal(named(scan.anchor), named(nameOf(anchor)))
          t.equal(named(scan.href), named(nameOf(href)))
        }
        t.notOk(scan.next())
        t.notOk(scan.next())
      }),
    )
  })

  await t.test('have different hashes for different texts', async t => {
    const texts = Array.from({ length: 50_000 }, (_, n) => `https://example.com/list?page=${n}`)
    const more = texts.map(text => text.split('').reverse().join(''))
    t.equal(new Set([...texts, ...more].map(text => named(nameOf(text)))).size, 100_000)
  })

  await t.test('are rejected if their version is unknown', async t => {
    const scan = new EdgeScan()
    t.throws(() => scan.open(Buffer.from([9, 1, 2])), RangeError)
    for (const json of ['[["a', '[["a"', '[["a","b"', '[["a","b",7]]']) {
      scan.open(Buffer.concat([Buffer.of(1), compress(Buffer.from(json))]))
      t.throws(() => scan.next(), RangeError, json)
    }
    scan.open(Buffer.alloc(0))
    t.notOk(scan.next())
  })

  for (const [version, isReused] of [
    [process.versions.node, true],
    ['25.0.0', false],
  ] as const)
    await t.test(`are unpacked one after the other in ${version}, regardless of earlier frames`, async t => {
      const unpacker = new Unpacker(version)
      const frames = [0, 1, 255, 256, 70_000, 600_000, 3].map(size => Buffer.alloc(size, `some ${size}`))
      for (const bytes of [...frames, ...frames]) {
        t.ok(unpacker.unpack(compress(bytes), 2 ** 20).equals(bytes), `${bytes.length} bytes`)
        t.ok(decompress(compress(bytes), 2 ** 20).equals(bytes))
      }
      const sharesBuffer = () => {
        const [one, other] = [70_000, 80_000].map(size =>
          unpacker.unpack(compress(Buffer.alloc(size)), 2 ** 20),
        )
        return one?.buffer === other?.buffer
      }
      t.equal(sharesBuffer(), isReused, 'both into the same buffer, if the decoder is reused')
      const good = compress(Buffer.from('a text that is long enough to be packed, packed, packed'))
      t.throws(() => unpacker.unpack(Buffer.from('no frame at all'), 100))
      t.throws(() => unpacker.unpack(good.subarray(0, 9), 100))
      t.throws(() => unpacker.unpack(compress(Buffer.alloc(5_000)), 100), { code: 'ERR_BUFFER_TOO_LARGE' })
      t.match(unpacker.unpack(good, 100).toString(), /^a text/)
      t.equal(sharesBuffer(), isReused, 'also after a broken frame')
    })

  await t.test('are read batch by batch with the directives of their pages', async t => {
    const database = await freshDatabase()
    const pool = new pg.Pool({ connectionString: database.url, max: 2 })
    pool.on('error', () => {})
    await pool.query('create schema content')
    for (const statement of [...contentTables, ...revisitTables, ...headerTables]) await pool.query(statement)
    const stored = (n: number, metadata: object, edges: Buffer) => ({
      runId: 1,
      urlKey: `${n}`.padStart(11, '0'),
      body: null,
      charset: null,
      contentType: null,
      metadata: JSON.stringify(metadata),
      edges,
    })
    const lure = '"canonical":"http://lure.test/","robots":["nofollow"]}'
    const free = { title: lure, description: '\0 \ud800' }
    const of = (n: number) =>
      encodeEdges([{ href: `http://a.test/${n}`, anchor: '', rel: null, nofollow: false }])
    const large = encodeEdges(
      Array.from({ length: 40_000 }, (_, n) => ({
        href: `http://a.test/${Math.sin(n)}`,
        anchor: '',
        rel: null,
        nofollow: false,
      })),
    )
    const four = (n: number, text: string) => [
      stored(
        n,
        { ...free, canonical: null, json_ld: [{ canonical: 'http://x.test/', text }], robots: [] },
        of(1),
      ),
      stored(
        n + 1,
        { ...free, canonical: 'http://a.test/?q=\\', text, robots: ['index', 'nofollow'] },
        of(2),
      ),
      stored(
        n + 2,
        { ...free, canonical: 'http://a.test/', text, robots: [], x_robots_tag: 'bot: "none"' },
        large,
      ),
      stored(n + 3, { ...free, text, robots: ['index'], json_ld: lure }, large),
    ]
    const pages = [
      ...four(1, ''),
      ...four(5, 'as é '.repeat(2_000)),
      ...Array.from({ length: 1_200 }, (_, n) => stored(n + 9, { robots: [] }, n < 10 ? large : of(n))),
      { ...stored(1, {}, of(7)), runId: 2 },
    ]
    await openContent(pool).storePages(pages)
    const links = openPackedLinks(
      pool,
      (directives, header) => directives.includes('nofollow') || header !== null,
    )
    const batches = await Array.fromAsync(links.all(1))
    t.ok(batches.length > 3, `${batches.length} batches`)
    t.equal(
      batches.map(({ keys }) => keys).join(''),
      pages
        .slice(0, -1)
        .map(({ urlKey }) => urlKey)
        .join(''),
    )
    const canonicals = [null, 'http://a.test/?q=\\', 'http://a.test/', null]
    t.strictSame(batches.flatMap(({ canonicals }) => canonicals).slice(0, 8), [...canonicals, ...canonicals])
    t.strictSame(batches.flatMap(({ silent }) => [...silent]).slice(0, 9), [0, 1, 1, 0, 0, 1, 1, 0, 0])
    const bytes = Buffer.concat(batches.map(({ blobs }) => blobs))
    t.ok(bytes.equals(Buffer.concat(pages.slice(0, -1).map(({ edges }) => edges))))
    t.strictSame(
      batches.flatMap(({ sizes }) => [...sizes]),
      pages.slice(0, -1).map(({ edges }) => edges.byteLength),
    )

    const [some] = [await links.at(1, ['00000000002', 'not-there--', '00000000001'])]
    t.strictSame([some.keys, [...some.silent]], ['0000000000100000000002', [0, 1]])
    const wanted = pages.slice(0, 14).map(({ urlKey }) => urlKey)
    const first = await links.at(1, wanted)
    t.ok(
      first.sizes.length > 2 && first.sizes.length < 14,
      `${first.sizes.length} of 14 pages fit into a batch`,
    )
    t.ok(first.blobs.byteLength <= 2 * 1024 ** 2 + large.byteLength, 'the last one may have more')
    t.equal(first.keys, wanted.slice(0, first.sizes.length).join(''))
    t.equal((await links.at(1, ['not-there--'])).sizes.length, 0)
    t.strictSame(await Array.fromAsync(links.all(3)), [])

    const robots = ['x'.repeat(1024 ** 2), 'nofollow']
    const long = Array.from({ length: 20 }, (_, n) => ({ ...stored(n, { robots }, of(n)), runId: 4 }))
    await openContent(pool).storePages(long)
    const lengths = (await Array.fromAsync(links.all(4))).map(({ silent }) => silent.join(''))
    t.strictSame(
      lengths,
      ['1'.repeat(8), '1'.repeat(8), '1'.repeat(4)],
      'and a batch has at most eight megabytes of metadata',
    )
    await pool.end()
    await database.drop()
  })
})
