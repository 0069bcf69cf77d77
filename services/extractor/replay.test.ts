/** Stored pages that are read again: none differs by itself, and what an older extractor stored is found. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { call } from '@tidemark/bus/rpc'
import { type Edge, encodeEdges } from '@tidemark/content/edges'
import { BodiesAway, BodyMissing } from '@tidemark/content/objects'
import type { Replayed, StoredPage } from '@tidemark/contracts/rpc/replay'
import * as replayRpc from '@tidemark/contracts/rpc/replay'
import type { CompareRules } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { binaryFiles, textsLikeFiles } from '@tidemark/html/binary-files.examples'
import { encodedIn, inOldCharsets, undeclaredPage } from '@tidemark/html/charsets.examples'
import { patient } from '@tidemark/testing/slowness'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { ThreadTerminated } from './concurrency/thread.ts'
import { type Sent, startScene } from './extractor.scene.ts'
import { type ReplayPorts, replayPages } from './handlers/replay/replay-pages.ts'
import { bomb, pdfOfPages } from './pdf.examples.ts'

const page = `<!doctype html><html lang=en><head><title>Tides \u{1f30a}</title><meta name=description content="Of water">
<link rel=canonical href=/tides><meta property=og:title content="The tides"><meta name=twitter:card content=summary>
<meta name=robots content="noarchive, NOIMAGEINDEX"><script type="application/ld+json">{"@type":"Article","n":1.50,"2":[]}</script>
</head><body><nav id=menu><a href=/home>Home</a></nav><h1>Tides</h1><p>High water comes <a href="twice?a=1" rel="nofollow  ugc">twice</a>
a day. <a href="twice?a=1" rel="nofollow  ugc">twice</a> <a href="https://elsewhere.test/">else</a> <time>12:07</time></p>`
const report = pdfOfPages([['Yearly figures', '', 'The tide was high.'], ['The tide was low. '.repeat(90)]], {
  trailer: '/Info << /Title (Report of the year) /Subject (Tides) >>',
  catalog: '/Lang (en-GB)',
})
const manyLinks = `${page}${Array.from({ length: 30_000 }, (_, n) => `<p><a href="/deep/${n}">page ${n}</a>`).join('')}`
const challenge = '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>'
const comparison = { ignoreSelectors: ['time', '#menu'], ignoreText: ['\\d+:\\d+'] }
const revisit = { etag: '"1"', lastModified: null, sent: 10 }

type Kind = Partial<Sent> & Pick<Sent, 'body'>

const encoded: Record<string, Kind> = {
  gzip: { encodings: ['gzip'], body: gzipSync(`${page}gzip`) },
  deflate: { encodings: ['deflate'], body: deflateSync(`${page}deflate`) },
  raw: { encodings: ['deflate'], body: deflateRawSync(`${page.repeat(5)}raw`) },
  br: { encodings: ['br'], body: brotliCompressSync(`${page}br`) },
  zstd: { encodings: ['zstd'], body: zstdCompressSync(`${page}zstd`) },
  twice: { encodings: ['gzip', 'br'], body: brotliCompressSync(gzipSync(`${page.repeat(5)}twice`)) },
  unknown: { encodings: ['aws-chunked'], body: `${page}unknown` },
  'the-same-plain': { body: `${page}gzip` },
  'the-same-br': { encodings: ['br'], body: brotliCompressSync(`${page}gzip`) },
}

const documents: Record<string, Kind> = {
  pdf: { contentType: 'application/pdf', body: report },
  'pdf-as-file': { contentType: 'application/octet-stream', body: report },
  'pdf-as-html': { body: report },
  'pdf-gzip': { contentType: null, encodings: ['gzip'], body: gzipSync(report) },
  'pdf-broken': { contentType: 'application/pdf', body: '%PDF-1.7 nothing' },
  'pdf-large': {
    contentType: 'application/pdf',
    body: Buffer.concat([report, Buffer.alloc(1_200_000, '\n% a comment')]),
  },
}

const texts: Record<string, Kind> = {
  plain: { contentType: 'text/plain', body: '<title>no page</title> <a href=/a>' },
  json: { contentType: 'application/json', body: JSON.stringify({ title: 'x'.repeat(3_000) }) },
  xml: { contentType: 'application/xml', body: `<?xml version="1.0"?><a>${page}</a>` },
  xhtml: { contentType: 'application/xhtml+xml', body: `<?xml version="1.0"?>${page}` },
  untyped: { contentType: null, body: page.replace('Tides', 'Untyped') },
  'untyped-bytes': { contentType: null, body: Buffer.from([0, 255, 254, 1]) },
  empty: { body: '' },
  'empty-file': { contentType: null, body: '' },
  'large-file': { contentType: 'application/zip', body: Buffer.alloc(2 * 1024 ** 2, 'zip') },
}

const pages: Record<string, Kind> = {
  html: { body: page },
  'not-found': { status: 404, body: '<title>Not here</title><a href=/>home</a>' },
  'server-error': { status: 503, body: '<title>Later</title>' },
  directives: { robotsHeader: 'tidemark: nofollow', body: page.replace('Tides', 'Directives') },
  rendered: { rendered: true, body: page.replace('Tides', 'Rendered'), elapsedMs: 4_711 },
  shell: { body: '<title>App</title><body><div id=root></div><script type=module src=/app.js></script>' },
  challenge: { status: 403, marks: { 'cf-mitigated': 'challenge' }, body: challenge },
  strange: {
    body: `<title>a\0b\ud800</title><meta property="og:__proto__" content=x><meta property=og:2 content=y><a href=/\0>\ud83c</a><p>`,
  },
  'large-plain': { body: `${page}${'<p>Words of water.'.repeat(90_000)}` },
  'large-gzip': { encodings: ['gzip'], body: gzipSync(manyLinks) },
  'out-of-scope': { body: page.replace('Tides', 'Scope'), scope: { host: 'other.test', subdomains: true } },
  logged: { body: page.replace('Tides', 'Logged'), loggedOut: '#menu' },
  revisited: { body: page.replace('Tides', 'Revisited'), revisit },
}

const compared: Record<string, Kind> = Object.fromEntries(
  Object.entries({ ...pages, ...texts, pdf: documents.pdf as Kind }).map(([name, kind]) => [
    name,
    { ...kind, comparison },
  ]),
)

const inCharsets: Record<string, Kind> = Object.fromEntries(
  inOldCharsets.flatMap((words, n) => {
    const { charset, title, text } = words
    const declared = encodedIn(charset, `<title>${title}</title><p>${text}<a href="/${n}">${title}</a>`)
    return [
      [`declared-${n}`, { contentType: `text/html; charset=${charset}`, body: declared }],
      [`undeclared-${n}`, { contentType: 'text/html', body: undeclaredPage(words) }],
    ]
  }),
)

const files: Record<string, Kind> = Object.fromEntries([
  ...binaryFiles.map(([type, body], n) => [`file-${n}-${type}`, { contentType: 'text/html', body }]),
  ...textsLikeFiles.map((body, n) => [`text-${n}`, { contentType: 'text/html', body }]),
  ['utf-16', { contentType: 'text/html', body: Buffer.from(`\ufeff${page}`, 'utf16le') }],
])

const urlOf = (name: string) => `http://site.test/dir/${encodeURIComponent(name)}`

/** Returns the page as the read model stores it. */
const rowOf = (outcome: Outcome | undefined, url: string): StoredPage => {
  if (outcome?.type !== 'page') throw new Error(`${url} is ${outcome?.type}`)
  const { key, status, fetchedAt, rendered = false, title, contentHash, rawHash, comparisonHash } = outcome
  return {
    ...{ key, url, status, fetchedAt, rendered, contentHash, rawHash },
    title: title?.replaceAll('\0', '') ?? null,
    comparisonHash: comparisonHash ?? null,
  }
}

const same: Replayed = { changes: [], links: null }

test('A stored crawl that is read again', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const stop = await scene.start()
  const { pool } = scene

  async function replay(runId: number, pages: StoredPage[], rules?: CompareRules): Promise<Replayed[]> {
    const all: Replayed[] = []
    while (all.length < pages.length) {
      const some = pages.slice(all.length, all.length + replayRpc.maxPagesOfBatch)
      const request = { workId: -1, projectId: 7, runId, pages: some, ...(rules && { comparison: rules }) }
      all.push(...(await call(scene.bus, replayRpc.replayPages, request, { timeoutMs: 60_000 })).pages)
    }
    return all
  }
  /** Crawls these pages. Returns their rows. */
  async function crawled(runId: number, kinds: Record<string, Kind>, more: Partial<Sent> = {}) {
    const sent = Object.entries(kinds).map(([name, kind]) => ({ runId, url: urlOf(name), ...kind, ...more }))
    for (let at = 0; at < sent.length; at += 10) await scene.send(...sent.slice(at, at + 10))
    if ((await scene.unsettled()) > 0) throw new Error('the pages were not read in time')
    const outcomes = new Map((await scene.outcomesOf(runId, 0)).map(outcome => [outcome.key, outcome]))
    return sent.map(({ url }) => rowOf(outcomes.get(urlKey(url)), url))
  }
  /** Changes what is stored of a page. */
  const plant = (runId: number, url: string, set: string, ...values: unknown[]) =>
    pool.query(`update content.page set ${set} where run_id = $1 and url_key = $2`, [
      runId,
      urlKey(url),
      ...values,
    ])

  const everything = { encoded, documents, texts, pages, inCharsets, files }
  for (const [n, [what, kinds]] of Object.entries(everything).entries())
    await t.test(`has no changes by itself: ${what}`, async t => {
      const rows = await crawled(10 + n, kinds)
      const replayed = await replay(10 + n, rows)
      for (const [n, { url }] of rows.entries()) t.strictSame(replayed[n], same, url)
    })

  await t.test('is read a few times at once for a project, which others do not notice', async t => {
    const rows = (await crawled(19, { html: { body: page } })).slice(0, 1)
    const send = (projectId: number) =>
      call(
        scene.bus,
        replayRpc.replayPages,
        { workId: -1, projectId, runId: 19, pages: rows },
        { timeoutMs: 60_000 },
      )
    const own = await Promise.allSettled([7, 7, 7, 7, 7].map(send).concat(send(8)))
    t.strictSame(
      own.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    )
    t.match(own[3], { reason: { status: 429, reason: 'concurrent_requests', message: /already has 3 / } })
  })

  await t.test('has the same comparison hashes by the rules of its crawl', async t => {
    const rows = await crawled(20, compared)
    t.ok(rows.filter(({ comparisonHash }) => comparisonHash !== null).length > 10)
    const replayed = await replay(20, rows, comparison)
    for (const [n, { url }] of rows.entries()) t.strictSame(replayed[n], same, url)
    const [row] = rows
    const changed = (now: unknown) => [
      { changes: [{ field: 'comparison_hash', stored: row?.comparisonHash, now }], links: null },
    ]
    t.strictSame(await replay(20, rows.slice(0, 1)), changed(null), 'without rules it has none')
    t.match(await replay(20, rows.slice(0, 1), { onlySelectors: ['h1'] }), changed(/^[0-9a-f]{64}$/))
  })

  await t.test('has no changes if its origin reported that a page is unchanged', async t => {
    const kinds = { revisited: { body: page, revisit, robotsHeader: 'noarchive' } }
    await crawled(21, kinds, { comparison })
    const again = { body: '', status: 304, contentType: null, robotsHeader: null, notModifiedSince: 21 }
    const rows = await crawled(22, { revisited: again }, { comparison })
    t.match(rows, [{ status: 200, title: 'Tides \u{1f30a}' }])
    t.strictSame(await replay(22, rows, comparison), [same])
  })

  await t.test('shows exactly what an older extractor stored otherwise', async t => {
    const [row] = (await crawled(30, { html: { body: page } })) as [StoredPage]
    const stored = await scene.content.readPage(30, row.key)
    const metadata = stored?.metadata as Record<string, unknown>
    const edges = (await scene.edgesOf(30, row.key)) ?? []
    const old = {
      ...metadata,
      title: 'Tides',
      og: { title: 'tides' },
      json_ld: [],
      x_robots_tag: metadata.x_robots_tag,
    }
    const [home, twice, more, away] = edges as [Edge, Edge, Edge, Edge]
    const removedLink = { href: 'http://site.test/gone', anchor: 'Gone', rel: null, nofollow: false }
    const oldEdges = [removedLink, away, home, { ...twice, rel: null, nofollow: false }]
    await plant(
      30,
      row.url,
      'metadata = $3, edges = $4, charset = $5',
      JSON.stringify(old),
      encodeEdges(oldEdges),
      null,
    )
    const linkOf = ({ href, ...link }: Edge) => ({ to_url: href, ...link })
    const oldRow = { ...row, title: null, contentHash: '0'.repeat(64) }
    t.strictSame(await replay(30, [oldRow]), [
      {
        changes: [
          { field: 'title', stored: null, now: 'Tides \u{1f30a}' },
          { field: 'content_hash', stored: oldRow.contentHash, now: row.contentHash },
          { field: 'charset', stored: null, now: 'utf-8' },
          { field: 'metadata.title', stored: 'Tides', now: 'Tides \u{1f30a}' },
          { field: 'metadata.og', stored: '{"title":"tides"}', now: '{"title":"The tides"}' },
          {
            field: 'metadata.json_ld',
            stored: '[]',
            now: '[{"2":[],"@type":"Article","n":1.5}]',
          },
        ],
        links: {
          added_total: 2,
          added: [linkOf(twice), linkOf(more)],
          removed_total: 2,
          removed: [linkOf(removedLink), linkOf({ ...twice, rel: null, nofollow: false })],
        },
      },
    ])
    t.strictSame(await scene.edgesOf(30, row.key), oldEdges, 'and stores nothing')

    const { canonical, ...others } = metadata
    const reordered = JSON.stringify({ ...others, canonical, elapsed_ms: undefined, generator: 'x' })
    const uncounted = Buffer.concat([Buffer.of(1), zstdCompressSync(tuplesOf(edges.toReversed()))])
    await plant(30, row.url, 'metadata = $3, edges = $4, charset = $5', reordered, uncounted, 'utf-8')
    t.strictSame(await replay(30, [row]), [same], 'another order and other packing is no change')
    await plant(30, row.url, "metadata = '{}'")
    t.match(await replay(30, [row]), [
      { changes: [{ field: 'metadata.title', stored: null }, {}, {}, {}, {}, {}, {}, {}], links: null },
    ])
  })

  await t.test('shows a part of long values and of many links', async t => {
    const [row] = (await crawled(31, { html: { body: `${page}<meta name=x>` } })) as [StoredPage]
    const metadata = (await scene.content.readPage(31, row.key))?.metadata as Record<string, unknown>
    const description = `${'x'.repeat(5_000)}end`
    const many = Array.from({ length: 50 }, (_, n) => ({
      ...{ href: `http://site.test/old/${n}`, anchor: '', rel: 'y'.repeat(5_000), nofollow: false },
    }))
    const edges = (await scene.edgesOf(31, row.key)) ?? []
    const old = JSON.stringify({ ...metadata, description, twitter: { card: 'z'.repeat(999) } })
    await plant(31, row.url, 'metadata = $3, edges = $4', old, encodeEdges([...edges, ...many]))
    const [replayed] = (await replay(31, [row])) as [Extract<Replayed, { changes: unknown }>]
    t.match(replayed.changes, [
      { field: 'metadata.description', stored: 'x'.repeat(1_000), now: 'Of water', truncated: true },
      { field: 'metadata.twitter', stored: /^\{"card":"z{991}$/, now: /summary/, truncated: true },
    ])
    t.match(replayed.links, { added_total: 0, added: { length: 0 }, removed_total: 50 })
    t.match(
      replayed.links?.removed,
      many.slice(0, 20).map(({ href }) => ({ to_url: href, rel: 'y'.repeat(1_000) })),
    )
    t.equal(replayed.links?.removed.length, 20)
  })

  await t.test('names pages that cannot be read', async t => {
    const [bodiless] = (await crawled(40, { html: { body: page } }, { storeHtml: false })) as [StoredPage]
    const never = { ...bodiless, key: urlKey('http://site.test/never') }
    t.strictSame(await replay(40, [bodiless, never]), [{ unread: 'not_stored' }, { unread: 'not_stored' }])

    const kinds = { gone: { body: `${page}gone` }, broken: { body: `${page}broken` }, fine: { body: page } }
    const rows = await crawled(41, kinds)
    const [deleted, broken] = rows as [StoredPage, StoredPage]
    const body = (row: StoredPage) => Buffer.from(row.rawHash, 'hex')
    await pool.query('delete from content.body where hash = $1', [body(deleted)])
    await pool.query(`update content.body set encodings = 'gzip' where hash = $1`, [body(broken)])
    t.strictSame(await replay(41, rows), [{ unread: 'not_stored' }, { unread: 'protocol' }, same])
    await plant(41, rows[2]?.url ?? '', 'edges = $3', Buffer.of(9, 9))
    t.match((await replay(41, rows))[2], { unread: 'unreadable' }, 'packed by a later version')

    const bombs = { bomb: { contentType: 'application/pdf', body: bomb() } }
    t.strictSame(await replay(43, await crawled(43, bombs)), [{ unread: 'unreadable' }])

    const large = await crawled(42, { large: { body: page.repeat(2) } })
    await stop()
    await scene.start({ MAX_DECODED_BYTES: '1024' })
    t.strictSame(await replay(42, large), [{ unread: 'too_large' }])
  })
})

/** Links in the JSON of the store. */
const tuplesOf = (edges: readonly Edge[]) =>
  JSON.stringify(edges.map(({ href, anchor, rel, nofollow }) => [href, anchor, rel, nofollow ? 1 : 0]))

test('A request for many pages', async t => {
  const row = rowOf(
    {
      ...{ type: 'page', runId: 1, key: 'AAAAAAAAAAA', attempt: 1, status: 200, bytes: 0, links: [] },
      contentType: null,
      title: null,
      fetchedAt: '2026-01-02T03:04:05.678Z',
      contentHash: '',
      rawHash: '',
    },
    'http://site.test/',
  )
  const request = { workId: -1, projectId: 7, runId: 1, pages: Array<StoredPage>(20).fill(row) }
  const kept = {
    bodyHash: '',
    encodings: [],
    charset: null,
    contentType: null,
    metadata: '{}',
    edges: Buffer.of(1),
    body: Buffer.of(),
  }
  const left = new AbortController()
  const scene = (more: Partial<ReplayPorts> = {}) => {
    let read = 0
    const ports: ReplayPorts = {
      store: { readPacked: async () => kept },
      readerOf: () => ({
        readAny: async ({ page }) => {
          read += 1
          const { bodyHash: _, body: __, encodings: ___, ...stored } = kept
          const outcome = {
            type: 'page' as const,
            ...row,
            runId: 1,
            attempt: 1,
            bytes: 0,
            links: [],
            contentType: null,
          }
          return {
            page,
            stored: { ...stored, runId: 1, urlKey: page.key, body: null, edges: Buffer.of() },
            outcomes: [outcome as Outcome],
          }
        },
      }),
      compare: async () => ({ changes: [], links: null }),
      dropped: { watch: () => ({ signal: left.signal, [Symbol.dispose]() {} }) },
      report: () => {},
      ...more,
    }
    return { replay: replayPages(ports), read: () => read }
  }

  await t.test('is answered for the pages that fit into a response', async t => {
    const change = { field: 'title', stored: 'x'.repeat(200_000), now: null }
    const { replay } = scene({ compare: async () => ({ changes: [change], links: null }) })
    t.equal((await replay(request)).pages.length, 3)
  })

  await t.test('is answered for the pages that were read when the thread is busy', async t => {
    let attempts = 0
    const busy = (after: number) =>
      scene({
        compare: async () => {
          if (attempts++ === after) throw new ThreadTerminated('patience')
          return { changes: [], links: null }
        },
      }).replay(request)
    t.equal((await busy(4)).pages.length, 4)
    attempts = 0
    await t.rejects(busy(0), { name: 'Refusal', code: 'unavailable' })
    const away = scene({
      store: {
        readPacked: async () => {
          throw new BodiesAway('away')
        },
      },
    })
    await t.rejects(
      away.replay(request),
      { name: 'Refusal', code: 'unavailable' },
      'and for bodies that are away',
    )
  })

  await t.test('counts a page whose object is lost as not stored, and reports it', async t => {
    const reported: unknown[] = []
    const lost = async () => {
      throw new BodyMissing('lost')
    }
    const ports = { store: { readPacked: lost }, report: (error: unknown) => void reported.push(error) }
    const { pages } = await scene(ports).replay(request)
    t.strictSame(pages, Array(20).fill({ unread: 'not_stored' }))
    t.match(reported, Array(20).fill({ message: 'lost' }))
  })

  await t.test('does not compare a page with the body of another response', async t => {
    const first = { ...row, rawHash: 'that of the page' }
    const { pages } = await scene().replay({ ...request, pages: [first, row] })
    t.match(pages, [{ unread: 'other_body' }, { links: null }])
  })

  await t.test('reports a page whose comparison takes too long, and continues', async t => {
    let attempts = 0
    const { replay } = scene({
      compare: async () => {
        if (attempts++ === 1) throw new ThreadTerminated('time')
        return { changes: [], links: null }
      },
    })
    const { pages } = await replay(request)
    t.strictSame([pages.length, pages[1]], [20, { unread: 'unreadable' }])
  })

  await t.test('ends when its client leaves', async t => {
    left.abort()
    const { replay, read } = scene()
    await t.rejects(replay(request), { name: 'Refusal', code: 'unavailable' })
    t.equal(read(), 1)
  })
})
