/** Reads of a crawl as of an earlier time, with a coordinator that knows more pages than the read model. */
import { refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import { type Coverage, limits, trapRules } from '@tidemark/contracts/http/coverage'
import * as asOfRpc from '@tidemark/contracts/rpc/as-of'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { caller, keyNamed, surroundings } from '../gateway.scene.ts'
import { page, queued, settled, started } from '../read-model/projections/runs.examples.ts'

const mine = keyNamed('m')
const time = '2026-01-02T03:04:40.000Z'
const zero = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, 0]))

/** `position`: the sequence in the stream from which the read model must have read. */
const coverage = (fetched: number, position = 1) =>
  ({
    ...{ run_id: 1, status: 'running', stop_reason: null, error_message: null, error_reason: null },
    ...{ position, discovered: fetched, fetched, not_modified: { pages: 0, bytes_saved: 0 } },
    failed: { total: 0, by_reason: {} },
    skipped: {
      total: 0,
      by_reason: {
        ...zero(['robots', 'robots_unreachable', 'redirect_out_of_scope', 'excluded', 'not_included']),
        trap: zero(trapRules),
      },
    },
    ...{ duplicate: 0, not_reached: { total: 0, by_limit: zero(limits) }, pending: 0, budget: null },
    ...{ sitemaps: { read: 0, failed: 0, cut: 0 }, frontier_full: false, holds: true },
  }) as unknown as Coverage

test('A crawl as of an earlier time', async t => {
  const around = await surroundings(t)
  around.standIns.addKey(mine, 7)
  const { get, append } = caller(around, mine)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const serving = { signal: stop.signal, report: () => {} }
  const requests: object[] = []
  let found = { coverage: coverage(2), lastPageId: 101 }
  void serve(
    around.bus,
    asOfRpc.getCoverageAsOf,
    async request => {
      requests.push(request)
      if (request.runId === 9) throw refuse('not_found', { reason: 'before_crawl', message: 'Too early.' })
      return { found: request.runId === 1 ? found : null }
    },
    serving,
  )
  await append(1, queued(1), started, settled(page(100), page(101), page(102)))
  await until(async () => (await get('/v1/crawls/1/pages')).json.items?.length === 3)
  const pages = (query = '') => get(`/v1/crawls/1/pages?as_of=${time}${query}`)
  const idsIn = ({ json }: Awaited<ReturnType<typeof get>>) => json.items.map(({ id }: { id: number }) => id)

  await t.test('has the pages up to the last one of that time', async t => {
    t.strictSame(idsIn(await pages()), [100, 101])
    t.strictSame(idsIn(await pages('&limit=1')), [100])
    t.equal((await pages('&limit=1')).json.next_offset, 1)
    t.equal((await pages('&limit=2')).json.next_offset, null)
    t.equal((await pages('&limit=2&format=csv')).headers.get('x-next-offset'), null)
    found = { coverage: coverage(0), lastPageId: 0 }
    t.strictSame(idsIn(await pages()), [], 'none, if it had none')
  })

  await t.test('sends the time in UTC with milliseconds', async t => {
    requests.length = 0
    await get('/v1/crawls/1/coverage?as_of=2026-01-02T05:04:40.1239%2B02:00')
    await get('/v1/crawls/1/coverage?as_of=1066-10-14T09:00:00Z')
    t.strictSame(requests, [
      { projectId: 7, runId: 1, asOf: '2026-01-02T03:04:40.123Z' },
      { projectId: 7, runId: 1, asOf: '1970-01-01T00:00:00.000Z' },
    ])
  })

  await t.test('waits for pages that the read model has not yet', async t => {
    found = { coverage: coverage(4, 2), lastPageId: 103 }
    const reading = pages()
    await append(1, settled(page(103), page(104)))
    t.strictSame(idsIn(await reading), [100, 101, 102, 103])
    found = { coverage: coverage(99, 2), lastPageId: 999 }
    const refused = await pages()
    t.match(refused, { status: 503, json: { error: { code: 'unavailable' } } }, 'and never lists fewer')
  })

  await t.test('is refused as the coordinator says, and missing if it knows no such run', async t => {
    const early = { code: 'not_found', reason: 'before_crawl', message: 'Too early.' }
    for (const path of ['pages', 'links', 'orphans', 'coverage']) {
      t.match(await get(`/v1/crawls/9/${path}?as_of=${time}`), { status: 404, json: { error: early } })
      t.match(await get(`/v1/crawls/8/${path}?as_of=${time}`), {
        status: 404,
        json: { error: { code: 'not_found' } },
      })
    }
  })

  await t.test('is not requested without a time', async t => {
    requests.length = 0
    t.equal((await get('/v1/crawls/1/pages')).json.items.length, 5)
    t.equal((await get('/v1/crawls/1/links')).status, 200)
    t.strictSame(requests, [])
  })
})
