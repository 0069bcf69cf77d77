/**
 * `POST /v1/scan`, `/v1/scan/bulk` and the content of stored pages end to end, from the client to the site. Also crawls
 * of sites that misbehave.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Scan } from '@tidemark/contracts/http/scan'
import { challenge, type Origin, type OriginOptions, startOrigin } from '@tidemark/testing/origin'
import { startCanary } from '@tidemark/testing/origin-canary'
import { until } from '@tidemark/testing/until'
import { zoo } from '@tidemark/testing/zoo/zoo'
import { type Test, test } from 'tap'
import { Check } from 'typebox/value'
import { openDistantZoo } from './hostile-zoo-keeper.ts'
import { watchMemory } from './hostile-zoo-watch.ts'
import { type System, startSystem, twoExtractors } from './system.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8' }
const article = `<!doctype html><html lang=en><head><title>Tides</title><meta name=description content="Of water">
<meta name=robots content="noai"><script type="application/ld+json">{"@type":"Article","headline":"Tides"}</script></head>
<body><nav><a href=/home>Home</a></nav><main><h1>Tides</h1><p>High water comes <a href=/twice rel=nofollow>twice</a> a
day, and low water in between; people who live at the coast know it by heart, and all the others look it up.</p>
<p class=price>12 €</p></main><footer>Imprint</footer></body></html>`
const robots = 'User-agent: GPTBot\nDisallow: /\n'
/** The sum of the time limits of a fetch, of the queue before parsing, and of parsing. */
const deadlineMs = 45_000

/** Concurrent scans of hostile pages. */
const atOnce = Number(process.env.SCANS ?? 100)

/** Each misbehaviour with the end of a crawl that starts there. */
const endings: [path: string, ending: { status: string; page_count: number; error_count: number }][] = [
  ['/never-answers', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/header-drip', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/body-drip', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/stalls-at-99', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/accepts-and-closes', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/resets-mid-body', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/lying-length-long', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/endless', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/redirect-loop', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/redirect-chain/50', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/gzip-bomb', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/brotli-bomb', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/huge-header', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/redirect-chain/3', { status: 'done', page_count: 1, error_count: 0 }],
  ['/gzip', { status: 'done', page_count: 1, error_count: 0 }],
  ['/brotli', { status: 'done', page_count: 1, error_count: 0 }],
  ['/zstd', { status: 'done', page_count: 1, error_count: 0 }],
  ['/status/404', { status: 'done', page_count: 1, error_count: 0 }],
  ['/status/500', { status: 'done', page_count: 1, error_count: 0 }],
]

test('Scans and crawls', { timeout: 400_000 }, async t => {
  const system = await startSystem({
    REPLICAS: twoExtractors,
    FETCH_TIMEOUT_MS: '1500',
    SCAN_TIMEOUT_MS: '4000',
    MAX_DECODED_BYTES: '2000000',
    MAX_BODY_BYTES: '2000000',
    CONNECT_TIMEOUT_MS: '5000',
  })
  t.teardown(() => system.stop())
  await t.test('Crawls of hostile sites', t => crawlHostileSites(t, system))
  await t.test('Scans', t => scanPages(t, system))
})

async function crawlHostileSites(t: Test, system: System) {
  const origin = await startOrigin()
  t.teardown(() => origin.close())

  await t.test('count as a page or an error, and the run ends', async t => {
    const projects = await Promise.all(
      [1, 2, 3, 4].map(n => system.createProject(`hostile-${n}`, '--unlimited')),
    )
    await Promise.all(
      endings.map(async ([path, ending], n) => {
        const key = projects[n % projects.length] as string
        // On one host, slow responses would delay the others.
        const host = await startOrigin({ host: `127.1.3.${n + 1}` })
        t.teardown(() => host.close())
        const request = { url: host.url + path, delay_ms: 0, respect_robots: false, depth: 1 }
        const { status, page_count, error_count, error_message } = await system.crawl(key, request)
        t.strictSame({ status, page_count, error_count }, ending, `${path}: ${error_message}`)
      }),
    )
  })

  await t.test('never lead to a private address, neither directly nor by a redirect', async t => {
    const canary = await startCanary()
    t.teardown(() => canary.close())
    const key = await system.createProject('private', '--unlimited')
    const inside = `http://127.0.0.1:${canary.port}/`
    for (const url of [
      inside,
      `http://2130706433:${canary.port}/`,
      `http://[::1]:${canary.port}/`,
      'http://169.254.169.254/',
      'http://localhost/',
    ]) {
      const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url })
      t.match(
        { status, ...body.error },
        { status: 400, code: 'invalid_input', field: 'url', reason: 'private_address' },
        url,
      )
    }
    const redirecting = `${origin.url}/redirect-to?url=${encodeURIComponent(inside)}`
    const run = await system.crawl(key, { url: redirecting, delay_ms: 0, respect_robots: false })
    t.match(run, { status: 'failed', page_count: 0, error_count: 1 })
    t.equal(canary.hits, 0)
    t.strictSame((await system.call(key, 'GET', '/v1/crawls')).body.items.length, 1)
  })

  await t.test('are billed only for fetched pages', async t => {
    const key = await system.createProject('billed', '--unlimited')
    origin.site({
      '/shop': '<a href="/shop/1">1</a><a href="/shop/2">2</a><a href="/accepts-and-closes">x</a>',
      '/shop/1': 'one',
      '/shop/2': 'two',
    })
    const run = await system.crawl(key, { url: `${origin.url}/shop`, delay_ms: 0, respect_robots: false })
    t.match(run, { status: 'done', page_count: 3, error_count: 1 })
    await until(async () => (await system.call(key, 'GET', '/v1/usage')).body.today.pages >= 3)
    t.equal((await system.call(key, 'GET', '/v1/usage')).body.today.pages, 3)
  })
}

async function scanPages(t: Test, system: System) {
  const key = await system.createProject('scanning')
  const open = async (options: OriginOptions = {}): Promise<Origin> => {
    const origin = await startOrigin(options)
    t.teardown(() => origin.close())
    return origin
  }
  const scan = (body: object, by = key) => system.call(by, 'POST', '/v1/scan', body)
  const bulk = (body: object, by = key) => system.call(by, 'POST', '/v1/scan/bulk', body)
  const usage = async (by = key) => (await system.call(by, 'GET', '/v1/usage')).body.today.pages
  const origin = await open({
    pages: {
      '/robots.txt': { headers: plain, body: robots },
      '/llms.txt': { headers: plain, body: '# Harbour' },
      '/llms-full.txt': { headers: plain, body: '# Harbour, all of it' },
      '/tides': { headers: { 'x-robots-tag': 'noarchive' }, body: article },
      '/challenge': challenge,
      '/data.json': { headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
      '/none': { status: 204 },
    },
  })
  const tides = `${origin.url}/tides`

  await t.test('read a page and the rules of its site for bots', async t => {
    const { status, body } = await scan({
      url: tides,
      include_links: true,
      include_article: true,
      extract: { price: '.price', links: { selector: 'a', attr: 'href', all: true } },
    })
    t.equal(status, 200)
    t.ok(Check(Scan, body))
    t.match(body, {
      url: tides,
      final_url: tides,
      status: 200,
      cached: false,
      blocked: false,
      content_type: /html/,
      bytes: Buffer.byteLength(article),
      metadata: { title: 'Tides', description: 'Of water', lang: 'en', json_ld: [{ headline: 'Tides' }] },
      signals: {
        h1: ['Tides'],
        jsonld_types: ['Article'],
        links: { internal: 2, total: 2 },
        ai_directives: { noai: true },
      },
      markdown: /High water comes \[twice\]/,
      article_text: /High water comes twice/,
      ai_bot_policy: { GPTBot: 'disallowed', ClaudeBot: 'unspecified' },
      llms_txt: '# Harbour',
      extracted: { price: '12 €', links: [`${origin.url}/home`, `${origin.url}/twice`] },
    })
    t.match(JSON.stringify(body.signals.ai_directives.x_robots_tag), /noarchive/)
    t.equal(body.anchors.length, 2)
    t.match(
      (await scan({ url: tides, only_main_content: true })).body.markdown,
      /^(?!.*Imprint).*High water/s,
    )
    t.notOk((await scan({ url: tides, metadata_only: true })).body.markdown)
    await scan({ url: tides, user_agent: 'Own/1' })
    t.equal(origin.hits.filter(({ path }) => path === '/tides').at(-1)?.headers['user-agent'], 'Own/1')
    t.equal(origin.hits.filter(({ path }) => path === '/robots.txt').length, 1, 'robots.txt is fetched once')
    t.equal(await usage(), 4)
  })

  await t.test(
    'are in the usage, the ledger and the log, and used their key, as soon as they have a response',
    async t => {
      const own = await system.createProject('reads-its-own-calls', '--unlimited')
      for (let n = 1; n <= 10; n++) {
        const { headers } = await scan({ url: `${origin.url}/tides?n=${n}`, metadata_only: true }, own)
        const read = async (path: string) => (await system.call(own, 'GET', `/v1/${path}`)).body
        t.equal((await read('usage')).today.pages, n)
        t.equal((await read('usage/history')).days.at(-1).pages, n)
        t.equal((await read('usage/ledger')).items.length, n)
        const [latest] = (await read('logs?limit=5')).items.filter(
          ({ path }: { path: string }) => path === '/v1/scan',
        )
        t.equal(latest.request_id, headers.get('x-request-id'))
        t.ok((await read('keys')).items[0].last_used_at)
      }
    },
  )

  await t.test('report any response of a target', async t => {
    t.match((await scan({ url: `${origin.url}/redirect-chain/3` })).body, {
      url: `${origin.url}/redirect-chain/3`,
      final_url: `${origin.url}/redirect-chain/0`,
      status: 200,
    })
    for (const [path, expected] of [
      ['/status/404', { status: 404, blocked: false }],
      ['/status/500', { status: 500 }],
      ['/none', { status: 204, bytes: 0, markdown: '' }],
      ['/data.json', { status: 200, markdown: '```json\n{"a":1}\n```\n', warnings: [/not HTML/] }],
      ['/gzip', { status: 200, metadata: { title: 'A page' } }],
      ['/zstd', { status: 200, metadata: { title: 'A page' } }],
    ] as const) {
      t.match(await scan({ url: origin.url + path }), { status: 200, body: expected }, path)
    }
    t.equal(await usage(), 11)
    t.match(await scan({ url: `${origin.url}/challenge` }), {
      status: 200,
      body: { status: 403, blocked: true, warnings: [/challenge \(Cloudflare\)/] },
    })
  })

  await t.test('report why a target cannot be reached, free of charge', async t => {
    const closed = await startOrigin()
    await closed.close()
    const inward = `${origin.url}/redirect-to?url=${encodeURIComponent('http://10.0.0.1/')}`
    const answers = await Promise.all(
      (
        [
          [closed.url, 502, 'connect'],
          ['http://no-such-host.invalid/', 502, 'dns'],
          [origin.url.replace('http:', 'https:'), 502, 'tls'],
          [`${origin.url}/never-answers`, 502, 'timeout'],
          [`${origin.url}/body-drip`, 502, 'timeout'],
          [`${origin.url}/endless`, 502, 'too_large'],
          [`${origin.url}/gzip-bomb`, 502, 'too_large'],
          [`${origin.url}/redirect-loop/a`, 502, 'too_many_redirects'],
          [`${origin.url}/not-http`, 502, 'protocol'],
          ['http://10.0.0.1/', 400, 'private_address'],
          ['ftp://example.com/', 400, 'bad_url'],
          [inward, 400, 'private_address'],
        ] as const
      ).map(async ([url, status, reason]) => ({ url, status, reason, answer: await scan({ url }) })),
    )
    for (const { url, status, reason, answer } of answers) {
      const code = status === 400 ? 'invalid_input' : 'fetch_failed'
      t.match(answer, { status, body: { error: { code, reason } } }, url)
      t.notMatch(answer.body.error?.message, /undici|node:|\bat /, 'without internals')
    }
    await sleep(500)
    t.equal(await usage(), 11)
  })

  await t.test('use a stored page within max_age_seconds, and bill it', async t => {
    const own = await system.createProject('caching')
    const site = await open({ pages: { '/': article } })
    await system.crawl(own, { url: `${site.url}/`, max_pages: 1, respect_robots: false })
    t.equal(await usage(own), 1)
    const hits = () => site.hits.filter(({ path }) => path === '/').length
    const cached = await scan({ url: site.url, max_age_seconds: 600 }, own)
    t.match(cached, {
      status: 200,
      body: { cached: true, final_url: `${site.url}/`, markdown: /High water/ },
    })
    t.equal(hits(), 1)
    const fresh = await scan({ url: site.url }, own)
    t.equal(fresh.body.cached, false)
    t.equal(hits(), 2)
    t.equal(cached.body.content_hash, fresh.body.content_hash)
    const { body } = await bulk({ urls: [site.url, site.url], max_age_seconds: 600 }, own)
    t.match(body.items, [{ result: { cached: true, article: /High water/ } }, { result: { cached: true } }])
    t.equal(hits(), 2)
    t.equal(await usage(own), 5)
  })

  await t.test('in bulk read each page separately, with the crawl delay', async t => {
    const own = await system.createProject('bulk')
    const site = await open({ host: '127.1.0.7', pages: { '/challenge': challenge } })
    const pages = Array.from({ length: 12 }, (_, n) => `${site.url}/plain?n=${n}`)
    const bad = [
      'http://no-such-host.invalid/',
      'http://10.0.0.1/',
      `${site.url}/challenge`,
      `${site.url}/accepts-and-closes`,
    ]
    const urls = [...pages, ...bad, pages[0] as string, tides]
    const { status, body } = await bulk({ urls }, own)
    t.equal(status, 200)
    t.strictSame(
      body.items.map(({ url }: { url: string }) => url),
      urls,
    )
    const good = body.items.filter(({ ok }: { ok: boolean }) => ok)
    t.equal(good.length, 12 + 1 + 2)
    t.match(body.items[12], { ok: false, reason: 'dns', error: /^fetch failed: / })
    t.match(body.items[13], {
      ok: false,
      reason: 'private_address',
      error: /^SSRF-check failure of urls\[13\]/,
    })
    t.match(body.items[14], { ok: true, result: { blocked: true } })
    t.match(body.items[15], { ok: false })
    t.match(body.items[17].result, {
      metadata: { title: 'Tides' },
      article: /High water/,
      article_html: /<p>/,
      llms_txt: '# Harbour',
      llms_full_txt: '# Harbour, all of it',
      ai_bot_policy: { GPTBot: 'disallowed' },
    })
    const times = site.hits.filter(({ path }) => path.startsWith('/plain')).map(({ at }) => at)
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0))
    t.comment(`gaps of ${gaps.map(Math.round)} ms`)
    t.ok(gaps.filter(gap => gap < 90).length <= 2, 'one after the other, except for delays of the machine')
    t.ok((times.at(-1) ?? 0) - (times[0] ?? 0) >= 10 * 90)
    t.equal(await usage(own), urls.length - 1, 'each URL except the challenge is one page')
  })

  await t.test('in bulk end at the cap', async t => {
    const own = await system.createProject('capped', '--tier', 'free')
    const hundred = Array.from({ length: 100 }, (_, n) => `http://127.1.1.${n + 1}:9/`)
    for (let round = 0; round < 4; round++) t.equal((await bulk({ urls: hundred }, own)).status, 200)
    t.equal(await usage(own), 400)
    const [one, other] = await Promise.all([
      bulk({ urls: hundred.slice(0, 70) }, own),
      bulk({ urls: hundred.slice(0, 70) }, own),
    ])
    const all = [...one.body.items, ...other.body.items]
    const capped = all.filter(({ error }) => error === 'daily page cap exceeded')
    t.equal(capped.length, 40)
    t.equal(await usage(own), 500)
    const none = await bulk({ urls: hundred }, own)
    t.equal(none.status, 200)
    t.equal(
      none.body.items.filter(({ error }: { error: string }) => error === 'daily page cap exceeded').length,
      100,
    )
    const answer = await scan({ url: tides }, own)
    t.match(answer, { status: 429, body: { error: { code: 'too_many_requests', reason: 'daily_pages' } } })
    t.ok(Number(answer.headers.get('retry-after')) > 0)
    t.equal(await usage(own), 500)
  })

  await t.test('of stored pages are returned in every format', async t => {
    const own = await system.createProject('formats')
    const site = await open({
      pages: {
        '/': {
          headers: { 'x-robots-tag': 'noarchive' },
          body: `${article}<a href=/empty>e</a><a href=/data>d</a>`,
        },
        '/empty': '',
        '/data': { headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
      },
    })
    const request = {
      url: `${site.url}/`,
      delay_ms: 0,
      respect_robots: false,
      include_paths: ['^/(empty|data)?$'],
    }
    const run = await system.crawl(own, request)
    const list = (id: number, query = '') => system.call(own, 'GET', `/v1/crawls/${id}/pages${query}`)
    const { items } = (await list(run.id)).body
    const idOf = (path: string) => items.find(({ url }: { url: string }) => url === site.url + path)?.id
    const view = (id: number, format: string) => system.call(own, 'GET', `/v1/pages/${id}?format=${format}`)
    const always = ['id', 'url', 'status', 'bytes', 'fetched_at', 'content_hash', 'content_type']
    for (const [format, parts] of [
      ['html', ['html', 'metadata']],
      ['markdown', ['markdown', 'metadata']],
      ['article', ['article_text', 'article_html', 'metadata']],
      ['both', ['html', 'markdown', 'article_text', 'article_html', 'metadata']],
      ['full', ['html', 'markdown', 'article_text', 'article_html', 'metadata', 'signals']],
      ['signals', ['signals']],
    ] as const) {
      for (const path of ['/', '/empty', '/data']) {
        const { status, body } = await view(idOf(path), format)
        t.equal(status, 200, `${path} as ${format}`)
        t.strictSame(Object.keys(body).sort(), [...always, ...parts].sort(), `${path} as ${format}`)
      }
    }
    const { body: full } = await view(idOf('/'), 'full')
    t.match(full, {
      html: /<!doctype/,
      markdown: /^# Tides/m,
      article_text: /High water/,
      signals: { h1: ['Tides'] },
    })
    t.match(JSON.stringify(full.signals.ai_directives.x_robots_tag), /noarchive/, 'the headers are stored')
    t.match((await view(idOf('/'), 'html')).body, { html: full.html, metadata: { title: 'Tides' } })
    t.match(await view(idOf('/'), 'nothing'), { status: 400 })
    t.match(await view(9_999_999, 'markdown'), { status: 404 })

    const rowsOf = async (id: number, include: string) => {
      const url = `${system.base}/v1/crawls/${id}/pages?format=ndjson&include=${include}`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${own}` } })
      return (await answer.text())
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    }
    const rows = await rowsOf(run.id, 'markdown,metadata,article,signals,html')
    t.strictSame(
      rows.map(({ id }: { id: number }) => id),
      items.map(({ id }: { id: number }) => id),
    )
    const { content_hash: _, content_type: __, ...expected } = full
    t.same(
      rows.find(({ id }: { id: number }) => id === full.id),
      expected,
    )

    const bare = await system.crawl(own, { ...request, store_html: false })
    const [first] = (await list(bare.id)).body.items
    const { metadata } = (await view(idOf('/'), 'html')).body
    const common = { ...first, warnings: [/store_html: false/] }
    t.match(await view(first.id, 'html'), { status: 200, body: { ...common, html: null, metadata } })
    t.match(await view(first.id, 'signals'), { status: 200, body: { ...common, signals: null } })
    for (const format of ['markdown', 'article', 'both', 'full']) {
      t.match(await view(first.id, format), {
        status: 409,
        body: { error: { code: 'conflict', reason: 'html_not_stored' } },
      })
    }
    const [none] = await rowsOf(bare.id, 'markdown,metadata')
    t.match(none, { markdown: null, metadata: { title: 'Tides' } })
  })

  await t.test('of hostile pages end in time, many concurrently, and never with a 500', async t => {
    const open = await openDistantZoo()
    const own = await system.createProject('zoo', '--unlimited')
    const memoryUntilNow = await watchMemory(system)
    const before = await system.runFile()
    const seeds = zoo.map(({ name }) => ({ name, url: open.seeds[name] as string }))
    const targets = Array.from(
      { length: atOnce },
      (_, n) => seeds[n % seeds.length] as (typeof seeds)[number],
    )
    const began = performance.now()
    const answers = await Promise.all(
      targets.map(async ({ name, url }) => {
        const from = performance.now()
        const { status, body } = await scan({ url, include_links: true, include_article: true }, own)
        return { name, status, error: body.error, ms: performance.now() - from }
      }),
    )
    const byResult = Map.groupBy(
      answers,
      ({ status, error }) => `${status} ${error?.reason ?? error?.code ?? ''}`,
    )
    t.comment(
      `${Math.round(performance.now() - began)} ms`,
      Object.fromEntries([...byResult].map(([how, { length }]) => [how, length])),
    )
    const inMiB = await memoryUntilNow()
    t.comment(inMiB)
    for (const [name, max] of Object.entries(inMiB)) t.ok(max <= 512, `${name} used ${max} MiB`)
    for (const { name, status, error, ms } of answers) {
      t.ok([200, 400, 502, 503].includes(status), `${name}: ${status} ${JSON.stringify(error)}`)
      t.ok(ms < deadlineMs, `${name} took ${Math.round(ms)} ms`)
    }
    t.strictSame((await system.runFile()).processes, before.processes, 'no process has died')
    t.strictSame(await open.close(), { forbiddenHits: 0 }, 'no request reached the private address')
    t.match(await scan({ url: tides }, own), { status: 200 }, 'the next scan succeeds')
  })
}
