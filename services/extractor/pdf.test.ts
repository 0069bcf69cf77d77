/** PDFs as pages: their title in crawls, their text as content, and a bounded cost of hostile ones. */
import { hash } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import { measured } from '@tidemark/testing/processor-time'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { createPdfDocuments, createPdfHeads } from './adapters/pdf-thread.ts'
import { startCloudScene } from './cloud.scene.ts'
import { ThreadTerminated } from './concurrency/thread.ts'
import { pdfHead } from './domain/pdf/pdf-document.ts'
import {
  bomb,
  circle,
  encrypted,
  pdfInJapanese,
  pdfOfPages,
  pdfOfWidths,
  withScripts,
} from './pdf.examples.ts'

const contentType = 'application/pdf'
const wanted: Wanted = { html: true, markdown: 'page', article: true, signals: true, anchors: false }
const report = pdfOfPages([['Yearly figures', '', '', 'The tide was *high*.'], ['Page two.']], {
  trailer: '/Info << /Title (Report of the  year) /Subject (Tides) >>',
  catalog: '/Lang (en-GB)',
})
const hostile: readonly [name: string, body: Buffer, warning: RegExp][] = [
  ['an encrypted one', encrypted, /^the PDF is encrypted and requires a password$/],
  ['one without objects', Buffer.from('%PDF-1.7\nnothing'), /^the PDF is corrupt/],
  ['half of one', report.subarray(0, 200), /corrupt|no text|left out/],
  ['a tree of pages with a cycle', circle, /corrupt|no text|left out/],
  ['a gigabyte in a megabyte', bomb(), /exceeded the (?:memory|time) limit/],
  ['HTML by another name', Buffer.from('<title>Sign in</title>'), /^the PDF is corrupt/],
]

test('A PDF in a crawl', { timeout: 300_000 }, async t => {
  const scene = await startCloudScene({ CONTENT_TIMEOUT_MS: '10000' })
  t.teardown(() => scene.close())
  /** On a busy machine the threads take long to start. */
  const outcomesOf = async (runId: number, count: number) => {
    for (let left = 5; ; left--) {
      const outcomes = await scene.outcomesOf(runId, count)
      if (outcomes.length >= count || left === 0) return outcomes
    }
  }
  const read = async (runId: number, url: string, more: Partial<Wanted> = {}) => {
    const request = { runId, urlKey: urlKey(url), url, status: 200, wanted: { ...wanted, ...more } }
    for (let left = 5; ; left--) {
      try {
        return await call(scene.bus, contentRpc.readContent, request, { timeoutMs: 60_000 })
      } catch (error) {
        if (left === 0 || (error as Refusal).code !== 'unavailable') throw error
      }
    }
  }

  await t.test('has the title and the metadata that it declares', async t => {
    const url = 'http://site.test/report.pdf'
    await scene.send({ runId: 1, url, contentType, body: report })
    t.match(await outcomesOf(1, 1), [{ type: 'page', title: 'Report of the year', links: { length: 0 } }])
    const metadata = { title: 'Report of the year', description: 'Tides', lang: 'en-GB' }
    const stored = await scene.content.readPage(1, urlKey(url))
    t.match(stored, { metadata, body: report }, 'and its bytes are kept')
    const content = await read(1, url, { articleFormat: 'markdown' })
    const markdown = 'Yearly figures\n\nThe tide was \\*high\\*.\n\nPage two.'
    t.match(content, {
      metadata,
      html: '',
      article: { text: 'Yearly figures\n\nThe tide was *high*.\n\nPage two.' },
      signals: { title: 'Report of the year', word_count: 8 },
      warnings: ['the page is application/pdf, not HTML'],
    })
    t.equal(content?.markdown?.trim(), markdown)
    t.equal(content?.article?.markdown, content?.markdown)
  })

  await t.test('has a warning of text in an encoding that cannot be read', async t => {
    const warning = (encoding: string) =>
      `text in fonts with a predefined encoding could not be read: ${encoding}`
    for (const encoding of ['90ms-RKSJ-H', 'UniJIS-UCS2-H', 'UniJIS-UTF16-H']) {
      const mixed = await scene.transform(pdfInJapanese('Invoice', encoding))
      t.strictSame(mixed, { content: 'Invoice', engine: 'pdf', warnings: [warning(encoding)] })
      t.match(await scene.transform(pdfInJapanese('', encoding)), {
        content: '',
        warnings: [warning(encoding)],
      })
    }
  })

  await t.test('is recognized by its first bytes, its encoding, and in an object store', async t => {
    const skippable = Buffer.from('502a4d1800000000', 'hex') // RFC 8878, 3.1.2
    const zstd = Buffer.concat([skippable, zstdCompressSync(report)])
    const pages = [
      { url: 'http://site.test/zstd', contentType: null, encodings: ['zstd'], body: zstd },
      { url: 'http://site.test/typed', contentType: 'text/html', body: report },
      { url: 'http://site.test/packed', contentType, encodings: ['gzip'], body: gzipSync(report) },
      { url: 'http://site.test/untyped', contentType: null, body: report },
      { url: 'http://site.test/both', contentType: null, encodings: ['gzip'], body: gzipSync(report) },
    ]
    await scene.send(...pages.map(page => ({ runId: 2, ...page })))
    const bulkyKey = '2:large:1'
    await scene.bulky.put(bulkyKey, gzipSync(report))
    const large = { url: 'http://site.test/large', contentType: 'text/plain', encodings: ['gzip'] }
    await scene.send({ runId: 2, ...large, bulkyKey, body: '' })
    t.strictSame(
      (await outcomesOf(2, 6)).map(outcome => 'title' in outcome && outcome.title),
      Array(6).fill('Report of the year'),
    )
    for (const { url } of pages) t.match(await read(2, url), { article: { text: /Page two/ } }, url)
  })

  await t.test('has chunks, and is compared by its lines', async t => {
    const [old, fresh] = ['http://site.test/old.pdf', 'http://site.test/new.pdf']
    const edited = pdfOfPages([['Yearly figures', '', '', 'The tide was low.'], ['Page two.']])
    await scene.send({ runId: 3, url: old, contentType, body: report })
    await scene.send({ runId: 3, url: fresh, contentType, body: edited })
    await outcomesOf(3, 2)
    t.match(await read(3, old, { chunks: { max_tokens: 64 } }), { chunks: [{ text: /Yearly figures/ }] })
    const side = (url: string) => ({ runId: 3, urlKey: urlKey(url), url, status: 200 })
    const request = { projectId: 1, old: side(old), new: side(fresh), mode: 'text' as const }
    const lines = await call(scene.bus, contentRpc.comparePages, request, { timeoutMs: 60_000 })
    t.match(JSON.stringify(lines), /The tide was low/)
  })

  await t.test('is stored with a warning if it is hostile, at a bounded cost', async t => {
    const { processorMs } = await measured(async () => {
      await scene.send(
        ...hostile.map(([, body], n) => ({ runId: 4, url: `http://site.test/${n}.pdf`, contentType, body })),
      )
      const outcomes = await outcomesOf(4, hostile.length)
      t.strictSame(
        outcomes.map(({ type }) => type),
        hostile.map(() => 'page'),
        'none fails',
      )
      for (const [n, [name, body, warning]] of hostile.entries()) {
        const url = `http://site.test/${n}.pdf`
        const stored = { metadata: { title: null }, bodyHash: hash('sha256', body) }
        t.match(await scene.content.readPage(4, urlKey(url)), stored, name)
        const content = await read(4, url)
        t.ok(
          content?.warnings.some(one => warning.test(one)),
          `${name}: ${content?.warnings.join('; ')}`,
        )
      }
    })
    t.ok(processorMs < 60_000, `${processorMs} ms of processor time`)
    t.comment(`at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB resident`)
    await scene.send({ runId: 4, url: 'http://site.test/after.pdf', contentType, body: report })
    const after = (await outcomesOf(4, hostile.length + 1)).at(-1)
    t.match(after, { title: 'Report of the year' }, 'and the next one is read')
  })

  await t.test('is read up to a number of pages, and its scripts do not run', async t => {
    const url = 'http://site.test/long.pdf'
    const body = pdfOfPages(Array.from({ length: 10_000 }, (_, n) => [`Page ${n + 1}.`]))
    await scene.send({ runId: 5, url, contentType, body })
    await scene.send({ runId: 5, url: 'http://site.test/script.pdf', contentType, body: withScripts })
    await outcomesOf(5, 2)
    const content = await read(5, url)
    t.match(content?.warnings, [/not HTML/, /^only the first \d+ pages of 10000 were read$/])
    t.match(content?.markdown, /^Page 1\.\n\nPage 2\./)
    t.match(await read(5, 'http://site.test/script.pdf'), { article: { text: 'Read me.' } })
    t.notOk(Reflect.has(globalThis, 'wasRun'))
  })

  await t.test('is text in a scan, too', async t => {
    const url = scene.site({ http: { html: report.toString('latin1'), type: contentType } })
    t.match(await scene.scan(url, { wanted }), {
      content: { metadata: { title: 'Report of the year' }, markdown: /Page two/ },
    })
  })
})

test('PDFs are stored unread if they are not enabled', async t => {
  const scene = await startCloudScene({ READ_PDFS: 'false' })
  t.teardown(() => scene.close())
  await scene.send({ runId: 1, url: 'http://site.test/a.pdf', contentType, body: report })
  t.match(await scene.outcomesOf(1, 1), [{ type: 'page', title: null }])
  const url = scene.site({ http: { html: report.toString('latin1'), type: contentType } })
  const { content } = await scene.scan(url, { wanted })
  t.match(content, { markdown: '', warnings: ['the page is not text (application/pdf)'] })
})

test('A PDF that fills the heap at once', { timeout: 120_000 }, async t => {
  await using heads = createPdfHeads()
  await using documents = createPdfDocuments()
  const head = (body: Uint8Array) => heads.head({ body, encodings: [], maxBytes: 1e9 }, 1)
  const fault = /exceeded the (?:memory|time) limit/ // on a busy machine the time ends first
  for (const last of [20_000_000, 4_294_967_295]) {
    const body = pdfOfWidths(last)
    t.match(await head(body), { fault }, `${last} widths end only the process of the reading`)
    t.match(await documents.document(body, 1), { fault })
  }
  t.match(await head(report), { title: 'Report of the year' }, 'the next one is read')
  t.match(await documents.document(report, 1), { text: /Page two/ })
})

test('A reading that is interrupted by a shutdown is no fault of the document', async t => {
  const heads = createPdfHeads()
  const reading = heads.head({ body: bomb(), encodings: [], maxBytes: 1e9 }, 1)
  reading.catch(() => {})
  await heads[Symbol.asyncDispose]()
  await t.rejects(reading, new ThreadTerminated('closed'))
})

test('The title of a PDF', async t => {
  const run = (str: string, height: number) => ({ str, height, hasEOL: true, transform: [] })
  const first = [run('Journal of tides', 8), run('A long', 20), run('headline', 20.2), run('Text below.', 10)]
  const titleOf = (info: object, runs = first) => pdfHead(info, runs, 1).title
  t.equal(titleOf({ Title: ' Declared\n title\0' }), 'Declared title')
  for (const Title of [
    '',
    ' ',
    'untitled',
    'Microsoft Word - draft 3',
    'paper_final.dvi',
    42,
    null,
    undefined,
  ])
    t.equal(titleOf({ Title }), 'A long headline', `is its headline instead of ${Title}`)
  t.equal(titleOf({}, [run('One size', 10), run('of letters', 10)]), null, 'is not any first line')
  t.equal(titleOf({}, [run('x'.repeat(300), 20), run('below', 10)]), null, 'is no paragraph')
  t.equal(titleOf({}, [run('1', 20), run('below', 10)]), null, 'is no number')
  t.equal(titleOf({}, []), null)
  t.equal(titleOf({ Title: 'x'.repeat(1e6) })?.length, 500, 'is bounded')
  t.equal(pdfHead({ Language: 'not a tag' }, [], 1).lang, null)
})
