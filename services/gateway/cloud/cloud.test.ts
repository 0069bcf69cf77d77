/** The cloud endpoints at the gateway: their requests, their costs, and the forms of their answers. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import { CloudCrawl } from '@tidemark/contracts/http/cloud/crawl'
import { ScrapedData, ScraperList } from '@tidemark/contracts/http/cloud/fetch'
import { CloudLinks } from '@tidemark/contracts/http/cloud/links'
import { CloudPage } from '@tidemark/contracts/http/cloud/page'
import { ProxyFetched } from '@tidemark/contracts/http/cloud/proxy-fetch'
import { CloudSearch } from '@tidemark/contracts/http/cloud/search'
import { CloudBalance, CloudHealth } from '@tidemark/contracts/http/cloud/state'
import { CloudDocument } from '@tidemark/contracts/http/cloud/transform'
import { Scan } from '@tidemark/contracts/http/scan'
import type { BackendChoice, Try } from '@tidemark/contracts/rpc/backends'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import tap, { test } from 'tap'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { keyNamed, seed } from '../gateway.scene.ts'
import { anchor, contentFor, scanned } from '../scan/scan.scene.ts'
import { challenged, cloudScene, cloudState, gotPage, tried, units } from './cloud.scene.ts'

const auto = (from: 'http' | 'faithful' | 'browser', country: string | null = null): BackendChoice => ({
  is: 'auto',
  from,
  country,
})

const scene = await cloudScene(tap, {
  PROXY_PRICES: JSON.stringify({ isp: 4 }),
  CLOUD_CRAWL_TIMEOUT: '2',
})
const { around, mine, stage, bulky, call, get, post } = scene
const plain = { ...stage }

/** Forgets what was recorded, and answers as at first. */
const startOver = () =>
  Object.assign(
    stage,
    plain,
    { pages: [], searches: [], transforms: [], sites: [], lists: [], dropped: [] },
    { reserved: [], released: [], scans: [], usages: [] },
  )

test('The cloud endpoints', { timeout: patient(300_000) }, async t => {
  const bill = async () => {
    const { operation, units, costUsd, waived } = (await stage.lastServed()) ?? {}
    return { operation, units, costUsd, ...(waived && { waived }) }
  }
  const fits = (schema: TSchema, json: unknown) => Check(schema, json) || JSON.stringify(json)

  await t.test('scrape requests the page by the named backend, in the named format', async t => {
    const cases: [body: object, means: BackendChoice, wanted: object, content: string][] = [
      [{}, auto('http'), { markdown: 'page' }, '*page*'],
      [{ chrome: true }, auto('browser'), { markdown: 'page' }, '*page*'],
      [{ return_format: 'raw' }, auto('http'), { html: true, markdown: null }, '<p>h'],
      [{ return_format: 'text' }, auto('http'), { text: true }, 'plain'],
      [{ return_format: 'commonmark' }, auto('http'), { commonmark: true }, '_common_'],
      [{ force_backend: 'auto' }, auto('http'), {}, '*page*'],
      [{ force_backend: 'local' }, { is: 'http' }, {}, '*page*'],
      [{ force_backend: 'local', chrome: true }, { is: 'browser' }, {}, '*page*'],
      [{ force_backend: 'vendor' }, { is: 'vendor', country: null }, {}, '*page*'],
      [{ force_backend: 'proxy' }, { is: 'proxy', pool: 'isp', country: null }, {}, '*page*'],
      [
        { force_backend: 'proxy', proxy_pool: 'isp', proxy_country: 'de' },
        { is: 'proxy', pool: 'isp', country: 'DE' },
        {},
        '*page*',
      ],
      [
        { force_backend: 'proxy', proxy_pool: 'residential' },
        { is: 'proxy', pool: 'residential', country: null },
        {},
        '*page*',
      ],
    ]
    for (const [body, means, wanted, content] of cases) {
      startOver()
      const { status, json, headers } = await post('/v1/cloud/scrape', { url: seed, ...body })
      const told = JSON.stringify(body)
      t.equal(status, 200, told)
      t.equal(fits(CloudPage, json), true, told)
      t.match(json, { content, status: 200, url: seed, backend: 'http', cost_usd: 0, blocked: false }, told)
      t.strictSame(json.tried, [
        { backend: 'http', outcome: 'got', reason: null, elapsed_ms: 12, cost_usd: 0 },
      ])
      t.equal(json.bytes_transferred, 1_000)
      t.notOk(json.warnings, told)
      t.match(stage.pages, [{ url: seed, projectId: 7, means, wanted, respectRobots: false, picture: false }])
      t.strictSame(await bill(), {
        operation: 'cloud_scrape',
        units: [units('cloud_page', seed)],
        costUsd: 0,
      })
      t.strictSame([headers.get('x-pages-billed'), headers.get('x-cloud-pages-billed')], ['0', '1'])
      t.match(stage.reserved, [{ kind: 'cloud_page', units: 1, limits: { perDay: 500, perMonth: null } }])
      t.equal((await stage.lastServed())?.requestId, stage.reserved[0]?.requestId)
    }
  })

  await t.test('fields without an effect are ignored with a warning', async t => {
    startOver()
    const actions = [{ type: 'click', selector: '#more', timeout: 5 }]
    const ignored = { proxy_pool: 'isp', proxy_country: 'DE', nope: 1, actions }
    const { json } = await post('/v1/cloud/scrape', { url: seed, ...ignored })
    t.strictSame(json.warnings, [
      "unknown field 'nope' was ignored",
      "unknown field 'actions[0].timeout' was ignored",
      'proxy_pool was ignored, because force_backend is not proxy',
      'proxy_country was ignored, because force_backend is not proxy',
    ])
    const proxied = await post('/v1/cloud/scrape', { url: seed, force_backend: 'proxy', chrome: true })
    t.match(proxied.json.warnings, [/^chrome was ignored/])
  })

  await t.test('a page costs the sum of its backend and its bytes, and the bill agrees', async t => {
    startOver()
    const byProxy = {
      backend: 'proxy',
      pool: 'isp',
      country: 'DE',
      moved: 250_000_000,
      costUsd: 0.25,
    } as const
    stage.page = async request => gotPage(request, byProxy)
    const { json } = await post('/v1/cloud/scrape', { url: seed, force_backend: 'proxy' })
    t.match(json, {
      backend: 'proxy',
      pool: 'isp',
      country: 'DE',
      bytes_transferred: 250_000_000,
      cost_usd: 1.25,
    })
    t.match(await bill(), { costUsd: 1.25, units: [units('cloud_page', seed)] })
    stage.page = async request =>
      gotPage(request, { ...byProxy, pool: 'residential', moved: 1e9, costUsd: 0 })
    t.match((await post('/v1/cloud/scrape', { url: seed })).json, { cost_usd: 0 })
  })

  await t.test('the costs of all backends add up to the cost of the page', async t => {
    const attempt = (backend: Try['backend'], more: Partial<Try> = {}): Try => ({
      ...tried,
      backend,
      ...more,
    })
    const blocked = { outcome: 'blocked', reason: 'Cloudflare' } as const
    const isp = attempt('proxy', { pool: 'isp', ...blocked })
    const residential = attempt('proxy', { pool: 'residential' })
    const both = { backend: 'vendor', pool: null, moved: 9_000 } as const
    const cases: [costs: number[], is: Partial<GotPage>][] = [
      [
        [0, 1],
        {
          backend: 'proxy',
          pool: 'isp',
          moved: 250_000_000,
          tried: [attempt('http', blocked), { ...isp, outcome: 'got' }],
        },
      ],
      [[0, 0], { backend: 'proxy', pool: 'residential', moved: 250_000_000, tried: [isp, residential] }],
      [[0, 0.25], { ...both, costUsd: 0.25, tried: [isp, attempt('vendor', { costUsd: 0.25 })] }],
      [
        [0, 0.3],
        {
          backend: 'http',
          costUsd: 0.3,
          tried: [attempt('http'), attempt('vendor', { costUsd: 0.3, outcome: 'failed' })],
        },
      ],
      [
        [0, 0.000_001],
        { ...both, costUsd: 0.000_000_6, tried: [isp, attempt('vendor', { costUsd: 0.000_000_6 })] },
      ],
    ]
    const costsOf = ({ tried }: { tried: { cost_usd: number }[] }) => tried.map(({ cost_usd }) => cost_usd)
    for (const [costs, is] of cases) {
      startOver()
      stage.page = async request => gotPage(request, is)
      const { json } = await post('/v1/cloud/scrape', { url: seed })
      t.strictSame(costsOf(json), costs)
      t.equal(
        json.cost_usd,
        costs.reduce((sum, cost) => sum + cost),
      )
      t.equal((await bill()).costUsd, json.cost_usd)
      const { backend, pool, moved, tried: tries, costUsd } = gotPage(stage.pages[0] as GetPage, is)
      stage.scan = async request => ({ ...scanned(request), backend, pool, moved, tried: tries, costUsd })
      const scan = await post('/v1/scan', { url: seed, cloud_mode: 'auto' })
      t.strictSame([costsOf(scan.json), scan.json.cost_usd], [costs, json.cost_usd])
    }
    startOver()
    const site = plain.site
    const tries = [attempt('http', blocked), attempt('vendor', { ...blocked, costUsd: 0.2 })]
    stage.site = async request => ({ ...(await site(request)), tried: tries, costUsd: 0.2 })
    const read = (await post('/v1/cloud/fetch/pypi.org')).json
    t.strictSame([costsOf(read), read.cost_usd], [[0, 0.2], 0.2])
    stage.site = async request => ({ ...(await site(request)), challenge: 'x', tried: tries, costUsd: 0.2 })
    const wall = (await post('/v1/cloud/fetch/pypi.org')).json
    t.strictSame([costsOf(wall), wall.cost_usd], [[0, 0], 0])
  })

  await t.test('a challenge is reported as one and costs nothing', async t => {
    startOver()
    const shown = { ...tried, outcome: 'blocked' as const, reason: 'Cloudflare', costUsd: 0.1 }
    stage.page = async request =>
      gotPage(request, { content: challenged(request), status: 403, costUsd: 0.1, tried: [shown] })
    const { status, json, headers } = await post('/v1/cloud/unblock', { url: seed })
    t.match({ status, json }, { status: 200, json: { blocked: true, status: 403, cost_usd: 0 } })
    t.match(json.tried, [{ outcome: 'blocked', reason: 'Cloudflare', cost_usd: 0 }])
    t.match(json.warnings, [/challenge \(Cloudflare\)/])
    t.equal(headers.get('x-cloud-pages-billed'), null)
    t.strictSame(await bill(), {
      operation: 'cloud_unblock',
      units: [],
      costUsd: 0,
      waived: [{ kind: 'cloud_page', what: seed, reason: 'blocked' }],
    })
  })

  await t.test(
    'an error of the backend is returned in its own words, and the reservation is released',
    async t => {
      for (const [status, code, reason, field] of [
        [502, 'fetch_failed', 'dns', undefined],
        [502, 'fetch_failed', 'proxy', undefined],
        [400, 'invalid_input', 'private_address', 'url'],
        [503, 'not_configured', undefined, undefined],
        [503, 'unavailable', undefined, undefined],
      ] as const) {
        for (const [path, operation] of [
          ['scrape', 'cloud_scrape'],
          ['render', 'cloud_render'],
          ['proxy-fetch', 'cloud_proxy_fetch'],
          ['crawl', 'cloud_crawl'],
        ]) {
          startOver()
          stage.page = async () => {
            throw new Refusal({
              status,
              code,
              message: 'No.',
              ...(reason && { reason }),
              ...(field && { field }),
            })
          }
          const { json, headers, ...answer } = await post(`/v1/cloud/${path}`, { url: seed })
          const expected = {
            status,
            code,
            message: 'No.',
            ...(reason && { reason }),
            ...(field && { field }),
          }
          t.match({ status: answer.status, ...json.error }, expected, String(path))
          t.equal(headers.get('x-pages-billed'), '0')
          await until(async () => stage.released.length === 1)
          t.strictSame(stage.released, [stage.reserved[0]?.requestId])
          await until(async () => (await stage.lastServed())?.requestId === stage.released[0])
          t.match(await stage.lastServed(), {
            operation,
            units: { length: 0 },
            waived: [{ reason: 'failed', what: seed }],
          })
        }
      }
    },
  )

  await t.test('nothing is fetched if the cap of cloud pages is used up', async t => {
    startOver()
    stage.grant = () => ({ granted: 0, reason: 'cloud_pages', retryAfterSeconds: 77 })
    const bodies: [path: string, body: object][] = [
      ...['scrape', 'crawl', 'links', 'unblock', 'render', 'screenshot', 'proxy-fetch'].map(
        (path): [string, object] => [path, { url: seed }],
      ),
      ['search', { query: 'tides' }],
      ['fetch/pypi.org', {}],
      ['fetch/pypi.org/project/requests', {}],
    ]
    for (const [path, body] of bodies) {
      const { status, json, headers } = await post(`/v1/cloud/${path}`, body)
      t.match(
        { status, ...json.error },
        { status: 429, code: 'too_many_requests', reason: 'cloud_pages' },
        path,
      )
      t.equal(headers.get('retry-after'), '77')
      t.equal(headers.get('x-pages-billed'), '0', path)
    }
    t.strictSame([stage.pages, stage.searches, stage.sites], [[], [], []])
    t.equal((await post('/v1/cloud/transform', { data: '<p>a' })).status, 200, 'nothing is fetched for it')
  })

  await t.test('unblock begins with the client that greets like a browser', async t => {
    startOver()
    const { json } = await post('/v1/cloud/unblock', { url: seed, return_format: 'text' })
    t.equal(fits(CloudPage, json), true)
    t.equal(json.content, 'plain')
    t.match(stage.pages, [{ means: auto('faithful'), wanted: { text: true } }])
    await post('/v1/cloud/unblock', { url: seed, country: 'us' })
    t.match(stage.pages[1], { means: auto('faithful', 'US') })
    stage.state = { ...cloudState, proxyPools: [], vendor: true, balanceUsd: 3 }
    await post('/v1/cloud/unblock', { url: seed, country: 'FR' })
    t.match(stage.pages[2], { means: auto('faithful', 'FR') }, 'a vendor accepts any country')
  })

  await t.test('render waits as requested, and answers pictures in the preferred form', async t => {
    startOver()
    const { json } = await post('/v1/cloud/render', { url: seed, wait_for: 'networkidle' })
    t.equal(fits(CloudPage, json), true)
    t.equal(json.content, '<p>h')
    t.match(stage.pages, [
      { means: { is: 'browser' }, waitFor: 'networkidle', picture: false, wanted: { html: true } },
    ])
    for (const format of ['markdown', 'text'])
      await post('/v1/cloud/render', { url: seed, return_format: format })
    t.match(stage.pages.slice(1), [
      { waitFor: 'load', wanted: { markdown: 'page' } },
      { wanted: { text: true } },
    ])

    const png = Buffer.from('a picture').toString('base64')
    const requested = (body: object, accept?: string) =>
      call('POST', '/v1/cloud/render', { body: { url: seed, ...body }, headers: accept ? { accept } : {} })
    t.match((await requested({ return_format: 'png' })).json, { content: png })
    t.match(stage.pages.at(-1), { picture: true, wanted: { html: false, markdown: null } })
    for (const [body, accept, type] of [
      [{ return_format: 'png' }, 'image/png', 'image/png'],
      [{}, 'image/png', 'image/png'],
      [{}, 'image/*;q=0.9, application/json;q=0.1', 'image/png'],
      [{ return_format: 'raw' }, 'image/png', 'application/json; charset=utf-8'],
      [{ return_format: 'png' }, 'application/json, image/png;q=0.5', 'application/json; charset=utf-8'],
      [{ return_format: 'png' }, '*/*', 'application/json; charset=utf-8'],
      [{}, '*/*', 'application/json; charset=utf-8'],
    ] as const) {
      const answer = await requested(body, accept)
      t.equal(answer.headers.get('content-type'), type, JSON.stringify([body, accept]))
      t.match(answer.headers.get('vary'), /accept/i)
      if (type === 'image/png') t.equal(answer.text, 'a picture')
      t.equal(answer.headers.get('x-cloud-pages-billed'), '1')
    }

    const warnings = ['the page had not finished loading (load) when it was read']
    stage.page = async request => {
      const got = gotPage(request)
      return { ...got, content: { ...got.content, warnings } }
    }
    t.strictSame((await requested({})).json.warnings, warnings)
    t.strictSame((await requested({ return_format: 'png' })).json.warnings, warnings)
    const picture = await requested({}, 'image/png')
    t.strictSame(
      JSON.parse(picture.headers.get('x-warnings') ?? ''),
      warnings,
      'a picture has them beside it',
    )

    for (const [pictureError, reason] of [
      ['timeout', 'timeout'],
      ['too_large', 'too_large'],
      ['failed', 'protocol'],
    ] as const) {
      startOver()
      stage.page = async request => gotPage(request, { picture: null, pictureError })
      const none = await requested({ return_format: 'png' })
      t.match(
        { status: none.status, ...none.json.error },
        {
          status: 502,
          code: 'fetch_failed',
          reason,
          message: new RegExp(`screenshot failed: ${pictureError}`),
        },
        pictureError,
      )
      await until(async () => stage.released.length === 1)
    }
  })

  await t.test('actions reach the browser in order, and an invalid one is refused by its place', async t => {
    startOver()
    const actions = [
      { type: 'fill', selector: 'input[name=q]', value: 'tea' },
      { type: 'press', selector: 'input[name=q]', key: 'Enter' },
      { type: 'wait_for', selector: '#results' },
      { type: 'click', selector: 'input:not(:placeholder-shown), :user-invalid:dir(rtl), details:open' },
      { type: 'wait_for', ms: 100 },
      { type: 'goto', url: '/next' },
    ]
    const scraped = await post('/v1/cloud/scrape', { url: seed, actions })
    t.equal(scraped.status, 200)
    const shot = [{ type: 'screenshot' }, ...actions]
    await post('/v1/cloud/render', { url: seed, actions: shot, return_format: 'png' })
    await post('/v1/cloud/screenshot', { url: seed, actions: shot })
    t.match(
      stage.pages,
      [actions, shot, shot].map(actions => ({ means: { is: 'browser' }, actions })),
      'never another backend',
    )
    startOver()
    const click = { type: 'click', selector: '#a' }
    const cases: (readonly [action: unknown, field: string, reason: string, message?: RegExp])[] = [
      [{}, 'actions[1].type', 'required'],
      [7, 'actions[1]', 'wrong_type'],
      ['fill xxx', 'actions[1]', 'wrong_type', /^actions\[1\] must be a JSON object\.$/],
      [{ type: 'hover', selector: '#a' }, 'actions[1].type', 'bad_value'],
      [{ type: 'click' }, 'actions[1].selector', 'required', /required for click/],
      [{ type: 'fill', selector: '#a' }, 'actions[1].value', 'required'],
      [{ type: 'fill', selector: '#a', value: 'x'.repeat(4001) }, 'actions[1].value', 'bad_value'],
      [
        { type: 'click', selector: '#a', value: 'b' },
        'actions[1].value',
        'conflicting_fields',
        /leave it out/,
      ],
      [{ type: 'click', selector: 'a[' }, 'actions[1].selector', 'bad_value', /not a CSS selector/],
      ...['text=Load more', 'xpath=//a', 'a >> b', 'a:parent', 'p:not(:header)', 'a:contains("b")'].map(
        selector =>
          [{ type: 'click', selector }, 'actions[1].selector', 'bad_value', /not a CSS selector/] as const,
      ),
      [{ type: 'press', key: 'Power' }, 'actions[1].key', 'bad_value', /Enter/],
      [{ type: 'wait_for' }, 'actions[1]', 'conflicting_fields', /either a selector or ms/],
      [{ type: 'wait_for', selector: '#a', ms: 1 }, 'actions[1]', 'conflicting_fields'],
      [{ type: 'wait_for', ms: 10_001 }, 'actions[1].ms', 'out_of_range'],
      [{ type: 'goto', url: 'https://other.example/' }, 'actions[1].url', 'bad_url', /on the host of url/],
      [{ type: 'goto', url: 'javascript:alert(1)' }, 'actions[1].url', 'bad_url'],
      [{ type: 'screenshot' }, 'actions[1]', 'conflicting_fields', /return_format png/],
    ]
    for (const [action, field, reason, message = /./] of cases) {
      const { status, json } = await post('/v1/cloud/scrape', { url: seed, actions: [click, action] })
      const expected = { status: 400, code: 'invalid_input', field, reason, message }
      t.match({ status, ...json?.error }, expected, JSON.stringify(action).slice(0, 80))
      t.notMatch(JSON.stringify(json), /xxx/, 'without the value of a field')
    }
    for (const [body, field, message = /./] of [
      [{ actions: Array(21).fill(click) }, 'actions'],
      [{ actions: 'click' }, 'actions', 'actions must be a list.'],
      [{ actions: [click], force_backend: 'vendor' }, 'actions'],
      [{ actions: [click], force_backend: 'proxy' }, 'actions'],
    ] as const)
      t.match((await post('/v1/cloud/scrape', { url: seed, ...body })).json, {
        error: { field, message },
      })
    const two = { url: seed, return_format: 'png', actions: [{ type: 'screenshot' }, { type: 'screenshot' }] }
    t.match((await post('/v1/cloud/render', two)).json, { error: { field: 'actions[1]' } })
    t.strictSame([stage.pages, stage.reserved], [[], []], 'and nothing is billed')

    const failure = 'An action on the page failed: actions[0] (click #a) found no element within 10000 ms.'
    stage.page = async () => {
      throw new Refusal({ status: 502, code: 'fetch_failed', reason: 'action_failed', message: failure })
    }
    const { status, json } = await post('/v1/cloud/scrape', { url: seed, actions: [click] })
    t.match({ status, ...json.error }, { status: 502, reason: 'action_failed', message: failure })
    await until(async () => stage.released.length === 1)
    startOver()
  })

  await t.test('screenshot does the same under its former name, and is deprecated', async t => {
    startOver()
    const { json, headers } = await post('/v1/cloud/screenshot', { url: seed })
    t.equal(fits(CloudPage, json), true)
    t.equal(json.content, Buffer.from('a picture').toString('base64'))
    t.equal(headers.get('deprecation'), 'true')
    t.equal(headers.get('link'), '</v1/cloud/render>; rel="successor-version"')
    t.match(await bill(), { operation: 'cloud_screenshot', units: [units('cloud_page', seed)] })
    const bytes = await call('POST', '/v1/cloud/screenshot', {
      body: { url: seed },
      headers: { accept: 'image/png' },
    })
    t.equal(bytes.text, 'a picture')
    t.equal(bytes.headers.get('deprecation'), 'true')
    t.equal((await post('/v1/cloud/screenshot', {})).headers.get('deprecation'), 'true')
  })

  await t.test('links lists each link of the page once, in order, up to the limit', async t => {
    startOver()
    const anchors = ['b', 'a', 'b', 'c'].map(name => ({ ...anchor, to: `https://x.test/${name}` }))
    stage.page = async request => gotPage(request, { content: { ...contentFor(request), anchors } })
    const { json } = await post('/v1/cloud/links', { url: seed, limit: 2 })
    t.equal(fits(CloudLinks, json), true)
    t.match(json, { links: ['https://x.test/b', 'https://x.test/a'], total: 3, cost_usd: 0 })
    t.match(stage.pages, [{ means: auto('http'), wanted: { anchors: true, markdown: null } }])
    t.match(await bill(), { operation: 'cloud_links' })
  })

  await t.test('proxy-fetch accepts a configured proxy, and bills its bytes', async t => {
    startOver()
    stage.page = async request =>
      gotPage(request, { backend: 'proxy', pool: 'isp', country: 'US', moved: 1_000_000 })
    const { json } = await post('/v1/cloud/proxy-fetch', { url: seed, country: 'us' })
    t.equal(fits(ProxyFetched, json), true)
    const told = { url: seed, status: 200, content: '<p>h', pool: 'isp', country: 'US' }
    t.match(json, { ...told, bytes_transferred: 1_000_000, cost_usd: 0.004 })
    t.match(stage.pages, [{ means: { is: 'proxy', pool: 'isp', country: 'US' }, wanted: { html: true } }])
    t.match(await bill(), {
      operation: 'cloud_proxy_fetch',
      units: [units('cloud_page', seed)],
      costUsd: 0.004,
    })
    stage.page = async request => gotPage(request, { moved: null })
    t.match((await post('/v1/cloud/proxy-fetch', { url: seed, pool: 'residential' })).json, {
      bytes_transferred: null,
      pool: 'residential',
      country: null,
      cost_usd: 0,
    })
  })

  await t.test('a request for missing proxies returns the list of available ones', async t => {
    startOver()
    const cases: [path: string, body: object, field: string][] = [
      ['proxy-fetch', { pool: 'mobile' }, 'pool'],
      ['proxy-fetch', { country: 'FR' }, 'country'],
      ['proxy-fetch', { pool: 'residential', country: 'DE' }, 'country'],
      ['scrape', { force_backend: 'proxy', proxy_pool: 'datacenter' }, 'proxy_pool'],
      ['scrape', { force_backend: 'proxy', proxy_country: 'FR' }, 'proxy_country'],
      ['unblock', { country: 'FR' }, 'country'],
    ]
    const missing = { status: 503, code: 'not_configured' }
    for (const [path, body, field] of cases) {
      const { status, json } = await post(`/v1/cloud/${path}`, { url: seed, ...body })
      const wrong = { status: path === 'unblock' ? 422 : 400, code: 'invalid_input', reason: 'bad_value' }
      const expected = { ...(field.endsWith('pool') ? missing : wrong), field }
      t.match({ status, ...json.error }, expected, `${path} ${field}`)
      t.match(json.error.message, /has isp \(DE, US\), residential\.$/)
    }
    const crawl = await post('/v1/crawls', { url: seed, proxy_pool: 'isp' })
    t.match(
      { status: crawl.status, ...crawl.json.error },
      { ...missing, field: 'proxy_pool', message: /PROXY_POOLS/ },
    )
    stage.state = { ...cloudState, proxyPools: [] }
    for (const [path, body, field] of cases) {
      const { status, json } = await post(`/v1/cloud/${path}`, { url: seed, ...body })
      t.match({ status, code: json.error.code }, { status: 503, code: 'not_configured' }, `${path} ${field}`)
      t.match(json.error.message, /PROXY_POOLS/)
    }
    t.strictSame([stage.pages, stage.reserved], [[], []])
  })

  await t.test('an invalid request is refused by its field, and costs nothing', async t => {
    startOver()
    const ofUrl: [body: unknown, field: string, reason: string][] = [
      [{}, 'url', 'required'],
      [{ url: 7 }, 'url', 'wrong_type'],
      [{ url: '' }, 'url', 'bad_url'],
      [{ url: 'ftp://example.com/' }, 'url', 'bad_url'],
      [{ url: 'http://10.0.0.1/' }, 'url', 'private_address'],
      [{ url: 'http://malware.test/' }, 'url', 'blocked_domain'],
      [{ url: `${seed}${'x'.repeat(8192)}` }, 'url', 'bad_url'],
    ]
    const own: Record<string, [body: object, field: string, reason: string][]> = {
      scrape: [
        [{ return_format: 'png' }, 'return_format', 'bad_value'],
        [{ return_format: 7 }, 'return_format', 'wrong_type'],
        [{ chrome: 'yes' }, 'chrome', 'wrong_type'],
        [{ force_backend: 'magic' }, 'force_backend', 'bad_value'],
        [{ force_backend: 'proxy', proxy_pool: 'isps' }, 'proxy_pool', 'bad_value'],
        [{ force_backend: 'proxy', proxy_country: 'DEU' }, 'proxy_country', 'bad_value'],
        [{ force_backend: 'proxy', proxy_country: '' }, 'proxy_country', 'bad_value'],
        [{ proxy_country: 'DE' }, 'proxy_country', 'conflicting_fields'],
      ],
      unblock: [
        [{ country: 'D1' }, 'country', 'bad_value'],
        [{ country: 49 }, 'country', 'wrong_type'],
        [{ return_format: 'commonmark' }, 'return_format', 'bad_value'],
      ],
      render: [
        [{ wait_for: 'ever' }, 'wait_for', 'bad_value'],
        [{ return_format: 'jpeg' }, 'return_format', 'bad_value'],
      ],
      screenshot: [[{ wait_for: 7 }, 'wait_for', 'wrong_type']],
      links: [
        [{ limit: 0 }, 'limit', 'out_of_range'],
        [{ limit: 5_001 }, 'limit', 'out_of_range'],
        [{ limit: 1.5 }, 'limit', 'wrong_type'],
      ],
      crawl: [
        [{ limit: 0 }, 'limit', 'out_of_range'],
        [{ limit: 501 }, 'limit', 'out_of_range'],
        [{ chrome: 1 }, 'chrome', 'wrong_type'],
      ],
      'proxy-fetch': [
        [{ pool: 'home' }, 'pool', 'bad_value'],
        [{ country: 'Germany' }, 'country', 'bad_value'],
      ],
    }
    const refused = async (path: string, body: unknown, expected: object) => {
      const { status, json } = await post(`/v1/cloud/${path}`, body)
      t.match({ status, ...json?.error }, expected, `${path} ${JSON.stringify(body).slice(0, 80)}`)
    }
    for (const [path, cases] of Object.entries(own)) {
      const status = path === 'unblock' ? 422 : 400 // specification: "401, 422, 429 possible"
      const all = [...ofUrl, ...cases.map(([more, ...rest]) => [{ url: seed, ...more }, ...rest] as const)]
      for (const [body, field, reason] of all)
        await refused(path, body, { status, code: 'invalid_input', field, reason })
      t.equal((await call('POST', `/v1/cloud/${path}`, { key: null, body: { url: seed } })).status, 401)
      t.equal((await get(`/v1/cloud/${path}`)).status, 405)
    }
    for (const [body, field, reason] of [
      [{}, 'query', 'required'],
      [{ query: '' }, 'query', 'bad_value'],
      [{ query: ' \t ' }, 'query', 'bad_value'],
      [{ query: 'x'.repeat(2_001) }, 'query', 'bad_value'],
      [{ query: 'a', limit: 51 }, 'limit', 'out_of_range'],
      [{ query: 'a', limit: 0 }, 'limit', 'out_of_range'],
      [{ query: 'a', return_format: 'png' }, 'return_format', 'bad_value'],
    ] as const)
      await refused('search', body, { status: 400, code: 'invalid_input', field, reason })
    for (const [query, field] of [
      ['page=0', 'page'],
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['page=x', 'page'],
    ]) {
      const { status, json } = await get(`/v1/cloud/scrapers?${query}`)
      t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', field }, String(query))
    }
    t.strictSame([stage.pages, stage.searches, stage.lists, stage.reserved], [[], [], [], []])
  })

  await t.test('transform forwards a document of any size, and bills nothing', async t => {
    startOver()
    const { json, headers } = await post('/v1/cloud/transform', { data: '<h1>T', return_format: 'text' })
    t.equal(fits(CloudDocument, json), true)
    t.match(json, { content: '# T', status: 200, return_format: 'text', engine: 'markdown', cost_usd: 0 })
    t.equal(headers.get('x-pages-billed'), '0')
    t.match(stage.transforms, [
      { projectId: 7, kind: 'html', data: '<h1>T', bulkyKey: null, format: 'text', readability: true },
    ])

    const long = `<p>${'ä'.repeat(1024 ** 2)}`
    let [read, key] = ['', '']
    stage.transform = async ({ bulkyKey }) => {
      key = bulkyKey ?? ''
      read = Buffer.from((await bulky.get(key)) ?? []).toString()
      await bulky.delete(key)
      return { content: 'long', engine: 'markdown', warnings: ['w'] }
    }
    const large = await post('/v1/cloud/transform', { data: long, readability: false })
    t.match(large, { status: 200, json: { content: 'long', warnings: ['w'] } })
    t.ok(read === long, 'as bytes through the object store')
    t.match(stage.transforms[1], { data: null, readability: false })

    const pdf = Buffer.alloc(3 * 1024 ** 2, '%PDF-1.7 ')
    const asPdf = await post('/v1/cloud/transform', {
      data: pdf.toString('base64'),
      input_kind: 'pdf_base64',
    })
    t.equal(asPdf.status, 200, asPdf.text)
    t.ok(read === pdf.toString(), 'a PDF is stored in binary')
    stage.transform = async () => {
      throw new Refusal({ status: 422, code: 'unsupported_input', message: 'No PDF here.' })
    }
    const refused = await post('/v1/cloud/transform', { data: long })
    t.match({ status: refused.status, ...refused.json.error }, { status: 422, code: 'unsupported_input' })
    const left = stage.transforms.at(-1)?.bulkyKey ?? ''
    await until(async () => (await bulky.get(left).catch(() => undefined)) === null)
  })

  await t.test('transform refuses an unreadable document with 422', async t => {
    startOver()
    for (const [body, code, field, reason] of [
      [{}, 'invalid_input', 'data', 'required'],
      [{ data: 7 }, 'invalid_input', 'data', 'wrong_type'],
      [{ data: 'a', input_kind: 'docx' }, 'invalid_input', 'input_kind', 'bad_value'],
      [{ data: 'a', return_format: 'png' }, 'invalid_input', 'return_format', 'bad_value'],
      [{ data: 'a', readability: 1 }, 'invalid_input', 'readability', 'wrong_type'],
      [{ data: 'ä', input_kind: 'pdf_base64' }, 'unsupported_input', 'data', undefined],
      // Hours for a pattern that tries each division of the blanks.
      [
        { data: `${' '.repeat(5_000_000)}!`, input_kind: 'pdf_base64' },
        'unsupported_input',
        'data',
        undefined,
      ],
      [{ data: '' }, 'invalid_input', 'data', 'bad_value'],
      [{ data: '', readability: false, return_format: 'raw' }, 'invalid_input', 'data', 'bad_value'],
      [{ data: '', input_kind: 'pdf_base64' }, 'invalid_input', 'data', 'bad_value'],
    ] as const) {
      const { status, json } = await post('/v1/cloud/transform', body)
      const expected = { status: 422, code, field, ...(reason && { reason }) }
      t.match({ status, ...json.error }, expected, JSON.stringify(body).slice(0, 100))
    }
    t.equal((await post('/v1/cloud/transform', { data: 'x'.repeat(28 * 1024 ** 2) })).status, 413)
    t.strictSame(stage.transforms, [])
  })

  await t.test('scrapers are listed in parts', async t => {
    startOver()
    const dataShape = { name: 'Of the package.' }
    stage.scrapers = async () => ({
      scrapers: [{ domain: 'pypi.org', paths: ['project/{name}'], dataShape }],
      total: 101,
    })
    const { json } = await get('/v1/cloud/scrapers?page=3&limit=50')
    t.equal(fits(ScraperList, json), true)
    t.strictSame(json, {
      scrapers: [{ domain: 'pypi.org', paths: ['project/{name}'], data_shape: dataShape }],
      total: 101,
    })
    await get('/v1/cloud/scrapers')
    t.strictSame(stage.lists, [
      { offset: 100, limit: 50 },
      { offset: 0, limit: 50 },
    ])
  })

  await t.test('a scraper is requested by its domain and a path of any depth', async t => {
    const cases: [path: string, body: object | undefined, asked: object, what: string][] = [
      ['pypi.org', {}, { domain: 'pypi.org', path: null, params: {} }, 'pypi.org'],
      ['PyPI.org', undefined, { domain: 'pypi.org', path: null }, 'pypi.org'],
      ['pypi.org/', undefined, { domain: 'pypi.org', path: null }, 'pypi.org'],
      [
        'pypi.org/project/requests',
        { params: { limit: 3 } },
        { path: 'project/requests', params: { limit: 3 } },
        'pypi.org/project/requests',
      ],
      ['a.test/b/c%20d/%C3%A4', undefined, { domain: 'a.test', path: 'b/c d/ä' }, 'a.test/b/c d/ä'],
    ]
    for (const [path, body, requested, what] of cases) {
      startOver()
      const { status, json, headers } = await call('POST', `/v1/cloud/fetch/${path}`, { body })
      t.equal(status, 200, path)
      t.equal(fits(ScrapedData, json), true)
      t.match(json, { data: [{ name: 'tides' }], status: 200, backend: 'http', blocked: false, cost_usd: 0 })
      t.match(stage.sites, [{ projectId: 7, ...requested }])
      t.match(await bill(), { operation: 'cloud_fetch', units: [units('cloud_page', what)] })
      t.equal(headers.get('x-cloud-pages-billed'), '1')
    }
    const site = plain.site
    stage.site = async request => ({
      ...(await site(request)),
      challenge: 'DataDome',
      data: [],
      costUsd: 1,
    })
    const blocked = await post('/v1/cloud/fetch/pypi.org')
    t.match(blocked.json, { data: { length: 0 }, blocked: true, cost_usd: 0 })
    t.match(await bill(), { units: { length: 0 }, waived: [{ reason: 'blocked' }] })
  })

  await t.test('a path that no scraper reads is 422', async t => {
    const unknown = { field: 'domain', reason: 'bad_value' } as const
    startOver()
    const before = (await stage.served()).length
    stage.site = async () => {
      throw new Refusal({ ...unknown, status: 422, code: 'invalid_input', message: 'Unknown.' })
    }
    for (const [path, field] of [
      ['nowhere.test', 'domain'],
      [`${'a'.repeat(200)}.test`, 'domain'],
      ['a%20b', 'domain'],
      [`${'a'.repeat(254)}`, 'domain'],
      ['a.test/x%0Ay', 'path'],
      [`a.test/${'x'.repeat(2_049)}`, 'path'],
    ]) {
      const { status, json } = await post(`/v1/cloud/fetch/${path}`)
      t.match(
        { status, ...json.error },
        { status: 422, code: 'invalid_input', field },
        String(path).slice(0, 30),
      )
    }
    await until(async () => stage.released.length === stage.reserved.length)
    stage.site = plain.site
    await post('/v1/cloud/fetch/pypi.org')
    const later = (await stage.served()).slice(before)
    t.match(later, [{ units: [units('cloud_page', 'pypi.org')] }])
    t.equal(later.length, 1, 'and is no failed fetch in the ledger')
    for (const [body, field] of [
      [{ params: [] }, 'params'],
      [{ params: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])) }, 'params'],
    ] as const) {
      const { status, json } = await post('/v1/cloud/fetch/pypi.org', body)
      t.match({ status, ...json.error }, { status: 400, field })
    }
  })

  await t.test('balance and health report the backends, and the cost of the last day', async t => {
    startOver()
    const balance = await get('/v1/cloud/balance')
    t.equal(fits(CloudBalance, balance.json), true)
    t.strictSame(balance.json, { balance_usd: 0, currency: 'USD', configured: false })
    const zero = { cloudPages: 0, cloudCostUsd: 0 }
    const { usage } = around.standIns
    around.standIns.usage = { ...usage, recent: { cloudPages: 12, cloudCostUsd: 0.5 } }
    const health = await get('/v1/health/cloud')
    t.equal(fits(CloudHealth, health.json), true)
    t.strictSame(health.json, {
      configured: true,
      balance_usd: 0,
      last_24h: { cloud_pages: 12, cloud_cost_usd: 0.5 },
      backends: {
        browser: true,
        faithful: true,
        proxy_pools: ['isp (DE, US)', 'residential'],
        vendor: false,
        search: true,
      },
      engines: {
        faithful: { configured: true, setting: null },
        browser: { configured: true, setting: 'BROWSER' },
        proxy: { configured: true, setting: 'PROXY_POOLS' },
        vendor: { configured: false, setting: 'VENDOR_URL' },
        search: { configured: true, setting: 'SEARCH_URL' },
      },
    })
    around.standIns.usage = { ...usage, recent: zero }
    const none = { browser: false, proxyPools: [], search: false }
    stage.state = { ...cloudState, ...none }
    const missing = { configured: false }
    t.match((await get('/v1/health/cloud')).json, {
      ...{ configured: false, last_24h: { cloud_pages: 0 } },
      engines: {
        faithful: { configured: true },
        browser: missing,
        proxy: missing,
        vendor: missing,
        search: missing,
      },
    })
    stage.state = { ...cloudState, ...none, faithful: false, search: true }
    t.match((await get('/v1/health/cloud')).json, {
      engines: { faithful: missing, search: { configured: true } },
    })
    stage.state = { ...cloudState, ...none }
    stage.browserLane = true
    const elsewhere = {
      configured: true,
      backends: { browser: true },
      engines: { browser: { configured: true } },
    }
    t.match((await get('/v1/health/cloud')).json, elsewhere, 'another process has a browser')
    stage.browserLane = false
    stage.state = { ...cloudState, ...none, vendor: true, balanceUsd: 12.5 }
    t.match((await get('/v1/health/cloud')).json, { configured: true, balance_usd: 12.5 })
    t.match((await get('/v1/cloud/balance')).json, { balance_usd: 12.5, configured: true })
    stage.state = { ...stage.state, balanceUsd: null }
    t.match((await get('/v1/cloud/balance')).json, { balance_usd: null, configured: true })
    for (const path of ['/v1/health/cloud', '/v1/cloud/balance', '/v1/cloud/scrapers'])
      t.equal((await get(path, { key: null })).status, 401, path)
  })

  await t.test('a client that leaves stops the work', async t => {
    for (const [path, body] of [
      ['scrape', { url: seed }],
      ['crawl', { url: seed }],
      ['search', { query: 'tides' }],
      ['fetch/pypi.org', {}],
    ] as const) {
      startOver()
      const held = Promise.withResolvers<never>()
      stage.page = () => held.promise
      stage.site = () => held.promise
      stage.search = async () => ({ hits: [{ url: seed, title: 'T', snippet: null }], costUsd: 0 })
      const client = new AbortController()
      const requested = fetch(`${around.url}/v1/cloud/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: client.signal,
      })
      await until(async () => stage.pages.length + stage.sites.length === 1)
      client.abort()
      await t.rejects(requested)
      await until(async () => stage.dropped.length > 0)
      t.equal(stage.dropped[0], stage.pages[0]?.workId ?? stage.sites[0]?.workId, path)
      held.reject(new Refusal({ status: 502, code: 'fetch_failed', message: 'Dropped.' }))
    }
  })

  await t.test('a client that leaves before the work begins costs nothing', async t => {
    for (const [path, body] of [
      ['scan', { url: seed }],
      ['cloud/scrape', { url: seed }],
      ['cloud/search', { query: 'tides' }],
      ['cloud/fetch/pypi.org', {}],
    ] as const) {
      startOver()
      const held = Promise.withResolvers<void>()
      stage.grant = ({ units }) =>
        held.promise.then(() => ({ granted: units, reason: null, retryAfterSeconds: null }))
      const client = new AbortController()
      const requested = fetch(`${around.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: client.signal,
      })
      await until(async () => stage.reserved.length === 1)
      client.abort()
      await t.rejects(requested)
      // The gateway must notice it before the units are granted.
      await sleep(patient(100))
      held.resolve()
      await until(async () => stage.released.includes(stage.reserved[0]?.requestId ?? ''))
      t.strictSame([stage.scans, stage.pages, stage.sites, stage.searches], [[], [], [], []], path)
    }
  })

  await t.test('a project can run eight crawls, searches and documents at a gateway at once', async t => {
    startOver()
    const held = Promise.withResolvers<void>()
    stage.transform = async () => {
      await held.promise
      return { content: '', engine: 'markdown', warnings: [] }
    }
    const all = Array.from({ length: 8 }, () => post('/v1/cloud/transform', { data: 'a' }))
    await until(async () => stage.transforms.length === 8)
    for (const [path, body] of [
      ['transform', { data: 'a' }],
      ['crawl', { url: seed }],
      ['search', { query: 'a' }],
    ] as const) {
      const { status, json } = await post(`/v1/cloud/${path}`, body)
      t.match({ status, ...json.error }, { status: 429, code: 'too_many_requests', reason: 'cloud_requests' })
    }
    held.resolve()
    t.match(await Promise.all(all), Array(8).fill({ status: 200 }))
    t.equal((await post('/v1/cloud/transform', { data: 'a' })).status, 200)
  })
})

/** Links by path; other pages have none. */
const site =
  (links: Record<string, string[]>, more: (path: string) => object = () => ({})) =>
  async (request: GetPage) => {
    const path = new URL(request.url).pathname
    const anchors = (links[path] ?? []).map(to => ({ ...anchor, to: URL.parse(to, seed)?.href ?? to }))
    const got = gotPage(request, more(path))
    return { ...got, content: { ...got.content, anchors } }
  }

/** Refuses the first request for each page, as an extractor does above the share of a project. */
const crowdedAtFirst = (page: typeof stage.page) => async (request: GetPage) => {
  const tries = stage.pages.filter(({ url }) => url === request.url).length
  if (tries === 1) throw refuse('too_many_requests', { reason: 'concurrent_requests' })
  return page(request)
}

test('A crawl within one request', { timeout: patient(300_000) }, async t => {
  const pathsOf = (items: { url: string }[]) => items.map(({ url }) => new URL(url).pathname)
  const tree = {
    '/': ['/a', '/b', 'https://other.test/'],
    '/a': ['/a/1', '/'],
    '/b': ['/b/1'],
    '/a/1': ['/a/2'],
  }

  await t.test('crawls the site breadth first, and bills each page', async t => {
    startOver()
    stage.page = site(tree, path => ({ costUsd: path === '/a' ? 0.5 : 0.25 }))
    const { status, json, headers } = await post('/v1/cloud/crawl', {
      url: seed,
      return_format: 'text',
      chrome: true,
    })
    t.equal(status, 200)
    t.ok(Check(CloudCrawl, json), JSON.stringify(json))
    t.strictSame(pathsOf(json.items), ['/', '/a', '/b', '/a/1', '/b/1', '/a/2'])
    t.match(json.items[5], { content: 'plain', status: 200, depth: 3, backend: 'http', blocked: false })
    t.strictSame(json.failed, [])
    t.equal(json.cost_usd, 1.75)
    t.notOk(json.warnings)
    t.ok(
      stage.pages.every(
        ({ respectRobots, means }) => respectRobots && means.is === 'auto' && means.from === 'browser',
      ),
    )
    t.equal(new Set(stage.pages.map(({ workId }) => workId)).size, 1, 'one identity and one rate limit')
    t.equal(headers.get('x-cloud-pages-billed'), '6')
    t.match(stage.reserved, [{ kind: 'cloud_page', units: 20 }])
    const served = await stage.lastServed()
    t.match(served, { operation: 'cloud_crawl', costUsd: 1.75 })
    t.equal(served?.units.length, 6)
  })

  await t.test('fetches the number of requested pages, within the cap', async t => {
    startOver()
    stage.page = site({ '/': ['/a', '/b', '/c', '/d'] })
    const three = await post('/v1/cloud/crawl', { url: seed, limit: 3 })
    t.equal(three.json.items.length, 3)
    t.equal(stage.pages.length, 3)
    stage.grant = () => ({ granted: 2, reason: 'cloud_pages', retryAfterSeconds: 9 })
    const two = await post('/v1/cloud/crawl', { url: seed })
    t.equal(two.json.items.length, 2)
    t.match(two.json.warnings, [/allowed 2 of \d+ pages/])
  })

  await t.test('reports failed pages, and bills nothing for them', async t => {
    startOver()
    const links = { '/': ['/robots', '/dns', '/away', '/again', '/shown', '/fine'] }
    const fine = site(links)
    stage.page = async request => {
      const path = new URL(request.url).pathname
      const refused = { status: 502, code: 'fetch_failed', message: 'No.' }
      if (path === '/robots' || path === '/dns') throw new Refusal({ ...refused, reason: path.slice(1) })
      if (path === '/away') return { ...(await fine(request)), url: 'https://other.test/' }
      if (path === '/again') return { ...(await fine(request)), url: seed }
      if (path === '/shown')
        return gotPage(request, { content: contentFor(request, { challenge: 'DataDome' }), costUsd: 9 })
      return fine(request)
    }
    const { json, headers } = await post('/v1/cloud/crawl', { url: seed })
    t.strictSame(pathsOf(json.items), ['/', '/shown', '/fine'])
    t.match(json.items[1], { blocked: true })
    t.strictSame(
      new Map(
        json.failed.map(({ url, reason }: { url: string; reason: string }) => [
          new URL(url).pathname,
          reason,
        ]),
      ),
      new Map([
        ['/robots', 'robots'],
        ['/dns', 'dns'],
        ['/away', 'out_of_scope'],
      ]),
    )
    t.equal(headers.get('x-cloud-pages-billed'), '2')
    t.equal(json.cost_usd, 0)
  })

  await t.test('waits for pages while the project has too many under way', async t => {
    startOver()
    stage.page = crowdedAtFirst(site({ '/': ['/a'] }))
    const { json } = await post('/v1/cloud/crawl', { url: seed })
    t.strictSame(pathsOf(json.items), ['/', '/a'])
    t.strictSame(json.failed, [])
    t.equal(stage.pages.length, 4)
  })

  await t.test('follows the redirect of the first page to its site', async t => {
    startOver()
    const moved = site({ '/': ['https://www.moved.test/a', '/b'] })
    stage.page = async request => {
      const got = await moved(request)
      return request.url === seed ? { ...got, url: 'https://www.moved.test/' } : got
    }
    const { json } = await post('/v1/cloud/crawl', { url: seed })
    t.strictSame(
      json.items.map(({ url }: { url: string }) => url),
      ['https://www.moved.test/', 'https://www.moved.test/a'],
    )
  })

  await t.test('answers with the results so far when the time is over, and stops the rest', async t => {
    startOver()
    const fine = site({ '/': ['/a', '/slow'] })
    stage.page = async request => (request.url.endsWith('/slow') ? new Promise(() => {}) : fine(request))
    const { json } = await post('/v1/cloud/crawl', { url: seed })
    t.strictSame(pathsOf(json.items), ['/', '/a'])
    t.match(json.warnings, [/time limit was reached/])
    t.ok(json.elapsed_ms >= 1_900 && json.elapsed_ms < 5_000)
    await until(async () => stage.dropped.length > 0)
    t.equal((await stage.lastServed())?.units.length, 2)
    stage.page = () => new Promise(() => {})
    const none = await post('/v1/cloud/crawl', { url: seed })
    t.match(
      { status: none.status, ...none.json.error },
      { status: 502, code: 'fetch_failed', reason: 'timeout' },
    )
  })
})

test('A crawl of very long pages', { timeout: patient(300_000) }, async t => {
  const { stage, post } = await cloudScene(t)
  await t.test('has a size limit', async t => {
    const paths = Array.from({ length: 30 }, (_, n) => `/${n}`)
    const long = '\x01'.repeat(1_500_000)
    const fine = site({ '/': paths })
    stage.page = async request => {
      const got = await fine(request)
      return { ...got, content: { ...got.content, markdown: long } }
    }
    const { status, json } = await post('/v1/cloud/crawl', { url: seed, limit: 31 })
    t.equal(status, 200)
    t.equal(json.items.length, 7, 'nine million bytes each')
    t.match(json.warnings, [/maximum size/])
    t.equal((await stage.lastServed())?.units.length, 7)
  })
})

test('A search', { timeout: patient(300_000) }, async t => {
  const hit = (name: string) => ({ url: seed + name, title: name, snippet: `about ${name}` })

  await t.test('returns the pages of its results, best first, each for one cloud page', async t => {
    startOver()
    stage.search = async () => ({ hits: ['a', 'b', 'c'].map(hit), costUsd: 0.01 })
    stage.page = async request => {
      if (request.url.endsWith('a')) await sleep(30)
      return gotPage(request, { costUsd: 0.02 })
    }
    const { status, json, headers } = await post('/v1/cloud/search', { query: ' tide tables ', limit: 3 })
    t.equal(status, 200)
    t.ok(Check(CloudSearch, json), JSON.stringify(json))
    t.strictSame(
      json.results,
      ['a', 'b', 'c'].map(name => ({ url: seed + name, title: name, content: '*page*' })),
    )
    t.equal(json.cost_usd, 0.07)
    t.strictSame(stage.searches, [{ query: 'tide tables', limit: 3 }])
    t.match(stage.pages[0], { means: auto('http'), wanted: { markdown: 'page' } })
    t.equal(headers.get('x-cloud-pages-billed'), '3')
    t.match(await stage.lastServed(), {
      operation: 'cloud_search',
      costUsd: 0.07,
      units: ['a', 'b', 'c'].map(name => units('cloud_page', seed + name)),
    })
  })

  await t.test(
    'has the text of the search engine for a page that could not be fetched, with a warning',
    async t => {
      startOver()
      const hits = [
        hit('a'),
        { ...hit('b'), url: 'http://10.0.0.1/' },
        hit('c'),
        { ...hit('d'), url: 'mailto:x' },
      ]
      stage.search = async () => ({ hits, costUsd: 0 })
      stage.page = async request => {
        if (request.url.endsWith('a'))
          throw new Refusal({ status: 502, code: 'fetch_failed', reason: 'dns', message: 'No.' })
        return gotPage(request, { content: contentFor(request, { challenge: 'DataDome' }) })
      }
      const { json, headers } = await post('/v1/cloud/search', { query: 'tides' })
      t.strictSame(
        json.results.map(({ content }: { content: string }) => content),
        ['about a', 'about b', 'about c', 'about d'],
      )
      t.match(json.warnings, [
        /^results\[0\]: .*\(dns\)/,
        /^results\[1\]: .*\(private_address\)/,
        /^results\[2\]: .*\(blocked\)/,
        /^results\[3\]: .*\(bad_url\)/,
      ])
      t.equal(headers.get('x-cloud-pages-billed'), '4')
    },
  )

  await t.test('waits for pages while the project has too many under way', async t => {
    startOver()
    stage.search = async () => ({ hits: ['a', 'b'].map(hit), costUsd: 0 })
    stage.page = crowdedAtFirst(async request => gotPage(request))
    const { json } = await post('/v1/cloud/search', { query: 'tides' })
    t.match(json.results, [{ content: '*page*' }, { content: '*page*' }])
    t.notOk(json.warnings)
    t.equal(stage.pages.length, 4)
  })

  /** Searches as a client that can leave. Returns when the search engine has the request. */
  async function beginSearch() {
    const before = stage.searches.length
    const client = new AbortController()
    const requested = fetch(`${around.url}/v1/cloud/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'tides' }),
      signal: client.signal,
    })
    await until(async () => stage.searches.length > before)
    return {
      leave: async () => {
        client.abort()
        await t.rejects(requested)
        // The gateway must notice it before the engine answers.
        await sleep(patient(100))
      },
    }
  }

  await t.test('counts as free results if its client leaves before the engine answers', async t => {
    for (const [hits, unread] of [
      [['a', 'b'].map(hit), [`${seed}a`, `${seed}b`]],
      [[], ['tides']],
    ] as const) {
      startOver()
      const engine = Promise.withResolvers<void>()
      stage.search = () => engine.promise.then(() => ({ hits: [...hits], costUsd: 0.01 }))
      const before = (await stage.served()).length
      const search = await beginSearch()
      await search.leave()
      engine.resolve()
      await until(async () => (await stage.served()).length > before)
      const waived = unread.map(what => ({ kind: 'cloud_page', what, reason: 'failed' }))
      t.match(await stage.lastServed(), {
        operation: 'cloud_search',
        costUsd: 0,
        units: { length: 0 },
        waived,
      })
      t.strictSame(stage.pages, [])
    }
  })

  await t.test('keeps its slot until the engine answers, even if its client has left', async t => {
    startOver()
    const engine = Promise.withResolvers<void>()
    stage.search = () => engine.promise.then(() => ({ hits: [], costUsd: 0 }))
    for (let nth = 1; nth <= 8; nth += 1) await (await beginSearch()).leave()
    const ninth = await post('/v1/cloud/search', { query: 'tides' })
    t.match({ status: ninth.status, ...ninth.json.error }, { status: 429, reason: 'cloud_requests' })
    t.equal(stage.searches.length, 8)
    engine.resolve()
    await until(async () => (await post('/v1/cloud/search', { query: 'tides' })).status === 200)
  })

  await t.test('bills only pages that were read if its client has left', async t => {
    startOver()
    const held = Promise.withResolvers<never>()
    const hits = ['a', 'b', 'c', 'd', 'e', 'f'].map(hit)
    stage.search = async () => ({ hits, costUsd: 0.01 })
    stage.page = async request =>
      request.url === hits[0]?.url ? gotPage(request, { costUsd: 0.02 }) : held.promise
    const before = (await stage.served()).length
    const client = new AbortController()
    const requested = fetch(`${around.url}/v1/cloud/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'tides' }),
      signal: client.signal,
    })
    // Four begin at once, so the fifth begins when the first has been read.
    await until(async () => stage.pages.length === 5)
    client.abort()
    await t.rejects(requested)
    await until(async () => stage.dropped.length > 0)
    held.reject(new Refusal({ status: 502, code: 'fetch_failed', message: 'Dropped.' }))
    await until(async () => (await stage.served()).length > before)
    t.match(await stage.lastServed(), { operation: 'cloud_search', costUsd: 0.03 })
    t.strictSame((await stage.lastServed())?.units, [units('cloud_page', `${seed}a`)])
    const unread = hits.slice(1).map(({ url }) => ({ kind: 'cloud_page', what: url, reason: 'failed' }))
    t.strictSame((await stage.lastServed())?.waived, unread)
  })

  await t.test('costs nothing without results, or without an engine', async t => {
    startOver()
    const { json, headers } = await post('/v1/cloud/search', { query: 'nothing' })
    t.match(json, { results: { length: 0 }, cost_usd: 0 })
    t.equal(headers.get('x-cloud-pages-billed'), null)
    t.match(
      await stage.lastServed(),
      {
        ...{ operation: 'cloud_search', costUsd: 0, units: { length: 0 } },
        waived: [{ kind: 'cloud_page', what: 'nothing', reason: 'failed' }],
      },
      'and counts as a free result, because the search engine is paid',
    )
    stage.search = async () => {
      throw new Refusal({ status: 503, code: 'not_configured', message: 'SEARCH_URL is not set.' })
    }
    const none = await post('/v1/cloud/search', { query: 'tides' })
    t.match(
      { status: none.status, ...none.json.error },
      { status: 503, code: 'not_configured', message: /SEARCH_URL/ },
    )
    await until(async () => stage.released.length === 1)
    stage.search = async () => ({ hits: ['a', 'b', 'c'].map(hit), costUsd: 0 })
    stage.grant = () => ({ granted: 2, reason: 'cloud_pages', retryAfterSeconds: 9 })
    const two = await post('/v1/cloud/search', { query: 'tides' })
    t.equal(two.json.results.length, 2)
    t.match(two.json.warnings, [/allowed 2 of \d+ results/])
  })
})

test('A scan beyond plain HTTP', { timeout: patient(300_000) }, async t => {
  const png = Buffer.from('a picture').toString('base64')
  const both = [units('cloud_page', seed), units('page', seed)]

  await t.test(
    'uses the backends of its mode, and bills a cloud page for any backend beyond plain HTTP',
    async t => {
      for (const [mode, means] of [
        ['auto', auto('http')],
        ['unblocker', auto('faithful')],
        ['browser', { is: 'browser' }],
      ] as const) {
        startOver()
        stage.scan = async request => ({
          ...scanned(request),
          backend: 'vendor',
          tried: [tried, { ...tried, backend: 'vendor', costUsd: 0.5 }],
        })
        const { json, headers } = await post('/v1/scan', { url: seed, cloud_mode: mode })
        t.ok(Check(Scan, json))
        t.match(json, { backend: 'vendor', tried: [{ backend: 'http' }, { cost_usd: 0.5 }], cost_usd: 0.5 })
        t.match(stage.scans, [{ means }])
        t.match(stage.reserved, [{ kind: 'page' }, { kind: 'cloud_page', units: 1 }])
        t.match(await stage.lastServed(), { operation: 'scan', units: both, costUsd: 0.5 })
        t.strictSame([headers.get('x-pages-billed'), headers.get('x-cloud-pages-billed')], ['1', '1'])
      }
      startOver()
      stage.scan = async request => ({ ...scanned(request), backend: 'http', tried: [tried], costUsd: 0 })
      await post('/v1/scan', { url: seed, cloud_mode: 'auto' })
      t.strictSame((await stage.lastServed())?.units, [units('page', seed)], 'plain HTTP was enough')
      startOver()
      await post('/v1/scan', { url: seed, cloud_mode: 'none' })
      t.notOk(stage.scans[0]?.means)
      t.match(stage.reserved, [{ kind: 'page' }])
      t.equal(stage.reserved.length, 1, 'and no other service receives a request')
    },
  )

  await t.test('uses the mode of its project by default', async t => {
    startOver()
    const theirs = keyNamed('b')
    around.standIns.addKey(theirs, 9, { cloudMode: 'browser' })
    await call('POST', '/v1/scan', { key: theirs, body: { url: seed } })
    await call('POST', '/v1/scan', { key: theirs, body: { url: seed, cloud_mode: 'none' } })
    t.match(stage.scans[0], { means: { is: 'browser' } })
    t.notOk(stage.scans[1]?.means)
  })

  await t.test('has a picture for one cloud page, or a free error', async t => {
    startOver()
    stage.scan = async request => ({
      ...scanned(request),
      backend: 'http',
      tried: [tried],
      picture: { png },
    })
    const { json } = await post('/v1/scan', { url: seed, screenshot_inline: true, max_age_seconds: 60 })
    t.ok(Check(Scan, json))
    t.match(json, { screenshot: png, backend: 'http', cached: false })
    t.match(stage.scans, [{ picture: true }])
    t.notOk(stage.scans[0]?.means)
    t.strictSame((await stage.lastServed())?.units, both)
    stage.scan = async request => ({ ...scanned(request), picture: { error: 'no browser' } })
    const none = await post('/v1/scan', { url: seed, screenshot_inline: true })
    t.match(none.json, { screenshot_error: 'no browser', markdown: '*page*' })
    t.notOk(none.json.screenshot)
    t.strictSame((await stage.lastServed())?.units, [units('page', seed)])
    startOver()
    stage.scan = async request => ({ ...scanned(request), backend: 'browser', picture: { png } })
    await post('/v1/scan', { url: seed, screenshot_inline: true, cloud_mode: 'browser' })
    t.match(stage.reserved, [{ kind: 'page' }, { kind: 'cloud_page', units: 2 }])
    t.equal((await stage.lastServed())?.units.length, 3)
    stage.scan = async request => ({
      ...scanned(request, { challenge: 'DataDome' }),
      backend: 'browser',
      picture: { png },
    })
    await post('/v1/scan', { url: seed, screenshot_inline: true, cloud_mode: 'browser' })
    t.strictSame((await stage.lastServed())?.units, [], 'a challenge and its picture cost nothing')
  })

  await t.test('omits optional cloud pages that the cap does not allow', async t => {
    startOver()
    stage.grant = ({ kind, units }) => ({
      granted: kind === 'page' ? units : 0,
      reason: kind === 'page' ? null : 'cloud_pages',
      retryAfterSeconds: 77,
    })
    const { status, json } = await post('/v1/scan', { url: seed, cloud_mode: 'auto' })
    t.equal(status, 200)
    t.match(json.warnings, [/only plain HTTP/])
    t.notOk(stage.scans[0]?.means)
    for (const body of [
      { cloud_mode: 'browser' },
      { cloud_mode: 'unblocker' },
      { screenshot_inline: true },
    ]) {
      startOver()
      stage.grant = ({ kind, units }) => ({
        granted: kind === 'page' ? units : 0,
        reason: kind === 'page' ? null : 'cloud_pages',
        retryAfterSeconds: 77,
      })
      const refused = await post('/v1/scan', { url: seed, ...body })
      t.match({ status: refused.status, ...refused.json.error }, { status: 429, reason: 'cloud_pages' })
      t.ok(Number(refused.headers.get('retry-after')) > 0)
      t.strictSame(stage.scans, [])
      await until(async () => stage.released.length === 1)
    }
  })
})
