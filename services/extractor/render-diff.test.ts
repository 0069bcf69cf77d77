/** A page beside what a browser makes of it, as the extractor answers on the bus; the fetcher is a stand-in. */
import { answer, ask } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { decodeCompact } from '@tidemark/bus/compact'
import { encodeFrame } from '@tidemark/bus/frame'
import { PageRead, type RenderDiff } from '@tidemark/contracts/ask/actors'
import { FetchNow } from '@tidemark/contracts/ask/fetch'
import { RenderDiffFound } from '@tidemark/contracts/http/actor-render-diff'
import { asks } from '@tidemark/contracts/subjects'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { challenge, page, shell, startCloudScene, words } from './cloud.scene.ts'
import { startScene } from './extractor.scene.ts'

type Bus = Awaited<ReturnType<typeof startScene>>['bus']

const askOf =
  (bus: Bus) =>
  (url: string, timeoutMs = 10_000) =>
    ask<RenderDiff, PageRead & { data: RenderDiffFound }>(
      bus,
      asks.renderDiff,
      { workId: -1, projectId: 1, url, timeoutMs },
      { timeoutMs: 30_000, decode: decodeCompact },
    )

test('A page and what a browser makes of it', { timeout: 240_000 }, async t => {
  const scene = await startCloudScene()
  t.teardown(() => scene.close())
  const { site, askedOf } = scene
  const compare = askOf(scene.bus)

  await t.test('are fetched one after the other and compared', async t => {
    const url = site({ http: shell, browser: { ...page(), url: 'https://moved.test/' } })
    const { data, ...read } = await compare(url)
    t.ok(Check(PageRead, { ...read, data }))
    t.ok(Check(RenderDiffFound, data), JSON.stringify(data))
    t.match(read, { url, status: 200, challenge: null, warnings: [] })
    t.match(data, {
      static: { word_count: 0, text_chars: 0, final_url: url },
      rendered: { heading_count: 1, final_url: 'https://moved.test/' },
      delta: { headings_only_after_render: ['Page'], ai_bot_blind_pct: 100, assessment: 'severe' },
      rendered_cost_usd: 0,
    })
    t.match(
      askedOf(url).map(({ as, by, cuts }) => ({ as, by, cuts })),
      [
        { as: 'http', by: undefined, cuts: false },
        { as: 'browser', by: { backend: 'browser', waitFor: 'networkidle', picture: false } },
      ],
    )
    const same = await compare(site({ http: page(), browser: { ...page(), isLarge: true, costUsd: 0.002 } }))
    t.match(same.data, { delta: { ai_bot_blind_pct: 0, assessment: 'none' }, rendered_cost_usd: 0.002 })
    t.strictSame(same.data.static.text_chars, `Page${words}`.replace(/[^a-z]/gi, '').length)
  })

  await t.test('are no page where either is shown a challenge', async t => {
    const plain = site({ http: challenge, browser: page() })
    t.match(await compare(plain), { challenge: 'Cloudflare', data: null, status: 403 })
    t.strictSame(
      askedOf(plain).map(({ as }) => as),
      ['http'],
      'and then no browser is asked',
    )
    t.match(await compare(site({ http: page(), browser: challenge })), {
      challenge: 'Cloudflare',
      data: null,
    })
  })

  await t.test('are refused where either cannot be had', async t => {
    const dead = site({ http: { fails: 'dns' }, browser: page() })
    await t.rejects(compare(dead), { status: 502, code: 'fetch_failed', reason: 'dns' })
    t.equal(askedOf(dead).length, 1)
    await t.rejects(compare(site({ http: { fails: 'private_address' } })), {
      ...{ status: 400, code: 'invalid_input', field: 'url' },
    })
    const message = /^A browser could not have the page: It is timeout/
    await t.rejects(compare(site({ http: page(), browser: { fails: 'timeout' } })), {
      ...{ status: 502, code: 'fetch_failed', reason: 'timeout', message },
    })
    await t.rejects(compare(site({ http: page() })), { status: 503, code: 'not_configured' })
  })

  await t.test('share their time', async t => {
    const slow = site({ http: { ...page(), afterMs: 3_000 }, browser: page() })
    await t.rejects(compare(slow, 2_000), { code: 'fetch_failed', reason: 'timeout' })
    t.strictSame(
      askedOf(slow).map(({ timeoutMs }) => timeoutMs),
      [800],
    )
    const late = site({ http: { ...page(), afterMs: 500 }, browser: page() })
    await compare(late, 2_000)
    const [, { timeoutMs: left = 0 } = {}] = askedOf(late)
    t.ok(left > 500 && left <= 1_500, `${left} ms are left`)
  })

  await t.test('are the same where there are no scripts to run', async t => {
    const document = site({ http: { html: '%PDF-1.7', type: 'application/pdf' }, browser: page() })
    const { data, warnings } = await compare(document)
    t.match(data, { static: { html_bytes: 8, word_count: 0 }, delta: { assessment: 'none' } })
    t.strictSame(data.rendered, data.static)
    t.match(warnings, [/no HTML, but application\/pdf/])
    t.equal(askedOf(document).length, 1)
    const cut = `<p>${'x '.repeat(1_600_000)}`
    const { warnings: told } = await compare(site({ http: page(), browser: page(cut) }))
    t.match(told, [/^rendered: only the first \d+ characters/, /words were compared/])
  })
})

test('Where fetchers are there and none of them renders', { timeout: 240_000 }, async t => {
  const scene = await startScene()
  const stop = new AbortController()
  t.teardown(async () => {
    stop.abort()
    await scene.close()
  })
  const { bus } = scene
  await scene.start()
  const compare = askOf(bus)
  const serving = { signal: stop.signal, report: () => {} }
  const fetched = async ({ url }: FetchNow) => {
    const header = { is: 'fetched', url, status: 200, hops: [], contentType: 'text/html', robotsHeader: null }
    const rest = { headers: {}, encodings: [], bulkyKey: null, elapsedMs: 1 }
    return encodeFrame({ ...header, ...rest }, [Buffer.from(`<p>${words}`)])
  }
  const encode = (bytes: Uint8Array) => bytes
  void answer(bus, asks.fetchNow, 'fetcher', fetched, { ...serving, parse: jsonParser(FetchNow), encode })
  await t.rejects(compare('https://a.test/'), { status: 503, code: 'unavailable' }, 'they may all be away')

  void answer(bus, asks.cloudState, 'fetcher', async () => ({}), { ...serving, parse: () => null })
  await bus.nc.flush()
  await t.rejects(compare('https://a.test/'), {
    ...{ status: 503, code: 'not_configured', message: /FETCH_LANES/ },
  })
})
