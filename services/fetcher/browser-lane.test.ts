/** Pages of crawls that a browser renders: outcomes, headers of the client, and pages that cannot be rendered. */

import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import { sealer } from '@tidemark/secrets/seal'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { orders, startScene } from './fetcher.scene.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const made = `<!doctype html><div id=root></div><script>root.innerHTML = '<a href=/next>n\u00fcchste</a>'</script>`
const { seal } = sealer('0'.repeat(64))

test('Orders of the browsers', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  const running = await scene.start({ FETCH_LANES: 'browser', BROWSER_POOL: '2' })
  let runs = 0
  /** Renders one page, and returns its outcome with its run. */
  async function came(path: string, more: Partial<FetchOrders> = {}, order: Partial<FetchOrder> = {}) {
    const runId = ++runs
    const url = origin.url + path
    await scene.order(orders(runId, [{ url, ...order }], more), 'browser')
    const all = await scene.cameOf(runId, 1)
    t.strictSame([...all.keys()], [`${urlKey(url)}/${order.attempt ?? 1}`])
    return [...all.values()][0]
  }

  await t.test('return the document after its scripts, in UTF-8', async t => {
    origin.site({
      '/app': { headers: html, body: made },
      '/late': {
        headers: html,
        body: `<div id=root></div><script>fetch('/data').then(r => r.text()).then(x => root.append(x))</script>`,
      },
      '/data': 'from afar',
      '/gone': { status: 404, headers: html, body: made },
      '/pushed': { headers: html, body: `${made}<script>history.pushState({}, '', '/elsewhere')</script>` },
    })
    const page = await came('/app', {}, { attempt: 2 })
    const common = { type: 'fetched', rendered: true, status: 200, contentType: 'text/html; charset=utf-8' }
    t.match(page, { ...common, url: `${origin.url}/app`, encodings: { length: 0 }, attempt: 2 })
    t.match(page && 'body' in page && page.body.toString(), /<a href="\/next">nüchste<\/a>/)
    const late = await came('/late')
    t.match(late && 'body' in late && late.body.toString(), /from afar/, 'with later requests of scripts')
    t.match(await came('/gone'), { type: 'fetched', status: 404, rendered: true })
    t.match(
      await came('/pushed'),
      { type: 'fetched', url: `${origin.url}/pushed` },
      'a changed URL is no redirect',
    )
  })

  await t.test('return the page behind a check', async t => {
    const page = await came('/cookie-check/800')
    t.match(page, { type: 'fetched', url: `${origin.url}/cookie-check/800`, status: 200, rendered: true })
    t.match(page && 'body' in page && page.body.toString(), /Plain words/)
  })

  await t.test('return the page behind a bounce that sets a cookie', async t => {
    origin.site({
      '/scripted-bounce': {
        headers: html,
        body: `<p>Come in<script>if (!document.cookie.includes('seen=1')) location.replace('/set')</script>`,
      },
      '/set': { status: 302, headers: { 'set-cookie': 'seen=1', location: '/scripted-bounce' } },
    })
    for (const path of ['/cookie-bounce', '/scripted-bounce']) {
      const page = await came(path)
      t.match(page, { type: 'fetched', url: `${origin.url}${path}`, status: 200, rendered: true })
      t.match(page && 'body' in page && page.body.toString(), /Plain words|Come in/)
    }
  })

  await t.test('follow redirects like all others', async t => {
    origin.site({
      '/moved': { status: 302, headers: { location: '/app' } },
      '/scripted': { headers: html, body: `<script>location.replace('/app')</script>` },
      '/same': { status: 302, headers: { location: '/s%61me' } },
      '/s%61me': { headers: html, body: made },
      '/busy': { status: 429, headers: { ...html, 'retry-after': '7' }, body: 'later' },
    })
    const to = [urlKey(`${origin.url}/app`), `${origin.url}/app`]
    t.match(await came('/moved'), { type: 'redirect', to })
    t.match(await came('/scripted'), { type: 'redirect', to })
    t.match(await came('/same'), { type: 'fetched', url: `${origin.url}/same` })
    t.match(await came('/busy'), { type: 'failed', reason: 'throttled', transient: true, retryAfterMs: 7000 })
  })

  await t.test('send headers and cookies of the client to its site only', async t => {
    const other = await startOrigin({ host: '127.1.0.2' })
    t.teardown(() => other.close())
    other.site({ '/theirs': { headers: { ...html, 'access-control-allow-origin': '*' }, body: 'x' } })
    origin.site({
      '/own': {
        headers: html,
        body: `<p id=c></p><img src=${other.url}/theirs><script>c.append(document.cookie); fetch('/ours')</script>`,
      },
      '/ours': 'ok',
    })
    const page = await came('/own', {
      headers: seal(JSON.stringify({ 'X-Secret': 'word', 'User-Agent': 'Own/1' })),
      cookies: seal('session=abc=1; b=2'),
    })
    t.match(page && 'body' in page && page.body.toString(), /session=abc=1; b=2/)
    for (const path of ['/own', '/ours']) {
      const seen = origin.hits.find(hit => hit.path === path)?.headers
      t.match(seen, { 'x-secret': 'word', cookie: 'session=abc=1; b=2', 'user-agent': 'Own/1' }, path)
    }
    const theirs = other.hits.find(hit => hit.path === '/theirs')?.headers
    t.match(theirs, { 'user-agent': 'Own/1' })
    t.notOk(theirs?.['x-secret'] || theirs?.cookie)
  })

  await t.test('fail permanently if a browser does not help, so that the run uses plain HTTP', async t => {
    origin.site({
      '/a.json': { headers: { 'content-type': 'application/json' }, body: '{}' },
      '/a.zip': { headers: { 'content-type': 'application/zip' }, body: 'PK' },
    })
    const failed = (reason: string) => ({ type: 'failed', reason, transient: false })
    t.match(await came('/a.json'), failed('protocol'))
    t.match(await came('/a.zip'), failed('protocol'))
    const hits = origin.hits.length
    t.match(await came('/app', { proxy: seal('http://proxy.example:1') }), failed('proxy'))
    t.match(await came('/app', { proxyPool: { pool: 'isp', country: null } }), failed('proxy'))
    t.equal(origin.hits.length, hits, 'and no other proxy is used')
  })

  await t.test('fail without a browser', async t => {
    await running.stop()
    await scene.start({ FETCH_LANES: 'http,browser', BROWSER: 'off' })
    t.match(await came('/app'), { type: 'failed', reason: 'not_configured', transient: false })
  })
})
