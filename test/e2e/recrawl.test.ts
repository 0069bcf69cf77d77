/** A monitor's second run of an unchanged site: the same pages with a fraction of the bytes. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { startSystem } from './system.ts'

const pagesOfSite = Number(process.env.RECRAWLED_PAGES ?? 100)
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

test('A site that is crawled again', async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
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
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', { max_pages: 100_000, ...request })
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
    t.strictSame(await system.admin('verify').then(({ ok }: { ok?: boolean }) => ok), true)
  })

  await t.test('is fetched completely with conditional: false', async t => {
    const monitor = await watch({ conditional: false, max_pages: 5 })
    await tick(monitor)
    const { coverage } = await tick(monitor)
    t.match(coverage, { fetched: 5, not_modified: { pages: 0, bytes_saved: 0 } })
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
  server.listen(0, '127.1.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>(resolve => server.close(() => resolve()))
  })
  return {
    url: `http://127.1.0.1:${(server.address() as AddressInfo).port}`,
    ticks: 0,
    /** Returns the bytes that it has sent, headers included. */
    transferredBytes: () =>
      Array.from(sockets.keys(), ({ bytesWritten }) => bytesWritten).reduce((a, b) => a + b, closed),
    bytesOfBodies: () =>
      Array.from({ length: pagesOfSite }, (_, n) => body(n).made.byteLength).reduce((a, b) => a + b, 0),
    change: (n: number) => void versions.set(n, 2),
  }
}
