/** Replays of a crawl in parts, with a fake extractor that answers what the test says. */
import { refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import type { Replayed, ReplayPages } from '@tidemark/contracts/rpc/replay'
import * as replayRpc from '@tidemark/contracts/rpc/replay'
import type { SettledPage } from '@tidemark/contracts/run'
import { notifications } from '@tidemark/contracts/subjects'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { caller, keyNamed, surroundings } from '../gateway.scene.ts'
import { at, finished, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')
const same: Replayed = { changes: [], links: null }
const otherTitle: Replayed = { changes: [{ field: 'title', stored: 'Old', now: 'New' }], links: null }
const link = { to_url: 'https://example.com/a', anchor: 'A', rel: null, nofollow: false }
const otherLinks: Replayed = {
  changes: [],
  links: { added_total: 31, added: [link], removed_total: 0, removed: [] },
}

test('A replay of a crawl', async t => {
  const around = await surroundings(t)
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const { get, append } = caller(around, mine)
  const stop = new AbortController()
  t.teardown(() => stop.abort())

  let requests: ReplayPages[] = []
  const usual = async ({ pages }: ReplayPages) => pages.map(() => same)
  let answer: (request: ReplayPages) => Promise<Replayed[]> = usual
  const handler = async (request: ReplayPages) => {
    requests.push(request)
    return { pages: await answer(request) }
  }
  void serve(around.bus, replayRpc.replayPages, handler, { signal: stop.signal, report: () => {} })
  t.beforeEach(() => {
    requests = []
    answer = usual
  })

  /** A run with these pages. */
  async function crawled(runId: number, pages: SettledPage[], { keeps = true, ends = true } = {}) {
    await append(runId, queued(runId), started, settled(...pages))
    if (ends) await append(runId, finished(pages.length, 0))
    await around.content.storePages(
      pages.slice(0, 1).map(({ key }) => ({
        ...{ runId, urlKey: key, charset: null, contentType: null, metadata: '{}', edges: Buffer.of() },
        body: keeps ? { hash: Buffer.alloc(32, 7), encodings: [], size: 1, data: Buffer.of(7) } : null,
      })),
    )
    await until(async () => {
      const { json } = await get(`/v1/crawls/${runId}`)
      return json.page_count === pages.length && (json.finished_at !== null) === ends
    })
  }
  const pagesOf = (runId: number, count: number) =>
    Array.from({ length: count }, (_, n) => {
      const url = `https://example.com/${runId}/${n}`
      return page(runId * 1_000 + n, { url, key: urlKey(url) })
    })

  await t.test('requests the pages of a window with their stored values', async t => {
    const [first, second] = pagesOf(1, 2) as [SettledPage, SettledPage]
    const rendered = { rendered: true as const, status: 404, title: null, comparisonHash: 'c'.repeat(64) }
    await crawled(1, [first, { ...second, ...rendered }])
    const rules = { ignoreSelectors: ['.ad'] }
    await around.pool.query('update read.run set comparison = $1 where id = 1', [JSON.stringify(rules)])
    const { status, json } = await get('/v1/crawls/1/replay')
    t.equal(status, 200)
    t.strictSame(json, {
      ...{ run_id: 1, items: [], pages_read: 2, pages_changed: 0, pages_not_stored: 0, pages_unreadable: 0 },
      ...{ total: 2, next_offset: null },
    })
    const [request] = requests as [ReplayPages]
    t.ok(request.workId < 0)
    const hashes = { contentHash: 'a'.repeat(64), rawHash: 'b'.repeat(64) }
    const facts = ({ key, url }: SettledPage) => ({ key, url, fetchedAt: at(30), ...hashes })
    const title = 'Page 1000'
    t.strictSame(requests, [
      {
        ...{ workId: request.workId, projectId: 7, runId: 1, comparison: rules },
        pages: [
          { ...facts(first), status: 200, rendered: false, title, comparisonHash: null },
          { ...facts(second), ...rendered },
        ],
      },
    ])
  })

  await t.test('returns the pages that differ, and counts all', async t => {
    await crawled(2, pagesOf(2, 5))
    const unread = ['not_stored', 'too_large'].map(unread => ({ unread }))
    answer = async () => [otherTitle, same, ...unread, otherLinks]
    const { json } = await get('/v1/crawls/2/replay')
    t.strictSame(json, {
      run_id: 2,
      items: [
        { id: 2_000, url: 'https://example.com/2/0', ...otherTitle },
        { id: 2_004, url: 'https://example.com/2/4', ...otherLinks },
      ],
      ...{ pages_read: 3, pages_changed: 2, pages_not_stored: 1, pages_unreadable: 1, total: 5 },
      next_offset: null,
      warnings: [
        'page 2003 cannot be read: its decoded body exceeds the maximum size of this installation (too_large)',
      ],
    })
    answer = async () => ['protocol', 'unreadable', 'constructor'].map(unread => ({ unread }))
    t.match((await get('/v1/crawls/2/replay?limit=3')).json.warnings, [
      /cannot be decoded \(protocol\)$/,
      /time or memory, or failed \(unreadable\)$/,
      /time or memory, or failed \(constructor\)$/,
    ])
  })

  await t.test('has parts, which follow each other without a gap', async t => {
    await crawled(3, pagesOf(3, 47))
    answer = async ({ pages }) => pages.slice(0, 15).map(() => otherTitle)
    const ids: number[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { json } = await get(`/v1/crawls/3/replay?limit=30&offset=${offset}`)
      t.equal(json.total, 47)
      ids.push(...json.items.map(({ id }: { id: number }) => id))
      offset = json.next_offset
    }
    t.strictSame(
      ids,
      pagesOf(3, 47).map(({ id }) => id),
    )
    t.strictSame(
      requests.map(({ pages }) => pages.length),
      [20, 15, 17, 2],
    )
    t.equal((await get('/v1/crawls/3/replay')).json.next_offset, 20, '20 pages by default')
    t.match((await get('/v1/crawls/3/replay?offset=46')).json, { pages_read: 1, next_offset: null })
    for (const offset of ['47', '9'.repeat(25)])
      t.match((await get(`/v1/crawls/3/replay?offset=${offset}`)).json, { pages_read: 0, next_offset: null })
  })

  await t.test('ends a part when the extractor is busy, or when it is long', async t => {
    await crawled(4, pagesOf(4, 100))
    const busy = [
      () => refuse('unavailable'),
      () => refuse('too_many_requests', { reason: 'concurrent_requests', message: 'Too many.' }),
    ]
    for (const refusal of busy) {
      requests = []
      answer = async request => {
        if (requests.length === 3) throw refusal()
        return usual(request)
      }
      t.match((await get('/v1/crawls/4/replay?limit=100')).json, { pages_read: 40, next_offset: 40 })
    }
    answer = async () => {
      throw refuse('unavailable')
    }
    t.match(await get('/v1/crawls/4/replay'), { status: 503, json: { error: { code: 'unavailable' } } })
    const long = { changes: [{ field: 'title', stored: 'x'.repeat(60_000), now: null }], links: null }
    answer = async ({ pages }) => pages.map(() => long)
    t.match((await get('/v1/crawls/4/replay?limit=100')).json, { pages_read: 20, next_offset: 20 })
  })

  await t.test('is rejected without stored bodies, and for crawls of others', async t => {
    await crawled(5, pagesOf(5, 1), { keeps: false })
    t.match(await get('/v1/crawls/5/replay'), {
      status: 409,
      json: { error: { code: 'conflict', reason: 'html_not_stored', message: /store_html: false/ } },
    })
    for (const [path, key] of [
      ['/v1/crawls/5/replay', foreign],
      ['/v1/crawls/99/replay', mine],
    ] as const)
      t.equal((await get(path, { key })).status, 404, path)
    t.strictSame(requests, [])
  })

  await t.test('is not found if the crawl is deleted meanwhile', async t => {
    await crawled(8, pagesOf(8, 3))
    answer = async ({ pages }) => {
      await around.pool.query('delete from read.run where id = 8')
      return pages.map(() => ({ unread: 'not_stored' }))
    }
    t.equal((await get('/v1/crawls/8/replay')).status, 404)
  })

  await t.test('includes what a running crawl has stored so far', async t => {
    await crawled(6, pagesOf(6, 2), { ends: false })
    t.match((await get('/v1/crawls/6/replay')).json, { pages_read: 2, warnings: [/^the crawl is running/] })
    await append(7, queued(7))
    await until(async () => (await get('/v1/crawls/7')).status === 200)
    t.match((await get('/v1/crawls/7/replay')).json, {
      items: { length: 0 },
      total: 0,
      warnings: [/is running/],
    })
  })

  await t.test('is limited to two of a project at once, and stops when its client leaves', async t => {
    const dropped: number[] = []
    around.bus.nc.subscribe(notifications.workDropped, {
      callback: (_, message) => void dropped.push(message.json<{ workId: number }>().workId),
    })
    await around.bus.nc.flush()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    answer = async request => {
      await held
      return usual(request)
    }
    const headers = { authorization: `Bearer ${mine}` }
    const leave = new AbortController()
    const path = '/v1/crawls/1/replay'
    const left = t.rejects(fetch(around.url + path, { headers, signal: leave.signal }), {
      name: 'AbortError',
    })
    const second = get(path)
    await until(async () => requests.length === 2)
    t.match(await get(path), { status: 429, json: { error: { reason: 'concurrent_requests' } } })
    leave.abort()
    await left
    await until(async () => dropped.length === 1)
    t.ok(requests.some(({ workId }) => workId === dropped[0]))
    release()
    t.equal((await second).status, 200)
    t.equal((await get(path)).status, 200)
    t.equal(dropped.length, 1, 'a request that was answered is not dropped')
  })
})
