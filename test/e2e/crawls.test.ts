/**
 * Whole crawls in one system: repeated by a monitor, of listed URLs, paused, of real documentation, and while processes
 * are killed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier, sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { serveFolder, unpacked } from './debian.ts'
import { walk } from './independent-walk.ts'
import { differences, graphFromApi, graphOf, rawPages } from './link-graph.ts'
import { replayed, unchanged } from './replay.ts'
import { type System, sharedBin, startSystem, twoExtractors } from './system.ts'

const pagesOfSite = Number(process.env.RECRAWLED_PAGES ?? 60)
const linksOfPage = 20
const old = 'Thu, 01 Jan 2026 00:00:00 GMT'

/** Returns a compressed body of the usual size of a page. */
const bodyOf = (n: number, version: number): Buffer => {
  const links = Array.from({ length: linksOfPage }, (_, at) => (n * linksOfPage + at + 1) % pagesOfSite)
  const noise = Array.from({ length: 1_800 }, (_, at) =>
    Math.imul(n * 1_800 + at, 2_654_435_761).toString(36),
  )
  return gzipSync(`<!doctype html><title>Page ${n}, version ${version}</title>
    ${links.map(to => `<a href="/${to}">Page ${to}</a>`).join(' ')}<p>${noise.join(' ')}</p>`)
}

const listed = sized(800, 9_999)
const kills = sized(1, 10)
const items = Array.from({ length: listed }, (_, n) => `/item/${n}`)

/** The full tier crawls all of them. The first one has every feature of the others except their size. */
const sites = [
  { name: 'git-doc', path: 'usr/share/doc/git/html', isBroken: true },
  { name: 'sqlite3-doc', path: 'usr/share/doc/sqlite3', isBroken: true },
  { name: 'python3.11-doc', path: 'usr/share/doc/python3.11/html', isBroken: false },
]
const cache = join(sharedBin(), 'debian-sites')
const complete = { max_pages: 100_000, depth: 50, delay_ms: 0, concurrency: 32 }

test('Crawls', { timeout: patient(900_000) }, async t => {
  const system = await startSystem({ REPLICAS: twoExtractors })
  t.teardown(() => system.stop())

  await t.test('A site that is crawled again', async t => {
    const { postgres } = await system.runFile()
    const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
    pool.on('error', () => {})
    t.teardown(() => pool.end())
    const site = await startSite(t)
    const key = await system.createProject('recrawl', '--unlimited')
    const get = async (path: string) => (await system.call(key, 'GET', path)).body

    const watch = async (more: object = {}): Promise<number> => {
      const request = {
        url: `${site.url}/0`,
        cron: '0 0 1 1 *',
        delay_ms: 0,
        concurrency: 16,
        depth: 50,
        ...more,
      }
      const { status, body } = await system.call(key, 'POST', '/v1/crawls', {
        max_pages: 100_000,
        ...request,
      })
      t.equal(status, 201, JSON.stringify(body))
      return body.monitor_id
    }
    /** Makes the monitor due and waits for the end of its run. */
    const tick = async (
      monitor: number,
    ): Promise<{ run: RunView; coverage: Coverage; transferred: number }> => {
      const before = site.transferredBytes()
      const lastRun = async () =>
        (await get('/v1/crons')).items.find(({ id }: { id: number }) => id === monitor)?.last_run_id
      const last = await lastRun()
      await pool.query(
        `update scheduler.monitor set next_minute = date_trunc('minute', now()) + make_interval(secs => $2),
           next_fires_at = now() where id = $1`,
        [monitor, site.ticks++],
      )
      await until(async () => (await lastRun()) !== last, 20_000)
      const run = await system.untilEnded(key, await lastRun())
      return {
        run,
        coverage: await get(`/v1/crawls/${run.id}/coverage`),
        transferred: site.transferredBytes() - before,
      }
    }
    const pagesOf = async (id: number) => {
      const rows: Record<string, unknown>[] = []
      for (let offset: number | null = 0; offset !== null; ) {
        const list = await get(`/v1/crawls/${id}/pages?limit=1000&offset=${offset}`)
        rows.push(...list.items.map(({ id: _, fetched_at: __, ...page }: Record<string, unknown>) => page))
        offset = list.next_offset
      }
      return rows.sort((a, b) => String(a.url).localeCompare(String(b.url)))
    }
    const linksOf = async (id: number) => (await get(`/v1/crawls/${id}/links?limit=1000`)).items
    const summaryOf = async (before: number, after: number) =>
      (await get(`/v1/crawls/${before}/diff/${after}`)).summary
    const bodies = async () => Number((await pool.query('select count(*) from content.body')).rows[0].count)

    await t.test('transfers a twentieth of the bytes and has the same pages', async t => {
      const monitor = await watch()
      const first = await tick(monitor)
      t.match(first, {
        run: { status: 'done', page_count: pagesOfSite },
        coverage: { not_modified: { pages: 0 } },
      })
      const bodiesBefore = await bodies()
      const second = await tick(monitor)
      t.comment(`${pagesOfSite} pages: ${first.transferred} bytes, then ${second.transferred}`)
      t.ok(
        second.transferred <= first.transferred / 20,
        `${second.transferred} bytes after ${first.transferred}`,
      )
      t.match(second.run, { status: 'done', page_count: pagesOfSite, previous_run_id: first.run.id })
      t.match(second.coverage, {
        fetched: pagesOfSite,
        not_modified: { pages: pagesOfSite, bytes_saved: site.bytesOfBodies() },
        holds: true,
      })
      t.equal(await bodies(), bodiesBefore, 'both share their bodies')
      t.strictSame(await pagesOf(second.run.id), await pagesOf(first.run.id))
      t.strictSame(
        await summaryOf(first.run.id, second.run.id).then(({ added, removed, changed, unchanged }) => [
          added,
          removed,
          changed,
          unchanged,
        ]),
        [0, 0, 0, pagesOfSite],
      )

      t.strictSame(await replayed(system, key, second.run.id), unchanged(pagesOfSite))
      t.equal((await system.call(key, 'DELETE', `/v1/crawls/${first.run.id}`)).status, 204)
      const isSwept = async () =>
        (await pool.query('select from content.page where run_id = $1', [first.run.id])).rowCount === 0
      await until(isSwept, 30_000)
      const [page] = (await get(`/v1/crawls/${second.run.id}/pages?limit=1`)).items
      t.match(await get(`/v1/pages/${page.id}?format=html`), { html: /Page 0, version 1/ })
      t.equal((await linksOf(second.run.id)).length, Math.min(1000, pagesOfSite * linksOfPage))
      t.equal(await bodies(), bodiesBefore)

      site.change(3)
      const third = await tick(monitor)
      t.match(third.coverage, { fetched: pagesOfSite, not_modified: { pages: pagesOfSite - 1 } })
      t.match(await summaryOf(second.run.id, third.run.id), { added: 0, removed: 0, changed: 1 })
      t.match(await system.admin('verify'), { ok: true })
    })

    await t.test('is fetched completely with conditional: false', async t => {
      const monitor = await watch({ conditional: false, max_pages: 5 })
      await tick(monitor)
      const { coverage } = await tick(monitor)
      t.match(coverage, { fetched: 5, not_modified: { pages: 0, bytes_saved: 0 } })
    })
  })

  await t.test('Lists and pauses', async t => {
    const origin = await startOrigin({
      pages: {
        '/robots.txt': {
          headers: { 'content-type': 'text/plain' },
          body: 'User-agent: *\nDisallow: /item/7\n',
        },
        '/': '<a href="/linked">linked</a>',
        ...Object.fromEntries(
          items.map(path => [path, `<title>${path}</title><a href="/linked">linked</a>`]),
        ),
      },
    })
    t.teardown(() => origin.close())
    const key = await system.createProject('lists', '--unlimited')
    const url = `${origin.url}/`
    const urls = items.map(path => origin.url + path)
    const start = async (request: object): Promise<number> => {
      const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url, urls, ...request })
      t.equal(status, 202, JSON.stringify(body).slice(0, 300))
      return body.id
    }
    const coverage = async (id: number): Promise<Coverage> =>
      (await system.call(key, 'GET', `/v1/crawls/${id}/coverage`)).body
    /** Polls the receipt, also while the coordinator is away. */
    const untilReceipt = async (id: number, isSo: (receipt: Coverage) => boolean): Promise<Coverage> => {
      for (let left = 1_200; left > 0; left--) {
        const receipt = await coverage(id).catch(() => null)
        if (receipt?.discovered !== undefined) {
          if (!receipt.holds) t.fail(JSON.stringify(receipt))
          if (isSo(receipt)) return receipt
        }
        await sleep(100)
      }
      throw new Error(`still ${JSON.stringify(await coverage(id))}`)
    }
    /** Kills the coordinator, or another process if `nth` is not 0. */
    const kill = async (nth = 0) => {
      const { processes } = await system.runFile()
      const first = processes.findIndex(({ services }) => services.includes('crawl-coordinator'))
      process.kill(processes[(first + nth) % processes.length]?.pid ?? 0, 'SIGKILL')
    }
    const hitsOf = (path: string) => origin.hits.filter(hit => hit.path === path).length

    await t.test(
      `${listed} listed URLs are crawled once each, although the coordinator is killed`,
      async t => {
        const id = await start({ max_pages: listed + 1_000, delay_ms: 0, follow_links: false })
        const began = await untilReceipt(id, ({ fetched }) => fetched >= 100)
        t.equal(began.discovered, listed + 1, 'the whole list is on the receipt')
        t.ok(began.fetched < listed, `killed after ${began.fetched} pages`)
        for (let nth = 0; nth < kills; nth++) {
          if (nth > 0) await sleep(2_000)
          await kill(nth)
        }
        const run = await system.untilEnded(key, id)
        t.match(run, { status: 'done', stop_reason: 'exhausted' })
        const forbidden = items.filter(path => path.startsWith('/item/7')).length
        t.match(await coverage(id), {
          discovered: listed + 1,
          fetched: listed + 1 - forbidden,
          skipped: { by_reason: { robots: forbidden } },
          pending: 0,
          holds: true,
        })
        t.equal(run.page_count, listed + 1 - forbidden, 'each page is counted once')
        t.match(await system.admin('verify'), { ok: true }, 'and billed once')
        t.equal(hitsOf('/item/7'), 0)
        t.equal(hitsOf('/linked'), 0, 'no link is followed')
        const explain = async (path: string) => {
          const query = new URLSearchParams({ url: origin.url + path })
          return (await system.call(key, 'GET', `/v1/crawls/${id}/explain?${query}`)).body
        }
        t.match(await explain('/item/1'), { verdict: 'fetched', found: { from_url: null, depth: 1 } })
        t.match(await explain('/item/7'), { verdict: 'skipped', what_would_change: [/robots/] })
        t.match(await explain('/linked'), {
          verdict: 'never_seen',
          rules: { 8: { rule: 'found', because: 'follow_links is false, and urls does not list it' } },
        })
      },
    )

    await t.test(
      'a paused crawl orders nothing, although the coordinator is killed, and resumes',
      async t => {
        const id = await start({
          max_pages: listed + 1_000,
          delay_ms: 0,
          follow_links: false,
          respect_robots: false,
        })
        const change = async (what: string) => {
          const { status, body } = await system.call(key, 'POST', `/v1/crawls/${id}/${what}`)
          t.equal(status, 200, JSON.stringify(body).slice(0, 300))
          return body
        }
        await untilReceipt(id, ({ fetched }) => fetched >= 50)
        const first = await change('pause')
        t.match(first, { status: 'running', paused_at: String, finished_at: null })
        t.equal((await change('pause')).paused_at, first.paused_at, 'pausing again changes nothing')
        t.equal((await system.call(key, 'GET', `/v1/crawls/${id}`)).body.paused_at, first.paused_at)
        /** Waits until no page has been stored for two seconds. */
        const still = async (): Promise<Coverage> => {
          for (let before = await untilReceipt(id, () => true); ; ) {
            await sleep(2_000)
            const after = await untilReceipt(id, () => true)
            if (after.fetched === before.fetched) return after
            before = after
          }
        }
        const stopped = await still()
        t.match(stopped, { status: 'running', paused_at: first.paused_at, discovered: listed + 1 })
        t.ok(stopped.fetched < listed, `${stopped.fetched} pages when the crawl is paused`)
        const hits = origin.hits.length
        await kill()
        await sleep(1_000)
        await untilReceipt(id, ({ paused_at }) => paused_at === first.paused_at)
        await sleep(3_000)
        t.equal((await coverage(id)).fetched, stopped.fetched)
        t.equal(origin.hits.length, hits, 'the site was not requested')
        t.match(await change('resume'), { status: 'running', paused_at: null })
        await change('resume')
        const run = await system.untilEnded(key, id)
        t.match(run, { status: 'done', stop_reason: 'exhausted', page_count: listed + 1, paused_at: null })
        t.match(await coverage(id), { fetched: listed + 1, pending: 0, holds: true })
        for (const what of ['pause', 'resume']) {
          const refused = await system.call(key, 'POST', `/v1/crawls/${id}/${what}`)
          t.match(refused, { status: 409, body: { error: { code: 'conflict', reason: 'run_ended' } } })
        }
      },
    )
  })

  await t.test('Complete crawls of real documentation', async t => {
    const key = await system.createProject('debian', '--unlimited')

    for (const [n, { name, path, isBroken }] of sites.entries()) {
      const got =
        n === 0 || isFullTier ? await unpacked(name, cache) : { missing: 'only npm run test:full crawls it' }
      if ('missing' in got) {
        t.test(name, { skip: got.missing }, () => undefined)
        continue
      }
      const site = await serveFolder(join(got.folder, path), `127.1.2.${n + 1}`)
      const known = await walk(site.url)

      t.test(`${name}: every reachable page is found once`, async t => {
        const before = site.requests()
        const run = await system.crawl(key, { url: site.url, ...complete })
        await t.resolves(compare(system, key, run.id, known))
        t.equal(run.error_count, 0)
        t.ok(
          site.requests() - before <= known.size * 1.02 + 3,
          `${site.requests() - before} requests for ${known.size} pages`,
        )
        t.strictSame(await replayed(system, key, run.id), unchanged(run.page_count))
        const graph = graphOf(await rawPages(site.url), site.url)
        t.strictSame(
          differences(graph, await graphFromApi(system.call, key, run.id)),
          [],
          'links and orphans',
        )
      })

      t.teardown(() => site.close())
      if (!isBroken) continue
      t.test(`${name}: the same when all Node processes are killed midway`, async t => {
        const { body } = await system.call(key, 'POST', '/v1/crawls', { url: site.url, ...complete })
        await untilPages(system, key, body.id, known.size / 4)
        for (const { pid } of (await system.runFile()).processes) process.kill(pid, 'SIGKILL')
        const run = await system.untilEnded(key, body.id)
        t.equal(run.status, 'done')
        await t.resolves(compare(system, key, run.id, known))
      })
    }
  })
})

/** Starts a site that answers 304 to known ETags. Every second page has no ETag and uses its date instead. */
async function startSite(t: Test) {
  const versions = new Map<number, number>()
  const bodies = new Map<string, Buffer>()
  const sockets = new Map<Socket, number>()
  let closed = 0
  const body = (n: number) => {
    const version = versions.get(n) ?? 1
    const name = `${n}-${version}`
    const made = bodies.get(name) ?? bodyOf(n, version)
    bodies.set(name, made)
    return { made, etag: `W/"${name}"`, version }
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const n = Number((request.url ?? '').slice(1))
    if (request.url === '/' || !(n < pagesOfSite)) return void response.writeHead(404).end()
    const { made, etag, version } = body(n)
    const since = version === 1 ? old : 'Thu, 08 Jan 2026 00:00:00 GMT'
    const validators = n % 2 === 0 ? { 'last-modified': since } : { etag, 'last-modified': since }
    const { 'if-none-match': known, 'if-modified-since': date } = request.headers
    const isKnown = known === undefined ? n % 2 === 0 && date === since : known === etag
    if (isKnown) return void response.writeHead(304, validators).end()
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' }
    response.writeHead(200, { ...headers, ...validators, 'content-length': made.byteLength }).end(made)
  }
  const server = createServer(answer)
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, 0)
    socket.on('error', () => {})
    socket.on('close', () => {
      closed += socket.bytesWritten
      sockets.delete(socket)
    })
  })
  const { url, close } = await listening(server, '127.1.0.1')
  t.teardown(close)
  return {
    url,
    ticks: 0,
    /** Returns the bytes that it has sent, headers included. */
    transferredBytes: () =>
      Array.from(sockets.keys(), ({ bytesWritten }) => bytesWritten).reduce((a, b) => a + b, closed),
    bytesOfBodies: () =>
      Array.from({ length: pagesOfSite }, (_, n) => body(n).made.byteLength).reduce((a, b) => a + b, 0),
    change: (n: number) => void versions.set(n, 2),
  }
}

async function compare(system: System, key: string, id: number, known: Map<string, number>): Promise<void> {
  const { body } = await system.call(key, 'GET', `/v1/crawls/${id}/pages?limit=100000`)
  const found = new Map<string, number>(
    body.items.map((page: { url: string; status: number }) => [page.url, page.status]),
  )
  const missing = [...known].filter(([url, status]) => found.get(url) !== status)
  const extra = [...found.keys()].filter(url => !known.has(url))
  const run = (await system.call(key, 'GET', `/v1/crawls/${id}`)).body
  const summary = {
    missing: missing.slice(0, 5),
    extra: extra.slice(0, 5),
    items: body.items.length,
    run: run.page_count,
  }
  if (missing.length || extra.length || body.items.length !== found.size || run.page_count !== found.size) {
    throw new Error(`${missing.length} missing, ${extra.length} extra: ${JSON.stringify(summary)}`)
  }
}

async function untilPages(system: System, key: string, id: number, pages: number): Promise<void> {
  await until(async () => {
    const { body } = await system.call(key, 'GET', `/v1/crawls/${id}`)
    return body.page_count >= pages || body.finished_at !== null
  })
}
