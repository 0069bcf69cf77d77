/** A served page and its rendered form, as the extractor compares them over the bus with a fake fetcher. */

import { call, serve } from '@tidemark/bus/rpc'
import { RenderDiffResult } from '@tidemark/contracts/http/actors/render-diff'
import * as actorsRpc from '@tidemark/contracts/rpc/actors'
import { PageRead } from '@tidemark/contracts/rpc/actors'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import type { CloudState } from '@tidemark/contracts/rpc/search'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { challenge, page, shell, startCloudScene, words } from './cloud.scene.ts'
import { startScene } from './extractor.scene.ts'

const withoutMeans: CloudState = {
  browser: false,
  faithful: false,
  proxyPools: [],
  vendor: false,
  search: false,
  balanceUsd: null,
}

type Bus = Awaited<ReturnType<typeof startScene>>['bus']

const requestOf =
  (bus: Bus) =>
  (url: string, timeoutMs = 10_000) =>
    call(
      bus,
      actorsRpc.renderDiff,
      { workId: -1, projectId: 1, url, timeoutMs },
      { timeoutMs: 30_000 },
    ) as Promise<PageRead & { data: RenderDiffResult }>

test('A page and its rendered form', { timeout: patient(300_000) }, async t => {
  const scene = await startCloudScene()
  t.teardown(() => scene.close())
  const { site, requestsTo } = scene
  const compare = requestOf(scene.bus)

  await t.test('are fetched one after the other and compared', async t => {
    const url = site({ http: shell, browser: { ...page(), url: 'https://moved.test/' } })
    const { data, ...read } = await compare(url)
    t.ok(Check(PageRead, { ...read, data }))
    t.ok(Check(RenderDiffResult, data), JSON.stringify(data))
    t.match(read, { url, status: 200, challenge: null, warnings: { length: 0 } })
    t.match(data, {
      static: { word_count: 0, text_chars: 0, final_url: url },
      rendered: { heading_count: 1, final_url: 'https://moved.test/' },
      delta: { headings_only_after_render: ['Page'], ai_bot_blind_pct: 100, assessment: 'severe' },
      rendered_cost_usd: 0,
    })
    t.match(
      requestsTo(url).map(({ as, by, cuts }) => ({ as, by, cuts })),
      [
        { as: 'http', by: undefined, cuts: false },
        { as: 'browser', by: { backend: 'browser', waitFor: 'networkidle', picture: false } },
      ],
    )
    const same = await compare(site({ http: page(), browser: { ...page(), isLarge: true, costUsd: 0.002 } }))
    t.match(same.data, { delta: { ai_bot_blind_pct: 0, assessment: 'none' }, rendered_cost_usd: 0.002 })
    t.strictSame(same.data.static.text_chars, `Page${words}`.replace(/[^a-z]/gi, '').length)
  })

  await t.test('are no page if either shows a challenge', async t => {
    const plain = site({ http: challenge, browser: page() })
    t.match(await compare(plain), { challenge: 'Cloudflare', data: null, status: 403 })
    t.strictSame(
      requestsTo(plain).map(({ as }) => as),
      ['http'],
      'and no browser is used',
    )
    t.match(await compare(site({ http: page(), browser: challenge })), {
      challenge: 'Cloudflare',
      data: null,
    })
  })

  await t.test('are refused if either cannot be fetched', async t => {
    const dead = site({ http: { fails: 'dns' }, browser: page() })
    await t.rejects(compare(dead), { status: 502, code: 'fetch_failed', reason: 'dns' })
    t.equal(requestsTo(dead).length, 1)
    await t.rejects(compare(site({ http: { fails: 'private_address' } })), {
      ...{ status: 400, code: 'invalid_input', field: 'url' },
    })
    const message = /^The browser could not load the page: It is timeout/
    await t.rejects(compare(site({ http: page(), browser: { fails: 'timeout' } })), {
      ...{ status: 502, code: 'fetch_failed', reason: 'timeout', message },
    })
    await t.rejects(compare(site({ http: page() })), { status: 503, code: 'not_configured' })
  })

  await t.test('share their time', async t => {
    const slow = site({ http: { ...page(), afterMs: 3_000 }, browser: page() })
    await t.rejects(compare(slow, 2_000), { code: 'fetch_failed', reason: 'timeout' })
    t.strictSame(
      requestsTo(slow).map(({ timeoutMs }) => timeoutMs),
      [800],
    )
    const late = site({ http: { ...page(), afterMs: 500 }, browser: page() })
    await compare(late, 2_000)
    const [, { timeoutMs: left = 0 } = {}] = requestsTo(late)
    t.ok(left > 500 && left <= 1_500, `${left} ms are left`)
  })

  await t.test('are equal if there are no scripts', async t => {
    const document = site({ http: { html: '%PDF-1.7', type: 'application/pdf' }, browser: page() })
    const { data, warnings } = await compare(document)
    t.match(data, { static: { html_bytes: 8, word_count: 0 }, delta: { assessment: 'none' } })
    t.strictSame(data.rendered, data.static)
    t.match(warnings, [/application\/pdf, not HTML/])
    t.equal(requestsTo(document).length, 1)
    const cut = `<p>${'x '.repeat(1_600_000)}`
    const long = await compare(site({ http: page(), browser: page(cut) }))
    t.match(long.warnings, [/^rendered: only the first \d+ characters/, /words were compared/])
    const half = { ...page(), warnings: ['the page had not finished loading (load) when it was read'] }
    const compared = await compare(site({ http: page(), browser: half }))
    t.strictSame(compared.warnings, [`rendered: ${half.warnings}`])
  })
})

test('Without a fetcher that renders', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  const stop = new AbortController()
  t.teardown(async () => {
    stop.abort()
    await scene.close()
  })
  const { bus } = scene
  await scene.start()
  const compare = requestOf(bus)
  const serving = { signal: stop.signal, report: () => {} }
  const fetched = async ({ url }: FetchNow) => {
    const header: FetchedNow = {
      ...{ is: 'fetched', url, status: 200, hops: [], contentType: 'text/html', robotsHeader: null },
      ...{ headers: {}, encodings: [], bulkyKey: null, elapsedMs: 1 },
    }
    return { header, blobs: [Buffer.from(`<p>${words}`)] }
  }
  void serve(bus, fetchRpc.fetchNow, fetched, serving)
  await t.rejects(compare('https://a.test/'), { status: 503, code: 'unavailable' }, 'all of them may be down')

  void serve(bus, searchRpc.cloudState, async () => withoutMeans, serving)
  await bus.nc.flush()
  await t.rejects(compare('https://a.test/'), {
    ...{ status: 503, code: 'not_configured', message: /FETCH_LANES/ },
  })
})
