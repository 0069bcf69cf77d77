/**
 * Pages fetched by any backend, sitemaps, and documents in other formats, as the extractor returns them over the bus.
 */

import { Unreadable } from '@tidemark/bus/codec'
import { call } from '@tidemark/bus/rpc'
import { readPageAs } from '@tidemark/contracts/rpc/actors'
import type { BackendChoice } from '@tidemark/contracts/rpc/backends'
import { checkLink } from '@tidemark/contracts/rpc/check-link'
import { GotPage } from '@tidemark/contracts/rpc/cloud'
import { readScan, ScannedPage } from '@tidemark/contracts/rpc/content'
import { mapSite } from '@tidemark/contracts/rpc/map'
import { robotsPolicy } from '@tidemark/contracts/rpc/policy'
import * as sitemapsRpc from '@tidemark/contracts/rpc/sitemaps'
import { SitemapRead } from '@tidemark/contracts/rpc/sitemaps'
import { binaryFiles, textsLikeFiles } from '@tidemark/html/binary-files.examples'
import { measured } from '@tidemark/testing/processor-time'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { challenge, page, shell, startCloudScene, words } from './cloud.scene.ts'
import { bomb, circle, encrypted, pdfOfPages, withScripts } from './pdf.examples.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const auto: BackendChoice = { is: 'auto', from: 'http', country: null }
const http: BackendChoice = { is: 'http' }
const browser: BackendChoice = { is: 'browser' }

test('A page is fetched by any suitable backend', { timeout: patient(300_000) }, async t => {
  const scene = await startCloudScene()
  t.teardown(() => scene.close())
  const { bus, site, getPage, scan, requestsTo, transform } = scene
  const backendsFor = (url: string) => requestsTo(url).map(({ as }) => as)
  /** The reader of an external body removes it, without delaying its client. */
  const isRemoved = (key: string) => until(() => scene.isStored(key).then(is => !is))

  await t.test('by the cheapest backend that can, with a list of all attempts', async t => {
    const url = site({ http: challenge, faithful: challenge, browser: page('By a browser.') })
    const got = await getPage(url)
    t.ok(Check(GotPage, got), 'as the contract says')
    t.match(got, {
      backend: 'browser',
      status: 200,
      pool: null,
      costUsd: 0,
      moved: null,
      picture: null,
      content: { challenge: null, text: 'Page\n\nBy a browser.' },
      tried: [
        { backend: 'http', outcome: 'blocked', reason: 'Cloudflare' },
        { backend: 'faithful', outcome: 'blocked', reason: 'Cloudflare' },
        { backend: 'browser', outcome: 'got', reason: null },
      ],
    })
    t.strictSame(backendsFor(url), ['http', 'faithful', 'browser'])
    const plain = await getPage(site({ http: { ...page(), moved: 1234 }, vendor: page() }))
    t.match(plain, { backend: 'http', moved: 1234, tried: [{ backend: 'http', outcome: 'got' }] })
    t.equal(plain.tried.length, 1)
  })

  await t.test('by proxies of its country, pool after pool, and then by a vendor', async t => {
    const url = site({
      http: page('From the address of the installation.'),
      isp: challenge,
      residential: { ...page(), moved: 77 },
      vendor: page(),
    })
    const got = await getPage(url, { means: { ...auto, country: 'DE' } })
    t.match(got, { backend: 'proxy', pool: 'residential', country: 'DE', moved: 77 })
    t.strictSame(
      got.tried.map(({ backend, pool, outcome }) => [pool ?? backend, outcome]),
      [
        ['datacenter', 'not_configured'],
        ['isp', 'blocked'],
        ['residential', 'got'],
      ],
    )
    t.match(requestsTo(url).at(-1), { by: { backend: 'proxy', pool: 'residential', country: 'DE' } })
    const dear = await getPage(site({ http: challenge, vendor: { ...page(), costUsd: 0.004 } }))
    t.match(dear, { backend: 'vendor', costUsd: 0.004, tried: { length: 8 } })
    t.equal(dear.tried.at(-1)?.costUsd, 0.004)
  })

  await t.test('or with the last challenge, if there is nothing else', async t => {
    const { content, ...got } = await getPage(
      site({
        http: challenge,
        browser: { ...challenge, status: 429 },
        vendor: { ...challenge, costUsd: 0.002 },
      }),
    )
    t.match(got, { backend: 'vendor', status: 403, costUsd: 0.002 })
    t.equal(content.challenge, 'Cloudflare')
    const early = await getPage(site({ http: challenge }))
    t.match(early, { backend: 'http', status: 403, content: { challenge: 'Cloudflare' } })
  })

  await t.test('by a browser if only scripts create it, otherwise as it is', async t => {
    const url = site({ http: shell, faithful: page(), browser: page('Made by scripts.') })
    t.match(await getPage(url), { backend: 'browser', content: { text: /Made by scripts/ } })
    t.strictSame(backendsFor(url), ['http', 'browser'])
    const without = await getPage(site({ http: shell, isp: page(), vendor: page() }))
    t.match(without, {
      backend: 'http',
      content: { text: '', metadata: { title: 'App' } },
      tried: [
        { backend: 'http', outcome: 'got', reason: 'needs_scripts' },
        { backend: 'browser', outcome: 'not_configured' },
      ],
    })
    const shellUrl = site({ http: shell, browser: page() })
    t.match(await getPage(shellUrl, { means: http }), { backend: 'http' })
    t.strictSame(backendsFor(shellUrl), ['http'], 'and HTTP is the only backend if the client chose it')
  })

  await t.test('by a client with the TLS greeting of a browser if a plain one is refused', async t => {
    const refusal = { status: 403, html: '<h1>Forbidden</h1>' }
    const url = site({ http: refusal, faithful: page(), browser: page() })
    t.match(await getPage(url), { backend: 'faithful', status: 200 })
    const closed = site({ http: refusal, faithful: refusal, browser: page() })
    t.match(await getPage(closed), { backend: 'faithful', status: 403, content: { challenge: null } })
    t.strictSame(backendsFor(closed), ['http', 'faithful'], 'two refusals are final')
    const alone = await getPage(site({ http: refusal, browser: page(), vendor: page() }))
    t.match(alone, { backend: 'http', status: 403, tried: [{ outcome: 'got', reason: 'refused' }, {}] })
  })

  await t.test('even if a backend fails, unless all others fail too', async t => {
    for (const fails of ['tls', 'connect', 'timeout', 'blocked', 'protocol', 'no_room']) {
      const got = await getPage(site({ http: { fails }, faithful: page() }))
      t.match(
        got,
        { backend: 'faithful', tried: [{ outcome: 'failed', reason: fails }, { outcome: 'got' }] },
        fails,
      )
    }
    const refusals: [fails: string, { status: number; code: string; reason: string }][] = [
      ['dns', { status: 502, code: 'fetch_failed', reason: 'dns' }],
      ['too_large', { status: 502, code: 'fetch_failed', reason: 'too_large' }],
      ['private_address', { status: 400, code: 'invalid_input', reason: 'private_address' }],
      ['blocked_domain', { status: 400, code: 'invalid_input', reason: 'blocked_domain' }],
      ['bad_url', { status: 400, code: 'invalid_input', reason: 'bad_url' }],
    ]
    for (const [fails, refusal] of refusals) {
      const url = site({ http: { fails }, faithful: page(), browser: page() })
      await t.rejects(getPage(url), refusal, fails)
      t.strictSame(backendsFor(url), ['http'], 'no other backend is tried')
    }
    const hopeless = site({
      http: { fails: 'tls' },
      faithful: { fails: 'connect' },
      browser: { fails: 'timeout' },
    })
    const refusal = {
      status: 502,
      code: 'fetch_failed',
      reason: 'tls',
      message: /faithful: connect, browser: timeout/,
    }
    await t.rejects(getPage(hopeless), refusal, 'the first error is the most useful')
    const waits = { fails: 'timeout', isUnasked: true }
    const paused = site({ http: waits, faithful: waits, browser: { fails: 'too_many_redirects' } })
    const found = { reason: 'too_many_redirects', message: /^It is too_many_redirects.*http: timeout/ }
    await t.rejects(getPage(paused), found, 'an error of the site, if a backend requested the page')
    const unasked = { reason: 'timeout', message: /^The page was not requested/ }
    await t.rejects(getPage(site({ http: waits, faithful: waits })), unasked, 'if none did')
    const broken = await getPage(site({ http: { ...page(), html: 'x' }, browser: page() }), { means: http })
    t.match(broken, { backend: 'http', content: { text: 'x' } })
  })

  await t.test('by the named backend only', async t => {
    const has = { http: page(), browser: page('B'), isp: page('I'), vendor: page('V') }
    const named: [BackendChoice, string, string][] = [
      [http, 'http', 'http'],
      [browser, 'browser', 'browser'],
      [{ is: 'proxy', pool: 'isp', country: null }, 'proxy', 'isp'],
      [{ is: 'vendor', country: 'FR' }, 'vendor', 'vendor'],
      [{ is: 'auto', from: 'vendor', country: null }, 'vendor', 'vendor'],
    ]
    for (const [means, backend, as] of named) {
      const url = site(has)
      t.match(await getPage(url, { means, waitFor: 'networkidle' }), { backend })
      t.strictSame(backendsFor(url), [as])
      if (as === 'browser') t.match(requestsTo(url), [{ by: { waitFor: 'networkidle', picture: false } }])
    }
    const nowhere = { status: 503, code: 'not_configured', message: /It is not_configured/ }
    await t.rejects(getPage(site({ http: page() }), { means: browser }), nowhere)
    await t.rejects(getPage(site({}), { means: { is: 'proxy', pool: 'mobile', country: 'SE' } }), nowhere)
    await t.rejects(getPage(site({}), { means: { ...auto, from: 'proxy' } }), nowhere)
    t.match(await getPage(site({ browser: challenge }), { means: browser }), {
      content: { challenge: 'Cloudflare' },
    })
  })

  await t.test('within the total time, of which a slow backend leaves some to the others', async t => {
    const slow = { ...page(), afterMs: 60_000 }
    const from = performance.now()
    const got = await getPage(site({ http: slow, faithful: slow, browser: page() }), { timeoutMs: 4_000 })
    t.match(got, { backend: 'browser', tried: [{ reason: 'timeout' }, { reason: 'timeout' }, {}] })
    t.ok(performance.now() - from < 4_000)
    const refused = getPage(site({ http: slow, faithful: slow, browser: slow, vendor: slow }), {
      timeoutMs: 2_000,
    })
    await t.rejects(refused, { status: 502, code: 'fetch_failed', reason: 'timeout' })
    t.ok(performance.now() - from < 4_000 + 2_000 + 1_000, 'and never longer than its time')
  })

  await t.test('with its picture', async t => {
    const picture = png.toString('base64')
    const had = site({ http: page('By HTTP.'), browser: { ...page('By a browser.'), picture: png } })
    t.match(await getPage(had, { picture: true }), {
      backend: 'http',
      picture,
      content: { text: /By HTTP/, warnings: { length: 0 } },
      tried: [{ backend: 'http' }, { backend: 'browser', outcome: 'got' }],
    })
    t.match(await getPage(had, { picture: true, means: http }), { backend: 'http', picture })
    const before = requestsTo(had).length
    t.match(await getPage(had, { picture: true, means: browser }), { backend: 'browser', picture })
    t.equal(requestsTo(had).length, before + 1, 'with the page, if a browser renders it anyway')
    const large = site({ browser: { ...page(), picture: png, isLarge: true } })
    t.match(await getPage(large, { picture: true, means: browser }), { picture, content: { text: /meant/ } })
    for (const key of [`b:${large}`, `p:${large}`]) await isRemoved(key)
  })

  await t.test('with a warning if its picture is cut', async t => {
    const pictureWarning = "the screenshot shows the first 20000 of 25000 pixels of the page's height"
    const unloaded = 'the page had not finished loading (load) when it was read'
    const tall = { ...page(), picture: png, pictureWarning }
    const pages: [Parameters<typeof site>[0], BackendChoice, string[]][] = [
      [{ browser: tall }, browser, [pictureWarning]],
      [{ browser: { ...tall, warnings: [unloaded] } }, browser, [unloaded, pictureWarning]],
      [{ http: page(), browser: tall }, auto, [pictureWarning]],
      [
        { http: page(), browser: { ...tall, warnings: [unloaded] } },
        http,
        [`screenshot: ${unloaded}`, pictureWarning],
      ],
    ]
    for (const [has, means, warnings] of pages) {
      const url = site(has)
      for (const { content } of [
        await getPage(url, { picture: true, means }),
        await scan(url, { picture: true, means }),
      ])
        t.strictSame(content.warnings, warnings)
    }
    t.strictSame((await getPage(site({ browser: tall }), { means: browser })).content.warnings, [])
  })

  await t.test('without its picture, if only that fails', async t => {
    const cases: [reason: string, Parameters<typeof site>[0], BackendChoice][] = [
      ['not_configured', { http: page() }, auto],
      ['timeout', { http: page(), browser: { fails: 'timeout' } }, auto],
      ['blocked', { http: page(), browser: { ...challenge, picture: png } }, http],
      ['failed', { http: page(), browser: page() }, http],
      ['failed', { browser: page() }, browser],
      ['too_large', { browser: { ...page(), picture: Buffer.alloc(6e6), isLarge: true } }, browser],
      ['not_supported', { vendor: page() }, { is: 'vendor', country: null }],
      ['blocked', { http: challenge }, http],
    ]
    for (const [reason, has, means] of cases) {
      const got = await getPage(site(has), { picture: true, means })
      t.match(got, { picture: null, pictureError: reason }, reason)
      t.match(got.content.warnings.at(-1), new RegExp(`^there is no screenshot: ${reason}$`))
    }
  })

  await t.test('with a warning if it was not loaded completely', async t => {
    const warnings = ['the page had not finished loading (load) when it was read']
    const half = site({ http: challenge, browser: { ...page(), picture: png, warnings } })
    t.strictSame((await getPage(half)).content.warnings, warnings)
    const kept = { means: browser, projectId: 7, keepFor: 'free' } as const
    t.strictSame((await scan(half, kept)).content.warnings, warnings)
    const whole = site({ browser: page() })
    t.strictSame((await scan(whole, kept)).content.warnings, [])
    const stored = (url: string) =>
      call(
        bus,
        readScan,
        {
          ...{ projectId: 7, url, newerThan: new Date(0).toISOString(), means: browser },
          wanted: { html: true, markdown: null, article: false, signals: false, anchors: false },
        },
        { timeoutMs: 10_000 },
      )
    await until(async () => (await stored(whole)) !== null)
    t.equal(await stored(half), null, 'and later scans do not use it')
    const replaced = site({ browser: { ...challenge, warnings }, vendor: page() })
    t.strictSame((await getPage(replaced, { means: { ...auto, from: 'browser' } })).content.warnings, [])
  })

  await t.test('unless robots.txt forbids it and has to be respected', async t => {
    const robots = { html: 'User-agent: *\nDisallow: /\n\nUser-agent: Own\nAllow: /', type: 'text/plain' }
    const closed = site({ http: page(), robots })
    const forbidden = {
      status: 502,
      code: 'fetch_failed',
      reason: 'robots',
      message: /disallows it: Disallow: \/$/,
    }
    await t.rejects(getPage(closed, { respectRobots: true }), forbidden)
    t.equal(requestsTo(closed).length, 0)
    t.match(await getPage(closed, { respectRobots: true, userAgent: 'Own/1.0' }), { backend: 'http' })
    t.match(await getPage(closed), { backend: 'http' })
    t.match(await getPage(site({ http: page() }), { respectRobots: true }), { status: 200 })
    const moved = site({ http: { ...page(), url: closed } })
    await t.rejects(getPage(moved, { respectRobots: true }), forbidden, 'also behind a redirect')
    t.match(await getPage(moved, { respectRobots: false }), { url: closed })
    const broken = site({ http: page(), robots: { status: 503 } })
    await t.rejects(getPage(broken, { respectRobots: true }), {
      code: 'fetch_failed',
      reason: 'robots',
      message: /503/,
    })
    const withoutRobots = site({ http: page(), robots: { fails: 'dns' } })
    await t.rejects(getPage(withoutRobots, { respectRobots: true }), { code: 'fetch_failed', reason: 'dns' })
  })

  await t.test('for a scan', async t => {
    const url = site({ http: challenge, browser: { ...page('By a browser.'), picture: png } })
    const plain = await scan(url)
    t.match(plain, { status: 403, content: { challenge: 'Cloudflare' } })
    t.notOk('backend' in plain || 'tried' in plain || 'picture' in plain, 'a plain scan has no backend')
    t.strictSame(backendsFor(url), ['http'])
    const got = await scan(url, { means: auto, picture: true })
    t.ok(Check(ScannedPage, got), 'as the contract says')
    t.match(got, {
      status: 200,
      backend: 'browser',
      costUsd: 0,
      picture: { png: png.toString('base64') },
      content: { challenge: null, text: /By a browser/ },
      tried: { length: 3 },
    })
    t.match(await scan(site({ http: page() }), { picture: true }), {
      backend: 'http',
      picture: { error: 'not_configured' },
      content: { text: /meant/ },
    })
    const closed = { means: { is: 'browser' } } as const
    await t.rejects(scan(site({ http: page() }), closed), { status: 503, code: 'not_configured' })
    const slow = site({ http: { ...page(), afterMs: 60_000 } })
    await t.rejects(scan(slow, { means: http, timeoutMs: 500 }), { code: 'fetch_failed', reason: 'timeout' })
  })

  await t.test('All requests of a project count for it', async t => {
    const urls = Array.from({ length: 6 }, () => site({ http: page(), browser: page() }))
    const [got = '', scanned = '', checked = '', audited = '', mapped = '', policy = ''] = urls
    const [projectId, workId, timeoutMs] = [77, -1, 10_000]
    const pace = { workId, projectId, delayMs: 0, concurrency: 1, timeoutMs }
    const within = { timeoutMs: 30_000 }
    const map = { limit: 10, search: null, subdomains: false, sitemaps: false, respectRobots: true }
    await getPage(got, { projectId, respectRobots: true, means: { is: 'browser' } })
    await scan(scanned, { projectId, site: 'policy' })
    await call(bus, checkLink, { ...pace, url: checked, places: [] }, within)
    await call(
      bus,
      readPageAs,
      { workId, projectId, url: audited, timeoutMs, reading: { as: 'audit' } },
      within,
    )
    await call(bus, mapSite, { ...map, projectId, url: mapped }, within)
    await call(bus, robotsPolicy, { projectId, url: policy }, within)
    const requests = urls.map(url => scene.requests.filter(one => one.url.startsWith(url)))
    for (const one of requests.flat()) t.equal(one.projectId, projectId, one.url)
    t.ok(requests.every(({ length }) => length > 0))
  })

  await t.test('A sitemap is returned plain, or compressed if it is long', async t => {
    const asPlainJson = { ...sitemapsRpc.readSitemap, codec: 'json' as const }
    const read = (pages: number, rpc: typeof sitemapsRpc.readSitemap | typeof asPlainJson) => {
      const entries = Array.from({ length: pages }, (_, n) => `<url><loc>/${n}/${'x'.repeat(40)}</loc></url>`)
      const url = site({ http: { html: `<urlset>${entries.join('')}</urlset>`, type: 'text/xml' } })
      const pace = { workId: -1, delayMs: 0, concurrency: 1, timeoutMs: 10_000 }
      const request = { ...pace, url, wanted: 50_000, from: 0 }
      return call(bus, rpc, request, { timeoutMs: 30_000 })
    }
    const short = await read(2, asPlainJson)
    t.ok(Check(SitemapRead, short), 'as the contract says')
    t.match(short, { isSitemap: true, error: null, entries: { length: 2 } })
    await t.rejects(read(20_000, asPlainJson), Unreadable, 'a long one is not plain JSON')
    t.match(await read(20_000, sitemapsRpc.readSitemap), { urls: 20_000, entries: { length: 20_000 } })
  })

  await t.test('A document is converted into another format', async t => {
    const html = `<nav><a href=/home>Home</a></nav><main><h1>Tides</h1><p>${words}<a href="twice?a=1">twice</a></p><p>${words}<b>low</b> water.</p></main><footer>Imprint</footer>`
    const markdown = await transform(html, { format: 'markdown', readability: true })
    t.match(markdown, {
      engine: 'article',
      warnings: { length: 0 },
      content: /^# Tides\n\n[\s\S]*\[twice\]\(twice\?a=1\)[\s\S]*\*\*low\*\* water/,
    })
    const headed = '<title>Doc</title><h1>Title <i>here</i></h1><p>para one</p><h2>Sub</h2><p>two</p>'
    for (const [format, content] of [
      ['markdown', '# Title *here*\n\npara one\n\n## Sub\n\ntwo\n'],
      ['text', 'Title here\n\npara one\n\nSub\n\ntwo'],
      ['raw', '<h1>Title <i>here</i></h1><p>para one</p><h2>Sub</h2><p>two</p>'],
    ] as const)
      t.match(await transform(headed, { format, readability: true }), { engine: 'article', content }, format)
    const formula = '<p>of <math alttext="x^2"><mi>x</mi><mn>2</mn></math>, squared</p>'
    t.match(await transform(formula, { format: 'text' }), { content: 'of $x^2$, squared' }, 'also a formula')
    const above = `<title>High water | Harbour</title><header><h1>High water</h1></header><main><article><p>${words}${words}</p><p>${words}${words}</p></article></main>`
    const outside = await transform(above, { format: 'markdown', readability: true })
    t.match(outside, { engine: 'article', content: /^# High water\n\n/ }, 'also if it stands outside')
    t.notMatch(markdown.content, /Imprint|document\.invalid/)
    const whole = await transform(html, { format: 'markdown' })
    t.match(whole, { engine: 'page', content: /# Tides/ })
    t.match(whole.content, /\[Home\]\(\/home\)[\s\S]*Imprint/)
    t.match(await transform(html, { readability: true }), {
      engine: 'article',
      content: /^(?!.*Home)[\s\S]*low water/,
    })
    t.match(await transform(html), {
      engine: 'page',
      content: /^Home\n\nTides\n\n[^<]*low water\.\n\nImprint$/,
    })
    t.match(await transform(html, { format: 'raw' }), { engine: 'page', content: html })
    const article = await transform(html, { format: 'raw', readability: true })
    t.match(article, { engine: 'article', content: /<a href="twice\?a=1">/ })
    t.match(await transform('', { format: 'markdown', readability: true }), { content: '', engine: 'page' })
    await scene.bulky.put('t:1', Buffer.from('<p>Grüße'))
    t.match(await transform('', { data: null, bulkyKey: 't:1' }), { content: 'Grüße' }, 'also from the store')
    await isRemoved('t:1')
    const lost = { status: 503, code: 'unavailable' }
    await t.rejects(transform('', { data: null, bulkyKey: 't:1' }), lost, 'from which it is removed')
  })

  await t.test('A large or broken document is converted in bounded time', async t => {
    const pieces = [
      '<div>',
      '<p>x',
      '<blockquote><ul><li>',
      '<table><tr><td>',
      '&',
      '<a href=',
      '\0',
      'word ',
    ]
    const bytes = sized(5, 20) * 1024 ** 2
    for (const piece of pieces) {
      await scene.bulky.put('t:2', Buffer.from(piece.repeat(bytes / Buffer.byteLength(piece))))
      const { result, processorMs } = await measured(() =>
        transform('', { data: null, bulkyKey: 't:2', format: 'markdown', readability: true }),
      )
      t.match(result, { warnings: [/^only the first \d+ characters were read$/] }, piece)
      t.ok(processorMs < 10_000, `${piece} takes ${processorMs} ms of processor time`)
    }
    await scene.bulky.put('t:3', Buffer.alloc(20 * 1024 ** 2 + 1, 'x'))
    const refused = { status: 422, code: 'unsupported_input', field: 'data' }
    await t.rejects(transform('', { data: null, bulkyKey: 't:3' }), refused)
    for (const broken of [
      '<',
      '<!--',
      '<p title="',
      '\ud800',
      '</body></html><p>after',
      '<title>never closed',
    ])
      t.type((await transform(broken, { format: 'markdown', readability: true })).content, 'string', broken)
    for (const data of ['%PDF-1.7', '\n%PDF-1.7'])
      await t.rejects(transform(data), { ...refused, message: /is a PDF, not HTML/ })
    for (const [type, bytes] of binaryFiles) {
      const written = [bytes.toString('latin1'), bytes.toString('base64')]
      for (const data of [...written, `data:${type};base64,${written[1]}`])
        await t.rejects(transform(data), { ...refused, message: /is (?:a PDF|\w+\/\S+), not HTML/ }, type)
    }
    await t.rejects(transform('\ufffdPNG\r\n\x1a\n\0\0'), { ...refused, message: /is image\/png, not HTML/ })
    const began = process.cpuUsage()
    t.type((await transform(`${' '.repeat(4_095)}!`)).content, 'string')
    const { user } = process.cpuUsage(began)
    t.ok(user < 5_000_000, `blanks take ${Math.round(user / 1_000)} ms, and not half a minute`)
    for (const data of textsLikeFiles) t.type((await transform(data)).content, 'string', data)
    await t.rejects(transform(withScripts.toString('base64')), { ...refused, message: /is a PDF, not HTML/ })
  })

  await t.test('A PDF is read', async t => {
    const pdf = pdfOfPages([
      ['The first line of a para-', 'graph continues.', '', '', 'A second *one*.'],
      ['Page two.'],
    ])
    const paragraphs = ['The first line of a paragraph continues.', 'A second *one*.', 'Page two.']
    t.strictSame(await transform(pdf), { content: paragraphs.join('\n\n'), engine: 'pdf', warnings: [] })
    const markdown = await transform(pdf, { format: 'markdown' })
    t.match(markdown.content, /A second \\\*one\\\*\.\n\nPage two\./)
    await scene.bulky.put('t:4', pdf)
    t.match(await transform(pdf, { data: null, bulkyKey: 't:4' }), { content: /Page two/ })
    t.match(await transform(pdfOfPages([[]])), { content: '', warnings: [/has no text/] })
  })

  await t.test('A hostile PDF is rejected', async t => {
    t.strictSame(
      await transform(withScripts),
      { content: 'Read me.', engine: 'pdf', warnings: [] },
      'as a text',
    )
    t.notOk(Reflect.has(globalThis, 'wasRun'), 'none of its scripts runs')
    const refused = { status: 422, code: 'unsupported_input', field: 'data' }
    await t.rejects(transform(encrypted), { ...refused, message: /encrypted/ })
    const whole = pdfOfPages([['x']])
    const broken = [
      Buffer.from('%PDF-1.7\nnothing'),
      Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(5e5, 'x')]),
    ]
    for (const one of broken) await t.rejects(transform(one), { ...refused, message: /corrupt/ })
    for (const one of [whole.subarray(0, 200), circle]) {
      const ended = await transform(one).catch(error => error)
      t.ok(ended.engine === 'pdf' || ended.code === 'unsupported_input', 'half of one, or one in a circle')
    }
    for (const none of [Buffer.from('<p>no'), Buffer.alloc(5000)])
      await t.rejects(transform(none), { ...refused, message: /is not a PDF/ })
    const many = await transform(pdfOfPages(Array.from({ length: 10_000 }, (_, n) => [`Page ${n + 1}.`])))
    t.match(many.warnings, [/^only the first \d+ pages of 10000 were read$/])
    t.match(many.content, /^Page 1\.\n\nPage 2\./)
    const { processorMs } = await measured(() =>
      t.rejects(transform(bomb()), { ...refused, message: /memory limit/ }),
    )
    t.ok(processorMs < 20_000, `${processorMs} ms`)
    t.comment(`at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB resident`)
    t.match(await transform(whole), { content: 'x' }, 'and the next one is read')
  })
})

test('PDFs are refused if they are not enabled', async t => {
  const scene = await startCloudScene({ TRANSFORM_PDF: 'false' })
  t.teardown(() => scene.close())
  const refused = { status: 422, code: 'unsupported_input', message: /TRANSFORM_PDF/ }
  await t.rejects(scene.transform(withScripts), refused)
  t.match(await scene.transform('<p>x'), { content: 'x' })
})
