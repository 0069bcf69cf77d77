/**
 * Forks of a crawl. Pages of the crawl come from the store without a request and without a bill. The result of the fork
 * equals the result of a fresh crawl with the same settings.
 */
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerItem } from '@tidemark/contracts/http/usage-ledger'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { ownWords } from './own-words.ts'
import { startSystem } from './system.ts'

const count = sized(28, 40)
/** Number of kills: each process is killed once, or four times at the full size. */
const kills = sized(3, 12)
const pathOf = (n: number) => (n === 0 ? '/' : `/${n % 3 === 0 ? 'old' : 'new'}/${n}`)
const paths = Array.from({ length: count }, (_, n) => pathOf(n))

/**
 * Page n links to the pages 3n + 1 to 3n + 3, so that a breadth-first crawl fetches the pages in the order of their
 * numbers. Page 4 links to the redirect to page 1, which is fetched or reused before the redirect: otherwise either of
 * the two could be first.
 */
function pageOf(path: string, n: number): string {
  const links = [1, 2, 3].map(more => 3 * n + more).filter(to => to < count)
  const anchors = links.map(to => `<a href="${pathOf(to)}">page ${to}</a>`)
  return `<title>Page ${n}</title><p>${ownWords(path)}</p>${anchors.join(' ')}${n === 4 ? ' <a href="/moved">x</a>' : ''}`
}

async function startReceiver() {
  const pages: string[] = []
  const server = createServer(async (request, response) => {
    const { event, pages: batch = [] } = (await json(request)) as { event: string; pages?: { url: string }[] }
    if (event === 'page.fetched') pages.push(...batch.map(({ url }) => url))
    response.writeHead(204).end()
  })
  return { ...(await listening(server, '127.1.0.8')), pages }
}

test('A fork of a crawl', { timeout: 1_800_000 }, async t => {
  const origin = await startOrigin({
    pages: {
      ...Object.fromEntries(paths.map((path, n) => [path, pageOf(path, n)])),
      '/moved': { status: 301, headers: { location: pathOf(1) } },
    },
  })
  const receiver = await startReceiver()
  const system = await startSystem()
  const pool = new pg.Pool({ connectionString: (await system.runFile()).postgres.url, max: 1 })
  t.teardown(async () => {
    await pool.end()
    await system.stop()
    await receiver.close()
    await origin.close()
  })
  const key = await system.createProject('forks', '--tier', 'studio')
  const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
  const request = { url: `${origin.url}/`, delay_ms: 0 }

  async function fork(id: number, changes: object): Promise<number> {
    const { status, body, headers } = await call('POST', `/crawls/${id}/fork`, changes)
    t.equal(status, 202, JSON.stringify(body))
    t.equal(headers.get('location'), `/v1/crawls/${body.id}`)
    return body.id
  }
  const forked = async (id: number, changes: object) => system.untilEnded(key, await fork(id, changes))

  /**
   * Returns the requests to pages, and the number of requests to robots.txt, since the origin had this number of hits.
   */
  const hitsSince = (before: number) => {
    const all = origin.hits.slice(before).map(({ path }) => path)
    return {
      pages: all.filter(path => paths.includes(path)),
      robots: all.filter(path => path === '/robots.txt').length,
      moved: all.filter(path => path === '/moved').length,
    }
  }
  const billOf = async (id: number): Promise<LedgerItem[]> =>
    (await call('GET', `/usage/ledger?limit=1000&run_id=${id}`)).body.items
  /** Waits for the bill of a run, and checks that it has exactly this number of pages. */
  async function billed(t: Test, id: number, pages: number): Promise<void> {
    await until(async () => (await billOf(id)).length >= pages)
    await sleep(500)
    const rows = await billOf(id)
    t.equal(rows.length, pages, `crawl ${id} is billed for ${pages} pages`)
    t.equal(
      rows.reduce((sum, { units }) => sum + units, 0),
      pages,
    )
  }
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list of the API
  const listOf = async (id: number, list: string): Promise<any[]> =>
    (await call('GET', `/crawls/${id}/${list}limit=1000`)).body.items
  const urlsOf = async (id: number) => (await listOf(id, 'pages?')).map(({ url }) => url).sort()
  /** Returns the links with the addresses of their pages. */
  async function linksOf(id: number): Promise<string[]> {
    const urls = new Map((await listOf(id, 'pages?')).map(page => [page.id, page.url]))
    const links = await listOf(id, 'links?')
    return links.map(({ from_page_id, ...link }) => JSON.stringify([urls.get(from_page_id), link])).sort()
  }
  async function receiptOf(id: number) {
    const {
      run_id: _,
      position: __,
      pages_reused,
      ...receipt
    } = (await call('GET', `/crawls/${id}/coverage`)).body
    return { pages_reused, receipt }
  }
  /** Checks that two crawls have the same pages, links and receipt. */
  async function equalResults(t: Test, one: number, other: number): Promise<void> {
    t.strictSame(await urlsOf(one), await urlsOf(other))
    t.strictSame(await linksOf(one), await linksOf(other))
    t.strictSame((await receiptOf(one)).receipt, (await receiptOf(other)).receipt)
    const { summary } = (await call('GET', `/crawls/${one}/diff/${other}`)).body
    t.match(summary, { added: 0, removed: 0, changed: 0, not_compared: 0, not_revisited: 0 })
  }

  const base = await system.crawl(key, { ...request, max_pages: 10 })
  const whole = await system.crawl(key, { ...request, max_pages: count })
  const wholeOld = await system.crawl(key, { ...request, max_pages: count, exclude_paths: ['^/new/1'] })
  t.match([base, whole], [{ page_count: 10, stop_reason: 'max_pages' }, { page_count: count }])
  /** The paths of the pages of the base. Which ones it has depends on the order of the responses. */
  const known = (await urlsOf(base.id)).map(url => new URL(url).pathname)
  let first = 0

  await t.test('with a larger limit fetches only the pages that its base does not have', async t => {
    const before = origin.hits.length
    const run = await forked(base.id, {
      max_pages: count,
      webhook_url: receiver.url,
      webhook_events: ['page.fetched'],
    })
    first = run.id
    t.match(run, { status: 'done', page_count: count, forked_from: base.id, pages_reused: 10 })
    t.match(run, { stop_reason: 'exhausted', url: request.url })
    const { pages, robots, moved } = hitsSince(before)
    t.strictSame([...pages].sort(), paths.filter(path => !known.includes(path)).sort(), 'each of them once')
    t.equal(moved, 1, 'a redirect is requested again')
    t.ok(robots >= 1)
    await billed(t, run.id, count - 10)
    await billed(t, base.id, 10)
    await equalResults(t, run.id, whole.id)
    t.equal((await receiptOf(run.id)).pages_reused, 10)
    await until(async () => receiver.pages.length === count, 60_000)
    t.strictSame([...receiver.pages].sort(), await urlsOf(run.id), 'page.fetched reports all of its pages')
  })

  await t.test(
    'has the content of the pages of its base, and the time at which they were fetched',
    async t => {
      const [ofBase, ofFork] = await Promise.all([base.id, first].map(id => listOf(id, 'pages?')))
      for (const page of ofBase ?? []) {
        const same = ofFork?.find(({ url }) => url === page.url)
        t.not(same.id, page.id)
        t.match(same, { fetched_at: page.fetched_at, title: page.title, status: 200, bytes: page.bytes })
        for (const format of ['markdown', 'html']) {
          const read = async (id: number) => (await call('GET', `/pages/${id}?format=${format}`)).body
          const [one, other] = await Promise.all([read(page.id), read(same.id)])
          t.equal(other[format], one[format], page.url)
        }
      }
      const { body } = await call('GET', `/crawls/${first}/explain?url=${encodeURIComponent(request.url)}`)
      t.match(body, { verdict: 'fetched', attempts: [{ by: 'store', outcome: 'fetched' }] })
      const { summary } = (await call('GET', `/crawls/${base.id}/diff/${first}`)).body
      t.match(summary, { unchanged: 10, removed: 0, changed: 0 })
      t.match(await call('GET', `/crawls/${first}/evidence`), { status: 200 })
    },
  )

  await t.test('with other patterns has the result of a fresh crawl, and no bill', async t => {
    const before = origin.hits.length
    const run = await forked(whole.id, { exclude_paths: ['^/new/1'] })
    t.strictSame(hitsSince(before).pages, [])
    t.ok(run.page_count < count)
    t.match(run, { pages_reused: run.page_count, forked_from: whole.id })
    await billed(t, run.id, 0)
    await equalResults(t, run.id, wholeOld.id)
  })

  await t.test('costs only the pages that it fetches, also within a budget', async t => {
    const run = await forked(base.id, { max_pages: count, max_cost_usd: 0.005 })
    t.match(run, { page_count: 15, pages_reused: 10, stop_reason: 'max_cost_usd' })
    t.match((await receiptOf(run.id)).receipt, { budget: { cost_usd: 0.005 }, holds: true })
    await billed(t, run.id, 5)
    const again = await forked(run.id, { max_cost_usd: null })
    t.match(again, { page_count: count, pages_reused: 15, forked_from: run.id })
    await billed(t, again.id, count - 15)
    await equalResults(t, again.id, whole.id)
  })

  await t.test('fetches and bills the pages whose bodies are deleted meanwhile', async t => {
    const lost = await system.crawl(key, { ...request, max_pages: 10 })
    await pool.query('delete from content.page where run_id = $1', [lost.id])
    const before = origin.hits.length
    const run = await forked(lost.id, { max_pages: 12 })
    t.match(run, { status: 'done', page_count: 12, pages_reused: 0 })
    t.equal(hitsSince(before).pages.length, 12)
    await billed(t, run.id, 12)
    const { body } = await call('GET', `/crawls/${run.id}/explain?url=${encodeURIComponent(request.url)}`)
    t.match(body.attempts, [
      { by: 'store', outcome: 'retried', reason: 'stale_copy' },
      { by: 'http', outcome: 'fetched' },
    ])
    t.equal((await call('DELETE', `/crawls/${lost.id}`)).status, 204)
  })

  await t.test('outlives its base, and its base outlives it', async t => {
    const one = await system.crawl(key, { ...request, max_pages: 5 })
    const two = await forked(one.id, { max_pages: 6 })
    const three = await forked(two.id, { max_pages: 7 })
    for (const { id } of [one, three]) t.equal((await call('DELETE', `/crawls/${id}`)).status, 204)
    t.equal((await call('POST', `/crawls/${one.id}/fork`, {})).status, 404)
    for (const { id } of await listOf(two.id, 'pages?'))
      t.match(await call('GET', `/pages/${id}?format=html`), { status: 200, body: { html: /<p>/ } })
    t.match(await call('GET', `/crawls/${two.id}`), { body: { forked_from: one.id } })
    const four = await forked(two.id, {})
    t.match(four, { page_count: 6, pages_reused: 6 })
    await billed(t, four.id, 0)
  })

  await t.test('continues a cancelled crawl', async t => {
    const started = (await call('POST', '/crawls', { ...request, max_pages: count, delay_ms: 200 })).body
    await until(async () => (await call('GET', `/crawls/${started.id}`)).body.page_count >= 3)
    t.match(await call('POST', `/crawls/${started.id}/fork`, {}), {
      status: 409,
      body: { error: { reason: 'run_active' } },
    })
    const cancelled = (await call('POST', `/crawls/${started.id}/cancel`)).body
    const run = await forked(started.id, { delay_ms: 0 })
    t.match(run, { page_count: count, pages_reused: cancelled.page_count })
    await billed(t, run.id, count - cancelled.page_count)
  })

  await t.test('is exact although processes are killed', async t => {
    const before = origin.hits.length
    const id = await fork(base.id, { max_pages: count, delay_ms: sized(150, 100) })
    for (let nth = 0; nth < kills; nth++) {
      await sleep(sized(600, 1_000))
      const { processes } = await system.runFile()
      const { pid = 0 } = processes[nth % processes.length] ?? {}
      process.kill(pid, 'SIGKILL')
    }
    const run = await system.untilEnded(key, id)
    t.match(run, { status: 'done', page_count: count, pages_reused: 10 })
    const { pages } = hitsSince(before)
    t.strictSame(
      pages.filter(path => known.includes(path)),
      [],
    )
    await billed(t, id, count - 10)
    await equalResults(t, id, whole.id)
  })

  await t.test('leaves every invariant intact: pages, bills, slots, deliveries, receipts', async t => {
    const deleted = await forked(base.id, { max_pages: 12 })
    t.equal((await call('DELETE', `/crawls/${deleted.id}`)).status, 204)
    t.match(await system.admin('verify'), { ok: true })
  })
})
