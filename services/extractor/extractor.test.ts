/** The extractor with real servers: pages are stored, then their outcomes are published, and then they are acked. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { gzipSync, zstdDecompressSync } from 'node:zlib'
import { openBulky } from '@tidemark/bus/bulky'
import { listenForHeartbeats } from '@tidemark/bus/heartbeat'
import { healthOf } from '@tidemark/bus/troubles'
import { outcomeBytes } from '@tidemark/contracts/work/outcome'
import { isHtml } from '@tidemark/html/media-type'
import { freshDatabase } from '@tidemark/testing/servers'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import fc from 'fast-check'
import pg from 'pg'
import { test } from 'tap'
import { whileOnlyOne } from './adapters/only-one.ts'
import { createBatches } from './concurrency/batches.ts'
import { failureOf } from './domain/failure.ts'
import { messageId } from './domain/names.ts'
import { type PageOutcome, partsOf } from './domain/parts.ts'
import { forbidsFollowing } from './domain/robots-directives.ts'
import { startScene } from './extractor.scene.ts'

const sha256 = (data: Buffer | string) => hash('sha256', data, 'hex')
const link = (url: string) => [urlKey(url), url]

const html = `<!doctype html><html lang=en><title>A title</title><meta name=description content=Words>
<a href="/a?utm_source=x#top">to a</a> <a href="b" rel="nofollow ugc">to b</a> <a href="/a">again</a>
<a href="http://elsewhere.test/">away</a> <a href="mailto:x@y">mail</a> ${'<p>More words.'.repeat(200)}`
const url = 'http://site.test/folder/page'

test('The extractor', async t => {
  const scene = await startScene({ MAX_DECODED_BYTES: String(4 * 1024 ** 2) })
  t.teardown(() => scene.close())
  const stop = await scene.start()

  await t.test('stores a page, publishes its outcome, and acks', async t => {
    const peer = { address: '192.0.2.7', certificate: sha256('a certificate') }
    await scene.send({ runId: 1, url, body: gzipSync(html), encodings: ['gzip'], peer })
    const [outcome] = await scene.outcomesOf(1, 1)
    t.match(outcome, {
      type: 'page',
      key: urlKey(url),
      attempt: 1,
      status: 200,
      bytes: html.length,
      fetchedAt: '2026-01-02T03:04:05.678Z',
      contentType: 'text/html; charset=utf-8',
      title: 'A title',
      rawHash: sha256(html),
      links: [link('http://site.test/a')],
      peer,
    })
    const stored = await scene.content.readPage(1, urlKey(url))
    t.match(stored, {
      bodyHash: sha256(html),
      encodings: ['gzip'],
      charset: 'utf-8',
      metadata: {
        title: 'A title',
        description: 'Words',
        lang: 'en',
        robots: { length: 0 },
        json_ld: { length: 0 },
      },
      body: gzipSync(html),
    })
    t.match(await scene.edgesOf(1, urlKey(url)), [
      { href: 'http://site.test/a', anchor: 'to a', rel: null, nofollow: false },
      { href: 'http://site.test/folder/b', anchor: 'to b', rel: 'nofollow ugc', nofollow: true },
      { href: 'http://site.test/a', anchor: 'again' },
      { href: 'http://elsewhere.test/', anchor: 'away' },
    ])
    t.equal(await scene.unsettled(), 0)
  })

  await t.test('stores no body if the run wants none, but all facts', async t => {
    await scene.send({ runId: 2, url, body: html, storeHtml: false })
    t.match(await scene.outcomesOf(2, 1), [{ type: 'page', title: 'A title', links: { length: 1 } }])
    t.match(await scene.content.readPage(2, urlKey(url)), {
      body: null,
      bodyHash: null,
      metadata: { title: 'A title' },
    })
  })

  await t.test('compresses a body that came plain', async t => {
    await scene.send({ runId: 3, url: `${url}/plain`, body: `${html} plain` })
    await scene.outcomesOf(3, 1)
    const stored = await scene.content.readPage(3, urlKey(`${url}/plain`))
    t.strictSame(stored?.encodings, ['zstd'])
    t.equal(zstdDecompressSync(stored?.body ?? '').toString(), `${html} plain`)
  })

  await t.test('accepts the same page twice and stores it once', async t => {
    const sent = { runId: 4, url, body: gzipSync(html), encodings: ['gzip'] }
    await scene.send(sent)
    const first = await scene.outcomesOf(4, 1)
    await scene.send(sent)
    await scene.unsettled()
    const { rows } = await scene.pool.query('select * from content.page where run_id = 4')
    t.equal(rows.length, 1)
    t.strictSame(await scene.outcomesOf(4, 1), first, 'the second outcome carries the same id')
  })

  await t.test('reads other types than HTML as bytes', async t => {
    const body = '<a href="/x">{"not": "html"}</a>'
    await scene.send({ runId: 5, url, body, contentType: 'application/json' })
    t.match(await scene.outcomesOf(5, 1), [
      { type: 'page', title: null, links: { length: 0 }, rawHash: sha256(body), contentHash: sha256(body) },
    ])
  })

  await t.test('fails pages that cannot be decoded, and only those', async t => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2))
    await scene.send(
      { runId: 6, url: `${url}/bomb`, body: bomb, encodings: ['gzip'] },
      { runId: 6, url: `${url}/cut`, body: gzipSync(html).subarray(0, 100), encodings: ['gzip'] },
      { runId: 6, url: `${url}/lie`, body: html, encodings: ['br'] },
      { runId: 6, url: `${url}/lost`, body: '', bulkyKey: 'nobody:knows:1' },
      { runId: 6, url: `${url}/fine`, body: html, encodings: ['none-such'] },
    )
    const ends = new Map((await scene.outcomesOf(6, 5)).map(outcome => [outcome.key, outcome]))
    const end = (name: string) => ends.get(urlKey(`${url}/${name}`))
    t.match(end('bomb'), { type: 'failed', reason: 'too_large', transient: false })
    t.match(end('cut'), { type: 'failed', reason: 'protocol', transient: false })
    t.match(end('lie'), { type: 'failed', reason: 'protocol', transient: false })
    t.match(end('lost'), { type: 'failed', reason: 'body_lost', transient: true })
    t.match(end('fine'), { type: 'page', title: 'A title' })
  })

  await t.test('sends the links of a page in advance if they do not fit into one message', async t => {
    const hrefs = Array.from({ length: 10_000 }, (_, n) => `http://site.test/${'long-name/'.repeat(9)}${n}`)
    await scene.send({ runId: 7, url, body: hrefs.map(href => `<a href="${href}">x</a>`).join('') })
    await scene.unsettled()
    const outcomes = await scene.outcomesOf(7, 2)
    t.strictSame(
      outcomes.map(({ type }) => type),
      [...Array(outcomes.length - 1).fill('links'), 'page'],
    )
    t.match(outcomes.at(-1), { parts: outcomes.length - 1 })
    t.strictSame(
      outcomes.flatMap(outcome => ('links' in outcome ? outcome.links : [])),
      hrefs.map(link),
    )
    for (const bytes of await scene.sizes()) t.ok(bytes <= outcomeBytes, `${bytes} bytes`)
  })

  await t.test('follows no link of a page with nofollow', async t => {
    await scene.send(
      { runId: 8, url: `${url}/meta`, body: `<meta name=robots content="noindex, NoFollow">${html}` },
      { runId: 8, url: `${url}/header`, body: html, robotsHeader: 'noindex, nofollow' },
    )
    for (const outcome of await scene.outcomesOf(8, 2))
      t.match(outcome, { type: 'page', links: { length: 0 } })
    t.equal((await scene.edgesOf(8, urlKey(`${url}/meta`)))?.length, 4, 'but stores them')
  })

  await t.test('sends a sitemap to its run, and stores nothing', async t => {
    const locs = Array.from({ length: 9_000 }, (_, n) => `http://site.test/${'long-name/'.repeat(4)}${n}`)
    const body = gzipSync(`<urlset>${locs.map(loc => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`)
    await scene.send({ runId: 13, kind: 'sitemap', url, body, contentType: 'application/gzip' })
    await scene.unsettled()
    const outcomes = await scene.outcomesOf(13, 2)
    t.match(outcomes.at(-1), { type: 'sitemap', status: 200, parts: outcomes.length - 1, cut: null })
    t.strictSame(
      outcomes.flatMap(outcome => ('links' in outcome ? outcome.links : [])),
      locs.map(link),
    )
    t.equal(await scene.content.readPage(13, urlKey(url)), null)
    for (const bytes of await scene.sizes()) t.ok(bytes <= outcomeBytes, `${bytes} bytes`)
  })

  await t.test('marks a challenge, and stores it unchanged', async t => {
    const body = `<title>Just a moment...</title><script>window._cf_chl_opt={}</script>${html.slice(0, 200)}`
    const short = `<title>Wait</title>${html.slice(0, 200)}`
    await scene.send({ runId: 14, url, body, status: 403 })
    await scene.send({ runId: 15, url, body: short, status: 403, marks: { 'cf-mitigated': 'challenge' } })
    t.match(await scene.outcomesOf(14, 1), [
      { type: 'page', status: 403, blocked: true, links: { length: 0 } },
    ])
    t.match(await scene.outcomesOf(15, 1), [{ type: 'page', blocked: true, links: { length: 0 } }])
    t.ok((await scene.content.readPage(14, urlKey(url)))?.body)
  })

  await t.test('distinguishes shells, pages, and rendered pages', async t => {
    const shell = '<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>'
    const revisit = { etag: '"a"', lastModified: null, sent: 9 }
    await scene.send({ runId: 60, url, body: shell, revisit })
    t.match(await scene.outcomesOf(60, 1), [{ type: 'page', isScriptOnly: true }])
    const revisitOf = async (runId: number) =>
      (await scene.pool.query('select revisit from content.page where run_id = $1', [runId])).rows[0]?.revisit
    t.equal(await revisitOf(60), null, 'a shell is no evidence of a change')
    await scene.send({ runId: 60, url, body: html, rendered: true, attempt: 2 })
    const [, made] = await scene.outcomesOf(60, 2)
    t.match(made, { rendered: true, attempt: 2, title: 'A title', links: [link('http://site.test/a')] })
    t.equal((await scene.content.readPage(60, urlKey(url)))?.bodyHash, sha256(html))
    for (const [runId, sent] of [
      [61, { body: shell, rendered: true }],
      [62, { body: shell, status: 404 }],
      [63, { body: html }],
    ] as const) {
      await scene.send({ runId, url, ...sent })
      const [outcome] = await scene.outcomesOf(runId, 1)
      t.notOk(outcome && 'isScriptOnly' in outcome, `${runId}`)
    }
  })

  await t.test('reads an external body, and removes it', async t => {
    const bulky = openBulky(scene.bus)
    await bulky.put('9:key:1', gzipSync(html))
    await scene.send({ runId: 9, url, body: '', encodings: ['gzip'], bulkyKey: '9:key:1' })
    t.match(await scene.outcomesOf(9, 1), [{ type: 'page', title: 'A title' }])
    await scene.unsettled()
    t.equal(await bulky.get('9:key:1'), null)
  })

  await t.test('has an unmodified page from the previous run, with the same facts', async t => {
    const revisit = { etag: 'W/"7"', lastModified: null, sent: 700 }
    const refresh = `${html}<meta http-equiv=refresh content="5; url=/next">`
    const requested = (path: string, more: object = {}) => ({
      runId: 20,
      url: `http://site.test/${path}`,
      body: refresh,
      revisit,
      ...more,
    })
    await scene.send(
      requested('same'),
      requested('away', { scope: { host: 'elsewhere.test', subdomains: false } }),
      requested('silent', { robotsHeader: 'nofollow' }),
      requested('bodiless', { storeHtml: false }),
      requested('challenge', { status: 403, body: '<p>Wait', marks: { 'cf-mitigated': 'challenge' } }),
      requested('endless', { body: `<a href="/${'x'.repeat(1_000)}">x</a>`.repeat(300) }),
      requested('nameless', { revisit: undefined }),
      requested('changed', { robotsHeader: 'noarchive' }),
    )
    const before = new Map((await scene.outcomesOf(20, 8)).map(outcome => [outcome.key, outcome]))
    const peer = { address: '192.0.2.8' }
    const again = (path: string, more: object = {}) => ({
      ...{ runId: 21, url: `http://site.test/${path}`, body: '', status: 304, contentType: null },
      ...{ notModifiedSince: 20, fetchedAt: '2026-01-03T03:04:05.678Z', attempt: 2, peer, ...more },
    })
    const lost = ['challenge', 'endless', 'nameless', 'changed', 'never', 'bodiless']
    await scene.send(
      again('same'),
      again('away', { robotsHeader: null }),
      again('silent', { robotsHeader: 'nofollow' }),
      ...lost.map(path => again(path, path === 'changed' ? { robotsHeader: 'nofollow' } : {})),
      again('bodiless', { runId: 22, storeHtml: false }),
      again('same', { runId: 23, notModifiedSince: undefined }),
    )
    const after = new Map((await scene.outcomesOf(21, 9)).map(outcome => [outcome.key, outcome]))
    const factsOf = (outcomes: typeof before, path: string) =>
      outcomes.get(urlKey(`http://site.test/${path}`))
    const changed = {
      runId: 21,
      attempt: 2,
      fetchedAt: '2026-01-03T03:04:05.678Z',
      notModified: { since: 20, bytes: 700 },
      peer,
    }
    for (const path of ['same', 'silent'])
      t.strictSame(factsOf(after, path), { ...factsOf(before, path), ...changed }, path)
    const links = [link('http://site.test/a'), link('http://site.test/next')]
    t.match(factsOf(after, 'same'), { status: 200, bytes: refresh.length, title: 'A title', links })
    t.match(factsOf(after, 'silent'), { links: { length: 0 } })
    t.match(factsOf(after, 'away'), { links }, 'its links are judged by the scope of its own run')
    for (const path of lost)
      t.match(
        factsOf(after, path),
        { type: 'failed', reason: 'stale_copy', transient: true, attempt: 2 },
        path,
      )
    t.match(await scene.outcomesOf(22, 1), [{ type: 'page', title: 'A title', notModified: { since: 20 } }])
    t.match(
      await scene.outcomesOf(23, 1),
      [{ type: 'page', status: 304, bytes: 0 }],
      'this one was not ordered',
    )

    const key = urlKey('http://site.test/same')
    t.strictSame(await scene.content.readPage(21, key), await scene.content.readPage(20, key))
    t.strictSame(await scene.edgesOf(21, key), await scene.edgesOf(20, key))
    const { rows } = await scene.pool.query('select from content.body where hash = $1', [
      hash('sha256', refresh, 'buffer'),
    ])
    t.equal(rows.length, 1, 'all of them share one body')
    t.equal(await scene.unsettled(), 0)
  })

  await t.test('reads a page of a fork from the store, with the same facts', async t => {
    const large = `${html}<p>${'Many words. '.repeat(120_000)}`
    const described = `<script type=application/ld+json>"${'x'.repeat(100_000)}"</script>${html}`
    const sent = (path: string, more: object = {}) => ({
      ...{ runId: 30, url: `http://site.test/${path}`, body: gzipSync(html), encodings: ['gzip'] },
      ...more,
    })
    await scene.send(
      sent('same', { headers: 'server: x\n' }),
      sent('plain', { body: `${html} plain`, encodings: [] }),
      sent('large', { body: gzipSync(large) }),
      sent('described', { body: gzipSync(described), robotsHeader: 'noarchive', elapsedMs: 70 }),
      sent('silent', { robotsHeader: 'nofollow', status: 404 }),
      sent('json', { body: '{"a": 1}', encodings: [], contentType: 'application/json' }),
      sent('away', { scope: { host: 'elsewhere.test', subdomains: false } }),
      sent('bodiless', { storeHtml: false }),
    )
    const before = new Map((await scene.outcomesOf(30, 8)).map(outcome => [outcome.key, outcome]))
    const paths = ['same', 'plain', 'large', 'described', 'silent', 'json', 'away', 'bodiless', 'never']
    const ordered = paths.map(path => ({
      ...{ runId: 31, url: `http://site.test/${path}`, body: '', contentType: null, elapsedMs: 0 },
      ...{ storedIn: 30, status: path === 'silent' ? 404 : 200 },
    }))
    await scene.send(...ordered)
    const after = new Map((await scene.outcomesOf(31, 9)).map(outcome => [outcome.key, outcome]))
    const of = (outcomes: typeof before, path: string) => outcomes.get(urlKey(`http://site.test/${path}`))
    const carried = { runId: 31, carried: { since: 30 } }
    for (const path of ['same', 'plain', 'large', 'described', 'silent', 'json']) {
      t.strictSame(of(after, path), { ...of(before, path), ...carried }, path)
      const key = urlKey(`http://site.test/${path}`)
      t.strictSame(await scene.content.readPage(31, key), await scene.content.readPage(30, key), path)
      t.strictSame(await scene.edgesOf(31, key), await scene.edgesOf(30, key), path)
    }
    const links = [link('http://site.test/a')]
    t.match(of(after, 'away'), { ...carried, links }, 'its links are judged by the scope of its own run')
    for (const path of ['bodiless', 'never'])
      t.match(of(after, path), { type: 'failed', reason: 'stale_copy', transient: true }, path)
    const { rows } = await scene.pool.query(
      'select headers from content.page where run_id = 31 and url_key = $1',
      [urlKey('http://site.test/same')],
    )
    t.strictSame(rows, [{ headers: 'server: x\n' }])
    await scene.send(...ordered)
    t.equal(await scene.unsettled(), 0)
    t.equal((await scene.outcomesOf(31, 9)).length, 9, 'a second delivery has the same outcomes')
  })

  await t.test('copies the screenshot of a rendered page of a fork', async t => {
    const bulky = openBulky(scene.bus)
    const picture = Buffer.from('a picture')
    await bulky.put('32:key:1:picture', picture)
    await scene.send({ runId: 32, url, body: html, rendered: true, pictureKey: '32:key:1:picture' })
    await scene.outcomesOf(32, 1)
    const stored = { runId: 33, url, body: '', contentType: null, rendered: true, storedIn: 32 } as const
    await scene.send(stored)
    t.match(await scene.outcomesOf(33, 1), [{ type: 'page', rendered: true, carried: { since: 32 } }])
    t.strictSame((await scene.content.readPicture(33, urlKey(url)))?.body, picture)
  })

  await t.test('terminates unreadable messages, and continues', async t => {
    const { js, jsm } = scene.bus
    await js.publish('pages.10', new Uint8Array([1, 2, 3]))
    await scene.send({ runId: 10, url, body: html })
    t.equal((await scene.outcomesOf(10, 1)).length, 1)
    t.equal(await scene.unsettled(), 0)
    t.equal((await jsm.streams.info('DEAD')).state.messages, 1)
  })

  await t.test('waits while the database is down, and loses nothing', async t => {
    const sent = Array.from({ length: 60 }, (_, n) => ({
      runId: 11,
      url: `${url}/${n}`,
      body: `${html}${n}`,
    }))
    const cut = () =>
      scene.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'extractor' and datname = current_database()`,
      )
    for (let at = 0; at < sent.length; at += 10) {
      await scene.send(...sent.slice(at, at + 10))
      await cut()
    }
    t.equal(new Set((await scene.outcomesOf(11, 60)).map(({ key }) => key)).size, 60)
    const { rows } = await scene.pool.query('select 1 from content.page where run_id = 11')
    t.equal(rows.length, 60)
    t.equal(await scene.unsettled(), 0)
  })

  await t.test('stores deep nesting and strange characters like anything else', async t => {
    await scene.send(
      { runId: 12, url: `${url}/deep`, body: `<title>deep</title>${'<div>'.repeat(100_000)}` },
      { runId: 12, url: `${url}/nul`, body: '<title>a\0b</title>', contentType: 'text/html' },
      { runId: 12, url: `${url}/empty`, body: '', contentType: null },
    )
    const outcomes = await scene.outcomesOf(12, 3)
    t.strictSame(new Set(outcomes.map(({ type }) => type)), new Set(['page']))
  })

  await t.test('settles a small page before the large ones that came earlier, and all of these', async t => {
    const links = Array.from({ length: 2_000 }, (_, n) => `<a href="/${n}">x</a>`).join('')
    const large = `${links}<!--${'-'.repeat(1.5 * 1024 ** 2)}-->`
    const urls = Array.from({ length: 20 }, (_, n) => `${url}/${n}`)
    for (const at of urls) await scene.send({ runId: 16, url: at, body: `${large}${at}` })
    await scene.send({ runId: 17, url, body: html })
    t.match(await scene.outcomesOf(17, 1), [{ type: 'page', title: 'A title' }])
    t.ok((await scene.outcomesOf(16, 0)).length < 20)
    // On a busy machine a page may be redelivered, and then has two outcomes.
    const keys = async () => new Set((await scene.outcomesOf(16, 0)).map(({ key }) => key))
    await until(async () => (await keys()).size >= 20)
    t.strictSame([...(await keys())].sort(), urls.map(urlKey).sort())
    const outcomes = await scene.outcomesOf(16, 20)
    for (const outcome of outcomes) t.match(outcome, { type: 'page', links: { length: 2_000 } })
    t.equal(await scene.unsettled(), 0)
  })

  await t.test('reports at once if RUNS ends before the last position that was read', async t => {
    await stop()
    await scene.pool.query(
      `insert into content.checkpoint values ('forget-deleted-runs', 'all', 'RUNS', 1000)
       on conflict (projection, partition, stream) do update set sequence = 1000`,
    )
    await scene.start()
    const heartbeats = listenForHeartbeats(scene.bus)
    t.teardown(() => heartbeats.close())
    const heartbeat = () => heartbeats.latestByService().get('extractor')?.heartbeat
    await until(() => heartbeat()?.status === 'fail')
    t.match(heartbeat(), { cause: 'RUNS ends before the last position that was read' })
  })
})

test('A page and its links are divided into parts that fit, in order and without loss', async t => {
  const linkOf = (path: string): [string, string] => ['AAAAAAAAAAA', `http://site.test/${path}`]
  const links = fc.array(fc.webPath({ size: 'large' }).map(linkOf), { maxLength: 200 })
  const fits = (links: [string, string][]) => {
    const parts = partsOf({ type: 'page', links, title: 'x' } as PageOutcome, 10_000)
    const last = parts.at(-1)
    const together = parts.flatMap(part => ('links' in part ? part.links : []))
    return (
      last?.type === 'page' &&
      (last.parts ?? 0) === parts.length - 1 &&
      parts
        .slice(0, -1)
        .every((part, n) => part.type === 'links' && part.part === n && part.links.length > 0) &&
      parts.every(
        part => JSON.stringify(part).length < 10_000 || ('links' in part && part.links.length === 1),
      ) &&
      JSON.stringify(together) === JSON.stringify(links)
    )
  }
  t.doesNotThrow(() => fc.assert(fc.property(links, fits), { numRuns: sized(30, 100) }))
})

test('Messages about failures of a page and a sitemap with one URL have different ids', async t => {
  const page = { runId: 1, key: 'AAAAAAAAAAA', attempt: 1 }
  const ids = [page, { ...page, kind: 'sitemap' as const }].map(of => messageId([failureOf(of, 'too_large')]))
  t.not(ids[0], ids[1])
})

test('The kind of a page follows from its type, or from its bytes without one', async t => {
  const page = Buffer.from(' \n<!DOCTYPE html><p>')
  for (const type of ['text/html', 'Text/HTML;charset=x', 'application/xhtml+xml'])
    t.ok(isHtml(type, page), type)
  for (const type of ['text/plain', 'application/json', 'image/png', 'text/xml'])
    t.notOk(isHtml(type, page), type)
  for (const type of [null, '', ' ; charset=utf-8']) t.ok(isHtml(type, page))
  for (const type of ['charset=utf-8', 'html', 'text/', 'text html; charset=utf-8'])
    t.ok(isHtml(type, page), `${type} is no type`)
  for (const start of ['%PDF-1.7', '{"a":"<p>"}', 'plain', ''])
    t.notOk(isHtml(null, Buffer.from(start)), start)
})

test('A directive applies if it names this crawler', async t => {
  const forbids = (directives: string[], header: string | null, token = 'tidemark') =>
    forbidsFollowing(directives, header, token)
  t.ok(forbids(['noindex', 'nofollow'], null))
  t.ok(forbids(['none'], null))
  t.notOk(forbids(['noindex'], 'noindex'))
  for (const header of [
    'nofollow',
    'NOINDEX, NOFOLLOW',
    'none',
    'max-snippet: 5, nofollow',
    'tidemark: nofollow',
  ])
    t.ok(forbids([], header), header)
  for (const header of [
    'otherbot: nofollow',
    'otherbot: noindex, nofollow',
    'unavailable_after: 25 Jun 2030 15:00:00 PST',
  ])
    t.notOk(forbids([], header), header)
  t.ok(forbids([], 'otherbot: nofollow', 'OtherBot'), 'with the name of the installation')
  t.notOk(forbids([], 'tidemark: nofollow', 'OtherBot'))
})

test('A batch', async t => {
  const ran: number[][] = []
  const gates: (() => void)[] = []
  const run = (items: number[]) => {
    ran.push(items)
    return new Promise<void>(resolve => void gates.push(resolve))
  }
  const settle = async () => {
    gates.shift()?.()
    await new Promise(setImmediate)
  }
  const limits = { maxItems: 3, maxBytes: 1000, maxOut: 2, maxWaitMs: 60_000 }
  const batches = createBatches<number>({ ...limits, run })

  const alone = batches.add(1, 10)
  t.strictSame(ran, [[1]], 'starts at once when nothing else is expected')
  for (const item of [2, 3]) batches.add(item, 10)
  t.equal(ran.length, 1, 'waits for further pages while another batch is in progress')
  batches.add(4, 10)
  t.strictSame(ran[1], [2, 3, 4], 'starts when it is full')
  for (const item of [5, 6, 7]) batches.add(item, 10)
  t.equal(ran.length, 2, 'waits while two batches are in progress, full or not')
  await settle()
  await alone
  t.strictSame(ran[2], [5, 6, 7])
  await settle()
  await settle()

  const more = batches.expectMore()
  batches.add(8, 10)
  t.equal(ran.length, 3, 'waits for expected pages')
  more[Symbol.dispose]()
  t.strictSame(ran[3], [8], 'and no longer')
  await settle()

  const large = batches.expectMore()
  batches.add(9, 2000)
  t.strictSame(ran[4], [9], 'starts when it is large')
  large[Symbol.dispose]()
  await settle()

  const impatient = createBatches<number>({ ...limits, maxWaitMs: 20, run })
  impatient.expectMore()
  impatient.add(10, 10)
  t.equal(ran.length, 5)
  while (ran.length === 5) await new Promise(resolve => setTimeout(resolve, 5))
  t.strictSame(ran[5], [10], 'starts after its maximum wait, even if pages are expected')

  const failing = createBatches<number>({ ...limits, run: () => Promise.reject(new Error('refused')) })
  await t.rejects(failing.add(1, 1), { message: 'refused' })
  await t.rejects(
    failing.add(2, 1),
    { message: 'refused' },
    'fails for its own pages, and the next one may start',
  )
})

test('A task that waited for a slot during an outage of Postgres reports no fault once it has the slot', async t => {
  const database = await freshDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const stop = new AbortController()
  let isAway = true
  const connect = async () => {
    if (isAway) throw new Error('connect ECONNREFUSED')
    return pool.connect()
  }
  const bus = { nc: {} } as unknown as Parameters<typeof whileOnlyOne>[0]['bus']
  let works = 0
  const options = { bus, pool: { connect } as unknown as pg.Pool, lock: 7, signal: stop.signal, report() {} }
  const done = whileOnlyOne({ ...options, delays: { tryEveryMs: 10, faultyMs: 50 } }, async signal => {
    works += 1
    await once(signal, 'abort')
  })
  await until(() => healthOf(bus.nc).faults.length === 1)
  t.match(healthOf(bus.nc).faults[0], /the lock could not be tried: connect ECONNREFUSED/)
  isAway = false
  await until(() => works === 1)
  t.strictSame(healthOf(bus.nc).faults, [], 'while it works, and not only when it has ended')
  stop.abort()
  await done
  await pool.end()
  await database.drop()
})
