/** `POST /v1/actors/check-links` end to end, on a page that has every kind of link. */

import { CheckLinksAnswer, type LinkItem, type LinkReason } from '@tidemark/contracts/http/actors/check-links'
import { startOrigin } from '@tidemark/testing/origin'
import { pageOf, startLinkSite } from '@tidemark/testing/sites/links'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { sharedSystem } from './system.ts'

/** On a kept connection a request may be repeated immediately (RFC 9112, 9.3.1). */
const dropped = 'HEAD( HEAD)*( GET)+'

/** A link with its expected result, and the expected methods of its requests as a pattern. */
type Row = [
  link: string,
  status: LinkItem['status'],
  code: number | null,
  reason: LinkReason | null,
  methods: string,
]

test('The links of a page', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('links', '--tier', 'pro')
  const checkLinks = async (body: object, more: object = {}) => {
    const {
      status,
      body: json,
      headers,
    } = await system.call(key, 'POST', '/v1/actors/check-links', body, more)
    const items: LinkItem[] = json.data?.items ?? []
    return { status, json, items, billed: Number(headers.get('x-pages-billed')) }
  }
  // No request may reach this address.
  const canary = await startOrigin({ host: '127.0.0.1' })
  t.teardown(() => canary.close())
  const inward = canary.url
  const [one, two, three] = await Promise.all(
    ['127.1.61.1', '127.1.61.2', '127.1.61.3'].map(host =>
      startLinkSite(host, {
        '/to-canary': ({ response }) => void response.writeHead(302, { location: `${inward}/secret` }).end(),
      }),
    ),
  )
  if (!one || !two || !three) return t.fail('no sites were started')
  for (const site of [one, two, three]) t.teardown(() => site[Symbol.asyncDispose]())

  const rows: Row[] = [
    [`${one.url}/ok`, 'ok', 200, null, 'HEAD'],
    [`${one.url}/moved`, 'ok', 200, null, 'HEAD'],
    [`${one.url}/chain`, 'ok', 200, null, 'HEAD'],
    [`${one.url}/loop`, 'broken', null, 'too_many_redirects', 'HEAD'],
    [`${one.url}/nowhere`, 'broken', 302, 'bad_redirect', 'HEAD GET'],
    [`${one.url}/missing`, 'broken', 404, 'not_found', 'HEAD GET'],
    [`${one.url}/status/410`, 'broken', 410, 'gone', 'HEAD GET'],
    [`${one.url}/status/400`, 'broken', 400, 'client_error', 'HEAD GET'],
    [`${one.url}/status/500`, 'broken', 500, 'server_error', 'HEAD GET GET'],
    [`${one.url}/drops`, 'broken', null, 'protocol', dropped],
    [`${two.url}/flaps`, 'ok', 200, null, 'HEAD GET GET'],
    [`${two.url}/throttles`, 'ok', 200, null, 'HEAD HEAD'],
    [`${two.url}/slow`, 'ok', 200, null, 'HEAD'],
    [`${two.url}/no-head`, 'ok', 200, null, 'HEAD GET'],
    [`${two.url}/head-lies`, 'ok', 200, null, 'HEAD GET'],
    [`${two.url}/head-drops`, 'ok', 200, null, dropped],
    [`${two.url}/challenge`, 'excluded', 200, 'blocked', 'HEAD GET'],
    [`${two.url}/wall`, 'excluded', 403, 'blocked', 'HEAD GET'],
    [`${two.url}/status/401`, 'excluded', 401, 'blocked', 'HEAD GET'],
    [`${two.url}/status/999`, 'excluded', 999, 'blocked', 'HEAD GET'],
    [`${three.url}/docs#install`, 'ok', 200, null, 'GET'],
    [`${three.url}/docs#nope`, 'broken', 200, 'fragment_not_found', 'GET'],
    [`${three.url}/docs#top`, 'ok', 200, null, 'GET'],
    [`${three.url}/app#place`, 'ok', 200, null, 'GET'],
    [`${three.url}/picture.png#x`, 'ok', 200, null, 'GET'],
    [`${three.url}/closed/page`, 'excluded', null, 'robots', ''],
    [`${three.url}/to-closed`, 'excluded', null, 'robots', 'HEAD'],
    [`${three.url}/inward`, 'excluded', null, 'private_address', 'HEAD'],
    [`${three.url}/to-canary`, 'excluded', null, 'private_address', 'HEAD'],
    [`${inward}/`, 'excluded', null, 'private_address', ''],
    ['http://no-such-host.invalid/', 'broken', null, 'dns', ''],
    [`https://${three.url.slice('http://'.length)}/ok`, 'broken', null, 'tls', ''],
    ['http://127.1.61.4:40998/', 'broken', null, 'connect', ''],
    [`http://user:word@${two.url.slice('http://'.length)}/ok`, 'excluded', null, 'unsupported_url', ''],
    ['mailto:somebody@example.com', 'excluded', null, 'scheme', ''],
    ['tel:+491234', 'excluded', null, 'scheme', ''],
    ['javascript:go()', 'excluded', null, 'scheme', ''],
    ['http://[', 'broken', null, 'bad_url', ''],
  ]
  const anchors = [...rows, ...rows.slice(0, 3)].map(([link]) => `<a href="${link}">link</a>`)
  const home = await startLinkSite('127.1.61.5', { '/': pageOf(anchors.join('<p>')) })
  t.teardown(() => home[Symbol.asyncDispose]())

  await t.test('get the right verdicts, each once and with the fewest possible requests', async t => {
    const { status, json, items, billed } = await checkLinks({ url: `${home.url}/` })
    t.equal(status, 200)
    t.ok(Check(CheckLinksAnswer, json), JSON.stringify(json))
    t.match(json, {
      actor: 'check-links',
      url: `${home.url}/`,
      final_url: `${home.url}/`,
      status_code: 200,
    })
    const byUrl = new Map(items.map(item => [item.url, item]))
    for (const [link, status, code, reason, expected] of rows) {
      const item = byUrl.get(link)
      t.match(item, { status, status_code: code, reason, kind: 'link' }, link)
      t.equal(item?.error === null, status === 'ok')
      const site = [one, two, three].find(({ url }) => link.startsWith(url))
      const path = link.slice(site?.url.length).split('#')[0]
      const methods = site?.hits
        .filter(hit => hit.request.endsWith(` ${path}`))
        .map(hit => hit.request.split(' ')[0])
      // Other links lead to /ok and to /moved too.
      if (site && path !== '/ok' && path !== '/moved')
        t.match(methods?.join(' '), new RegExp(`^${expected}$`), link)
    }
    const counted = (status: string) => rows.filter(row => row[1] === status).length
    t.match(json.data, {
      source_url: `${home.url}/`,
      total: rows.length,
      ok: counted('ok'),
      broken: counted('broken'),
      excluded: counted('excluded'),
      ...{ cloud_retried: 0, cloud_recovered: 0, cloud_cost_usd: 0 },
    })
    t.match(byUrl.get(`${one.url}/chain`), {
      redirected_to: `${one.url}/ok`,
      redirects: [
        { url: `${one.url}/chain`, status: 302 },
        { url: `${one.url}/moved`, status: 301 },
      ],
    })
    t.match(byUrl.get(`${three.url}/docs#install`), { anchor: 'ok' })
    t.match(byUrl.get(`${three.url}/docs#nope`), { anchor: 'missing', error: 'fragment not found' })
    t.notOk('anchor' in (byUrl.get(`${three.url}/app#place`) ?? {}), 'unknown, because scripts may add it')
    t.equal(canary.hits.length, 0, 'no request reached the private address')
    const free = new Set(['robots', 'private_address', 'scheme', 'bad_url', 'unsupported_url'])
    const requested = rows.filter(([, , , reason, methods]) => methods !== '' || !free.has(reason ?? ''))
    t.equal(billed, new Set(requested.map(([link]) => link.split('#')[0])).size, 'each requested page')
    // On a busy machine the usage may be 503 for a moment.
    const bill = async () => (await system.call(key, 'GET', '/v1/usage')).body.today?.pages
    await until(async () => (await bill()) >= billed)
    t.equal(await bill(), billed)
  })

  await t.test('are requested with pauses at each host', async t => {
    for (const site of [one, two, three]) {
      const times = site.hits.filter(({ request }) => !request.endsWith('drops')).map(({ at }) => at)
      const pauses = times.slice(1).map((at, n) => at - (times[n] ?? 0))
      // Two extractors may each request robots.txt first at the same time.
      t.ok(pauses.filter(ms => ms < 95).length <= 1, `${site.url}: ${pauses.map(Math.round)}`)
    }
  })

  await t.test('that block us are retried by a browser on request', async t => {
    const { backends } = (await system.call(key, 'GET', '/v1/health/cloud')).body
    const wall = await startLinkSite('127.1.61.6', {
      '/browsers-only': ({ request, response, nth }) =>
        pageOf(nth > 2 ? 'Here.' : 'No.', nth > 2 ? 200 : 403)({ request, response, nth, url: '' }),
    })
    t.teardown(() => wall[Symbol.asyncDispose]())
    const urls = [`${wall.url}/browsers-only`, `${wall.url}/ok`]
    const { json, items } = await checkLinks({ urls, cloud_retry: true })
    t.ok(Check(CheckLinksAnswer, json))
    if (backends.browser) {
      t.match(items, [{ status: 'ok', recovered_via_cloud: true, status_code: 200 }, { status: 'ok' }])
      t.match(json.data, { cloud_retried: 1, cloud_recovered: 1, source_url: null })
    } else t.match(json.warnings, [/not retried/])
    const proxied = await checkLinks({
      urls: [`${wall.url}/wall`],
      cloud_retry: true,
      cloud_retry_mode: 'proxy',
    })
    t.match(proxied.json.error, { code: 'not_configured', message: /no pool residential: .*PROXY_POOLS/ })
  })

  await t.test('are streamed as events on request', async t => {
    const body = { urls: [`${home.url}/ok`, `${home.url}/moved`] }
    const accept = { accept: 'text/event-stream' }
    const { json } = await checkLinks(body, accept)
    t.match(json, /"stage":"checking links","done":2,"total":2/)
    t.match(json, /event: result\ndata: {"actor":"check-links"/)
  })
})
