/**
 * Crawls as of an earlier time. For every commit of a crawl, the counts, the coverage and the lists at its time are
 * those of that time, and agree with each other.
 */
import { openBus } from '@tidemark/bus/connection'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import type { PageItem } from '@tidemark/contracts/http/pages'
import type { RunCommit } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { sharedSystem } from './system.ts'

const broken = ['/accepts-and-closes/1', '/accepts-and-closes/2', '/accepts-and-closes/3']
const plain = Array.from({ length: 12 }, (_, n) => `/plain/${n}`)
const linked = (...paths: string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join('')
const titled = (path: string, ...links: string[]) => `<title>${path}</title>${linked('/', ...links)}`

const site = {
  '/robots.txt': 'User-agent: *\nDisallow: /private\n',
  '/': linked(...plain.slice(0, 4), ...broken, '/moved', '/away', '/private', '/status/503'),
  '/moved': { status: 301, headers: { location: '/plain/0' } },
  '/away': { status: 302, headers: { location: 'http://127.1.0.77/' } },
  ...Object.fromEntries(plain.map((path, n) => [path, titled(path, ...plain.slice(4 * n + 4, 4 * n + 8))])),
}

type Listed<Item> = { items: Item[]; next_offset: number | null; warnings?: string[] }

test('A crawl as of an earlier time', { timeout: patient(600_000) }, async t => {
  const origin = await startOrigin({ pages: site })
  t.teardown(() => origin.close())
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('time-travel', '--unlimited')
  const { nats } = await system.runFile()
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const events = jetStreamEventStore(bus, streams.runs)

  const call = (path: string) => system.call(key, 'GET', `/v1/crawls/${path}`)
  async function get<T>(path: string): Promise<T> {
    const { status, body } = await call(path)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const commitsOf = async (id: number) =>
    (await events.load<RunCommit>(subjects.run(id))).commits.map(({ sequence, commit }) => ({
      sequence,
      ...commit,
    }))
  type Commits = Awaited<ReturnType<typeof commitsOf>>

  const request = {
    url: `${origin.url}/`,
    delay_ms: 20,
    max_pages: 50,
    trap_guards: false,
    webhook_url: `${origin.url}/status/204`,
  }

  /** Crawls the site, whose broken pages work at the retry, and waits for the webhook of the second end. */
  async function crawlTwice(): Promise<number> {
    const { id } = await system.crawl(key, request)
    origin.site(Object.fromEntries(broken.map(path => [path, titled(path)])))
    await system.call(key, 'POST', `/v1/crawls/${id}/retry-failed`)
    await system.untilEnded(key, id)
    await until(async () => (await get<RunView>(`${id}`)).webhook_status === 'delivered')
    return id
  }

  async function cancelAfterSomePages(): Promise<number> {
    const { body } = await system.call(key, 'POST', '/v1/crawls', { ...request, delay_ms: 150 })
    await until(async () => (await get<RunView>(`${body.id}`)).page_count >= 4)
    await system.call(key, 'POST', `/v1/crawls/${body.id}/cancel`)
    return body.id
  }

  /** Returns the facts of the crawl at a time, which the test itself computes from the events until then. */
  const factsAsOf = (commits: Commits, time: string) => {
    const later = commits.findIndex(({ at }) => at > time)
    const log = later < 0 ? commits : commits.slice(0, later)
    const all = log.flatMap(({ events }) => events)
    const pages = all.flatMap(({ type, data }) => (type === 'PagesSettled' ? data.pages : []))
    return { ids: pages.map(page => page.id), position: log.at(-1)?.sequence, log }
  }

  /** Compares every read of a crawl at the time of each of its commits. Returns the statuses that it had. */
  async function compareAll(t: Test, id: number): Promise<string[]> {
    const commits = await commitsOf(id)
    const links = (await get<Listed<LinkEdge>>(`${id}/links?limit=1000`)).items
    const pages = (await get<Listed<PageItem>>(`${id}/pages?limit=1000`)).items
    const statuses: string[] = []
    for (const time of new Set(commits.map(({ at }) => at))) {
      const asOf = `as_of=${time}`
      const { ids, position } = factsAsOf(commits, time)
      const run = await get<RunView>(`${id}?${asOf}`)
      const coverage = await get<Coverage>(`${id}/coverage?${asOf}`)
      const listed = await get<Listed<PageItem>>(`${id}/pages?limit=1000&${asOf}`)
      const errors = await get<Listed<unknown>>(`${id}/errors?limit=1000&${asOf}`)
      const inThen = new Set(ids)
      t.strictSame(
        [run.page_count, coverage.fetched, listed.items.length],
        [ids.length, ids.length, ids.length],
        `pages at ${time}`,
      )
      t.strictSame(
        listed.items,
        pages.filter(page => inThen.has(page.id)),
      )
      t.strictSame([run.error_count, coverage.failed.total], [errors.items.length, errors.items.length])
      t.match(coverage, { position, status: run.status, stop_reason: run.stop_reason, holds: true })
      t.strictSame(
        (await get<Listed<LinkEdge>>(`${id}/links?limit=1000&${asOf}`)).items,
        links.filter(link => inThen.has(link.from_page_id)),
      )
      if (statuses.at(-1) !== run.status) statuses.push(run.status)
    }
    return statuses
  }

  const id = await crawlTwice()

  /** A time at which the crawl had some pages, and lacked others. */
  async function midway() {
    const commits = await commitsOf(id)
    for (const { at: time } of commits) {
      const { ids } = factsAsOf(commits, time)
      if (ids.length >= 5) return { time, ids }
    }
    throw new Error('the crawl has fewer than five pages')
  }

  await t.test('agrees at each commit of a crawl with failures, redirects and a reopening', async t => {
    t.strictSame(await compareAll(t, id), ['queued', 'running', 'done', 'running', 'done'])
    const types = new Set((await commitsOf(id)).flatMap(({ events }) => events.map(({ type }) => type)))
    for (const type of ['PagesRetried', 'PagesFailed', 'PagesDuplicated', 'PagesSkipped', 'RunReopened'])
      t.ok(types.has(type as never), type)
  })

  await t.test('agrees at each commit of a crawl that was cancelled', async t => {
    const cancelled = await cancelAfterSomePages()
    t.strictSame(await compareAll(t, cancelled), ['queued', 'running', 'cancelled'])
  })

  await t.test('is the current crawl at the present time', async t => {
    const now = new Date().toISOString()
    for (const path of [
      '',
      '/coverage',
      '/pages',
      '/pages?fields=inlinks,depth',
      '/links',
      '/orphans',
      '/errors',
    ]) {
      const separator = path.includes('?') ? '&' : '?'
      t.strictSame(await get(`${id}${path}${separator}as_of=${now}`), await get(`${id}${path}`), path)
    }
  })

  await t.test('has the webhook and the end of that time', async t => {
    const commits = await commitsOf(id)
    const ends = commits.filter(({ events }) => events.some(({ type }) => type === 'RunFinished'))
    t.equal(ends.length, 2)
    const beforeEnd = commits[commits.indexOf(ends[0] as Commits[number]) - 1]
    t.match(await get(`${id}?as_of=${beforeEnd?.at}`), { finished_at: null, webhook_status: null })
    const first = await get<RunView>(`${id}?as_of=${ends[0]?.at}`)
    t.match(first, { status: 'done', finished_at: ends[0]?.at, error_count: broken.length })
  })

  await t.test('lists pages in parts, with the same filters and formats', async t => {
    const { time, ids } = await midway()
    t.ok(ids.length < (await get<RunView>(`${id}`)).page_count, `${ids.length} pages`)
    const collected: number[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const part: Listed<PageItem> = await get(`${id}/pages?limit=3&offset=${offset}&as_of=${time}`)
      collected.push(...part.items.map(page => page.id))
      offset = part.next_offset
    }
    t.strictSame(collected, ids)
    const csv = await call(`${id}/pages?format=csv&limit=3&as_of=${time}`)
    t.equal(csv.body.trim().split('\r\n').length, 4)
    t.equal(csv.headers.get('x-next-offset'), '3')
    t.match(
      csv.headers.get('link'),
      new RegExp(`as_of=${encodeURIComponent(time)}`),
      'the next part is of that time too',
    )
    const whole = await call(`${id}/pages?format=csv&limit=1000&as_of=${time}`)
    t.equal(whole.body.trim().split('\r\n').length, 1 + ids.length)
    t.equal(whole.headers.get('x-next-offset'), null)
    const long = await get<Listed<PageItem>>(`${id}/pages?limit=5000&as_of=${time}`)
    t.equal(long.items.length, ids.length, 'a long list')
    const found = await get<Listed<PageItem>>(`${id}/pages?status=503&as_of=${time}`)
    t.strictSame(
      found.items,
      long.items.filter(page => page.status === 503),
    )
  })

  await t.test('counts links of the pages of that time only', async t => {
    const { time } = await midway()
    const now = await get<Listed<PageItem>>(`${id}/pages?fields=inlinks`)
    const then = await get<Listed<PageItem>>(`${id}/pages?fields=inlinks&as_of=${time}`)
    const linksToSeed = (list: Listed<PageItem>) => list.items[0]?.inlinks ?? 0
    t.ok(linksToSeed(then) < linksToSeed(now), `${linksToSeed(then)} of ${linksToSeed(now)}`)
    t.equal(linksToSeed(then), then.items.length - 1 - then.items.filter(page => page.status === 503).length)
    const seed = encodeURIComponent(`${origin.url}/`)
    const toSeed = await get<Listed<LinkEdge>>(`${id}/links?to_url=${seed}&as_of=${time}`)
    t.equal(toSeed.items.length, linksToSeed(then))
    t.match((await get<Listed<unknown>>(`${id}/orphans?as_of=${time}`)).warnings, [/the crawl is running/])
    t.equal((await get<Listed<unknown>>(`${id}/orphans`)).warnings, undefined)
  })

  await t.test('is refused for a time before the crawl, in the future, or in another form', async t => {
    const { enqueued_at } = await get<RunView>(`${id}`)
    const before = new Date(Date.parse(enqueued_at) - 1).toISOString()
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    for (const path of ['', '/coverage', '/errors', '/pages', '/links', '/orphans']) {
      const error = async (asOf: string) => {
        const { status, body } = await call(`${id}${path}?as_of=${encodeURIComponent(asOf)}`)
        return { status, ...body.error }
      }
      t.match(await error(before), { status: 404, code: 'not_found', reason: 'before_crawl', field: 'as_of' })
      t.match(await error(soon), {
        status: 400,
        code: 'invalid_input',
        reason: 'out_of_range',
        field: 'as_of',
      })
      for (const text of ['yesterday', '', '2026-01-02', '2026-01-02T23:59:60Z'])
        t.match(await error(text), { status: 400, reason: 'bad_value', field: 'as_of' }, text)
    }
    const elsewhere = `${enqueued_at.slice(0, -1)}+00:00`
    t.match(await get(`${id}?as_of=${encodeURIComponent(elsewhere)}`), { status: 'queued' })
  })

  await t.test('belongs to its project, and disappears with the crawl', async t => {
    const other = await system.createProject('time-travel-elsewhere')
    const time = new Date().toISOString()
    const statuses = async (of: string) =>
      Promise.all(
        ['', '/coverage', '/errors', '/pages', '/links', '/orphans'].map(
          async path => (await system.call(of, 'GET', `/v1/crawls/${id}${path}?as_of=${time}`)).status,
        ),
      )
    t.strictSame(new Set(await statuses(other)), new Set([404]))
    t.strictSame(new Set(await statuses(key)), new Set([200]))
    t.equal((await system.call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    t.strictSame(new Set(await statuses(key)), new Set([404]))
  })
})
