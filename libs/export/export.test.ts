/** Every format can be read by other software, is the same in each writing, and bears hostile pages. */
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { buffered } from './buffered.ts'
import type { ExportOptions, FormatName } from './format.ts'
import { formats } from './formats.ts'
import { jsonPieces } from './json-pieces.ts'
import { KeyIndex } from './key-index.ts'
import { PackedItems } from './packed-items.ts'
import type { ExportedPage, ExportSource } from './page.ts'
import {
  allOf,
  exportFile,
  lastInZip,
  parseCsv,
  parseXml,
  plainOptions,
  unzipped,
  withoutReaders,
} from './read-back.scene.ts'
import { listed } from './sitemap/listed.ts'
import { metadataOf, pageOf, sourceFrom, sourceOf } from './source.scene.ts'
import { zip } from './zip/zip.ts'

const home = 'https://example.com'
const everything: Partial<ExportOptions> = {
  include: ['html', 'markdown', 'chunks', 'article', 'metadata', 'headers', 'links'],
}
const withVectors: Partial<ExportOptions> = { ...everything, tables: ['pages', 'chunks'], embeddings: true }
const linkTo = (href: string, anchor = '') => ({ href, anchor, rel: null, nofollow: false })

const chunk = { id: 'c', text: '# A\n', start: 0, end: 4, heading_path: ['A'], tokens: 3, is_part: false }

/** Titles, URLs and bodies that break careless writers. */
const hostile: ExportedPage[] = [
  pageOf(1, `${home}/`, {
    title: '=cmd|"/c calc"!A1\r\nSecond,line',
    markdown: '# A\n',
    chunks: [chunk],
    embeddings: [Float32Array.of(0.1, -2.5e-7, 3)],
    depth: 0,
  }),
  pageOf(2, `${home}/%2e%2e/..%2f..%2fetc/passwd`, {
    title: 'NUL \0 and \ud800 alone',
    html: 'a\0b',
    blocked: true,
  }),
  pageOf(3, `${home}/A/CON?x=<y>&z`, {
    title: ']]></title><x a="b">&amp;\u2028\ufffe\x07',
    rendered: true,
  }),
  pageOf(4, `${home}/a/con?x=<y>&z`, { title: '---\n- [}: #', contentType: 'text/html\r\nX: y' }),
  pageOf(5, 'not a URL \r\n\0 \ud83d', { title: null, contentType: null, body: null, markdown: null }),
  pageOf(6, `${home}/${'deep/'.repeat(400)}${'n'.repeat(2000)}`, {
    links: [linkTo(`${home}/`, '\0'), linkTo('mailto:x'), linkTo(`${home}/`)],
    metadata: metadataOf({ description: '\ud800"\\\0', og: { '': '' }, json_ld: [{ a: ['\udfff'] }] }),
    headers: [
      ['Bad Name', 'x'],
      ['Set-Cookie', 'a\r\nb\0'],
      ['Content-Encoding', 'gzip'],
    ],
    body: { encodings: ['gzip'], data: Buffer.from('not gzip at all') },
  }),
]

/** A page with one very long line. */
const longest = sized(1_000_000, 10_000_000)
const long = pageOf(7, `${home}/long`, { html: '<'.repeat(longest), markdown: '['.repeat(longest) })

const variants: [name: FormatName, options: Partial<ExportOptions>][] = [
  ...(Object.keys(formats) as FormatName[]).map((name): [FormatName, object] => [name, everything]),
  ['graph', { graph: 'csv' }],
  ['parquet', { tables: ['links'] }],
  ['parquet', withVectors],
  ['jsonl', withVectors],
]

test('Every format writes the same bytes each time, whatever the pages contain', async t => {
  for (const [name, options] of variants) {
    const first = await exportFile(name, sourceOf([...hostile, long]), options)
    const second = await exportFile(name, sourceOf([...hostile, long]), options)
    t.ok(first.length > 0 && first.equals(second), `${name} ${JSON.stringify(options.graph ?? '')}`)
    await t.resolves(exportFile(name, sourceOf([]), options), `${name} of no pages`)
  }
})

test('Every format requests only what it needs, and every part that it declares', async t => {
  for (const [name, options] of variants) {
    const requested = new Set<string>()
    const source = sourceOf(hostile)
    const watched: ExportSource = {
      ...source,
      pages(parts) {
        for (const part of parts) requested.add(part)
        return source.pages(parts)
      },
    }
    await exportFile(name, watched, options)
    const needs = formats[name].needs({ ...plainOptions, ...options })
    t.strictSame([...requested].sort(), [...needs].sort(), name)
  }
})

test('An error of the source ends every format, and a reader that stops early ends the source', async t => {
  for (const [name, options] of variants) {
    const broken = sourceFrom(function* () {
      yield pageOf(1, `${home}/`)
      throw new Error('the store is closed')
    })
    await t.rejects(exportFile(name, broken, options), { message: 'the store is closed' }, name)
  }
  let open = 0
  const counted = sourceFrom(function* () {
    open += 1
    try {
      for (let id = 1; ; id++) yield pageOf(id, `${home}/${id}`)
    } finally {
      open -= 1
    }
  })
  for (const name of ['jsonl', 'warc', 'sitemap'] as const) {
    const [pieces] = [formats[name].write(counted, plainOptions)[Symbol.asyncIterator]()]
    await pieces.next()
    await pieces.return?.()
    await new Promise(resolve => setTimeout(resolve, 20))
    t.equal(open, 0, name)
  }
})

test('JSON Lines have a page per line, with the chosen content under the names of the API', async t => {
  const lines = async (options: Partial<ExportOptions>) =>
    (await exportFile('jsonl', sourceOf(hostile), options))
      .toString()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
  const [first] = await lines({})
  t.strictSame(Object.keys(first), [
    'id',
    'url',
    'requested_url',
    'status',
    'fetched_at',
    'depth',
    'title',
    'content_type',
    'content_hash',
    'raw_hash',
    'bytes',
    'blocked',
    'rendered',
    'metadata',
  ])
  t.strictSame([first.blocked, first.rendered], [false, false])
  const all = await lines(everything)
  t.equal(all.length, hostile.length)
  t.equal(all[1].title, hostile[1]?.title, 'also with lone surrogates')
  t.strictSame([all[1].blocked, all[2].rendered], [true, true])
  t.equal(all[4].markdown, null, 'a page without Markdown')
  t.strictSame([all[0].chunks, all[4].chunks], [[chunk], null])
  const embedded = await lines(withVectors)
  t.strictSame(embedded[0].chunks, [{ ...chunk, embedding: [0.1, -2.5e-7, 3] }])
  t.equal(embedded[4].chunks, null)
  t.strictSame(all[5].links[0], { to: `${home}/`, anchor: '\0', rel: null, nofollow: false })
  t.strictSame([all[0].article_text, all[0].article_html], ['Text of page 1.', '<p>Text of page 1.</p>'])
})

test('JSON in pieces is what JSON.stringify writes, and no piece holds a large text', async t => {
  const unit = fc.constantFrom('a', '"', '\\', '\0', '\n', 'é', '\u2028', '😀', '\ud83d', '\ude00')
  const text = fc.string({ unit, maxLength: 40 })
  const value = fc.oneof(text, fc.jsonValue(), fc.array(fc.record({ anchor: text })), fc.constant(undefined))
  fc.assert(
    fc.property(fc.dictionary(text, value), fc.integer({ min: 1, max: 9 }), (members, length) => {
      const pieces = [...jsonPieces(members, length)]
      const whole = JSON.stringify(members)
      t.equal(pieces.join(''), whole)
      t.ok(Buffer.concat(pieces.map(piece => Buffer.from(piece))).equals(Buffer.from(whole)))
    }),
    { numRuns: sized(150, 500) },
  )
  const html = '\x01\ud83d😀'.repeat(500_000)
  const source = sourceOf([pageOf(1, home, { html })])
  let longest = 0
  const chunks: Buffer[] = []
  for await (const chunk of formats.jsonl.write(source, { ...plainOptions, include: ['html'] })) {
    longest = Math.max(longest, chunk.length)
    chunks.push(chunk)
  }
  t.ok(longest < 1024 ** 2, `${longest} bytes`)
  t.ok(
    Buffer.concat(chunks)
      .toString()
      .endsWith(`"html":${JSON.stringify(html)}}\n`),
  )
})

test('The graph has the pages and the links between them', { skip: withoutReaders }, async t => {
  const pages = [
    pageOf(10, `${home}/`, {
      title: 'Home & "more"',
      links: [linkTo(`${home}/b`), linkTo('https://other.test/'), linkTo(`${home}/old`), linkTo(`${home}/b`)],
    }),
    pageOf(9_000_000_000, `${home}/b`, { requestedUrl: `${home}/old`, title: '=1+1', contentType: null }),
  ]
  const gexf = parseXml(await exportFile('graph', sourceOf(pages)))
  t.strictSame(gexf.attributes, { version: '1.3' })
  t.strictSame(
    allOf(gexf, 'node').map(({ attributes }) => attributes),
    [
      { id: '10', label: 'Home & "more"' },
      { id: '9000000000', label: '=1+1' },
    ],
  )
  t.strictSame(
    allOf(gexf, 'edge').map(({ attributes }) => attributes),
    [{ id: '0', source: '10', target: '9000000000', weight: '3' }],
    'a link to a redirect leads to its page',
  )
  const files = unzipped(await exportFile('graph', sourceOf(pages), { graph: 'csv' }))
  t.strictSame(parseCsv(files.get('nodes.csv') as Buffer).slice(1), [
    ['10', 'Home & "more"', `${home}/`, '200', '1', 'text/html; charset=utf-8'],
    ['9000000000', "'=1+1", `${home}/b`, '200', '1', ''],
  ])
  t.strictSame(parseCsv(files.get('edges.csv') as Buffer), [
    ['Source', 'Target', 'Weight', 'Type'],
    ['10', '9000000000', '3', 'Directed'],
  ])
  t.equal(allOf(parseXml(await exportFile('graph', sourceOf(hostile))), 'node').length, hostile.length)
  const cells = parseCsv(
    unzipped(await exportFile('graph', sourceOf(hostile), { graph: 'csv' })).get('nodes.csv') as Buffer,
  )
  t.equal(cells.length, hostile.length + 1)
  t.notOk(
    cells.slice(1).some(row => row.some(cell => /^[=+\-@\t\r]/.test(cell))),
    'no cell is a formula',
  )
})

test('A sitemap lists the pages that search engines may index', async t => {
  const url = `${home}/a?b&c`
  const normalize = (address: string) => sourceOf([]).normalize(address)
  const entry = (fields: Partial<ExportedPage>) => listed(pageOf(1, url, fields), normalize)
  t.strictSame(entry({}), { url, lastModified: null })
  t.ok(entry({ metadata: metadataOf({ canonical: `${home}:443/a?b&c#d`, robots: ['index'] }) }))
  for (const rules of ['otherbot: noindex', 'otherbot: nofollow, noindex', 'noarchive, otherbot: none'])
    t.ok(entry({ headers: [['X-Robots-Tag', rules]] }), `forbidden to one robot alone: ${rules}`)
  const others = '</a?b&c>; rel=canonical, </de>; rel="alternate"; title=canonical, </x>; rel=non-canonical'
  t.ok(entry({ headers: [['Link', others]] }), 'with links to other pages, or to itself')
  const left: Partial<ExportedPage>[] = [
    { headers: [['link', '</b>; rel="next", </other>; title="a, b"; rel="nofollow Canonical"']] },
    { headers: [['link', `<${home}/other>;rel=canonical`]], contentType: 'application/pdf' },
    { status: 404 },
    { blocked: true },
    { contentType: 'image/png' },
    { metadata: metadataOf({ robots: ['nofollow', 'NOINDEX'] }) },
    { metadata: metadataOf({ robots: ['none'] }) },
    { metadata: metadataOf({ canonical: `${home}/other` }) },
    { headers: [['X-Robots-Tag', 'noarchive, noindex']] },
    { headers: [['X-Robots-Tag', 'unavailable_after: Sat, 12 Oct 2030 15:00:00 GMT, noindex']] },
    { headers: [['X-Robots-Tag', 'none, otherbot: all']] },
    { url: `${home}/${'x'.repeat(2048)}` },
    { url: 'not a URL' },
  ]
  for (const fields of left) t.equal(entry(fields), null, JSON.stringify(fields).slice(0, 60))
  const time = '2026-11-10T10:00:00.000Z'
  const stated: Partial<ExportedPage>[] = [
    { headers: [['last-modified', 'Tue, 10 Nov 2026 10:00:00 GMT']] },
    { metadata: metadataOf({ json_ld: [null, { dateModified: '2026-11-10T10:00:00Z' }] }) },
    { metadata: metadataOf({ og: { updated_time: time } }) },
  ]
  for (const fields of stated) t.equal(entry(fields)?.lastModified, time)
  t.equal(entry({ headers: [['last-modified', '2099-01-01']] })?.lastModified, null, 'not the future')
  const modified = (updated_time: string) =>
    entry({ metadata: metadataOf({ og: { updated_time } }) })?.lastModified
  for (const text of [' 2026-11-10T10:00 ', '2026-11-10 12:00:00 +0200', '2026-11-10T10:00:00.000000'])
    t.equal(modified(text), time, `as it is meant, in any time zone of the machine: ${text}`)
  for (const text of ['2026-02-30', '2026-13-01', '2026-11-10T25:00', 'version 7', '2020', ''])
    t.equal(modified(text), null, `not what is no time: ${text}`)
})

test('Sitemaps are split at 50,000 addresses and at 50 MB', { skip: withoutReaders }, async t => {
  const first = pageOf(1, home)
  const files = async (count: number, tail: string) =>
    unzipped(
      await exportFile(
        'sitemap',
        sourceFrom(function* () {
          for (let id = 1; id <= count; id++) yield { ...first, id, url: `${home}/${id}${tail}` }
        }),
      ),
    )
  const urlsIn = (file: Buffer | undefined) => file?.toString().match(/<loc>/g)?.length
  t.strictSame([...(await files(10, '')).keys()], ['sitemap.xml'])
  const two = await files(50_001, '')
  t.strictSame([...two.values()].map(urlsIn), [50_000, 1, 2])
  const index = allOf(parseXml(two.get('sitemap-index.xml') as Buffer), 'loc').map(({ text }) => text)
  t.strictSame(index, [`${home}/sitemap.xml`, `${home}/sitemap-2.xml`])
  const large = [...(await files(27_000, 'x'.repeat(2000))).values()]
  t.ok(large.length === 3 && large.every(({ length }) => length <= 50 * 1024 ** 2))
  t.equal((urlsIn(large[0]) ?? 0) + (urlsIn(large[1]) ?? 0), 27_000)
})

async function* once(data: Buffer) {
  yield data
}

test('A zip may have more files than its first form can count', { skip: withoutReaders }, async t => {
  const count = 65_600
  // Streams that are not deflated: deflating as many files would take seconds.
  const many = Array.from({ length: count }, (_, n) => ({
    ...{ name: `${n}`, isDeflated: false },
    stream: once(Buffer.from(`${n}`)),
  }))
  const pieces: Buffer[] = []
  for await (const piece of zip(many, new Date('1970-01-01'))) pieces.push(piece)
  t.strictSame(lastInZip(Buffer.concat(pieces)), [count, `${count - 1}`, `${count - 1}`])
})

test('Chunks, packed items and the index of keys lose nothing', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200_000 }), { maxLength: 20 }), async pieces => {
      const buffers = pieces.map(piece => Buffer.from(piece))
      const items = new PackedItems()
      for (const buffer of buffers) items.add(buffer)
      const chunks: Buffer[] = []
      for await (const chunk of buffered(buffers)) chunks.push(chunk)
      return (
        buffers.every((buffer, n) => items.at(n).equals(buffer)) &&
        Buffer.concat(chunks).equals(Buffer.concat(buffers)) &&
        chunks.slice(0, -1).every(({ length }) => length >= 64 * 1024)
      )
    }),
    { numRuns: sized(15, 50) },
  )
  const index = new KeyIndex()
  const keys = Array.from({ length: 5000 }, (_, n) => `key ${n}`)
  for (const [n, key] of keys.entries()) index.set(key, n * 1e9)
  index.set('key 7', 7)
  t.ok(keys.every((key, n) => index.get(key) === (n === 7 ? 7 : n * 1e9)))
  t.equal(index.get('none'), undefined)
})
