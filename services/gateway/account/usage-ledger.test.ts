/** `GET /v1/usage/ledger` and `X-Pages-Billed` at the gateway: the selected rows, and the form of a bill. */
import { refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import { dayOf } from '@tidemark/contracts/calendar'
import { Ledger } from '@tidemark/contracts/http/usage-ledger'
import { prices } from '@tidemark/contracts/prices'
import type { LedgerRow, ReadLedger } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'
import { finished, page, settled, started } from '../read-model/projections/runs.examples.ts'

const at = '2026-01-02T03:04:05.678Z'
const common = { at, day: '2026-01-02', kind: 'page', costUsd: 0 } as const
const ofRun = { ...common, operation: 'crawl', requestId: null, what: null }
const ofRequest = { ...common, operation: 'scan_bulk', runId: null, pageId: null, attempt: null }
const rows: LedgerRow[] = [
  { ...ofRun, units: 1, reason: 'billed', runId: 1, pageId: 11, attempt: 1 },
  { ...ofRun, units: 0, reason: 'blocked', runId: 1, pageId: 12, attempt: 2 },
  { ...ofRun, units: 1, reason: 'billed', runId: 99, pageId: 9_900, attempt: 1 },
  { ...ofRequest, units: 1, reason: 'failed', requestId: 'r', what: '=1+1,"' },
]

test('The bill of a project at the gateway', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const mine = keyNamed('m')
  const foreign = keyNamed('f')
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const { get, post, append } = caller(around, mine)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const requested: ReadLedger[] = []
  void serve(
    around.bus,
    usageRpc.readLedger,
    async request => {
      requested.push(request)
      return { rows: rows.slice(request.offset, request.offset + request.limit) }
    },
    { signal: stop.signal, report: () => {} },
  )
  await around.bus.nc.flush()
  const { id } = (await post('/v1/crawls', { url: seed })).json
  await append(id, started, settled(page(11), page(12, { blocked: true })))
  await until(async () => (await get(`/v1/crawls/${id}/pages`)).json.items?.length === 2)

  await t.test('names what each unit was for, by what is still there of it', async t => {
    const { status, json } = await get('/v1/usage/ledger')
    t.equal(status, 200)
    t.ok(Check(Ledger, json))
    t.equal(json.next_offset, null)
    t.strictSame(json.items[0], {
      at,
      day: '2026-01-02',
      kind: 'page',
      units: 1,
      reason: 'billed',
      operation: 'crawl',
      run_id: 1,
      page_id: 11,
      request_id: null,
      url: 'https://example.com/11',
      attempt: 1,
      cost_usd: 0,
      model: null,
      input_tokens: null,
      output_tokens: null,
    })
    t.match(json.items[1], { units: 0, reason: 'blocked', url: 'https://example.com/12', attempt: 2 })
    t.match(json.items[2], { run_id: 99, page_id: 9_900, url: null }, 'of a deleted run, no URL')
    t.match(json.items[3], { run_id: null, request_id: 'r', url: '=1+1,"', attempt: null })
    const other = await get('/v1/usage/ledger', { key: foreign })
    t.equal(other.json.items[0].url, null, 'and no address of a page of others')
    t.strictSame(
      requested.map(({ projectId }) => projectId),
      [7, 8],
    )
  })

  await t.test('can be filtered by day, by run, by request and by kind', async t => {
    const today = dayOf(Date.now())
    const nothing = { runId: null, requestId: null, kind: null, limit: 101, offset: 0 }
    const cases: [query: string, question: object][] = [
      ['', { ...nothing, from: today, to: today }],
      ['?from=2026-01-01&to=2026-12-31', { ...nothing, from: '2026-01-01', to: '2026-12-31' }],
      ['?to=2026-01-01', { ...nothing, from: '2026-01-01', to: '2026-01-01' }],
      [`?from=${today}`, { ...nothing, from: today, to: today }],
      ['?run_id=7', { ...nothing, from: null, to: null, runId: 7 }],
      ['?run_id=7&to=2026-01-01', { ...nothing, from: null, to: '2026-01-01', runId: 7 }],
      ['?request_id=r&limit=1&offset=2', { requestId: 'r', from: null, limit: 2, offset: 2 }],
      ['?kind=cloud_page', { kind: 'cloud_page' }],
    ]
    for (const [query, request] of cases) {
      t.equal((await get(`/v1/usage/ledger${query}`)).status, 200, query)
      t.match(requested.at(-1), { projectId: 7, ...request }, query)
    }
    const before = requested.length
    const wrong: [query: string, field: string, reason: string][] = [
      ['from=2026-02-30', 'from', 'bad_value'],
      ['to=today', 'to', 'bad_value'],
      ['from=0000-01-01&to=0000-01-01', 'from', 'out_of_range'],
      ['to=0000-12-31&run_id=1', 'to', 'out_of_range'],
      ['from=2026-01-02&to=2026-01-01', 'from', 'conflicting_fields'],
      ['from=2025-01-01&to=2026-01-01', 'from', 'out_of_range'],
      ['run_id=0', 'run_id', 'out_of_range'],
      ['run_id=x', 'run_id', 'wrong_type'],
      ['request_id=', 'request_id', 'bad_value'],
      ['kind=none', 'kind', 'bad_value'],
      ['limit=1001', 'limit', 'out_of_range'],
      ['offset=-1', 'offset', 'out_of_range'],
    ]
    for (const [query, field, reason] of wrong) {
      const { status, json } = await get(`/v1/usage/ledger?${query}`)
      t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', field, reason }, query)
    }
    const { message } = (await get('/v1/usage/ledger?to=today')).json.error
    t.equal(message, 'to must be a day as YYYY-MM-DD; "today" was sent.')
    t.equal(requested.length, before)
    t.equal((await get('/v1/usage/ledger', { key: null })).status, 401)
  })

  await t.test('comes part by part, and as lines of text', async t => {
    const first = await get('/v1/usage/ledger?limit=3&to=2026-01-02')
    t.equal(first.json.items.length, 3)
    t.equal(first.json.next_offset, 3)
    t.equal((await get('/v1/usage/ledger?limit=3&offset=3&to=2026-01-02')).json.next_offset, null)
    const csv = await get('/v1/usage/ledger?limit=3&to=2026-01-02&format=csv&offset=1')
    t.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
    t.equal(csv.headers.get('x-next-offset'), null)
    t.strictSame(csv.text.split('\r\n'), [
      'at,day,kind,units,reason,operation,run_id,page_id,request_id,url,attempt,cost_usd,model,input_tokens,output_tokens',
      `${at},2026-01-02,page,0,blocked,crawl,1,12,,https://example.com/12,2,0,,,`,
      `${at},2026-01-02,page,1,billed,crawl,99,9900,,,1,0,,,`,
      `${at},2026-01-02,page,1,failed,scan_bulk,,,r,"'=1+1,""",,0,,,`,
      '',
    ])
    t.equal(csv.headers.get('content-disposition'), 'attachment; filename="usage-ledger.csv"')
    const lines = await get('/v1/usage/ledger?limit=1', { headers: { accept: 'application/x-ndjson' } })
    t.strictSame(lines.text, `${JSON.stringify(first.json.items[0])}\n`)
    t.match(lines.headers.get('link'), /^<\/v1\/usage\/ledger\?limit=1&offset=1&format=ndjson>; rel="next"$/)
  })

  await t.test('is in every response of an endpoint that may cost something, and in no other', async t => {
    const billed = async (answering: ReturnType<typeof get>) =>
      (await answering).headers.get('x-pages-billed')
    t.equal(await billed(post('/v1/scan', {})), '0', 'a refusal costs nothing')
    t.equal(await billed(post('/v1/map', { url: 'nonsense' })), '0')
    t.equal(await billed(post('/v1/crawls/estimate', {})), '0')
    t.equal(await billed(get('/v1/robots-policy')), '0')
    t.equal(await billed(post('/v1/llms-txt-build', {})), '0')
    around.standIns.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 7 })
    t.equal(await billed(post('/v1/scan', { url: seed })), '0')
    around.standIns.grant = ({ units }) => ({ granted: units, reason: null, retryAfterSeconds: null })
    t.equal(await billed(post('/v1/crawls', { url: seed })), null, 'a crawl is billed after its answer')
    t.equal(await billed(get('/v1/usage')), null)

    const building = post('/v1/llms-txt-build', { url: seed, wait_seconds: 30 })
    await until(async () => around.standIns.starts.length === 3)
    const pages = [page(31, { url: seed }), page(32), page(33, { blocked: true })]
    await append(3, started, settled(...pages), finished(3, 0))
    const { status, headers } = await building
    t.strictSame([status, headers.get('x-pages-billed')], [200, '2'])

    const refusing = async (code: 'too_many_requests' | 'unavailable') => {
      around.standIns.refusal = refuse(code, code === 'unavailable' ? {} : { reason: 'concurrent_runs' })
      const refused = await post('/v1/llms-txt-build', { url: seed })
      return [refused.status, refused.headers.get('x-pages-billed')]
    }
    t.strictSame(await refusing('too_many_requests'), [429, '0'], 'a refusal has started no crawl')
    t.strictSame(
      await refusing('unavailable'),
      [503, null],
      'a crawl may have started, so no client may repeat it',
    )
    around.standIns.refusal = null
  })

  await t.test('knows no price of what is no endpoint', async t => {
    const { paths } = (await get('/openapi.json', { key: null })).json
    for (const [operation, { at }] of Object.entries(prices)) {
      for (const endpoint of [at ?? []].flat()) {
        const [method = '', path = ''] = endpoint.split(' ')
        const documented = path.replace('*', ':path').replace(/:(\w+)/g, '{$1}')
        t.ok(paths[documented]?.[method.toLowerCase()], `${operation}: ${endpoint}`)
      }
    }
  })
})
