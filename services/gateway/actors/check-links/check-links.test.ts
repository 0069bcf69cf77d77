/** `POST /v1/actors/check-links` at the gateway: the requested links, the method, the cost, and the answer. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import { CheckLinksAnswer } from '@tidemark/contracts/http/actors/check-links'
import type { LinkChecked } from '@tidemark/contracts/rpc/check-link'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { challenged, cloudState, gotPage, units } from '../../cloud/cloud.scene.ts'
import { seed } from '../../gateway.scene.ts'
import { blockedLink, linkScene, okLink, pageOf, site } from './check-links.scene.ts'
import { HostPatience } from './domain/host-patience.ts'
import { anchorIn, listOf, spread } from './domain/link-list.ts'

const paths = (count: number, host = site) => Array.from({ length: count }, (_, n) => `${host}${n}`)

test('A check of links', { timeout: patient(300_000) }, async t => {
  const { around, stage, startOver, checkLinks, mine } = await linkScene(t, {
    PROXY_PRICES: '{"residential":4}',
    PROBE_DELAY_MS: '70',
  })
  const bill = async () => {
    const { operation, units, costUsd } = (await stage.lastServed()) ?? {}
    return { operation, units, costUsd }
  }
  const paid = (urls: string[]) => urls.map(url => units('page', url))

  await t.test('requests each page of a list once, and answers each link once', async t => {
    startOver()
    stage.check = async request =>
      okLink(request, {
        found: request.places.filter(anchor => anchor !== 'gone'),
        missing: request.places.filter(anchor => anchor === 'gone'),
      })
    const urls = [
      ...[`${site}a`, `${site}a#one`, `${site}a#gone`, 'HTTP://LINKS.test:80/a', `${site}a#top`],
      ...['mailto:a@b.test', 'tel:+1', 'javascript:go()', 'nonsense', `${site}b`],
    ]
    const { status, json, data, items, headers } = await checkLinks({ urls })
    t.equal(status, 200)
    t.ok(Check(CheckLinksAnswer, json), 'the answer matches the contract')
    t.match(json, {
      actor: 'check-links',
      url: `${site}a`,
      elapsed_ms: Number,
      warnings: ['1 addresses were listed before, and are reported once'],
    })
    t.notOk('final_url' in json)
    const { items: _, ...counts } = data
    t.strictSame(counts, {
      ...{ source_url: null, total: 9, ok: 4, broken: 2, excluded: 3 },
      ...{ cloud_retried: 0, cloud_recovered: 0, cloud_cost_usd: 0 },
    })
    const ok = { status_code: 200, status: 'ok', recovered_via_cloud: false, error: null, reason: null }
    const no = { ...ok, status_code: null, status: 'excluded', reason: 'scheme' }
    t.strictSame(items, [
      { url: urls[0], ...ok },
      { url: urls[1], ...ok, anchor: 'ok' },
      {
        ...{ url: urls[2], ...ok, status: 'broken', reason: 'fragment_not_found' },
        ...{ error: 'fragment not found', anchor: 'missing' },
      },
      { url: urls[4], ...ok },
      { url: urls[5], ...no, error: 'Addresses that begin with mailto: are not checked.' },
      { url: urls[6], ...no, error: 'Addresses that begin with tel: are not checked.' },
      { url: urls[7], ...no, error: 'Addresses that begin with javascript: are not checked.' },
      { url: urls[8], ...no, status: 'broken', reason: 'bad_url', error: 'It is not a valid URL.' },
      { url: urls[9], ...ok },
    ])
    t.match(stage.checks, [
      { url: `${site}a`, places: ['one', 'gone'], projectId: 7, delayMs: 70, concurrency: 32 },
      { url: `${site}b`, places: { length: 0 } },
    ])
    t.equal(new Set(stage.checks.map(({ workId }) => workId)).size, 1)
    t.match(stage.reserved, [{ kind: 'page', units: 2 }])
    t.strictSame(await bill(), {
      operation: 'check_links',
      units: paid([`${site}a`, `${site}b`]),
      costUsd: 0,
    })
    t.equal(headers.get('x-pages-billed'), '2')
  })

  await t.test('requests the links of a page, and returns them with its result', async t => {
    startOver()
    const links = [
      { url: `${site}a`, kind: 'link' as const },
      { url: `${site}s.css`, kind: 'stylesheet' as const },
      { url: 'mailto:a@b.test', kind: 'link' as const },
    ]
    stage.readPage = async request => pageOf(request, { links, more: 2 }, { status: 404, warnings: ['cut'] })
    stage.check = async request =>
      okLink(request, { url: `${request.url}/new`, hops: [{ url: request.url, status: 301 }] })
    const { json, data, items } = await checkLinks({ url: seed })
    t.ok(Check(CheckLinksAnswer, json))
    t.match(json, { url: seed, final_url: `${seed}final`, status_code: 404 })
    t.strictSame(json.warnings, [
      'cut',
      'only the first 1000 links were checked, and 2 more were not',
      'the page responded with 404; its links are those of that response',
    ])
    t.match(data, { source_url: seed, total: 3, ok: 2, excluded: 1 })
    t.match(items, [
      { kind: 'link', redirected_to: `${site}a/new`, redirects: [{ url: `${site}a`, status: 301 }] },
      { kind: 'stylesheet' },
      { kind: 'link', reason: 'scheme' },
    ])
    t.match(stage.pageReads, [{ url: seed, projectId: 7, reading: { as: 'links', most: 1000 } }])
    t.match(
      stage.reserved,
      [
        { kind: 'page', units: 1 },
        { kind: 'page', units: 2 },
      ],
      'reserves for the links of the page, and one page before it is read',
    )
    t.match(await bill(), { units: paid([`${site}a`, `${site}s.css`]) }, 'the page itself costs nothing')
    startOver()
    const none = await checkLinks({ url: seed })
    t.match(none, { status: 200, data: { total: 0, items: { length: 0 } } })
    t.equal(none.headers.get('x-pages-billed'), '0')
    t.match(stage.reserved, [{ kind: 'page', units: 1 }])
    t.equal(stage.reserved.length, 1)
    t.match(await bill(), { operation: 'check_links', units: { length: 0 } })
  })

  await t.test('returns an error if its page cannot be fetched, and costs nothing', async t => {
    startOver()
    const before = (await stage.served()).length
    stage.readPage = async request => pageOf(request, { links: [], more: 0 }, { challenge: 'A vendor' })
    t.match(await checkLinks({ url: seed }), {
      status: 502,
      error: { code: 'fetch_failed', reason: 'blocked' },
    })
    stage.readPage = async () => {
      throw new Refusal({ status: 502, code: 'fetch_failed', reason: 'dns', message: 'No such name.' })
    }
    t.match(await checkLinks({ url: seed }), { status: 502, error: { reason: 'dns' } })
    t.match(await checkLinks({ url: 'http://10.0.0.1/' }), {
      status: 400,
      error: { reason: 'private_address', field: 'url' },
    })
    t.match(stage.reserved, { length: 2 })
    const rows = (await stage.served()).slice(before)
    t.match(rows, [
      { operation: 'check_links', units: { length: 0 } },
      { operation: 'check_links', units: { length: 0 } },
    ])
    t.equal(rows.length, 2, 'one for each requested page')
  })

  await t.test('waits for links while the project has too many under way', async t => {
    startOver()
    const urls = paths(3)
    stage.check = async request => {
      const tries = stage.checks.filter(({ url }) => url === request.url).length
      if (tries <= 2) throw refuse('too_many_requests', { reason: 'concurrent_requests' })
      return okLink(request)
    }
    const { items } = await checkLinks({ urls })
    t.match(items, [{ status: 'ok' }, { status: 'ok' }, { status: 'ok' }])
    t.equal(stage.checks.length, 9)
  })

  await t.test('does not read the page if the cap allows none of its links', async t => {
    startOver()
    stage.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 9 })
    const { status, error } = await checkLinks({ url: seed })
    t.match({ status, ...error }, { status: 429, code: 'too_many_requests', reason: 'daily_pages' })
    t.strictSame(stage.pageReads, [])
    stage.grant = ({ units }) => ({
      granted: 1,
      reason: units === 1 ? null : 'daily_pages',
      retryAfterSeconds: units === 1 ? null : 9,
    })
    const links = paths(2).map(url => ({ url, kind: 'link' as const }))
    stage.readPage = async request => pageOf(request, { links, more: 0 })
    const { items, json } = await checkLinks({ url: seed })
    t.match(items, [{ status: 'ok' }, { status: 'excluded', reason: 'page_cap' }])
    t.strictSame(json.warnings, ['the page cap allowed 1 of 2 links'])
  })

  await t.test('accepts any text as a link, even an invalid address', async t => {
    startOver()
    const bad = ['', `${site}\0`, `${site}\ud800`, `${site}a\tb`, `${site}${'x'.repeat(100_000)}`]
    const { status, json, items, data } = await checkLinks({ urls: [...bad, `${site}a`] })
    t.equal(status, 200)
    t.ok(Check(CheckLinksAnswer, json))
    t.equal(json.url, '')
    t.match(data, { total: 6, ok: 1, broken: 5 })
    t.strictSame(
      items.slice(0, -1).map(({ url, reason }) => ({ url, reason })),
      bad.map(url => ({ url: url.slice(0, 8192), reason: 'bad_url' })),
    )
    t.match(stage.checks, [{ url: `${site}a` }])
    t.equal(stage.checks.length, 1)
    const none = await checkLinks({ urls: [bad.at(-1)] })
    t.match(none, { status: 200, data: { broken: 1 } })
    t.equal(none.json.url.length, 8192)
  })

  await t.test('names the fault when it refuses a request', async t => {
    startOver()
    const cases: [body: object, reason: string, field: string][] = [
      [{}, 'required', 'url'],
      [{ cloud_retry: true }, 'required', 'url'],
      [{ url: seed, urls: [seed] }, 'conflicting_fields', 'urls'],
      [{ url: null }, 'wrong_type', 'url'],
      [{ url: 7 }, 'wrong_type', 'url'],
      [{ url: '' }, 'bad_url', 'url'],
      [{ url: 'ftp://a.test/' }, 'bad_url', 'url'],
      [{ urls: seed }, 'wrong_type', 'urls'],
      [{ urls: [] }, 'out_of_range', 'urls'],
      [{ urls: Array(201).fill(seed) }, 'too_many_urls', 'urls'],
      [{ urls: [seed, 7] }, 'wrong_type', 'urls[1]'],
      [{ urls: [seed], cloud_retry: 'yes' }, 'wrong_type', 'cloud_retry'],
      [{ urls: [seed], cloud_retry_mode: 'firefox' }, 'bad_value', 'cloud_retry_mode'],
      [{ urls: [seed], cloud_retry_mode: 1 }, 'wrong_type', 'cloud_retry_mode'],
      [{ urls: [seed], proxy_pool: 'moon' }, 'bad_value', 'proxy_pool'],
      [{ urls: [seed], max_concurrent: 'many' }, 'wrong_type', 'max_concurrent'],
      [{ urls: [seed], max_concurrent: 1.5 }, 'wrong_type', 'max_concurrent'],
    ]
    for (const [body, reason, field] of cases) {
      const { status, error } = await checkLinks(body)
      const sent = JSON.stringify(body).slice(0, 80)
      t.match({ status, ...error }, { status: 400, code: 'invalid_input', reason, field }, sent)
    }
    t.strictSame([stage.checks, stage.reserved], [[], []])
  })

  await t.test('warns of settings that have no effect as sent', async t => {
    startOver()
    const warningsOf = async (more: object) => (await checkLinks({ urls: paths(1), ...more })).json.warnings
    const capped = 'max_concurrent was capped at 64, the maximum of a link check'
    const raised = 'max_concurrent was raised to 1, the minimum of a link check'
    const ignored = 'cloud_retry_mode was ignored, because it needs cloud_retry'
    t.strictSame(await warningsOf({ max_concurrent: 500 }), [capped])
    for (const cloud_retry_mode of ['proxy', 'chrome']) {
      t.strictSame(await warningsOf({ max_concurrent: 0, cloud_retry_mode }), [raised, ignored])
    }
    const effective = { max_concurrent: 64, cloud_retry_mode: 'chrome', cloud_retry: true }
    for (const more of [{}, { max_concurrent: 1 }, effective]) t.notOk(await warningsOf(more))
  })

  await t.test('respects its concurrency, and requests at most four links of a host at a time', async t => {
    const all = Array.from({ length: 20 }, (_, n) => paths(6, `http://h${n}.test/`)).flat()
    for (const [max_concurrent, max] of [
      [0, 1],
      [-5, 1],
      [3, 3],
      [1e9, 64],
    ] as const) {
      startOver()
      stage.check = async request => {
        await sleep(20)
        return okLink(request)
      }
      const urls = max === 1 ? all.slice(0, 5) : all
      t.match(await checkLinks({ urls, max_concurrent }), { data: { ok: urls.length } })
      t.equal(stage.maxChecking, max, `${max_concurrent}`)
      t.ok(stage.checks.every(({ concurrency }) => concurrency === max))
    }
    startOver()
    stage.check = async request => {
      await sleep(20)
      return okLink(request)
    }
    await checkLinks({ urls: paths(12) })
    t.equal(stage.maxChecking, 4)
  })

  await t.test('respects the pause that a host requests, without delaying other hosts', async t => {
    startOver()
    const busy = 'http://busy.test/'
    const at = new Map<string, number[]>()
    stage.check = async request => {
      const times = at.get(request.url) ?? []
      at.set(request.url, [...times, performance.now()])
      const isFirst = request.url === `${busy}0` && times.length === 0
      return isFirst ? blockedLink(request, { statusCode: 429, leaveAloneMs: 700 }) : okLink(request)
    }
    const { data } = await checkLinks({ urls: [...paths(9, busy), ...paths(9)], max_concurrent: 1 })
    t.match(data, { total: 18, ok: 18 })
    const times = (host: string) => paths(9, host).map(url => at.get(url)?.at(-1) ?? 0)
    const first = at.get(`${busy}0`)?.[0] ?? 0
    t.ok(Math.max(...times(site)) - first < 600, 'the other hosts continue')
    t.ok(Math.min(...times(busy)) - first >= 695, 'its own wait')
    t.equal(at.get(`${busy}0`)?.length, 2, 'and deferred links are retried')
    t.equal((await stage.lastServed())?.units.length, 18, 'for one page')
  })

  await t.test('keeps the first answer if a retry gets no host slot', async t => {
    startOver()
    const seen = new Set<string>()
    stage.check = async request => {
      if (!seen.has(request.url)) {
        seen.add(request.url)
        return blockedLink(request, { statusCode: 429, leaveAloneMs: 50 })
      }
      return okLink(request, {
        ...{ status: 'excluded', reason: 'not_asked', error: 'It was not requested in time.' },
        ...{ statusCode: null, isAsked: false },
      })
    }
    const { items } = await checkLinks({ urls: paths(2) })
    t.equal(stage.checks.length, 4)
    for (const item of items) t.match(item, { status: 'excluded', reason: 'blocked', status_code: 429 })
    t.match(await bill(), { units: paid(paths(2)) }, 'and bills it')
  })

  await t.test('does not wait for a host that requests a long pause', async t => {
    startOver()
    stage.check = async request => blockedLink(request, { statusCode: 429, leaveAloneMs: 31_000 })
    const { items, headers } = await checkLinks({ urls: paths(9), max_concurrent: 2 })
    t.match(items.slice(0, 2), [
      { status: 'excluded', reason: 'blocked', status_code: 429 },
      { status: 'excluded', reason: 'blocked' },
    ])
    for (const item of items.slice(2))
      t.match(item, { status: 'excluded', reason: 'throttled', status_code: null })
    t.equal(headers.get('x-pages-billed'), '2')
  })

  await t.test('stops checking a host whose links all time out', async t => {
    startOver()
    const late: Partial<LinkChecked> = {
      status: 'broken',
      reason: 'timeout',
      error: 'Late.',
      statusCode: null,
    }
    stage.check = async request => okLink(request, late)
    const { items, data } = await checkLinks({ urls: paths(9) })
    const asked = stage.checks.length
    // At the fourth time limit, the other three of PROBES_PER_HOST may be in progress.
    t.ok(asked >= 4 && asked <= 7, `${asked} are checked`)
    t.match(data, { broken: asked, excluded: 9 - asked }, 'and does not judge the others')
    t.match(items[0], { status: 'broken', reason: 'timeout', error: 'Late.' })
    t.match(items[8], {
      status: 'excluded',
      reason: 'not_asked',
      error: /not requested, because other links of its host/,
    })
    t.match((await stage.lastServed())?.units, { length: asked })
  })

  await t.test('retries links that got no time, and bills only requested ones', async t => {
    startOver()
    const seen = new Set<string>()
    stage.check = async request => {
      const isFirst = !seen.has(request.url)
      seen.add(request.url)
      if (request.url === `${site}0` && isFirst)
        throw new Refusal({ status: 503, code: 'unavailable', message: '' })
      if (request.url === `${site}1`) throw new Error('a fault of ours')
      if (request.url === `${site}2`) {
        return okLink(request, {
          ...{ status: 'excluded', reason: 'robots', statusCode: null, isAsked: false },
        })
      }
      return okLink(request)
    }
    const { items, headers } = await checkLinks({ urls: paths(4) })
    t.match(items, [
      { status: 'ok' },
      { status: 'excluded', reason: 'not_asked' },
      { status: 'excluded', reason: 'robots' },
      { status: 'ok' },
    ])
    t.equal(headers.get('x-pages-billed'), '2')
  })

  await t.test('checks the links that the cap allows, and is refused if it allows none', async t => {
    startOver()
    stage.grant = ({ units }) => ({
      granted: Math.min(units, 2),
      reason: 'monthly_pages',
      retryAfterSeconds: 9,
    })
    const { items, json } = await checkLinks({ urls: paths(4) })
    t.match(items, [
      { status: 'ok' },
      { status: 'ok' },
      { status: 'excluded', reason: 'page_cap', error: 'The monthly page cap is used up.' },
      { reason: 'page_cap' },
    ])
    t.strictSame(json.warnings, ['the page cap allowed 2 of 4 links'])
    t.equal(stage.checks.length, 2)
    stage.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 9 })
    const { status, error, headers } = await checkLinks({ urls: paths(4) })
    t.match({ status, ...error }, { status: 429, code: 'too_many_requests', reason: 'daily_pages' })
    t.equal(headers.get('retry-after'), '9')
  })

  await t.test('reserves nothing for links that cost nothing in the end', async t => {
    startOver()
    const costsNothing = {
      status: 'excluded',
      reason: 'private_address',
      statusCode: null,
      isAsked: false,
    } as const
    stage.check = async request =>
      request.url.includes('inward')
        ? okLink(request, { ...costsNothing, error: 'Inward.' })
        : okLink(request)
    stage.grant = ({ units }) => ({
      granted: Math.min(units, 3),
      reason: 'daily_pages',
      retryAfterSeconds: 9,
    })
    const inward = paths(3, `${site}inward`)
    for (const urls of [
      [...inward, ...paths(2)],
      [...paths(2), ...inward],
      [...inward, ...paths(2), `${site}0#a`, `${site}1`],
    ]) {
      const { items, json, headers } = await checkLinks({ urls })
      t.notOk(items.some(({ reason }) => reason === 'page_cap'))
      t.match(json.data, { ok: new Set(urls).size - 3, excluded: 3 })
      t.equal(headers.get('x-pages-billed'), '2')
      t.notOk((json.warnings ?? []).some((text: string) => /page cap/.test(text)))
    }
    const { items, json, headers } = await checkLinks({ urls: [...inward, ...paths(5)] })
    t.match(
      items.map(({ reason }) => reason),
      [...inward.map(() => 'private_address'), null, null, null, 'page_cap', 'page_cap'],
    )
    t.strictSame(json.warnings, ['the page cap allowed 6 of 8 links'])
    t.equal(headers.get('x-pages-billed'), '3', 'and requests no more than the cap allows')
  })

  await t.test('reports progress to clients that prefer a stream', async t => {
    startOver()
    const response = await fetch(`${around.url}/v1/actors/check-links`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${mine}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ urls: paths(3) }),
    })
    const text = await response.text()
    t.match(response.headers.get('content-type'), 'text/event-stream')
    t.match(text, /event: progress\ndata: {"stage":"checking links","done":0,"total":3}/)
    t.match(text, /"done":3,"total":3/)
    t.match(text, /event: result\ndata: {"actor":"check-links"/)
  })

  await t.test('ends when its client leaves, and bills the requested links', async t => {
    startOver()
    const leave = new AbortController()
    stage.check = async request => {
      if (stage.checks.length > 2) leave.abort()
      await sleep(100)
      return okLink(request)
    }
    const before = (await stage.served()).length
    const left = fetch(`${around.url}/v1/actors/check-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ urls: paths(40) }),
      signal: leave.signal,
    })
    await t.rejects(left)
    await until(async () => (await stage.served()).length > before)
    t.ok(stage.checks.length < 20, `${stage.checks.length} were begun`)
    t.equal((await stage.lastServed())?.units.length, stage.checks.length)
    await until(() => stage.dropped.includes(stage.checks[0]?.workId ?? 0))
  })

  await t.test('retries only blocked links by a cloud backend', async t => {
    startOver()
    stage.check = async request => {
      const path = new URL(request.url).pathname
      if (path === '/ok') return okLink(request)
      if (path === '/gone')
        return okLink(request, { status: 'broken', reason: 'gone', error: '410', statusCode: 410 })
      return blockedLink(request)
    }
    stage.page = async request => {
      const path = new URL(request.url).pathname
      if (path === '/fails')
        throw new Refusal({ status: 502, code: 'fetch_failed', reason: 'dns', message: '' })
      const got = gotPage(request, { backend: 'browser', costUsd: 0.25 })
      if (path === '/wall') return { ...got, content: challenged(request) }
      return { ...got, status: { '/missing': 404, '/refused': 403 }[path] ?? 200 }
    }
    const urls = ['ok', 'gone', 'had', 'wall', 'missing', 'refused', 'fails', 'had#a'].map(
      path => site + path,
    )
    const plain = await checkLinks({ urls })
    t.match(plain.data, { ok: 1, broken: 1, excluded: 6, cloud_retried: 0 }, 'only if requested')
    t.strictSame(stage.pages, [])
    const { json, data, items, headers } = await checkLinks({ urls, cloud_retry: true })
    t.ok(Check(CheckLinksAnswer, json))
    t.match(items, [
      { status: 'ok', recovered_via_cloud: false },
      { status: 'broken', reason: 'gone' },
      { status: 'ok', recovered_via_cloud: true, status_code: 200, reason: null, error: null },
      { status: 'excluded', reason: 'blocked', recovered_via_cloud: false, status_code: 403 },
      { status: 'broken', reason: 'not_found', status_code: 404, recovered_via_cloud: false },
      { status: 'excluded', reason: 'blocked' },
      { status: 'excluded', reason: 'blocked' },
      { status: 'ok', recovered_via_cloud: true },
    ])
    t.match(data, {
      ...{ ok: 3, broken: 2, excluded: 3, cloud_retried: 5, cloud_recovered: 1 },
      cloud_cost_usd: 0.75,
    })
    t.match(stage.pages[0], { means: { is: 'browser' }, projectId: 7, respectRobots: true, picture: false })
    t.match(stage.reserved.at(-1), { kind: 'cloud_page', units: 5 })
    t.equal(
      headers.get('x-cloud-pages-billed'),
      '3',
      'fetched pages only: neither the challenge nor failures',
    )
    const billed = await bill()
    t.match(billed, { costUsd: 0.75 })
    t.strictSame(
      billed.units?.map(({ kind }) => kind),
      [...Array(3).fill('cloud_page'), ...Array(7).fill('page')],
      'the first unit, to which the ledger adds the cost, is a cloud page',
    )
  })

  await t.test('waits for retries while the project has too many pages under way', async t => {
    startOver()
    stage.check = async request => blockedLink(request)
    stage.page = async request => {
      const tries = stage.pages.filter(({ url }) => url === request.url).length
      if (tries === 1) throw refuse('too_many_requests', { reason: 'concurrent_requests' })
      return gotPage(request)
    }
    const { data } = await checkLinks({ urls: paths(2), cloud_retry: true })
    t.match(data, { ok: 2, cloud_retried: 2, cloud_recovered: 2 })
    t.equal(stage.pages.length, 4)
  })

  await t.test('retries by a proxy, and warns of blocked links that it could not retry', async t => {
    startOver()
    stage.check = async request => blockedLink(request)
    stage.page = async request =>
      gotPage(request, { backend: 'proxy', pool: 'residential', moved: 250_000_000 })
    const proxied = { urls: paths(2), cloud_retry: true, cloud_retry_mode: 'proxy' }
    const { data } = await checkLinks(proxied)
    t.match(data, { ok: 2, cloud_retried: 2, cloud_recovered: 2, cloud_cost_usd: 2 })
    t.match(stage.pages[0], { means: { is: 'proxy', pool: 'residential', country: null } })
    await checkLinks({ ...proxied, proxy_pool: 'isp' })
    t.match(stage.pages.at(-1), { means: { is: 'proxy', pool: 'isp' } })

    startOver()
    stage.check = async request => blockedLink(request)
    const missing = { code: 'not_configured', field: 'proxy_pool', message: /PROXY_POOLS/ }
    const refused = async (more: object) => {
      const { status, json } = await checkLinks({ ...proxied, ...more })
      t.match({ status, ...json.error }, { status: 503, ...missing })
    }
    await refused({ proxy_pool: 'mobile' })
    stage.state = { ...cloudState, proxyPools: ['isp'] }
    await refused({})
    t.strictSame([stage.checks, stage.reserved], [[], []], 'before any link is checked')
    stage.state = { ...cloudState, browser: false }
    const without = await checkLinks({ urls: paths(2), cloud_retry: true, proxy_pool: 'isp' })
    t.match(without.json.warnings, [/^proxy_pool was ignored/, /has no browser/])
    t.strictSame(stage.pages, [])
    t.notOk(stage.reserved.some(({ kind }) => kind === 'cloud_page'))
  })

  await t.test('retries at most fifty links, and no more than the cap allows', async t => {
    startOver()
    stage.check = async request => blockedLink(request)
    const { data, json } = await checkLinks({ urls: paths(60), cloud_retry: true })
    t.match(data, { cloud_retried: 50, cloud_recovered: 50, ok: 50, excluded: 10 })
    t.strictSame(json.warnings, ['only 50 of 60 blocked links were retried'])
    startOver()
    stage.check = async request => blockedLink(request)
    stage.grant = ({ units, kind }) => {
      if (kind === 'cloud_page') throw new Error('the ledger is away')
      return { granted: units, reason: null, retryAfterSeconds: null }
    }
    const without = await checkLinks({ urls: paths(3), cloud_retry: true })
    t.match(without.data, { cloud_retried: 0, excluded: 3 })
    t.strictSame(without.json.warnings, [
      'blocked links were not retried, because their cloud pages could not be reserved',
    ])
    startOver()
    stage.check = async request => blockedLink(request)
    stage.grant = ({ units, kind }) => ({
      granted: kind === 'cloud_page' ? 1 : units,
      reason: kind === 'cloud_page' ? 'cloud_pages' : null,
      retryAfterSeconds: null,
    })
    const capped = await checkLinks({ urls: paths(3), cloud_retry: true })
    t.match(capped.data, { cloud_retried: 1, excluded: 2 })
    t.strictSame(capped.json.warnings, ['the daily cap of cloud pages allowed 1 of 3 retries'])
    t.match(await bill(), {
      units: [{ kind: 'cloud_page', n: 1 }, ...paths(3).map(what => ({ what, reason: 'blocked' }))],
    })
  })
})

test('An installation may count blocked links as broken', async t => {
  const { stage, checkLinks } = await linkScene(t, { LINKCHECK_BLOCKED: 'broken' })
  stage.check = async request => blockedLink(request)
  const { data, items } = await checkLinks({ urls: paths(2) })
  t.match(data, { broken: 2, excluded: 0 })
  t.match(items[0], { status: 'broken', reason: 'blocked' })
  t.match(await checkLinks({ urls: ['javascript:go()'] }), { data: { excluded: 1, broken: 0 } })
  t.strictSame((await stage.lastServed())?.units, [], 'links without a request cost nothing')
})

test('Links are listed by their targets', async t => {
  const cases: [hash: string, anchor: string | null][] = [
    ['#a', 'a'],
    ['#a%20b', 'a%20b'],
    ['', null],
    ['#', null],
    ['#TOP', null],
    ['#/route', null],
    ['#!route', null],
    ['#:~:text=a', null],
    ['#a:~:text=b', 'a'],
  ]
  for (const [hash, anchor] of cases) t.equal(anchorIn(hash), anchor, hash)
  const { targets } = listOf(
    ['http://a/1', 'http://a/2', 'http://a/3', 'http://b/1', 'http://b/2'].map(url => ({ url })),
  )
  t.strictSame(
    spread(targets).map(({ url }) => url),
    ['http://a/1', 'http://b/1', 'http://a/2', 'http://b/2', 'http://a/3'],
  )
})

test('Checks wait for a host within limits', t => {
  const hosts = new HostPatience()
  const late: LinkChecked = okLink({ url: '' }, { statusCode: null, status: 'broken', reason: 'timeout' })
  t.equal(hosts.heldMs('a', 0), 0)
  hosts.note('a', okLink({ url: '' }, { leaveAloneMs: 1_000 }), 500)
  hosts.note('a', okLink({ url: '' }, { leaveAloneMs: 100 }), 600)
  t.equal(hosts.heldMs('a', 700), 800, 'the longest counts')
  hosts.note('b', okLink({ url: '' }, { leaveAloneMs: 30_001 }), 0)
  t.ok(hosts.isThrottled('b', 0) && hosts.heldMs('b', 0) === 0 && !hosts.isThrottled('b', 1))
  for (let n = 0; n < 4; n++) {
    t.notOk(hosts.isSilent('c'))
    hosts.note('c', late, 0)
    hosts.note('a', late, 0)
  }
  t.ok(hosts.isSilent('c'))
  t.notOk(hosts.isSilent('a'), 'a host that has answered once is available')
  t.end()
})

test('Held lanes begin when the hold is over, and not after the signal aborts', async t => {
  const items = ['a', 'a', 'b'].map((host, n) => ({ host, n }))
  const began = performance.now()
  const heldMs = (host: string) => (host === 'a' ? began + 80 - performance.now() : 0)
  const did: number[] = []
  const work = async ({ n }: { n: number }) => void did.push(n)
  const lanes = { concurrency: 5, perHost: 5, heldMs }
  await forEachPerHost(items, { ...lanes, signal: new AbortController().signal }, work)
  t.strictSame(did, [2, 0, 1])
  t.ok(performance.now() - began >= 78)
  const stop = new AbortController()
  const held = { ...lanes, heldMs: (host: string) => (host === 'a' ? 60_000 : 0), signal: stop.signal }
  setTimeout(() => stop.abort(), 20)
  await forEachPerHost(items, held, work)
  t.strictSame(did, [2, 0, 1, 2], 'the hold does not apply then')
})
