/** Archives of pages (markdown, parquet, warc, wacz) hold what was stored, as other software reads them. */

import { hash } from 'node:crypto'
import { brotliCompressSync, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { parquetMetadataAsync } from 'hyparquet'
import { test } from 'tap'
import { getSurt, WARCParser, type WARCRecord } from 'warcio'
import { parse } from 'yaml'
import { FileNames } from './markdown/file-names.ts'
import { filePathOf } from './markdown/file-path.ts'
import { frontMatter } from './markdown/front-matter.ts'
import { rewriteLinks } from './markdown/rewrite-links.ts'
import type { ExportedPage } from './page.ts'
import { asyncBuffer, exportFile, rowsOf, unzipped, withoutReaders } from './read-back.scene.ts'
import { metadataOf, pageOf, run, sourceOf } from './source.scene.ts'
import { searchKey } from './wacz/capture-index.ts'

const home = 'https://example.com'
const anyText = fc.string({ unit: codePoint, maxLength: 40 })
const anyUrl = fc.oneof(
  webUrl({ withQueryParameters: true, withFragments: true }),
  anyText.map(path => URL.parse(`${home}/${path}`)?.href ?? home),
  anyText,
)

test('Markdown files are named by the paths of their pages', async t => {
  const names: [url: string, path: string][] = [
    [`${home}/`, 'example.com/index'],
    [`${home}:8080/docs/`, 'example.com_8080/docs/index'],
    [`${home}/docs/intro.html?v=2&lang=en`, 'example.com/docs/intro_v=2&lang=en'],
    [`${home}/a.pdf`, 'example.com/a.pdf'],
    [`${home}/%e4%bd%a0%e5%a5%bd`, 'example.com/你好'],
    [`${home}/..%2f..%2fetc`, 'example.com/_._.._etc'],
    [`${home}/x.md/CON/nul.txt`, 'example.com/x.md_/_CON/_nul.txt'],
    [`${home}/.git/-rf`, 'example.com/_git/_rf'],
    ['no URL', 'page'],
  ]
  for (const [url, path] of names) t.equal(filePathOf(url), path, url)
})

test('The names of files are safe and differ in more than case, for any URLs', async () => {
  fc.assert(
    fc.property(fc.array(anyUrl, { maxLength: 40 }), urls => {
      const files = new FileNames()
      const doubled = [...urls, ...urls, ...urls.map(url => url.toUpperCase())]
      for (const [id, url] of doubled.entries()) files.add({ id, url, requestedUrl: null })
      const names = doubled.map((_, n) => files.at(n))
      const folded = new Set(names.map(name => name.normalize('NFC').toLowerCase()))
      const isSafe = (name: string) =>
        Buffer.byteLength(name) <= 260 &&
        !/[\p{C}\\:*?"<>|]/u.test(name) &&
        name.split('/').every(segment => !/^$|^\.|[. ]$|^(con|nul|aux|prn)(\.|$)/i.test(segment)) &&
        name
          .split('/')
          .slice(0, -1)
          .every(folder => !/\.md$/i.test(folder))
      return folded.size === names.length && names.every(isSafe)
    }),
    { numRuns: sized(100, 300) },
  )
})

test('Front matter is YAML with every value as stored', async t => {
  const isKept = (title: string, description: string) => {
    const text = frontMatter(pageOf(1, `${home}/`, { title, metadata: metadataOf({ description }) }))
    const values = parse(text.replace(/^---\n|---\n$/g, ''))
    return values.title === title.toWellFormed() && values.description === description.toWellFormed()
  }
  fc.assert(fc.property(anyText, anyText, isKept), { numRuns: sized(150, 500) })
  for (const title of ['', '---', 'a: b # c', '\u0085\u2028\ufeff\uffff\0', '\ud800', 'yes', '1e3', "'"])
    t.ok(isKept(title, title), `a title of ${title.length} characters`)
  const cut = frontMatter(pageOf(1, `${home}/`, { warnings: ['the end: is "missing"'] }))
  t.strictSame(parse(cut.replace(/^---\n|---\n$/g, '')).warnings, ['the end: is "missing"'])
})

test('Links are rewritten outside of code, with title and fragment', async t => {
  const cases: [before: string, after: string][] = [
    ['[a](x) ![b](x "t") [c](<x>)', '[a](NEW) ![b](NEW "t") [c](NEW)'],
    ['[a](keep) `[b](x)` ``[c](x)` ``', '[a](keep) `[b](x)` ``[c](x)` ``'],
    ['```js\n[a](x)\n```\n[b](x)', '```js\n[a](x)\n```\n[b](NEW)'],
    ['\\`[a](x)\\` ` [b](x)', '\\`[a](NEW)\\` ` [b](NEW)'],
    ['a\\](x) [b](x y', 'a\\](x) [b](NEW y'],
    ['[a](\\x) [b](x', '[a](\\x) [b](x'],
    ['[a](p(x)) [b](p(x(y)))', '[a](NEW) [b](p(x(y)))'],
  ]
  const known = new Set(['x', 'p(x)'])
  for (const [before, after] of cases)
    t.equal(
      rewriteLinks(before, href => (known.has(href) ? 'NEW' : null)),
      after,
      before,
    )
  fc.assert(fc.property(anyText, text => rewriteLinks(text, () => null) === text))
  const started = performance.now()
  for (const sign of ['`', '](', '](<', '\\', '](('])
    rewriteLinks(
      Array.from({ length: 300_000 / sign.length }, (_, n) => sign + 'x'.repeat(n % 3)).join(''),
      () => null,
    )
  rewriteLinks(Array.from({ length: 700 }, (_, n) => ` ${'`'.repeat(n)}`).join(''), () => null)
  t.ok(performance.now() - started < patient(5_000), 'hostile text costs linear time')
})

test('A zip of Markdown leads from page to page', { skip: withoutReaders }, async t => {
  const pages = [
    pageOf(1, `${home}/`, {
      markdown: `[doc](${home}/docs/a%20(b)#part-2) [old](${home}/old) [out](https://other.test/) [self](${home}/#x)\n`,
    }),
    pageOf(2, `${home}/docs/a%20(b)`, { requestedUrl: `${home}/old`, markdown: `[up](<${home}/>)` }),
    pageOf(3, `${home}/image.png`, { markdown: null, contentType: 'image/png' }),
  ]
  const files = unzipped(await exportFile('markdown', sourceOf(pages)))
  const names = ['index.md', 'docs/a (b).md', 'image.png.md']
  t.strictSame(
    [...files.keys()],
    names.map(name => `example.com/${name}`),
  )
  const bodyOf = (name: string) => files.get(`example.com/${name}`)?.toString().split('\n---\n')[1]
  const target = 'docs/a%20%28b%29.md'
  t.equal(
    bodyOf('index.md'),
    `\n[doc](${target}#part-2) [old](${target}) [out](https://other.test/) [self](index.md#x)\n`,
  )
  t.equal(bodyOf('docs/a (b).md'), '\n[up](../index.md)\n')
  t.equal(bodyOf('image.png.md'), '')
})

test('Parquet has a table of pages and one of links', async t => {
  const pages = Array.from({ length: 3_000 }, (_, n) =>
    pageOf(n + 1, `${home}/${n}`, {
      title: n % 7 === 0 ? null : `\ud800 ${n}`,
      markdown: n % 5 === 0 ? null : 'm'.repeat(2_000) + n,
      metadata: n % 3 === 0 ? null : metadataOf({ lang: 'en' }),
      links: n % 2 === 0 ? [] : [{ href: `${home}/`, anchor: `${n}`, rel: null, nofollow: true }],
    }),
  )
  const read = async (table: 'pages' | 'links') => {
    const file = await exportFile('parquet', sourceOf(pages), { include: ['markdown'], tables: [table] })
    const { row_groups, num_rows } = await parquetMetadataAsync(asyncBuffer(file))
    const rows = await rowsOf(file)
    t.equal(Number(num_rows), rows.length)
    return { rows, groups: row_groups.map(group => Number(group.num_rows)) }
  }
  const { rows, groups } = await read('pages')
  t.ok(groups.length > 1, 'rows with much text are in several groups')
  t.strictSame(
    rows.map(({ id, url, title, markdown, metadata, fetched_at }) => ({
      id,
      url,
      title,
      markdown,
      metadata,
      fetched_at,
    })),
    pages.map(page => ({
      id: BigInt(page.id),
      url: page.url,
      title: page.title?.toWellFormed() ?? null,
      markdown: page.markdown,
      metadata: page.metadata && JSON.stringify(page.metadata),
      fetched_at: new Date(page.fetchedAt),
    })),
  )
  const links = await read('links')
  t.equal(links.rows.length, 1_500)
  t.match(links.rows[1], {
    from_page_id: 4n,
    from_url: `${home}/3`,
    to_url: `${home}/`,
    anchor: '3',
    nofollow: true,
  })
})

test('Parquet has a row per chunk, with its embedding as a list of 32-bit numbers', async t => {
  const vector = (dimensions: number) =>
    fc
      .array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
        minLength: dimensions,
        maxLength: dimensions,
      })
      .map(values => Float32Array.from(values))
  const anyChunk = (dimensions: number) =>
    fc.record({
      chunk: fc.record({
        ...{ id: fc.string(), text: anyText, start: fc.nat(), end: fc.nat(), tokens: fc.nat() },
        ...{ heading_path: fc.array(anyText, { maxLength: 3 }), is_part: fc.boolean() },
      }),
      vector: vector(dimensions),
    })
  const anyPages = fc
    .integer({ min: 1, max: 40 })
    .chain(dimensions => fc.array(fc.array(anyChunk(dimensions), { maxLength: 6 }), { maxLength: 12 }))
  const read = async (pages: readonly ExportedPage[], embeddings: boolean) => {
    const options = { include: ['chunks' as const], tables: ['chunks' as const], embeddings }
    const file = await exportFile('parquet', sourceOf(pages), options)
    const { schema, row_groups } = await parquetMetadataAsync(asyncBuffer(file))
    const rows = (await rowsOf(file)) as { embedding: number[] }[]
    return { schema, rows, groups: row_groups.length }
  }
  await fc.assert(
    fc.asyncProperty(anyPages, fc.boolean(), async (chunked, isEmbedded) => {
      const pages = chunked.map((items, n) =>
        pageOf(n + 1, `${home}/${n}`, {
          chunks: n % 4 === 3 ? null : items.map(({ chunk }) => chunk),
          embeddings: isEmbedded && n % 4 !== 3 ? items.map(({ vector }) => vector) : null,
        }),
      )
      const { rows } = await read(pages, isEmbedded)
      const expected = pages.flatMap(({ id, url, chunks, embeddings }) =>
        (chunks ?? []).map((chunk, number) => ({
          ...{ page_id: BigInt(id), page_url: url, number, ...chunk },
          ...{ id: chunk.id.toWellFormed(), text: chunk.text.toWellFormed() },
          heading_path: JSON.stringify(chunk.heading_path),
          ...(isEmbedded && { embedding: Array.from(embeddings?.[number] ?? []) }),
        })),
      )
      t.strictSame(rows, expected)
    }),
    { numRuns: sized(40, 400) },
  )
  const dimensions = 1_536
  const chunk = { id: 'c', text: 'A', start: 0, end: 1, heading_path: [], tokens: 1, is_part: false }
  const vectors = Array.from({ length: 2_000 }, (_, n) => new Float32Array(dimensions).fill(n / 3))
  const { rows, groups, schema } = await read(
    [pageOf(1, home, { chunks: vectors.map(() => chunk), embeddings: vectors })],
    true,
  )
  t.ok(groups > 1, 'rows with long vectors are in several groups')
  t.ok(rows.every(({ embedding }, n) => embedding.length === dimensions && embedding[9] === vectors[n]?.[9]))
  t.match(schema.slice(-3), [
    { name: 'embedding', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', type: 'FLOAT' },
  ])
})

test('Several tables are one zip', { skip: withoutReaders }, async t => {
  const files = unzipped(await exportFile('parquet', sourceOf([pageOf(1, home)])))
  t.strictSame([...files.keys()], ['pages.parquet', 'links.parquet'])
  const three = { tables: ['chunks' as const, 'links' as const, 'pages' as const] }
  t.strictSame(
    [...unzipped(await exportFile('parquet', sourceOf([pageOf(1, home)]), three)).keys()],
    ['pages.parquet', 'links.parquet', 'chunks.parquet'],
  )
  t.equal((await rowsOf(files.get('pages.parquet') as Buffer)).length, 1)
})

const html = '<h1>Grüße</h1>'.repeat(200)
const crawled: ExportedPage[] = [
  pageOf(1, `${home}/`, {
    hostAddress: '2001:db8::7',
    html,
    body: { encodings: ['gzip'], data: gzipSync(html) },
    headers: [
      ['Content-Type', 'text/html'],
      ['Content-Encoding', 'gzip'],
      ['Transfer-Encoding', 'chunked'],
      ['X-Text', 'caf\xe9'],
    ],
  }),
  pageOf(2, `${home}/own`, {
    body: { encodings: ['zstd'], data: zstdCompressSync(Buffer.from(html)) },
    headers: [
      ['Content-Type', 'text/html'],
      ['Content-Length', '1'],
    ],
  }),
  pageOf(3, `${home}/missing`, {
    status: 404,
    body: { encodings: ['br'], data: brotliCompressSync(Buffer.from(html)) },
  }),
  pageOf(4, `${home}/bodiless`, { body: null, requestedUrl: `${home}/before` }),
]

type Read = { record: WARCRecord; content: Buffer }

async function recordsOf(file: Buffer): Promise<Read[]> {
  const records: Read[] = []
  const parser = new WARCParser([new Uint8Array(file)], { keepHeadersCase: true })
  for await (const record of parser)
    records.push({ record, content: Buffer.from(await record.readFully(false)) })
  return records
}

test('A WARC has the stored bytes of every page, and says what it lacks', async t => {
  const records = await recordsOf(await exportFile('warc', sourceOf(crawled), { include: ['markdown'] }))
  t.strictSame(
    records.map(({ record }) => `${record.warcType} ${record.warcTargetURI?.replace(home, '') ?? ''}`.trim()),
    [
      'warcinfo',
      'response /',
      'conversion /',
      'response /own',
      'conversion /own',
      'resource /missing',
      'metadata /missing',
      'conversion /missing',
      'metadata /bodiless',
      'conversion /bodiless',
    ],
  )
  const [info, first, converted, own, , resource, metadata, , bodiless] = records as Read[]
  t.match(info?.content.toString(), /^software: Tidemark\/0\.5\.0\r\nformat: WARC File Format 1\.1\r\n/)
  const messageOf = (read: Read | undefined) => {
    const { httpHeaders } = (read as Read).record
    const headers = [...(httpHeaders?.headers.entries() ?? [])].filter(([name]) => name !== 'X-Text')
    return [httpHeaders?.statusline, ...headers].map(String)
  }
  t.strictSame(messageOf(first), [
    'HTTP/1.1 200 OK',
    'Content-Type,text/html',
    'Content-Encoding,gzip',
    'X-Archive-Orig-Transfer-Encoding,chunked',
    `Content-Length,${crawled[0]?.body?.data.length}`,
  ])
  t.equal(first?.record.warcHeader('WARC-IP-Address'), '2001:db8::7')
  t.notOk(own?.record.warcHeader('WARC-IP-Address'), 'which is not known')
  t.ok(first?.content.equals(crawled[0]?.body?.data as Buffer), 'the bytes as transferred')
  t.match(messageOf(own), ['HTTP/1.1 200 OK', /^Content-Type/, 'X-Archive-Orig-Content-Length,1'])
  for (const read of [own, resource])
    t.equal(read?.content.toString(), html, 'decoded, because no header says how')
  t.match(metadata?.content.toString(), /^http-status: 404\r\ndepth: 1\r\n$/)
  t.match(bodiless?.content.toString(), `requested-url: ${home}/before`)
  t.equal(converted?.record.warcHeader('WARC-Refers-To'), first?.record.warcHeader('WARC-Record-ID'))
  const ids = records.map(({ record }) => record.warcHeader('WARC-Record-ID') ?? '')
  t.equal(new Set(ids).size, ids.length)
  for (const id of ids)
    t.match(id, /^<urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}>$/)
  for (const { record, content } of records.filter(({ record }) => record.warcPayloadDigest))
    t.equal(record.warcPayloadDigest, `sha256:${hash('sha256', content)}`)
})

test('The records of hostile pages stay separate', async () => {
  const evil = 'x\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n'
  await fc.assert(
    fc.asyncProperty(anyText, fc.uint8Array({ maxLength: 500 }), async (text, bytes) => {
      const data = Buffer.concat([Buffer.from(evil), bytes])
      const page = pageOf(1, text + evil, {
        contentType: text + evil,
        body: { encodings: ['gzip'], data },
        headers: [
          [`${text}a`, text + evil],
          ['b', text],
        ],
      })
      const plain = { ...page, headers: null }
      const records = await recordsOf(await exportFile('warc', sourceOf([page, plain])))
      const types = records.map(({ record }) => record.warcType).join()
      return types === 'warcinfo,response,resource,metadata' && records[1]?.content.equals(data) === true
    }),
    { numRuns: sized(30, 100) },
  )
})

test('A WACZ is a WARC with an index whose positions lead to its records', {
  skip: withoutReaders,
}, async t => {
  const many = [
    ...crawled,
    ...Array.from({ length: 2_500 }, (_, n) => pageOf(n + 5, `https://www${n % 3}.example.com/B?z=${n}&a`)),
  ]
  const files = unzipped(await exportFile('wacz', sourceOf(many)))
  const packageFile = files.get('datapackage.json') as Buffer
  const description = JSON.parse(packageFile.toString())
  t.match(description, {
    profile: 'data-package',
    wacz_version: '1.1.1',
    created: run.finishedAt,
    mainPageURL: `${home}/`,
  })
  for (const { path, hash: stated, bytes } of description.resources) {
    const file = files.get(path) as Buffer
    t.strictSame([stated, bytes], [`sha256:${hash('sha256', file)}`, file.length], path)
  }
  const digest = JSON.parse(files.get('datapackage-digest.json')?.toString() ?? '')
  t.strictSame(digest, { path: 'datapackage.json', hash: `sha256:${hash('sha256', packageFile)}` })
  t.equal(files.size, description.resources.length + 2)

  const archive = files.get('archive/data.warc.gz') as Buffer
  t.ok(archive.equals(await exportFile('warc', sourceOf(many))))
  const packed = files.get('indexes/index.cdx.gz') as Buffer
  const lines = gunzipSync(packed).toString().trimEnd().split('\n')
  t.equal(lines.length, many.length - 1, 'every page with bytes')
  t.strictSame(lines, [...lines].sort())
  const captures = lines.map(line => JSON.parse(line.slice(line.indexOf(' {'))))
  for (const { url, offset, length, status, digest } of captures.filter(
    (_, n) => n % 100 === 0 || n > 2_490,
  )) {
    const [read, ...others] = await recordsOf(archive.subarray(offset, offset + length))
    t.strictSame(
      [read?.record.warcTargetURI, read?.record.warcPayloadDigest, others.length],
      [url, digest, 0],
    )
    t.equal(status, url.endsWith('missing') ? 404 : 200)
  }
  const summary = files.get('indexes/index.idx')?.toString() ?? ''
  const [meta, ...blocks] = summary.trimEnd().split('\n')
  t.match(meta, /^!meta 0 \{"format": "cdxj-gzip-1\.0", "filename": "index\.cdx\.gz"\}$/)
  t.equal(blocks.length, 3)
  for (const [n, block] of blocks.entries()) {
    const { offset, length } = JSON.parse(block.slice(block.indexOf(' {')))
    const [first = ''] = gunzipSync(packed.subarray(offset, offset + length))
      .toString()
      .split('\n')
    t.equal(first, lines[n * 1024])
    t.ok(first.startsWith(block.slice(0, block.indexOf(' {') + 2)))
  }
  const documents = files
    .get('pages/pages.jsonl')
    ?.toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(documents?.[0], { format: 'json-pages-1.0', id: 'pages' })
  t.match(documents?.[1], { id: '1', url: `${home}/`, title: 'Page 1', ts: '2026-11-20T09:00:00.123Z' })
})

test('The keys of an index are those of replay software', async t => {
  const keys: [url: string, key: string][] = [
    [`${home}/`, 'com,example)/'],
    ['http://www2.example.com:8080/A/b?Z=1&a', 'com,example:8080)/a/b?a&z=1'],
    ['no%20URL', 'no%20URL'],
  ]
  for (const [url, key] of keys) t.strictSame([searchKey(url), getSurt(url)], [key, key])
})
