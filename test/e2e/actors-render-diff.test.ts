/** `POST /v1/actors/render-diff` with a real browser: the parts of a page that scripts add and bots miss. */

import { RenderDiffAnswer } from '@tidemark/contracts/http/actors/render-diff'
import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { sharedSystem } from './system.ts'

const words = Array.from({ length: 80 }, (_, n) => `word${n}`).join(' ')
const served = `<h1>Harbour</h1><p>${words}</p><p><a href=/tides>Tides</a></p>`
const part = `<h2>Boats</h2><p>Thirteen boats went out at dawn and twelve came back.</p><a href=/boats>Boats</a>`
const ld = JSON.stringify({ '@type': 'Product', name: 'Boat' })
const added = `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(part)})
const s = document.createElement('script'); s.type = 'application/ld+json'; s.textContent = ${JSON.stringify(ld)}; document.head.append(s)`
const moved = `document.body.append(...[...document.body.children].filter(e => e.tagName !== 'SCRIPT').reverse())`
const page = (body: string, code = '') =>
  `<!doctype html><html lang=en><head><title>Harbour</title></head><body>${body}<script>${code}</script></body></html>`
const late = `fetch('/part').then(answer => answer.text()).then(html => { document.getElementById('root').innerHTML = html })`
const toBrowsers = `location = '/challenge'`

test('A page before and after its scripts', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('rendered', '--tier', 'pro')
  const origin = await startOrigin({
    host: '127.1.13.1',
    pages: {
      '/same': page(served, moved),
      '/adds': page(served, added),
      '/app': page('<div id=root></div>', late),
      '/part': served + part,
      '/challenge': challenge,
      '/to-browsers': page(served, toBrowsers),
      '/notes.txt': { headers: { 'content-type': 'text/plain' }, body: 'Twice a day.' },
    },
  })
  t.teardown(() => origin.close())
  const compare = async (path: string) => {
    const url = origin.url + path
    const { status, body, headers } = await system.call(key, 'POST', '/v1/actors/render-diff', { url })
    return { status, body, data: body.data, billed: headers.get('x-pages-billed') }
  }
  const { backends } = (await system.call(key, 'GET', '/v1/health/cloud')).body
  if (!backends.browser) {
    const { status, body } = await compare('/same')
    t.match({ status, ...body.error }, { status: 503, code: 'not_configured', message: /BROWSER/ })
    return
  }

  await t.test('are equal if scripts only move elements', async t => {
    const { status, body, data, billed } = await compare('/same')
    t.equal(status, 200)
    t.ok(Check(RenderDiffAnswer, body), JSON.stringify(body))
    t.match(body, {
      actor: 'render-diff',
      url: `${origin.url}/same`,
      final_url: `${origin.url}/same`,
      status_code: 200,
    })
    t.strictSame(data.static, {
      word_count: 82,
      link_count: 1,
      heading_count: 1,
      json_ld_count: 0,
      html_bytes: Buffer.byteLength(page(served, moved)),
      text_chars: `Harbour${words.replaceAll(' ', '')}Tides`.length,
      final_url: `${origin.url}/same`,
      status_code: 200,
    })
    t.match(data.rendered, { ...data.static, html_bytes: Number })
    t.strictSame(data.delta, {
      links_only_after_render: [],
      headings_only_after_render: [],
      json_ld_only_after_render: [],
      counts_only_after_render: { links: 0, headings: 0, json_ld: 0 },
      text_chars_only_after_render: 0,
      ai_bot_blind_pct: 0,
      assessment: 'none',
    })
    t.equal(data.rendered_cost_usd, 0)
    t.equal(billed, '1')
  })

  await t.test('differ by the parts that scripts add', async t => {
    const { body, data } = await compare('/adds')
    t.ok(Check(RenderDiffAnswer, body))
    t.match(data, {
      static: { link_count: 1, heading_count: 1, json_ld_count: 0 },
      rendered: { link_count: 2, heading_count: 2, json_ld_count: 1, word_count: 94 },
    })
    t.ok(data.rendered.html_bytes > data.static.html_bytes)
    const addedText = 'BoatsThirteenboatswentoutatdawnandtwelvecamebackBoats'.length
    t.strictSame(data.delta, {
      links_only_after_render: [`${origin.url}/boats`],
      headings_only_after_render: ['Boats'],
      json_ld_only_after_render: ['Product'],
      counts_only_after_render: { links: 1, headings: 1, json_ld: 1 },
      text_chars_only_after_render: addedText,
      ai_bot_blind_pct: Math.round((addedText / data.rendered.text_chars) * 1000) / 10,
      assessment: 'partial',
    })
  })

  await t.test('are empty and complete for a page that is rendered by scripts', async t => {
    const { data } = await compare('/app')
    t.match(data.static, { word_count: 0, text_chars: 0, link_count: 0 })
    t.match(data.delta, {
      ai_bot_blind_pct: 100,
      assessment: 'severe',
      headings_only_after_render: ['Harbour', 'Boats'],
    })
    t.equal(data.delta.text_chars_only_after_render, data.rendered.text_chars)
  })

  await t.test('are equal for a file that cannot be rendered', async t => {
    const { status, body, data } = await compare('/notes.txt')
    t.equal(status, 200)
    t.ok(Check(RenderDiffAnswer, body))
    t.strictSame(data.rendered, data.static)
    t.match(body.warnings, [/text\/plain, not HTML/])
  })

  await t.test('are an error if either is a challenge, and free', async t => {
    for (const path of ['/challenge', '/to-browsers']) {
      const { status, body, billed } = await compare(path)
      t.match(
        { status, billed, ...body.error },
        { status: 502, billed: '0', code: 'fetch_failed', reason: 'blocked' },
        path,
      )
    }
    const rows = async () => (await system.call(key, 'GET', '/v1/usage/ledger')).body.items
    await until(async () => (await rows()).length >= 6)
    const billing = (await rows()).map(({ operation, reason, kind }: Record<string, string>) => [
      operation,
      kind,
      reason,
    ])
    const row = (reason: string) => ['render_diff', 'page', reason]
    t.strictSame(billing, [...Array(4).fill(row('billed')), row('blocked'), row('blocked')])
  })
})
