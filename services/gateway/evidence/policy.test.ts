/** How a crawl treated its hosts, with times that the test computes from its own pages. */
import { serve } from '@tidemark/bus/rpc'
import { limits, trapRules } from '@tidemark/contracts/http/coverage'
import type { HostFacts } from '@tidemark/contracts/http/crawl-policy'
import * as explainRpc from '@tidemark/contracts/rpc/explain'
import { untilBlocked } from '@tidemark/testing/databases'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { caller, keyNamed, surroundings } from '../gateway.scene.ts'
import { finished, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')
const [first, second, third] = [
  'https://example.com',
  'https://www.example.com:8443',
  'http://empty.example.com',
]
const start = Date.UTC(2026, 0, 2, 3, 4, 0)
const zero = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, 0]))

const robots: HostFacts['robots'] = {
  verdict: 'rules',
  status: 200,
  reason: null,
  decided_at: '2026-01-02T03:04:05.900Z',
  body_hash: 'c'.repeat(64),
  agent: 'tidemark',
  crawl_delay: 1,
  rules: [{ allow: false, pattern: '/private/' }],
  rule_count: 1,
}
const hostOf = (origin: string, delay_ms: number) => ({
  origin,
  robots,
  delay_ms,
  not_requested: { robots: 2, robots_unreachable: 0 },
})
const byReason = { robots: 2, robots_unreachable: 0, redirect_out_of_scope: 0, excluded: 1, not_included: 0 }
const skipped = { total: 3, by_reason: { ...byReason, trap: zero(trapRules) } }
const not_reached = { total: 0, by_limit: zero(limits) }

test('The policy of a crawl', async t => {
  const around = await surroundings(t)
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const { get, append } = caller(around, mine)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const windows: object[] = []
  const serving = { signal: stop.signal, report: () => {} }
  const items = [hostOf(first, 1_000), hostOf(second, 250), hostOf(third, 250)]
  void serve(
    around.bus,
    explainRpc.getHosts,
    async ({ projectId, limit, offset }) => {
      windows.push({ projectId, limit, offset })
      const hosts = { respectRobots: true, userAgent: null, delayMs: 250, items, next_offset: 103 }
      return { hosts }
    },
    serving,
  )
  const counts = {
    run_id: 1,
    status: 'done',
    stop_reason: 'exhausted',
    position: 9,
    discovered: 3,
    fetched: 0,
  } as const
  void serve(
    around.bus,
    explainRpc.getCoverage,
    async () => ({
      coverage: {
        ...{ ...counts, not_modified: { pages: 0, bytes_saved: 0 }, failed: { total: 0, by_reason: {} } },
        ...{ skipped, not_reached, duplicate: 0, pending: 0, sitemaps: { read: 0, failed: 0, cut: 0 } },
        ...{ frontier_full: false, holds: true },
      } as never,
    }),
    serving,
  )
  const at = (ms: number) => new Date(start + ms).toISOString()
  const times: [string, number[]][] = [
    [first, [100, 1_105, 2_100, 2_900, 6_200]],
    [second, [5_000, ...Array.from({ length: 60 }, (_, n) => 9_000 + n)]],
    ['https://unknown.example', [50]],
  ]
  let id = 0
  const pages = times.flatMap(([origin, all]) =>
    all.map(ms => page(++id, { url: `${origin}/${id}`, fetchedAt: at(ms) })),
  )
  // A fork did not request it, so it shows no rate.
  const reused = page(++id, { url: `${first}/reused`, fetchedAt: at(101), carried: { since: 9 } })
  await append(1, queued(1), started)
  await append(1, settled(...pages.toReversed(), reused))
  await until(async () => (await get('/v1/crawls/1/policy')).status === 409)
  t.match((await get('/v1/crawls/1/policy')).json.error, { code: 'conflict', reason: 'run_active' })
  await append(1, finished(pages.length, 0))
  await until(async () => (await get('/v1/crawls/1/policy')).status === 200)

  const { json } = await get('/v1/crawls/1/policy?limit=3&offset=100')
  t.match(json, {
    run_id: 1,
    respect_robots: true,
    user_agent: null,
    delay_ms: 250,
    ai_bot_policy: null,
    has_llms_txt: false,
    not_requested: {
      skipped,
      not_reached,
      frontier_full: false,
      events_path: '/v1/crawls/1/events?types=skipped,filtered,pruned,deferred,frontier_filled',
    },
    next_offset: 103,
  })
  t.strictSame(windows.at(-1), { projectId: 7, limit: 3, offset: 100 })
  t.strictSame(json.items, [
    {
      ...items[0],
      pages: {
        count: 5,
        first_at: at(100),
        last_at: at(6_200),
        smallest_gap_ms: 800,
        average_gap_ms: 1_525,
        gaps_below_delay: 2,
        seconds: [
          { pages: 1, seconds: 3 },
          { pages: 2, seconds: 1 },
        ],
      },
    },
    {
      ...items[1],
      pages: {
        count: 61,
        first_at: at(5_000),
        last_at: at(9_059),
        smallest_gap_ms: 1,
        average_gap_ms: Math.floor(4_059 / 60),
        gaps_below_delay: 59,
        seconds: [
          { pages: 1, seconds: 1 },
          { pages: 50, seconds: 1 },
        ],
      },
    },
    {
      ...items[2],
      pages: {
        ...{ count: 0, first_at: null, last_at: null, smallest_gap_ms: null, average_gap_ms: null },
        ...{ gaps_below_delay: 0, seconds: [] },
      },
    },
  ])
  t.match(await get('/v1/crawls/1/policy', { key: foreign }), { status: 404 })
  t.match(await get('/v1/crawls/2/policy'), { status: 404 })

  const deletion = await around.pool.connect()
  t.teardown(() => deletion.release(true))
  await deletion.query('begin; lock table read.page in access exclusive mode')
  const reading = get('/v1/crawls/1/policy')
  await untilBlocked(deletion, 'read.page')
  await deletion.query('delete from read.run where id = 1; commit')
  t.match(await reading, { status: 404 }, 'the crawl is deleted before the times of its pages are read')
})
