/** The results of crawls: the outcome of every URL, and exports in every format. */
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { Explanation } from '@tidemark/contracts/http/explain'
import { encodedIn, inOldCharsets } from '@tidemark/html/charsets.examples'
import { startDns } from '@tidemark/testing/dns'
import { type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { pdfOfPages } from '../../services/extractor/pdf.examples.ts'
import { startReceiver } from './receiver.ts'
import { replayed, unchanged } from './replay.ts'
import { type System, startSystem } from './system.ts'

const link = (to: string, text = to) => `<a href="${to}">${text}</a>`
const pageTo = (...links: string[]) => `<title>A page</title><p>${links.join(' ')}</p>`
const robots = { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /ok/private\n' }

const outcomes = {
  '/robots.txt': robots,
  '/': pageTo(
    link('/ok/plain', 'The plain one'),
    link('/ok/private/diary'),
    link('/ok/excluded'),
    link('/other'),
    link('/ok/x/x/x/x'),
    link('/ok/away'),
    link('/ok/moved'),
    link('/accepts-and-closes/ok'),
    link('http://127.1.0.77/ok/foreign'),
  ),
  '/ok/plain': pageTo(link('/ok/deep')),
  '/ok/deep': pageTo(link('/ok/too-deep')),
  '/ok/away': { status: 302, headers: { location: 'http://127.1.0.77/' } },
  '/ok/moved': { status: 301, headers: { location: '/ok/plain' } },
}

const sumOf = ({ fetched, failed, skipped, duplicate, not_reached, pending }: Coverage) =>
  fetched + failed.total + skipped.total + duplicate + not_reached.total + pending

async function read<T>(system: System, key: string, path: string): Promise<T> {
  const { status, body } = await system.call(key, 'GET', path)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
  return body
}

const turning = 'The tide turns twice a day. '.repeat(50)
const tides = {
  '/': `<title>Home</title><h1>Home</h1><p>${turning}</p><a href="/ebb">Ebb</a><a href="/flood">Flood</a>`,
  '/ebb': {
    headers: { 'content-type': 'text/html', 'x-tide': 'ebb', 'set-cookie': 'visitor=17' },
    body: `<title>Ebb</title><nav><a href="/">All tides</a></nav><h1>Ebb</h1><p>${turning}</p>`,
  },
  '/flood': { status: 404, body: '<title>Flood</title>' },
}
const typed = (type: string, body: string | Buffer, more: Record<string, string> = {}) => ({
  headers: { 'content-type': type, ...more },
  body,
})
const kinds: Record<string, Page> = {
  ...Object.fromEntries(
    inOldCharsets.map(({ charset, title, text }, n) => [
      `/charset-${n}`,
      typed(
        n % 2 === 0 ? `text/html; charset=${charset}` : 'text/html',
        encodedIn(charset, `<title>${title}</title>${text}`),
      ),
    ]),
  ),
  '/gzip': typed('text/html', gzipSync(pageTo(link('/text'))), { 'content-encoding': 'gzip' }),
  '/pdf': typed('application/pdf', pdfOfPages([['Yearly figures', '', 'The tide was high.']])),
  '/file': typed('application/octet-stream', pdfOfPages([['A file', '', 'The tide was low.']])),
  '/text': typed('text/plain', '<title>no page</title>'),
  '/json': typed('application/json', JSON.stringify({ title: turning })),
  '/empty': typed('text/html', ''),
  '/large': `<title>Large</title>${'<p><a href="/text">The tide</a> turns.'.repeat(sized(12_000, 40_000))}`,
  '/gone': { status: 410, body: '<title>Gone</title>' },
  '/silent': typed('text/html', pageTo(link('/text')), { 'x-robots-tag': 'nofollow' }),
}
const formats = ['jsonl', 'markdown', 'parquet', 'warc', 'wacz', 'sitemap', 'graph']

test('The results of crawls', { timeout: patient(600_000) }, async t => {
  const dns = await startDns({ answer: () => null })
  t.teardown(() => dns.close())
  const system = await startSystem({ DNS_SERVERS: dns.server, EXPORT_SWEEP_SECONDS: '1' })
  t.teardown(() => system.stop())

  await t.test('The outcome of every URL of a crawl', async t => {
    const origin = await startOrigin({ pages: outcomes })
    t.teardown(() => origin.close())
    const key = await system.createProject('receipts', '--unlimited')
    const seed = `${origin.url}/`
    const crawlRequest = {
      url: seed,
      depth: 2,
      delay_ms: 0,
      include_paths: ['/ok'],
      exclude_paths: ['^/ok/excl'],
    }
    const { id } = await system.crawl(key, crawlRequest)
    const explain = (path: string, run = id) => {
      const url = path.startsWith('http') ? path : origin.url + path
      return read<Explanation>(system, key, `/v1/crawls/${run}/explain?url=${encodeURIComponent(url)}`)
    }
    /** Returns the explanation of a URL that a rule excluded. */
    const excludedBy = async (path: string, run = id) => {
      const { verdict, rules } = await explain(path, run)
      const last = rules.at(-1)
      t.ok(
        rules.slice(0, -1).every(({ passed }) => passed) && last?.passed === false,
        `${path}: one rule decides`,
      )
      return [verdict, last?.rule, last?.because]
    }

    await t.test('is counted by reason', async t => {
      t.match(await read(system, key, `/v1/crawls/${id}/coverage`), {
        run_id: id,
        status: 'done',
        stop_reason: 'depth',
        discovered: 11,
        fetched: 3,
        failed: { total: 1 },
        skipped: {
          total: 5,
          by_reason: {
            robots: 1,
            robots_unreachable: 0,
            redirect_out_of_scope: 1,
            excluded: 1,
            not_included: 1,
            trap: { path_repetition: 1, calendar: 0 },
          },
        },
        duplicate: 1,
        not_reached: { total: 1, by_limit: { depth: 1, max_pages: 0 } },
        pending: 0,
        frontier_full: false,
        holds: true,
      })
    })

    await t.test('is explained with the rule that decided', async t => {
      const { host, port } = origin
      t.match(await excludedBy('/ok/private/diary'), [
        'skipped',
        'robots',
        `Disallow: /ok/private for User-agent: * in ${origin.url}/robots.txt, which answered 200`,
      ])
      t.match(await excludedBy('/ok/excluded'), ['skipped', 'patterns', 'exclude pattern ^/ok/excl matches'])
      t.match(await excludedBy('/other'), [
        'skipped',
        'patterns',
        'none of the include patterns matches: /ok',
      ])
      t.match(await excludedBy('/ok/x/x/x/x'), ['skipped', 'trap', /^path_repetition: .*x/])
      t.match(await excludedBy('/ok/too-deep'), [
        'not_reached',
        'depth',
        '3 clicks from the seed, and depth is 2',
      ])
      t.match(await excludedBy('/ok/away'), ['skipped', 'redirect', 'redirects to http://127.1.0.77/'])
      t.match(await excludedBy('/ok/moved'), [
        'duplicate',
        'redirect',
        `it redirects to ${origin.url}/ok/plain`,
      ])
      t.match(await excludedBy('/nobody/links/ok'), [
        'never_seen',
        'found',
        /^no page of this run links to it/,
      ])
      t.match(await excludedBy('/ok/excluded/too'), [
        'never_seen',
        'patterns',
        'exclude pattern ^/ok/excl matches',
      ])
      t.match(await excludedBy('http://127.1.0.77/ok/foreign'), [
        'never_seen',
        'scope',
        `out of scope: host 127.1.0.77 is not ${host}:${port}`,
      ])
    })

    await t.test('and with its first link and the result of each attempt', async t => {
      const plain = await explain('/ok/plain#fragment')
      t.match(plain, {
        url: `${origin.url}/ok/plain`,
        verdict: 'fetched',
        found: { from_url: seed, anchor: 'The plain one', depth: 1 },
        attempts: [{ attempt: 1, outcome: 'fetched' }],
        redirects: { length: 0 },
        duplicate_of: null,
        what_would_change: { length: 0 },
      })
      t.strictSame(
        plain.rules.map(({ rule, passed }) => [rule, passed]),
        ['scope', 'known', 'frontier', 'trap', 'patterns', 'depth', 'robots', 'max_pages'].map(rule => [
          rule,
          true,
        ]),
      )
      const { body } = await system.call(key, 'GET', `/v1/pages/${plain.page_id}`)
      t.equal(body.url, plain.url)
      t.match(await explain('/ok/moved'), {
        duplicate_of: plain.url,
        redirects: [{ from: `${origin.url}/ok/moved`, to: plain.url }],
        attempts: [{ outcome: 'redirected' }],
      })
      t.match(await explain('/accepts-and-closes/ok'), {
        verdict: 'failed',
        attempts: [{ outcome: 'retried' }, { outcome: 'retried' }, { attempt: 3, outcome: 'failed' }],
      })
    })

    await t.test('and listed if it failed', async t => {
      const item = {
        url: `${origin.url}/accepts-and-closes/ok`,
        attempts: 3,
        found_from: seed,
        sentence: /\.$/,
      }
      const path = `/v1/crawls/${id}/errors`
      t.match(await read(system, key, path), { items: [item], next_offset: null })
      t.strictSame(await read(system, key, `${path}?offset=1`), { items: [], next_offset: null })
      t.match(
        (await system.call(key, 'GET', `${path}?format=csv`)).body,
        /^url,reason,sentence,attempts,at,found_from\r\n.*accepts/,
      )
      t.equal((await system.call(key, 'GET', `${path}?limit=1001`)).status, 400)
    })

    await t.test('but not for other projects', async t => {
      const other = await system.createProject('others')
      for (const what of ['coverage', 'errors', `explain?url=${encodeURIComponent(seed)}`]) {
        t.equal((await system.call(other, 'GET', `/v1/crawls/${id}/${what}`)).status, 404, what)
      }
      t.match(await system.call(key, 'GET', `/v1/crawls/${id}/explain?url=ftp:x`), { status: 400 })
      t.equal((await system.call(key, 'GET', `/v1/crawls/${id}/explain`)).status, 400)
    })

    await t.test('also beyond max_pages, and without a readable robots.txt', async t => {
      const small = await system.crawl(key, { url: seed, max_pages: 1, delay_ms: 0 })
      t.match(await excludedBy('/ok/plain', small.id), [
        'not_reached',
        'max_pages',
        /max_pages \(1\) was reached before/,
      ])
      origin.site({ '/robots.txt': { status: 503 } })
      const away = await system.crawl(key, { url: seed, delay_ms: 0 })
      t.match(away, { error_reason: 'robots_unreachable', error_message: /robots\.txt answered 503/ })
      t.match(await excludedBy('/', away.id), ['skipped', 'robots', 'robots.txt answered 503'])
      t.match(await read(system, key, `/v1/crawls/${away.id}/coverage`), {
        skipped: { by_reason: { robots_unreachable: 1 } },
      })
    })

    await t.test('and names the line of robots.txt that forbids a seed, with the remedy', async t => {
      const receiver = await startReceiver(t)
      origin.site({ '/robots.txt': { ...robots, body: 'User-agent: *\nDisallow: /ok\nDisallow: /\n' } })
      const run = await system.crawl(key, { url: seed, webhook_url: receiver.url })
      const line = `"Disallow: /" for "User-agent: *" in ${origin.url}/robots.txt`
      const failure = {
        error_reason: 'robots_disallowed',
        error_message: `robots.txt does not allow the seed ${seed}: ${line}. Remedy: a line in robots.txt that allows it, or respect_robots: false.`,
      }
      t.match(run, { status: 'failed', stop_reason: 'failed', page_count: 0, error_count: 0, ...failure })
      t.match(await read(system, key, `/v1/crawls/${run.id}/coverage`), {
        status: 'failed',
        skipped: { by_reason: { robots: 1 } },
        ...failure,
      })
      const { body: listed } = await system.call(key, 'GET', '/v1/crawls?status=failed&limit=1')
      t.match(listed.items, [{ id: run.id, ...failure }])
      const { body: events } = await system.call(key, 'GET', `/v1/crawls/${run.id}/events?types=end`)
      t.match(JSON.parse(/^data: (.*)$/m.exec(events)?.[1] ?? '{}'), failure, 'in the event stream')
      const because = `Disallow: / for User-agent: * in ${origin.url}/robots.txt, which answered 200`
      t.match(await explain('/', run.id), {
        verdict: 'skipped',
        rules: [{}, {}, {}, {}, {}, {}, { rule: 'robots', passed: false, because }],
        what_would_change: [/respect_robots: false/],
      })
      await until(() => receiver.hits.length === 1)
      t.match(receiver.hits[0]?.body, { id: run.id, error_message: failure.error_message })
      const all = await system.crawl(key, { url: seed, respect_robots: false, max_pages: 1 })
      t.match(all, { status: 'done', page_count: 1, error_message: null, error_reason: null })
      const built = await system.call(key, 'POST', '/v1/llms-txt-build', { url: seed })
      t.match(built, {
        status: 502,
        body: { error: { code: 'fetch_failed', message: /"Disallow: \/" for/ } },
      })
      t.equal(built.body.error.reason, 'robots')
    })

    await t.test('and counts the attempts at a host that cannot be resolved', async t => {
      const run = await system.crawl(key, { url: 'http://nowhere.test/' })
      t.match(run, {
        status: 'failed',
        error_count: 1,
        error_reason: 'dns',
        error_message: /could not be resolved/,
      })
      const { items } = await read<{ items: object[] }>(system, key, `/v1/crawls/${run.id}/errors`)
      t.match(items, [{ url: 'http://nowhere.test/', reason: 'dns', attempts: 1 }])
      const { attempts } = await explain('http://nowhere.test/', run.id)
      t.match(attempts, [
        { attempt: 1, of: 'robots.txt', outcome: 'failed', reason: 'dns', ended_at: String },
      ])
      t.equal(attempts.length, 1)
    })

    await t.test('and adds up at every moment, even if services are killed', async t => {
      const count = sized(60, 150)
      const names = Array.from({ length: count }, (_, n) => `/n${n}`)
      const many = { '/': pageTo(...names.map(name => link(name))) }
      for (const name of names)
        Object.assign(many, { [name]: pageTo(...names.map(name => link(`${name}/x`))) })
      origin.site({ ...many, '/robots.txt': robots })
      const { body } = await system.call(key, 'POST', '/v1/crawls', {
        url: seed,
        max_pages: count,
        delay_ms: 20,
      })
      const path = `/v1/crawls/${body.id}/coverage`
      let polls = 0
      let isKilled = false
      let position = 0
      for (let left = 600; left > 0; left--) {
        const { status, body: receipt } = await system
          .call(key, 'GET', path)
          .catch(() => ({ status: 0, body: null }))
        if (status === 200) {
          polls++
          if (sumOf(receipt) !== receipt.discovered || !receipt.holds || receipt.position < position)
            t.fail(JSON.stringify(receipt))
          position = receipt.position
          if (receipt.status === 'done') break
          if (!isKilled && receipt.fetched > 20) {
            const { processes } = await system.runFile()
            const control = processes.find(({ services }) => services.includes('crawl-coordinator'))
            if (control) process.kill(control.pid, 'SIGKILL')
            isKilled = true
          }
        }
        await sleep(100)
      }
      t.ok(isKilled && polls > 5, `${polls} receipts`)
      const run = await system.untilEnded(key, body.id)
      t.match(await read(system, key, path), {
        status: 'done',
        fetched: run.page_count,
        not_reached: { by_limit: { max_pages: count + 1 } },
        pending: 0,
      })
    })
  })

  await t.test('Exports of a crawl', async t => {
    const origin = await startOrigin({ pages: tides })
    t.teardown(() => origin.close())
    const key = await system.createProject('exporting')
    const call = (method: string, path: string, body?: unknown) => system.call(key, method, path, body)
    const crawl = { url: `${origin.url}/`, delay_ms: 0, respect_robots: false }
    const { id } = await system.crawl(key, crawl)
    const bill = async () => (await call('GET', '/v1/usage')).body.today
    const billed = await bill()
    const exported = async (request: object) => {
      const { status, body } = await call('POST', `/v1/crawls/${id}/exports`, request)
      t.equal(status, 202, JSON.stringify(body))
      let view = body
      await until(async () => {
        view = (await call('GET', `/v1/exports/${body.id}`)).body
        return !['queued', 'running'].includes(view.status)
      })
      t.match(view, { status: 'done', error: null }, JSON.stringify(request))
      const file = await fetch(view.download_url)
      t.equal(file.status, 200)
      return { view, file: Buffer.from(await file.arrayBuffer()) }
    }

    await t.test('have every page with its stored content', async t => {
      const include = ['html', 'markdown', 'article', 'metadata', 'headers', 'links']
      const { view, file } = await exported({ format: 'jsonl', select: { include } })
      t.equal(view.records, 3)
      const rows = file
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      t.strictSame(rows.map(({ url, status }) => [new URL(url).pathname, status]).sort(), [
        ['/', 200],
        ['/ebb', 200],
        ['/flood', 404],
      ])
      const ebb = rows.find(({ url }) => url.endsWith('/ebb'))
      t.match(ebb, { html: tides['/ebb'].body, markdown: /The tide turns twice a day/ })
      t.match(JSON.stringify(ebb), /x-tide/)
      t.notMatch(file.toString(), /visitor=17/)
      t.match(ebb.markdown, /All tides/)
      const select = { status: [200], url_prefix: `${origin.url}/e` }
      const one = await exported({ format: 'jsonl', select })
      t.equal(one.view.records, 1)
      const seed = await exported({ format: 'jsonl', select: { max_depth: 0 } })
      t.equal(seed.view.records, 1)
      t.equal(JSON.parse(seed.file.toString()).url, `${origin.url}/`)
      const main = await exported({
        format: 'jsonl',
        select: { ...select, include: ['markdown'], only_main_content: true },
      })
      const { markdown } = JSON.parse(main.file.toString())
      t.match(markdown, /^# Ebb\n/)
      t.notMatch(markdown, /All tides/)
      const chunks = { max_tokens: 64 }
      const split = await exported({
        format: 'jsonl',
        select: { ...select, chunks, only_main_content: true },
      })
      const row = JSON.parse(split.file.toString())
      t.match(row.chunks[0], { heading_path: ['Ebb'], start: 0, is_part: true })
      t.equal(row.chunks.map(({ text }: { text: string }) => text).join(''), markdown)
      t.equal(row.markdown, undefined)
    })

    await t.test('exist in every format, and cost nothing', async t => {
      for (const format of formats) t.ok((await exported({ format })).file.byteLength > 0, format)
      t.strictSame(await bill(), billed)
      t.match((await call('GET', `/v1/crawls/${id}/exports`)).body.items.length, formats.length + 5)
      t.match(await system.admin('verify'), { ok: true })
    })

    await t.test('end with their crawl', async t => {
      const { view } = await exported({ format: 'sitemap' })
      t.equal((await call('DELETE', `/v1/crawls/${id}`)).status, 204)
      t.equal((await call('GET', `/v1/crawls/${id}/exports`)).status, 404)
      await until(async () => (await call('GET', `/v1/exports/${view.id}`)).body.status === 'expired')
      t.equal((await fetch(view.download_url)).status, 410)
    })
  })

  await t.test('A crawl that is read again', async t => {
    const origin = await startOrigin({
      pages: { ...kinds, '/': pageTo(...Object.keys(kinds).map(path => link(path))) },
    })
    t.teardown(() => origin.close())
    const key = await system.createProject('replays', '--unlimited')
    const count = Object.keys(kinds).length + 1
    const request = { url: `${origin.url}/`, delay_ms: 0, ignore_selectors: ['title'] }
    const { id, page_count } = await system.crawl(key, request)
    t.equal(page_count, count)

    await t.test('has no changes, requests nothing and costs nothing', async t => {
      const bill = async () => (await read<{ items: object[] }>(system, key, '/v1/usage/ledger')).items
      const [hits, billed] = [origin.hits.length, await bill()]
      t.strictSame(await replayed(system, key, id), unchanged(count))
      t.equal(origin.hits.length, hits)
      t.strictSame(await bill(), billed)
    })

    await t.test('shows what an older extractor stored', async t => {
      const { postgres } = await system.runFile()
      const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
      t.teardown(() => pool.end())
      const url = `${origin.url}/gzip`
      const { rows } = await pool.query(
        `update read.page set title = 'Old' where run_id = $1 and url = $2 returning id, url_key`,
        [id, url],
      )
      const [page] = rows as [{ id: number; url_key: string }]
      await pool.query(
        `update content.page set metadata = jsonb_set(metadata::jsonb, '{lang}', '"de"'), edges = ''
          where run_id = $1 and url_key = $2`,
        [id, page.url_key],
      )
      const { items } = await replayed(system, key, id)
      t.strictSame(items, [
        {
          ...{ id: Number(page.id), url },
          changes: [
            { field: 'title', stored: 'Old', now: 'A page' },
            { field: 'metadata.lang', stored: 'de', now: null },
          ],
          links: {
            ...{ added_total: 1, removed_total: 0, removed: [] },
            added: [{ to_url: `${origin.url}/text`, anchor: '/text', rel: null, nofollow: false }],
          },
        },
      ])
    })

    await t.test('is rejected if it has no bodies', async t => {
      const bodiless = await system.crawl(key, { ...request, store_html: false })
      const { status, body } = await system.call(key, 'GET', `/v1/crawls/${bodiless.id}/replay`)
      t.match([status, body.error.reason], [409, 'html_not_stored'])
    })
  })
})
