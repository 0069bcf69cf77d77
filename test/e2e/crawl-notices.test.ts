/**
 * Webhooks before the end of a crawl, while the webhook service is killed: every page is in exactly one batch, and the
 * batches have the order of the events of the crawl.
 */
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { startSystem } from './system.ts'

const count = sized(120, 10_000)
const kills = sized(3, 20)
const patienceMs = 120_000
const endsMs = sized(240_000, 1_200_000)
const events = ['crawl.done', 'crawl.started', 'page.fetched', 'crawl.failed']

type Item = { id: string; state: string; attempts: unknown[] }
type Page = { id: number; url: string; status: number; title: string | null; content_hash: string }
type Body = { event: string; id: number; batch: number; pages: Page[]; page_count: number; status: string }

/** Starts a receiver that refuses the first attempt of every third webhook. */
async function startReceiver() {
  const hits: { id: string; body: Body }[] = []
  const refused = new Set<string>()
  const server = createServer(async (request, response) => {
    const id = String(request.headers['webhook-id'])
    hits.push({ id, body: (await json(request)) as Body })
    const isRefused = hits.length % 3 === 0 && !refused.has(id)
    if (isRefused) refused.add(id)
    response.writeHead(isRefused ? 503 : 204).end()
  })
  return { ...(await listening(server, '127.1.0.7')), hits }
}

test('Notices of a crawl', { timeout: 1_800_000 }, async t => {
  const paths = Array.from({ length: count }, (_, n) => (n % 40 === 7 ? `/status/503/${n}` : `/page-${n}`))
  const bodyOf = (path: string) => `<title>${path}</title><p>The text of ${path}.</p>`
  const links = paths.map(path => `<a href="${path}">x</a>`).join('')
  const pages = paths.filter(path => path.startsWith('/page')).map(path => [path, bodyOf(path)])
  const origin = await startOrigin({ pages: { '/': links, ...Object.fromEntries(pages) } })
  const receiver = await startReceiver()
  const system = await startSystem({ PROCESSES: 'split', WEBHOOK_PAGES_MS: '300' })
  const { postgres } = await system.runFile()
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
  pool.on('error', () => {})
  t.teardown(async () => {
    await pool.end()
    await system.stop()
    await receiver.close()
    await origin.close()
  })
  const key = await system.createProject('notices', '--unlimited')
  const get = async (path: string) => (await system.call(key, 'GET', `/v1${path}`)).body
  const killWebhook = async () => {
    const { processes } = await system.runFile()
    const { pid = 0 } = processes.find(({ services }) => services.includes('webhook')) ?? {}
    process.kill(pid, 'SIGKILL')
  }
  /** Returns the webhooks of a crawl that the receiver got, by their ids. Webhooks with the same id count once. */
  const receivedOf = (run: number) =>
    new Map(receiver.hits.filter(({ body }) => body.id === run).map(({ id, body }) => [id, body]))
  const batchesOf = (run: number) =>
    [...receivedOf(run).values()]
      .filter(({ event }) => event === 'page.fetched')
      .sort((a, b) => a.batch - b.batch)
  /** Returns all deliveries of a crawl. The service is not available while it restarts after a kill. */
  const itemsOf = async (run: number): Promise<Item[]> => {
    const listed: Item[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const page = await get(`/crawls/${run}/deliveries?limit=100&offset=${offset}`)
      if (page.items === undefined) return [{ id: '', state: 'unknown', attempts: [] }]
      listed.push(...page.items)
      offset = page.next_offset ?? null
    }
    return listed
  }
  const request = { respect_robots: false, trap_guards: false, webhook_url: receiver.url }

  const { status, body } = await system.call(key, 'POST', '/v1/crawls', {
    ...request,
    ...{ url: `${origin.url}/`, delay_ms: sized(20, 10), max_pages: count + 1, webhook_events: events },
  })
  t.equal(status, 202, JSON.stringify(body))
  const run: number = body.id
  for (let nth = 0; nth < kills; nth++) {
    const before = receiver.hits.length
    await until(async () => receiver.hits.length > before, patienceMs)
    await killWebhook()
  }
  await until(async () => (await get(`/crawls/${run}`)).status === 'done', endsMs)
  const { page_count } = await get(`/crawls/${run}`)

  await t.test('has every page in exactly one batch, in the order of its events', async t => {
    const read = () => batchesOf(run).flatMap(({ pages }) => pages)
    await until(
      async () => read().length >= page_count && receivedOf(run).has(`msg_run${run}_crawl_done`),
      patienceMs,
    )
    const text: string = await get(`/crawls/${run}/events?types=page`)
    const inOrder = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']): number => JSON.parse(data).id)
    t.equal(inOrder.length, count + 1)
    t.strictSame(
      read().map(({ id }) => id),
      inOrder,
    )
    t.strictSame(
      batchesOf(run).map(({ batch }) => batch),
      batchesOf(run).map((_, n) => n + 1),
    )
    t.ok(batchesOf(run).every(({ pages }) => pages.length <= 100))
    const { items } = await get(`/crawls/${run}/pages?limit=${count + 1}&fields=title,content_hash`)
    const listed = new Map<number, Page>(items.map((page: Page) => [page.id, page]))
    for (const page of read()) t.strictSame(page, listed.get(page.id))
  })

  await t.test('lists each delivery, and reports the end on the crawl', async t => {
    const path = `/crawls/${run}/deliveries`
    const undelivered = async (): Promise<Item[]> =>
      (await itemsOf(run)).filter(({ state }) => state !== 'delivered')
    // A kill during an attempt uses it up. After five of these the customer requests the webhook again.
    await until(async () => {
      for (const { id, state, attempts } of await undelivered()) {
        if (state !== 'dead') continue
        t.equal(attempts.length % 5, 0, `${id} was attempted ${attempts.length} times`)
        await system.call(key, 'POST', `/v1${path}/${id}/redeliver`)
      }
      return (await undelivered()).length === 0
    }, patienceMs).catch(async () => {
      t.strictSame(await undelivered(), [])
    })
    const ids = [...receivedOf(run).keys()].sort()
    const parts = await Promise.all([0, 2].map(offset => get(`${path}?limit=2&offset=${offset}`)))
    t.match(parts[0], {
      items: [{ event: 'crawl.started' }, { id: `msg_run${run}_page_fetched_1`, run_id: run }],
      next_offset: 2,
    })
    t.match(parts[1].items[0], { id: `msg_run${run}_page_fetched_2`, run_id: run })
    const listed = (await itemsOf(run)).map(({ id }) => id)
    t.equal(listed.at(-1), `msg_run${run}_crawl_done`)
    t.strictSame(listed.toSorted(), ids)
    t.match(await get(`/crawls/${run}`), { webhook_status: 'delivered' })
  })

  await t.test('reports a failure in addition to the end', async t => {
    const failed = await system.crawl(key, {
      ...request,
      ...{ url: `${origin.url}/accepts-and-closes`, webhook_events: ['crawl.started', 'crawl.failed'] },
    })
    const ids = ['crawl_done', 'crawl_failed', 'crawl_started'].map(name => `msg_run${failed.id}_${name}`)
    await until(async () => receivedOf(failed.id).size === 3, patienceMs)
    t.strictSame([...receivedOf(failed.id).keys()].sort(), ids)
    t.match(receivedOf(failed.id).get(ids[1] ?? ''), { event: 'crawl.failed', status: 'failed' })
  })

  await t.test('leaves every invariant intact', async t => {
    t.match(await system.admin('verify'), { ok: true })
  })

  await t.test('is deleted with the crawl', async t => {
    t.equal((await system.call(key, 'DELETE', `/v1/crawls/${run}`)).status, 204)
    await until(async () => {
      const { rows } = await pool.query(
        `select (select count(*) from webhook.notice where run_id = $1)
           + (select count(*) from webhook.page_batching where run_id = $1)
           + (select count(*) from webhook.delivery where facts::text like '%"runId":' || $1 || ',%') as count`,
        [String(run)],
      )
      return Number(rows[0].count) === 0
    })
    t.pass()
  })
})
