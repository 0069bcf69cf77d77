/** `/v1/map`, `/v1/crawls/estimate` and `/v1/robots-policy` at the gateway: the accepted requests, and the answers. */

import { Refusal } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import type { JudgeUrls } from '@tidemark/contracts/rpc/judge'
import * as judgeRpc from '@tidemark/contracts/rpc/judge'
import type { MapSite, MapSiteResponse } from '@tidemark/contracts/rpc/map'
import * as mapRpc from '@tidemark/contracts/rpc/map'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import type { ReadRobotsPolicy } from '@tidemark/contracts/rpc/policy'
import * as policyRpc from '@tidemark/contracts/rpc/policy'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import tap, { test } from 'tap'
import { badUrls } from '../bad-requests.examples.ts'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'
import { finished, page, settled, started } from '../read-model/projections/runs.examples.ts'

const map: MapSiteResponse = {
  url: seed,
  items: [
    { url: seed, title: 'Home', source: 'link' },
    { url: `${seed}a`, lastmod: '2026-01-02', source: 'sitemap' },
  ],
  total: 2,
  truncated: false,
  sources: {
    robots: { url: `${seed}robots.txt`, status: 200, error: null },
    sitemaps: [{ url: `${seed}sitemap.xml`, status: 200, urls: 1, sitemaps: 0, cut: null }],
    home_page: { url: seed, status: 200, links: 1, error: null },
  },
  warnings: ['the home page answered 418'],
  robots: [{ origin: seed, status: 200, body: 'User-agent: *' }],
}

const around = await surroundings(tap, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
const mine = keyNamed('m')
around.standIns.addKey(mine, 7)
const { call, get, post, append } = caller(around, mine)

test('Maps and estimates at the gateway', { timeout: patient(300_000) }, async t => {
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const requested: { maps: MapSite[]; judged: JudgeUrls[] } = { maps: [], judged: [] }
  let refusal: Refusal | null = null

  await t.test('report that the extractor is unavailable', async t => {
    const { status, json } = await post('/v1/map', { url: seed })
    t.match({ status, json }, { status: 503, json: { error: { code: 'unavailable' } } })
  })

  const serving = { signal: stop.signal, report: () => {} }
  void serve(
    around.bus,
    mapRpc.mapSite,
    async request => {
      requested.maps.push(request)
      if (refusal) throw refusal
      const { robots, ...rest } = map
      return request.withRobots && robots ? { ...rest, robots } : rest
    },
    serving,
  )
  void serve(
    around.bus,
    judgeRpc.judgeUrls,
    async request => {
      requested.judged.push(request)
      const out = [{ url: `${seed}a`, rule: 'robots', because: '/a' }]
      const cut = request.settings.includePaths && { isCut: true as const }
      return { judged: 2, admitted: 1, in: [seed], out, delayMs: 1500, ...cut }
    },
    serving,
  )
  void serve(
    around.bus,
    monitorsRpc.checkSchedule,
    async ({ schedule, timezone }) => {
      const message = `${schedule} in ${timezone}`
      if (schedule.startsWith('60'))
        throw new Refusal({ status: 400, code: 'invalid_input', reason: 'bad_cron', field: 'cron', message })
      return {}
    },
    serving,
  )
  await around.bus.nc.flush() // else a question may come before the server knows who answers

  await t.test('pass the request on, and report ignored fields', async t => {
    const { status, json } = await post('/v1/map', {
      url: 'http://127.0.0.1:8099#top',
      search: 'x',
      depth: 3,
    })
    t.equal(status, 200)
    const { robots: _, warnings, ...rest } = map
    t.same(json, { ...rest, warnings: ["unknown field 'depth' was ignored", ...(warnings ?? [])] })
    t.match(requested.maps.at(-1), {
      projectId: 7,
      limit: 5000,
      search: 'x',
      subdomains: false,
      sitemaps: true,
      respectRobots: true,
    })
  })

  await t.test('refuse an impossible site before sending any request', async t => {
    const before = requested.maps.length
    const cases: [body: unknown, reason: string, field?: string][] = [
      [{}, 'required', 'url'],
      [{ url: 7 }, 'wrong_type', 'url'],
      [{ url: 'example' }, 'bad_url', 'url'],
      [{ url: 'ftp://example.com/' }, 'bad_url', 'url'],
      [{ url: 'http://10.0.0.1/' }, 'private_address', 'url'],
      [{ url: seed, limit: 0 }, 'out_of_range', 'limit'],
      [{ url: seed, limit: 50_001 }, 'out_of_range', 'limit'],
      [{ url: seed, search: 'x'.repeat(501) }, 'bad_value', 'search'],
      [{ url: seed, subdomains: 'yes' }, 'wrong_type', 'subdomains'],
    ]
    for (const [body, reason, field] of cases) {
      const { status, json } = await post('/v1/map', body)
      t.match(
        { status, ...json.error },
        { status: 400, code: 'invalid_input', reason, field },
        JSON.stringify(body),
      )
    }
    t.equal((await call('POST', '/v1/map', { key: null, body: { url: seed } })).status, 401)
    t.equal((await call('GET', '/v1/map')).status, 405)
    t.equal(requested.maps.length, before)
  })

  await t.test('pass on why a site could not be reached', async t => {
    refusal = new Refusal({ status: 502, code: 'fetch_failed', message: 'No name.', reason: 'dns' })
    for (const path of ['/v1/map', '/v1/crawls/estimate']) {
      const { status, json } = await post(path, { url: seed })
      t.match(
        { status, ...json.error },
        { status: 502, code: 'fetch_failed', reason: 'dns', message: 'No name.' },
      )
    }
    refusal = null
  })

  await t.test('estimate by the same rules as a crawl is started', async t => {
    const request = { url: seed, max_pages: 10, user_agent: 'Own/1', cookies: 'a=b', delay_ms: 1500 }
    const { status, json } = await post('/v1/crawls/estimate', request)
    t.match(
      { status, json },
      {
        status: 200,
        json: {
          pages: { low: 1, high: 2 },
          cost: { pages: { low: 1, high: 2 } },
          seconds_at_polite_rate: { low: 1.5, high: 3 },
          in: [seed],
          out: [{ url: `${seed}a`, rule: 'robots', because: '/a' }],
          basis: { by: 'sitemaps', listed: 2, would_be_crawled: 1, truncated: false, last_run: null },
          warnings: [
            ...(map.warnings ?? []),
            'the site was read without cookies: a crawl with them may find other pages',
          ],
        },
      },
    )
    t.match(requested.maps.at(-1), { projectId: 7, maxFetches: 20, withRobots: true, userAgent: 'Own/1' })
    t.match(requested.judged.at(-1), {
      url: seed,
      urls: [seed, `${seed}a`],
      settings: { maxPages: 10 },
      robots: map.robots,
    })
    const sitemap = { url: seed, seed_kind: 'sitemap' }
    t.match((await post('/v1/crawls/estimate', sitemap)).json, { pages: { low: 1, high: 1 } })
    t.equal(requested.maps.at(-1)?.sitemap, `${seed}sitemap.xml`)
    t.same(requested.judged.at(-1)?.urls, [`${seed}a`])
    t.match((await post('/v1/crawls/estimate', { ...sitemap, follow_links: false })).json, {
      basis: { by: 'sitemaps' },
    })
    const listing = { url: seed, urls: [`${seed}a`, `${seed}b`], follow_links: false, include_paths: ['a'] }
    t.match((await post('/v1/crawls/estimate', listing)).json, {
      basis: { by: 'urls' },
      warnings: [...(map.warnings ?? []), /only 2 of 2 URLs were judged/],
    })
    t.equal(requested.maps.at(-1)?.sitemaps, false, 'no sitemap is read that no link leads to')
    t.same(requested.judged.at(-1)?.urls, [])
    const costOf = async (render: string) =>
      (await post('/v1/crawls/estimate', { ...request, render })).json.cost
    t.strictSame(await costOf('none'), { pages: { low: 1, high: 2 }, usd: { low: 0.001, high: 0.002 } })
    t.strictSame(await costOf('auto'), {
      pages: { low: 0, high: 2 },
      cloud_pages: { low: 0, high: 2 },
      usd: { low: 0.001, high: 0.02 },
    })
    t.strictSame(await costOf('always'), {
      pages: { low: 0, high: 0 },
      cloud_pages: { low: 1, high: 2 },
      usd: { low: 0.01, high: 0.02 },
    })
    const within = async (more: object) => (await post('/v1/crawls/estimate', { ...request, ...more })).json
    t.match(await within({ max_cost_usd: 0.0015 }), {
      pages: { low: 1, high: 1 },
      cost: { usd: { low: 0.001, high: 0.001 } },
    })
    t.match(await within({ max_cost_usd: 0.0105, render: 'auto' }), {
      pages: { low: 1, high: 1 },
      cost: { usd: { low: 0.001, high: 0.01 } },
    })
    t.match(await within({ max_cost_usd: 0.011, render: 'auto' }), {
      pages: { low: 1, high: 2 },
      cost: { usd: { low: 0.001, high: 0.011 } },
    })
    t.match((await within({ max_bytes: 1_000 })).warnings.join(), /max_bytes may end the crawl earlier/)
    t.match(await within({ max_cost_usd: 0.0001 }), { error: { field: 'max_cost_usd' } })
    t.match((await post('/v1/crawls/estimate', { url: seed, depth: 51 })).json.error, { field: 'depth' })
    t.match((await post('/v1/crawls/estimate', { url: seed, include_paths: ['('] })).json.error, {
      reason: 'bad_regex',
    })
    t.equal(around.standIns.starts.length, 0, 'nothing is started')
  })

  await t.test('estimate no schedule that a monitor cannot have', async t => {
    const monitor = { url: seed, timezone: 'Europe/Berlin' }
    const before = requested.maps.length
    const { status, json } = await post('/v1/crawls/estimate', { ...monitor, cron: '60 * * * *' })
    const error = { field: 'cron', reason: 'bad_cron', message: '60 * * * * in Europe/Berlin' }
    t.match({ status, json }, { status: 400, json: { error } })
    t.equal(requested.maps.length, before, 'and the site is not read')
    t.match(await post('/v1/crawls/estimate', { ...monitor, cron: '0 * * * *' }), { status: 200 })
  })

  await t.test('estimate by the last crawl that followed the same URLs', async t => {
    const crawled = async (request: object) => {
      const { id } = (await post('/v1/crawls', request)).json
      const pages = [1, 2, 3].map(n => page(10 * id + n))
      await append(id, started, settled(...pages), finished(3, 0))
      await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'done')
      return id
    }
    const estimated = async (more: object = {}) =>
      (await post('/v1/crawls/estimate', { url: seed, ...more })).json
    const listed = await crawled({ url: seed, urls: [`${seed}a`, `${seed}b`], follow_links: false })
    t.match(
      await estimated(),
      { pages: { low: 1, high: 2 }, basis: { by: 'sitemaps', last_run: { id: listed, pages: 3 } } },
      'a crawl of a list does not show the size of the site',
    )
    const whole = await crawled({ url: seed, max_pages: 50, exclude_paths: ['x', 'y'] })
    const alike = { exclude_paths: ['y', 'x'], max_pages: 10, delay_ms: 500 }
    t.match(await estimated(alike), {
      pages: { low: 1, high: 3 },
      basis: { by: 'last_run', last_run: { id: whole } },
    })
    const sitemap = { url: `${seed}sitemap.xml`, seed_kind: 'sitemap' }
    await crawled(sitemap)
    t.match(
      await estimated(sitemap),
      { pages: { low: 1, high: 1 }, basis: { by: 'sitemaps', last_run: { pages: 3 } } },
      'a sitemap lists all pages, so no earlier crawl is the basis',
    )
    const others = [
      { exclude_paths: ['x'] },
      { include_paths: ['a'] },
      { depth: 2 },
      { subdomains: true },
      { urls: [`${seed}b`] },
    ]
    for (const more of others) {
      const { basis } = await estimated({ ...alike, ...more })
      t.match(basis, { by: 'sitemaps', last_run: { id: whole } }, Object.keys(more).join())
    }
  })
})

const policy: RobotsPolicy = {
  url: seed,
  robots_txt: `User-agent: *\nDisallow:\n${'# a remark\n'.repeat(20_000)}`,
  llms_txt: null,
  ai_bot_policy: { GPTBot: 'allowed' },
  robots_status: 200,
  content_signals: { '*': { search: 'yes' } },
  fetched_at: '2026-01-02T03:04:05.678Z',
  verdict: { user_agent: 'GPTBot', allowed: true, rule: null, agent: '*' },
}

test('The policy of a site at the gateway', { timeout: patient(300_000) }, async t => {
  const send = (query: Record<string, string>) =>
    call('GET', `/v1/robots-policy?${new URLSearchParams(query)}`)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const requested: ReadRobotsPolicy[] = []
  let refusal: Refusal | null = null

  await t.test('reports that the extractor is unavailable', async t => {
    const { status, json } = await send({ url: seed })
    t.match({ status, json }, { status: 503, json: { error: { code: 'unavailable' } } })
  })

  void serve(
    around.bus,
    policyRpc.robotsPolicy,
    async request => {
      requested.push(request)
      if (refusal) throw refusal
      return policy
    },
    { signal: stop.signal, report: () => {} },
  )
  await around.bus.nc.flush()

  await t.test('is passed on as it is, long texts too', async t => {
    const { status, json } = await send({ url: seed, user_agent: 'GPTBot' })
    t.same({ status, json }, { status: 200, json: policy })
    await send({ url: `${seed}a?b=c&utm_source=d#e` })
    const projectId = 7
    t.same(requested, [
      { projectId, url: seed, userAgent: 'GPTBot' },
      { projectId, url: `${seed}a?b=c&utm_source=d#e` },
    ])
  })

  await t.test('refuses a URL that is not a site by its field, before sending any request', async t => {
    const before = requested.length
    const cases: [query: string, reason: string, field: string][] = [
      ['', 'required', 'url'],
      ['url=', 'bad_url', 'url'],
      [`url=${seed}&url=${seed}`, 'wrong_type', 'url'],
      [`url=http://a.example/${'x'.repeat(8200)}`, 'bad_url', 'url'],
      [`url=${seed}&user_agent=${'x'.repeat(1025)}`, 'bad_value', 'user_agent'],
      [`url=${seed}&user_agent=a&user_agent=b`, 'wrong_type', 'user_agent'],
      ...badUrls
        .filter(([url]) => url.isWellFormed())
        .map(([url, reason]): [string, string, string] => [`url=${encodeURIComponent(url)}`, reason, 'url']),
    ]
    for (const [query, reason, field] of cases) {
      const { status, json } = await call('GET', `/v1/robots-policy?${query}`)
      const shown = { status, ...json.error }
      t.match(shown, { status: 400, code: 'invalid_input', reason, field }, query.slice(0, 80))
    }
    t.equal((await call('GET', `/v1/robots-policy?url=${seed}`, { key: null })).status, 401)
    t.equal((await call('POST', '/v1/robots-policy', { body: { url: seed } })).status, 405)
    t.equal(requested.length, before)
  })

  await t.test('is refused with the reason why a site could not be reached', async t => {
    refusal = new Refusal({ status: 502, code: 'fetch_failed', message: 'No name.', reason: 'dns' })
    const { status, json } = await send({ url: seed })
    t.match(
      { status, ...json.error },
      { status: 502, code: 'fetch_failed', reason: 'dns', message: 'No name.' },
    )
  })
})
