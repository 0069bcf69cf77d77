/** The fields of a crawl request at their limits, and the coordinator's settings from them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBlocklist } from '@tidemark/blocklist/open'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { sealer } from '@tidemark/secrets/seal'
import { listening } from '@tidemark/testing/listening'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'
import { proxyJudge } from '../live-pages/adapters/target.ts'

const pro = keyNamed('p')
const agency = keyNamed('a')
const pools = JSON.stringify({
  isp: { DE: ['http://user:word@192.0.2.1:8080'] },
  mobile: ['socks5://192.0.2.2'],
})

test('A crawl request', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32', PROXY_POOLS: pools } })
  const { standIns } = around
  standIns.addKey(pro, 7)
  standIns.addKey(agency, 8, { tier: 'agency' })
  const { call } = caller(around, pro)

  /** The settings in the request to the coordinator, and the warnings in the response. */
  async function requested(more: object, key = pro): Promise<{ settings: RunSettings; warnings: string[] }> {
    const { status, json, text } = await call('POST', '/v1/crawls', { body: { url: seed, ...more }, key })
    t.equal(status, 202, text.slice(0, 300))
    const settings = standIns.starts.at(-1)?.settings as RunSettings
    return { settings, warnings: json.warnings ?? [] }
  }
  const plain = (await requested({})).settings

  t.test('sends only the given settings', async t => {
    t.strictSame(Object.keys(plain).sort(), [
      'concurrency',
      'delayMs',
      'depth',
      'maxPages',
      'respectRobots',
      'storeHtml',
      'subdomains',
    ])
    const rules = { ignore_selectors: [], only_selectors: [], ignore_text: [] }
    const fields = { trap_guards: true, aggressive: false, include_paths: [], ...rules }
    const defaults = { seed_kind: 'url', render: 'none', ...fields }
    t.strictSame(await requested(defaults), { settings: plain, warnings: [] })
  })

  t.test('has rules for the comparison of its pages', async t => {
    const more = {
      ignore_selectors: ['.clock', 'p:has(> b)'],
      only_selectors: ['main'],
      ignore_text: ['\\d+ visitors', '[äöü]'],
      min_changed_words: 2,
    }
    const { settings, warnings } = await requested(more)
    t.strictSame(settings, {
      ...plain,
      comparison: {
        ignoreSelectors: ['.clock', 'p:has(> b)'],
        onlySelectors: ['main'],
        ignoreText: ['\\d+ visitors', '[äöü]'],
      },
      minChangedWords: 2,
    })
    t.strictSame(warnings, [])
    t.match((await requested({ timezone: 'Europe/Berlin' })).warnings, [
      /^timezone was ignored.* needs cron$/,
    ])
  })

  t.test('has a budget in millionths of a dollar, and in bytes', async t => {
    for (const [usd, maxCost] of [
      [0.001, 1_000],
      [0.29, 290_000],
      [0.0010009, 1_000],
      [10_000, 10_000_000_000],
    ] as const)
      t.strictSame(await requested({ max_cost_usd: usd }), { settings: { ...plain, maxCost }, warnings: [] })
    t.strictSame((await requested({ max_bytes: 1 })).settings, { ...plain, maxBytes: 1 })
    const settings = (await requested({ max_cost_usd: 0.01, render: 'always' })).settings
    t.strictSame(settings, { ...plain, maxCost: 10_000, render: 'always' })
  })

  t.test('may be as large as its limits say', async t => {
    const many = Array.from({ length: 1000 }, (_, n) => `^/(?:en|de)/section-${n}/[^/]+$`)
    for (const more of [
      { max_pages: 1, depth: 1, concurrency: 1, delay_ms: 0, max_age_seconds: 0 },
      { max_pages: 100_000, depth: 50, delay_ms: 60_000, max_age_seconds: 31_536_000 },
      { include_paths: many, exclude_paths: many },
      { include_paths: Array(100).fill('x'.repeat(2000)) },
      { exclude_paths: ['(a+)+$', '(.*a){20}$', '(?i)\\.PDF(?:$|\\?)', 'ü'] },
      { cookies: 'x'.repeat(65_536) },
      { user_agent: 'x'.repeat(1024) },
      { headers: { 'X-A': 'x'.repeat(8192), 'X-B': 'tab\there' } },
      { headers: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`X-${n}`, ''])) },
    ]) {
      const { warnings } = await requested(more)
      t.strictSame(warnings, [], Object.keys(more).join())
    }
  })

  t.test('names its own user agent, unless it names none', async t => {
    for (const none of ['', '  ', 'InternalCrawler/', 'InternalCrawler/2.0 (x)', ' InternalCrawler/1']) {
      t.strictSame((await requested({ user_agent: none })).settings, plain, `"${none}"`)
    }
    t.equal(
      (await requested({ user_agent: ' My Bot/1.0 (+https://a.example)' })).settings.userAgent,
      'My Bot/1.0 (+https://a.example)',
    )
    t.equal((await requested({ user_agent: 'XInternalCrawler/1' })).settings.userAgent, 'XInternalCrawler/1')
  })

  t.test('names the crawler of its headers in robots.txt too, and keeps the headers sealed', async t => {
    const headers = { 'uSer-Agent': ' Secret-Bot/1 (token 8f3c)', 'X-A': 'b' }
    for (const user_agent of [undefined, '', 'InternalCrawler/2', 'Secret-Bot/1 (token 8f3c) ']) {
      const { settings, warnings } = await requested({
        headers,
        ...(user_agent !== undefined && { user_agent }),
      })
      t.strictSame([settings.robotsToken, warnings], ['secret-bot', []], `${user_agent}`)
      t.equal(settings.userAgent, user_agent?.startsWith('Secret') ? user_agent.trim() : undefined)
      t.strictSame(JSON.parse(sealer('0'.repeat(64)).open(settings.headers ?? '')), headers)
    }
    const browser = await requested({ headers: { 'User-Agent': 'Mozilla/5.0 token=8f3c' } })
    t.equal(browser.settings.robotsToken, undefined, 'a browser has no name in robots.txt')
  })

  t.test('ignores a User-Agent of its headers that names no crawler, with a warning', async t => {
    for (const text of ['', ' ', 'InternalCrawler/2.0']) {
      const { settings, warnings } = await requested({ headers: { 'User-Agent': text } })
      t.strictSame(settings, plain)
      t.match(warnings, [/^the header User-Agent was ignored, because/])
    }
  })

  t.test('hides the password of its own proxy, which wins over a pool', async t => {
    for (const [proxy_url, shown] of [
      ['http://user:word@127.0.0.1:3128', 'http://user:***@127.0.0.1:3128'],
      ['HTTPS://user@127.0.0.1', 'https://user@127.0.0.1:443'],
      ['socks5://user:p%40ss@127.0.0.1', 'socks5://user:***@127.0.0.1:1080'],
      ['http://127.0.0.1:80/', 'http://127.0.0.1:80'],
    ] as const) {
      const { settings, warnings } = await requested({ proxy_url, proxy_pool: 'isp', proxy_country: 'de' })
      t.equal(settings.proxy?.shown, shown)
      t.equal(sealer('0'.repeat(64)).open(settings.proxy?.sealed ?? ''), proxy_url)
      t.equal(settings.proxyPool, undefined)
      t.match(warnings, [/^proxy_pool and proxy_country were ignored, because proxy_url takes precedence/])
      t.notMatch(JSON.stringify(standIns.starts.at(-1)), 'word')
    }
    const never = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }))
    const judge = proxyJudge({ EGRESS_ALLOW: [], SAMPLE_ORIGIN: '127.0.0.1:9000' }, never)
    t.equal(await judge('socks5://proxy.example'), 'socks5://proxy.example:1080', 'may be an unused name')
    await t.rejects(judge('http://127.0.0.1:9000'), { message: /public/ }, 'is no sample site')
    const hidden = proxyJudge({ EGRESS_ALLOW: [], SAMPLE_ORIGIN: '' }, async () => [
      { address: '198.51.100.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ])
    await t.rejects(hidden('http://proxy.example'), { message: /public/ })
  })

  t.test("goes by its project's proxy, unless it names another way", async t => {
    const proxy = { sealed: 'sealed1.AAAA', shown: 'http://user:***@proxy.example:3128' }
    const key = keyNamed('d')
    standIns.addKey(key, 9, { proxy })
    t.strictSame((await requested({}, key)).settings.proxy, proxy)
    t.equal(
      (await requested({ proxy_url: 'http://127.0.0.1:80' }, key)).settings.proxy?.shown,
      'http://127.0.0.1:80',
    )
    t.strictSame((await requested({ proxy_pool: 'isp' }, key)).settings.proxy, undefined)
  })

  t.test("goes by its project's proxy as well where it builds an llms.txt", async t => {
    const key = keyNamed('l')
    const proxy = { sealed: 'sealed1.x', shown: 'http://own.example:8080/' }
    standIns.addKey(key, 10, { proxy })
    const body = { url: seed, wait_seconds: 1 }
    t.equal((await call('POST', '/v1/llms-txt-build', { body, key })).status, 408)
    t.strictSame(standIns.starts.at(-1)?.settings.proxy, proxy)
  })

  t.test('names its crawl if a service is unavailable while an llms.txt waits for it', async t => {
    Object.assign(standIns, { isCoordinatorAway: true, isPublishing: false })
    const waiting = await call('POST', '/v1/llms-txt-build', { body: { url: seed, wait_seconds: 1 } })
    Object.assign(standIns, { isCoordinatorAway: false, isPublishing: true })
    const run_id = standIns.starts.length
    t.match(waiting, { status: 408, json: { error: { code: 'timeout', run_id } } })
    t.equal(waiting.headers.get('location'), `/v1/crawls/${run_id}`)
  })

  t.test(
    'encrypts the steps of its login, and keeps its signs in the form in which they are compared',
    async t => {
      const steps = [
        { type: 'goto', url: '/login' },
        { type: 'fill', selector: '#password', value: 'word' },
        { type: 'wait_for', selector: '#account' },
      ]
      const login = { steps, logged_out: { selector: 'form#login', redirect: '/login?a=b#c', status: 401 } }
      const { settings, warnings } = await requested({ login })
      t.strictSame(warnings, [])
      t.strictSame(JSON.parse(sealer('0'.repeat(64)).open(settings.login?.steps ?? '')), steps)
      t.strictSame(settings.login?.loggedOut, {
        selector: 'form#login',
        redirect: new URL('/login', seed).href,
        status: 401,
      })
      t.notMatch(JSON.stringify(standIns.starts), /word"/, 'no request to another service contains a value')
      const likeness = () => standIns.starts.at(-1)?.likeness
      const first = likeness()
      await requested({ login: { ...login, steps: [steps[0], { ...steps[1], value: 'other' }, steps[2]] } })
      t.not(likeness(), first, 'another login reads other pages')
      const escaped = { ...login, logged_out: { redirect: '/%7ec/caf%c3%a9/../anmelden%2f?a' } }
      const { settings: other } = await requested({ login: escaped })
      t.equal(other.login?.loggedOut.redirect, new URL('/~c/anmelden%2F', seed).href, 'a normal form')
      const key = keyNamed('e')
      const proxy = { sealed: 'sealed1.AAAA', shown: 'http://proxy.example:3128' }
      standIns.addKey(key, 11, { proxy })
      t.match(await call('POST', '/v1/crawls', { body: { url: seed, login }, key }), {
        status: 400,
        json: {
          error: { field: 'login', reason: 'conflicting_fields', message: /the proxy of the project/ },
        },
      })
    },
  )

  t.test('chooses from the pools of the installation', async t => {
    const chosen = async (more: object) => (await requested(more)).settings.proxyPool
    t.strictSame(await chosen({ proxy_pool: 'isp' }), { pool: 'isp', country: null })
    t.strictSame(await chosen({ proxy_pool: 'isp', proxy_country: 'de' }), { pool: 'isp', country: 'DE' })
    t.strictSame(await chosen({ proxy_pool: 'mobile' }), { pool: 'mobile', country: null })
    const started = standIns.starts.length
    for (const more of [{}, { proxy_country: 'DE' }, { cron: '0 0 * * *' }]) {
      const body = { url: seed, proxy_pool: 'residential', ...more }
      const { status, json } = await call('POST', '/v1/crawls', { body })
      const message = /no pool residential: .*PROXY_POOLS has isp \(DE\), mobile/
      t.match(
        { status, ...json.error },
        { status: 503, code: 'not_configured', field: 'proxy_pool', message },
      )
    }
    t.equal(standIns.starts.length, started)
  })

  t.test('passes on how it is seeded, filtered and guarded', async t => {
    const patterns = { include_paths: ['^/a', '^/b'], exclude_paths: ['\\.pdf$'] }
    t.strictSame((await requested({ seed_kind: 'sitemap', trap_guards: false, ...patterns })).settings, {
      ...plain,
      seedKind: 'sitemap',
      includePaths: patterns.include_paths,
      excludePaths: patterns.exclude_paths,
      trapGuards: false,
    })
  })

  t.test('lists further URLs of its site in normal form, each once', async t => {
    const many = Array.from({ length: 10_000 }, (_, n) => `${seed}${n}`)
    const whole = await requested({ urls: many, max_pages: 20_000 })
    t.strictSame(whole, { settings: { ...plain, maxPages: 20_000, urls: many }, warnings: [] })
    const spelled = await requested({ urls: [`${seed}a#x`, `${seed}./a`, `${seed}b`], follow_links: false })
    t.strictSame(spelled.settings, { ...plain, urls: [`${seed}a`, `${seed}b`], followLinks: false })
    t.strictSame(await requested({ urls: [], follow_links: true }), { settings: plain, warnings: [] })
    t.strictSame((await requested({ urls: many.slice(0, 3), max_pages: 2 })).warnings, [
      'urls has 3 URLs and max_pages is 2: the last ones are not crawled',
    ])
  })

  t.test('is aggressive for permitted projects, regardless of other fields', async t => {
    const imposed = { ...plain, delayMs: 0, concurrency: 32, respectRobots: false }
    t.strictSame(await requested({ aggressive: true }, agency), { settings: imposed, warnings: [] })
    const same = { aggressive: true, delay_ms: 0, concurrency: 32, respect_robots: false }
    t.strictSame(await requested(same, agency), { settings: imposed, warnings: [] })
    const other = { aggressive: true, delay_ms: 250, concurrency: 1, respect_robots: true }
    t.strictSame(await requested(other, agency), {
      settings: imposed,
      warnings: [
        'delay_ms was ignored, because aggressive sets it to 0',
        'concurrency was ignored, because aggressive sets it to 32',
        'respect_robots was ignored, because aggressive sets it to false',
      ],
    })
    const body = { url: seed, aggressive: true, cron: '0 6 * * *' }
    t.match((await call('POST', '/v1/crawls', { body, key: agency })).json.error, {
      reason: 'conflicting_fields',
      field: 'aggressive',
    })
  })

  t.test('has at most the concurrency of a fetcher, for any project', async t => {
    const warnings = ['concurrency was capped at 64, the maximum of a crawl']
    for (const [concurrency, key] of [
      [65, pro],
      [100_000, pro],
      [1e300, agency],
    ] as const) {
      t.strictSame(await requested({ concurrency }, key), {
        settings: { ...plain, concurrency: 64 },
        warnings,
      })
    }
    t.strictSame(await requested({ concurrency: 64 }), {
      settings: { ...plain, concurrency: 64 },
      warnings: [],
    })
    t.match(await requested({ concurrency: 64, aggressive: true }, agency), {
      settings: { concurrency: 32 },
      warnings: ['concurrency was ignored, because aggressive sets it to 32'],
    })
  })

  t.test('is rendered on request, even without politeness', async t => {
    for (const render of ['auto', 'always'] as const) {
      t.strictSame(await requested({ render }), { settings: { ...plain, render }, warnings: [] })
    }
    t.match((await requested({ render: 'auto', screenshots: true })).settings, {
      render: 'auto',
      screenshots: true,
    })
    const both = await requested({ render: 'auto', aggressive: true }, agency)
    t.match(both.settings, { render: 'auto', delayMs: 0 })
  })

  t.test('warns of fields that need a monitor or a webhook', async t => {
    const { settings, warnings } = await requested({ return_only_changed: true, webhook_url: seed })
    t.strictSame(settings.webhook, { url: seed, events: ['crawl.done'], onlyChanged: false })
    t.match(warnings, [/^return_only_changed was ignored/])
    const whole = await requested({ conditional: false })
    t.notOk('conditional' in whole.settings)
    t.match(whole.warnings, [/^conditional was ignored/])
    t.match((await requested({ webhook_events: ['crawl.done'] })).warnings, [/^webhook_events was ignored/])
    const twice = ['crawl.diff_detected', 'crawl.done', 'crawl.done']
    t.strictSame(
      (await requested({ webhook_url: seed, webhook_events: twice })).settings.webhook?.events,
      twice.slice(0, 2),
    )
    t.strictSame((await requested({ params: { depth: 2 }, return_only_changed: true })).warnings.length, 2)
    const diff = { webhook_url: seed, webhook_events: ['crawl.diff_detected'] }
    t.match(
      (await requested(diff)).warnings,
      [/^crawl\.diff_detected is never sent for a single crawl/],
      'and of events that are never sent',
    )
    const early = ['page.fetched', 'crawl.started', 'crawl.failed']
    const notices = { webhook_url: seed, webhook_events: ['crawl.done', ...early, 'page.fetched'] }
    t.strictSame(
      (await requested(notices)).settings.webhook,
      { url: seed, events: ['crawl.done'], notices: early, onlyChanged: false },
      'events before the end have a field of their own',
    )
    t.strictSame((await requested({ webhook_events: early })).warnings, [
      'webhook_events was ignored, because there is no webhook_url',
    ])
    t.strictSame((await requested({ webhook_url: seed, webhook_events: [] })).warnings, [
      'webhook_events is empty: only failures are sent',
    ])
  })

  t.test('is like another whose run would come to the same', async t => {
    const likeness = async (more: object, key = pro) => {
      await requested(more, key)
      return standIns.starts.at(-1)?.likeness
    }
    const first = await likeness({})
    t.match(first, /^[0-9a-f]{64}$/)
    for (const same of [
      { url: seed.toUpperCase() },
      { webhook_url: seed, return_only_changed: true },
      { max_age_seconds: 5 },
      { delay_ms: 0, concurrency: 3 },
      { conditional: false },
      { user_agent: 'InternalCrawler/1' },
      { include_paths: [], headers: {}, unknown: 1 },
      { max_pages: 1000 },
    ]) {
      t.equal(await likeness(same), first, JSON.stringify(same))
    }
    t.equal(await likeness({ include_paths: ['a', 'b'] }), await likeness({ include_paths: ['b', 'a', 'b'] }))
    t.equal(await likeness({ headers: { A: '1', B: '2' } }), await likeness({ headers: { B: '2', A: '1' } }))
    const others = [
      { url: `${seed}x` },
      { render: 'auto' },
      { max_pages: 999 },
      { headers: { A: '1' } },
      { cookies: 'a=1' },
      { user_agent: 'Bot/1' },
      { proxy_url: 'http://a:b@127.0.0.1' },
      { proxy_url: 'http://a:c@127.0.0.1' },
      { proxy_pool: 'isp' },
      { include_paths: ['a'] },
      { exclude_paths: ['a'] },
      { seed_kind: 'sitemap' },
      { urls: [`${seed}a`] },
      { follow_links: false },
      { trap_guards: false },
      { store_html: false },
    ]
    const all = new Set([first])
    for (const other of others) all.add(await likeness(other))
    t.equal(all.size, others.length + 1)
    t.equal(standIns.starts.at(-1)?.maxAgeSeconds, undefined)
    await requested({ max_age_seconds: 0 })
    t.equal(standIns.starts.at(-1)?.maxAgeSeconds, 0)
  })
})

test('A blocklist', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-blocklist-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const file = join(dir, 'hosts')
  const reports: unknown[] = []
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const open = (source: string, refreshSeconds = 1) =>
    openBlocklist({ source, refreshSeconds, signal: stop.signal, report: error => reports.push(error) })

  t.test('is our own alone where none is named', async t => {
    const find = await open('')
    t.equal(find('https://sub.malware.test/'), 'malware.test')
    t.equal(find('https://example.com/malware.test'), null)
    t.equal(find('no address'), null)
  })

  t.test('is read from a file, again and again, and stays when the file is deleted', async t => {
    await writeFile(file, '0.0.0.0 bad.example\n')
    const find = await open(file)
    t.equal(find('https://www.bad.example:8443/x'), 'bad.example')
    t.equal(find('http://malware.test/'), 'malware.test')
    await writeFile(file, 'worse.example\n')
    await until(() => find('http://worse.example/') !== null)
    t.equal(find('http://bad.example/'), null)
    await writeFile(file, '<p>this is a page</p>\n')
    await until(() => reports.length > 0)
    await rm(file)
    const before = reports.length
    await until(() => reports.length > before)
    t.equal(find('http://worse.example/'), 'worse.example')
  })

  t.test('is read from an address, of which nothing is expected', async t => {
    const answers = ['bad.example\n', null, 'worse.example\n']
    const server = http.createServer((_, response) => {
      const text = answers.length > 1 ? answers.shift() : answers[0]
      response.statusCode = text === null ? 503 : 200
      response.end(text ?? 'bad.example')
    })
    const { url, close } = await listening(server)
    t.teardown(close)
    const find = await open(`${url}/list`)
    t.equal(find('http://bad.example/'), 'bad.example')
    await until(() => find('http://worse.example/') !== null)
  })

  t.test('lets the gateway start if it is unavailable', async t => {
    const before = reports.length
    for (const source of [join(dir, 'none'), 'http://127.0.0.1:1/', dir]) {
      const find = await open(source, 1000)
      t.equal(find('http://phishing.test/'), 'phishing.test')
    }
    t.equal(reports.length, before + 3)
  })
})
