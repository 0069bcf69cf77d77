/** The cloud endpoints end to end, from the client to the site, on one machine without proxies and without a vendor. */

import { CloudCrawl } from '@tidemark/contracts/http/cloud/crawl'
import { ScraperList } from '@tidemark/contracts/http/cloud/fetch'
import { CloudLinks } from '@tidemark/contracts/http/cloud/links'
import { CloudPage } from '@tidemark/contracts/http/cloud/page'
import { CloudHealth } from '@tidemark/contracts/http/cloud/state'
import { CloudDocument } from '@tidemark/contracts/http/cloud/transform'
import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { sharedSystem } from './system.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8' }
const home = `<!doctype html><html lang=en><title>Harbour</title><body><h1>Harbour</h1>
<p>High water comes <a href=/tides>twice</a> a day. <a href=/drafts/1>Draft</a> <a href=https://example.com/>Away</a></body></html>`
const scripted = `<!doctype html><title>Scripted</title><body><div id=a>Wait</div>
<script>document.getElementById('a').textContent = 'High ' + 'water'</script></body></html>`
const words = Array.from({ length: 80 }, (_, n) => `word${n}`).join(' ')
const late = `<!doctype html><title>Late</title><body><div id=root></div><noscript>Please enable JavaScript.</noscript>
<script>setTimeout(() => { document.getElementById('root').innerHTML = '<h1>Late</h1><p>${words}' }, 300)</script>`
/**
 * A page that draws characters and reports which fonts are missing. All missing characters have the same glyph, which
 * has no colour.
 */
const drawn = `<!doctype html><meta charset=utf-8><title>Drawn</title><canvas id=c width=120 height=120></canvas><pre id=says></pre><script>
const at = document.getElementById('c').getContext('2d', { willReadFrequently: true })
const draw = text => {
  at.clearRect(0, 0, 120, 120)
  at.font = '80px sans-serif'
  at.fillText(text, 10, 90)
  return [...at.getImageData(0, 0, 120, 120).data]
}
const isColoured = pixels => pixels.some((_, n) => n % 4 === 0 && Math.abs(pixels[n] - pixels[n + 2]) > 40)
const areUnlike = (one, other) => draw(one).join() !== draw(other).join()
document.getElementById('says').textContent = JSON.stringify({
  emoji: isColoured(draw('\u{1F30A}')), chinese: areUnlike('\u6f6e', '\u6c50'), arabic: areUnlike('\u0645', '\u062f'),
  thai: areUnlike('\u0e19', '\u0e04'), hindi: areUnlike('\u0936', '\u0915'),
})</script>`
const check = {
  status: 403,
  headers: { 'cf-mitigated': 'challenge', 'content-type': 'text/html' },
  body: '<title>Just a moment...</title><p>Wait<script>setTimeout(() => { location = "/passed" }, 1500)</script>',
}

test('Pages by the cloud', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('cloudy', '--tier', 'pro')
  const origin = await startOrigin({
    pages: {
      '/robots.txt': { headers: plain, body: 'User-agent: *\nDisallow: /drafts/\n' },
      '/': home,
      '/tides': '<title>Tides</title><h1>Tides</h1><a href=/>Home</a>',
      '/scripted': scripted,
      '/late': late,
      '/drawn': drawn,
      '/check': check,
      '/passed': `<title>Passed</title><h1>Passed</h1><p>${words}`,
      '/challenge': challenge,
    },
  })
  t.teardown(() => origin.close())
  const url = `${origin.url}/`
  const cloud = (path: string, body: object) => system.call(key, 'POST', `/v1/cloud/${path}`, body)
  const health = async () => (await system.call(key, 'GET', '/v1/health/cloud')).body
  // A system that has just started beside many others may be too busy for the first answer.
  await until(async () => (await health()).backends !== undefined)
  const hasBrowser: boolean = (await health()).backends.browser
  let pages = 0

  await t.test('pages without scripts are fetched by plain HTTP', async t => {
    for (const [body, content] of [
      [{}, /^# Harbour[\s\S]*\[twice\]\(.*\/tides\)/],
      [{ return_format: 'raw' }, /^<!doctype html>/],
      [{ return_format: 'text' }, /High water comes twice a day/],
      [{ return_format: 'commonmark', force_backend: 'local' }, /\[twice\]/],
    ] as const) {
      const { status, body: page, headers } = await cloud('scrape', { url, ...body })
      t.equal(status, 200)
      t.ok(Check(CloudPage, page), JSON.stringify(page))
      t.match(page, { content, backend: 'http', status: 200, cost_usd: 0, blocked: false })
      t.equal(headers.get('x-cloud-pages-billed'), '1')
      pages++
    }
    const links = await cloud('links', { url })
    t.ok(Check(CloudLinks, links.body))
    t.strictSame(links.body.links, [`${url}tides`, `${url}drafts/1`, 'https://example.com/'])
    pages++
  })

  await t.test('a site is crawled as robots.txt allows', async t => {
    const { status, body } = await cloud('crawl', { url })
    t.equal(status, 200)
    t.ok(Check(CloudCrawl, body), JSON.stringify(body))
    t.strictSame(
      body.items.map((item: { url: string }) => item.url),
      [url, `${url}tides`],
    )
    t.strictSame(body.failed, [{ url: `${url}drafts/1`, reason: 'robots' }])
    t.notOk(origin.hits.some(({ path }) => path.startsWith('/drafts')))
    pages += 2
  })

  await t.test(
    'a browser is used if there is one, and otherwise an error says that it is missing',
    async t => {
      for (const [path, body, content] of [
        ['render', { url: `${url}scripted`, return_format: 'text' }, /High water/],
        ['scrape', { url: `${url}scripted`, chrome: true, return_format: 'text' }, /High water/],
        ['screenshot', { url }, /^iVBORw0KGgo/],
      ] as const) {
        const answer = await cloud(path, body)
        if (hasBrowser) {
          t.match(answer, { status: 200, body: { content, backend: 'browser' } }, path)
          pages++
        } else t.match(answer, { status: 503, body: { error: { code: 'not_configured' } } }, path)
      }
      const { status, body } = await system.call(key, 'POST', '/v1/scan', { url, screenshot_inline: true })
      t.equal(status, 200)
      t.equal('screenshot' in body, hasBrowser)
      t.equal('screenshot_error' in body, !hasBrowser)
      if (hasBrowser) pages++
    },
  )

  await t.test('a browser has fonts for emoji and for many writing systems', async t => {
    if (!hasBrowser) return
    const { body } = await cloud('render', { url: `${url}drawn`, return_format: 'text' })
    pages++
    const every = { emoji: true, chinese: true, arabic: true, thai: true, hindi: true }
    t.match(body.content, JSON.stringify(every))
  })

  await t.test('auto continues to the first backend that gets the page, and lists all attempts', async t => {
    if (!hasBrowser) return
    const shell = await cloud('scrape', { url: `${url}late`, return_format: 'text' })
    const tried = [
      { backend: 'http', outcome: 'got', reason: 'needs_scripts' },
      { backend: 'browser', outcome: 'got' },
    ]
    t.match(shell, { status: 200, body: { content: /Late\s+word0 word1/, backend: 'browser', tried } })
    const { status, body } = await cloud('scrape', { url: `${url}check` })
    t.match(
      { status, ...body },
      { status: 200, content: /# Passed/, url: `${url}passed`, backend: 'browser', blocked: false },
    )
    t.match(body.tried.at(0), { backend: 'http', outcome: 'blocked', reason: 'Cloudflare' })
    pages += 2
  })

  await t.test('every request with a browser gets past a check that its script passes', async t => {
    if (!hasBrowser) return
    const checked = `${url}cookie-check/800?title=Just%20a%20moment...`
    const passed = {
      status: 200,
      body: { status: 200, content: /Plain words/, backend: 'browser', blocked: false },
    }
    for (const [path, how] of [
      ['render', {}],
      ['render', { wait_for: 'networkidle' }],
      ['scrape', { chrome: true }],
      ['scrape', { chrome: true, force_backend: 'local' }],
    ] as const) {
      t.match(await cloud(path, { url: checked, ...how }), passed, `${path} ${JSON.stringify(how)}`)
      pages++
    }
    const scan = await system.call(key, 'POST', '/v1/scan', { url: checked, cloud_mode: 'browser' })
    t.match(scan, {
      status: 200,
      body: { status: 200, backend: 'browser', blocked: false, markdown: /Plain words/ },
    })
    const links = { urls: [checked], cloud_retry: true }
    const { body } = await system.call(key, 'POST', '/v1/actors/check-links', links)
    t.match(body.data, {
      ok: 1,
      cloud_recovered: 1,
      items: [{ status_code: 200, recovered_via_cloud: true }],
    })
    pages += 2
    const crawled = await system.crawl(key, { url: checked, render: 'always', delay_ms: 0 })
    t.match(crawled, { status: 'done', page_count: 1 })
    const listed = await system.call(key, 'GET', `/v1/crawls/${crawled.id}/pages?fields=rendered,title`)
    t.match(listed.body.items, [{ url: checked, status: 200, title: 'A page', rendered: true }])
    pages++
  })

  await t.test('a challenge that no backend passes is reported as blocked, and free', async t => {
    const { status, body, headers } = await cloud('unblock', { url: `${url}challenge` })
    t.match({ status, body }, { status: 200, body: { blocked: true, status: 403, cost_usd: 0 } })
    t.equal(headers.get('x-cloud-pages-billed'), null)
    const scan = await system.call(key, 'POST', '/v1/scan', { url: `${url}challenge`, cloud_mode: 'auto' })
    t.match(scan, { status: 200, body: { blocked: true } })
  })

  await t.test('missing settings are named', async t => {
    for (const [path, body, setting] of [
      ['proxy-fetch', { url }, /PROXY_POOLS/],
      ['proxy-fetch', { url, pool: 'mobile' }, /PROXY_POOLS/],
      ['scrape', { url, force_backend: 'proxy' }, /PROXY_POOLS/],
      ['scrape', { url, force_backend: 'vendor' }, /VENDOR_URL/],
      ['search', { query: 'tides' }, /SEARCH_URL/],
    ] as const) {
      const { status, body: refused } = await cloud(path, body)
      const error = { code: 'not_configured', message: setting }
      t.match({ status, refused }, { status: 503, refused: { error } }, path)
    }
    const crawl = await system.call(key, 'POST', '/v1/crawls', { url, proxy_pool: 'isp' })
    t.match(crawl, { status: 503, body: { error: { code: 'not_configured', message: /PROXY_POOLS/ } } })
    const status = await health()
    t.match(status, { configured: hasBrowser, engines: { browser: { configured: hasBrowser } } })
    for (const engine of ['proxy', 'vendor', 'search'])
      t.equal(status.engines[engine]?.configured, false, engine)
    const balance = await system.call(key, 'GET', '/v1/cloud/balance')
    t.strictSame(balance.body, { balance_usd: 0, currency: 'USD', configured: false })
  })

  await t.test('documents are converted to other formats, including large ones', async t => {
    const { status, body } = await cloud('transform', { data: home, readability: false })
    t.equal(status, 200)
    t.ok(Check(CloudDocument, body))
    t.match(body.content, /^# Harbour/)
    const long = `<h1>Long</h1>${'<p>High water comes twice a day.</p>'.repeat(80_000)}`
    const large = await cloud('transform', { data: long, readability: false, return_format: 'text' })
    t.equal(large.status, 200, JSON.stringify(large.body).slice(0, 300))
    t.match(large.body.content, /High water/)
    const pdf = { data: Buffer.from('%PDF-1.7').toString('base64'), input_kind: 'pdf_base64' }
    const empty = { status: 422, body: { error: { code: 'invalid_input', field: 'data' } } }
    t.match(await cloud('transform', { data: '' }), empty)
    t.match(await cloud('transform', pdf), { status: 422, body: { error: { code: 'unsupported_input' } } })
  })

  await t.test('scrapers are listed, and others are rejected', async t => {
    const { body } = await system.call(key, 'GET', '/v1/cloud/scrapers?limit=200')
    t.ok(Check(ScraperList, body))
    t.ok(body.scrapers.length >= 10)
    t.match(await cloud('fetch/nowhere.test/a/b', {}), { status: 422, body: { error: { field: 'domain' } } })
  })

  await t.test('the bill has exactly these pages', async t => {
    const spent = async () => (await system.call(key, 'GET', '/v1/usage')).body.today.cloud_pages
    await until(async () => (await spent()) >= pages)
    t.equal(await spent(), pages)
    const reported = await health()
    t.ok(Check(CloudHealth, reported))
    t.strictSame(reported.last_24h, { cloud_pages: pages, cloud_cost_usd: 0 })
  })
})
