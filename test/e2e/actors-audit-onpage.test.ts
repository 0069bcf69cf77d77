/** `POST /v1/actors/audit-onpage` and `audit-site` end to end, from the client to the site. */

import { AuditOnpageAnswer } from '@tidemark/contracts/http/actors/audit-onpage'
import { AuditSiteAnswer, type SiteFinding } from '@tidemark/contracts/http/actors/audit-site'
import { challenge, type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { sharedSystem } from './system.ts'

const sentence = 'High water comes twice a day to most shores, and low water in between. '
const head = (url: string, more = '') =>
  `<!doctype html><html lang=en><head><meta charset=utf-8><title>Why high water comes twice a day at most shores</title>
<meta name=viewport content="width=device-width"><meta name=description content="The moon pulls the sea up on both sides of the earth, and the earth turns beneath: how this works at the shore.">
<link rel=canonical href="${url}">${more}</head>`
const text = `<h1>Why twice</h1><p>${sentence.repeat(9)}</p><h2>How high?</h2><p>${sentence.repeat(9)}</p><a href=/other>Other tides</a>`
const answer = {
  'content-type': 'text/html',
  etag: '"1"',
  'x-content-type-options': 'nosniff',
  'content-security-policy': `default-src 'self'; script-src ${'https://cdn.example/a '.repeat(60)}; frame-ancestors 'self'`,
}
const plain = { 'content-type': 'text/plain' }

const faulty = `<html><head><meta name=robots content="noindex, nosnippett"><link rel=canonical href=/elsewhere>
<script type="application/ld+json">{"@type":"Product",}</script></head><body>
${Array.from({ length: 7 }, (_, n) => `<img src="/${n}.png?${'x'.repeat(300)}">`).join('')}
<h1>One</h1><h1>Two</h1><a href=/nowhere></a><a href="/b">B</a><form method=post><input type=password></form></body></html>`

test('The audit of a page', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('auditing', '--tier', 'pro')
  const origin = await startOrigin({ host: '127.1.14.1' })
  t.teardown(() => origin.close())
  const page = (path: string, html: string, headers = {}): Page => ({
    headers: { ...answer, ...headers },
    body: head(origin.url + path, '') + html,
  })
  origin.site({
    '/robots.txt': {
      headers: plain,
      body: 'User-agent: *\nDisallow: /kept\nUser-agent: ChatGPT-User\nDisallow: /\n',
    },
    '/llms.txt': { headers: plain, body: 'No heading' },
    '/clean': page(
      '/clean',
      `<body>${text}<form method=post action=/go><label>Place <input name=p></label></form>`,
    ),
    '/faulty': { headers: { 'content-type': 'text/html' }, body: faulty },
    '/kept': {
      headers: answer,
      body: head(`${origin.url}/kept`, '<meta name=robots content=noindex>') + text,
    },
    '/long': page('/long', `${text}<div>${sentence.repeat(80)}</div>`),
    '/': page('/', text),
    '/paper': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
    '/gone': { status: 410, headers: answer, body: '<h1>Gone' },
    '/empty': { headers: answer, body: '' },
    '/moved': { status: 302, headers: { location: '/moved-on' } },
    '/moved-on': { status: 301, headers: { location: '/clean' } },
    '/deep': { headers: answer, body: `<p id=a><a href="#a"><table><tr><td>`.repeat(25_000) },
    '/attributes': {
      headers: answer,
      body: `<a ${Array.from({ length: 20_000 }, (_, n) => `a${n}=${n}`).join(' ')}>x`,
    },
    '/challenge': challenge,
  })
  const audit = async (path: string) => {
    const url = path.startsWith('http') ? path : origin.url + path
    const { status, body, headers } = await system.call(key, 'POST', '/v1/actors/audit-onpage', { url })
    const findings: { rule: string; severity: string; samples: string[] }[] = body.data?.findings ?? []
    return {
      status,
      body,
      findings,
      rules: findings.map(({ rule }) => rule),
      billed: headers.get('x-pages-billed'),
    }
  }
  /** This rule concerns the site, so every audit has it: robots.txt forbids a bot of an assistant. */
  const ofSite = ['aeo/ai-bots-disallowed']

  await t.test('finds nothing on a page without faults', async t => {
    const { status, body, rules, billed } = await audit('/clean')
    t.equal(status, 200)
    t.ok(Check(AuditOnpageAnswer, body), JSON.stringify(body))
    t.strictSame(rules, ofSite, 'the policy is parsed completely')
    t.match(body, {
      actor: 'audit-onpage',
      url: `${origin.url}/clean`,
      final_url: `${origin.url}/clean`,
      status_code: 200,
      data: {
        summary: { errors: 0, warnings: 0, info: 1 },
        findings: [{ severity: 'info', count: 1, samples: ['ChatGPT-User (OpenAI)'] }],
        stats: { link_count: 1, image_count: 0, heading_count: 2, has_json_ld: false },
      },
    })
    const { html_bytes: html, text_bytes: shown, content_ratio: ratio } = body.data.stats
    t.ok(shown > 1_000 && html > shown && Math.abs(ratio - shown / html) < 0.001)
    t.equal(billed, '1')
  })

  await t.test('lists the faults by severity, with counts and samples', async t => {
    const { body, findings, rules } = await audit('/faulty')
    t.ok(Check(AuditOnpageAnswer, body))
    const expected = [
      ...['title/missing', 'img/alt-missing', 'jsonld/invalid', 'lang/missing', 'a11y/label-missing'],
      ...[
        'robots/noindex',
        'canonical/mismatch',
        'canonical/on-noindexed',
        'h1/multiple',
        'links/empty-anchor',
      ],
      ...['html/doctype-missing', 'viewport/missing', 'robots/unknown-directive', 'canonical/relative'],
      ...['img/size-missing', 'caching/missing', 'security/nosniff-missing', 'security/framing-allowed'],
      ...['security/csp-missing', ...ofSite],
    ]
    t.strictSame([...rules].sort(), expected.sort())
    const order = findings.map(({ severity }) => ['error', 'warning', 'info'].indexOf(severity))
    t.strictSame(order, order.toSorted())
    const ofImages = findings.find(({ rule }) => rule === 'img/alt-missing')
    t.match(ofImages, { severity: 'error', count: 7, message: /^7 images have no alt attribute/ })
    t.equal(ofImages?.samples.length, 5)
    t.ok(ofImages?.samples.every(sample => sample.length <= 160))
    const count = (severity: string) => findings.filter(finding => finding.severity === severity).length
    t.strictSame(body.data.summary, {
      errors: count('error'),
      warnings: count('warning'),
      info: count('info'),
    })
  })

  await t.test('checks headers, redirects and the site', async t => {
    t.strictSame((await audit('/long')).rules, ['compression/missing', ...ofSite])
    t.ok(!(await audit('/gzip')).rules.includes('compression/missing'))
    const forbidden = await audit('/kept')
    t.strictSame(forbidden.rules.slice(0, 3), [
      'robots/noindex-unreadable',
      'robots/noindex',
      'robots/disallowed',
    ])
    t.strictSame(forbidden.findings[2]?.samples, ['Disallow: /kept'])
    const moved = await audit('/moved')
    t.strictSame(moved.rules, ['redirect/chain', 'redirect/temporary', ...ofSite])
    t.strictSame(moved.findings[0]?.samples, [`302 ${origin.url}/moved`, `301 ${origin.url}/moved-on`])
    t.match(moved.body, { url: `${origin.url}/moved`, final_url: `${origin.url}/clean` })
    t.strictSame((await audit('/')).rules, ['og/missing', ...ofSite, 'aeo/llms-txt-malformed'])
  })

  await t.test('recognizes responses that are not pages', async t => {
    const missing = await audit('/gone')
    t.match(missing.body, { status_code: 410, data: { summary: { errors: 1 }, stats: { heading_count: 1 } } })
    t.strictSame(missing.rules, ['status/client-error', ...ofSite])
    const paper = await audit('/paper')
    t.strictSame(paper.rules, ['document/not-html', 'caching/missing', 'security/nosniff-missing', ...ofSite])
    t.strictSame(Object.values(paper.body.data.stats), [0, 0, 0, 0, 0, 0, 0, false])
    t.match(paper.body.warnings, [/application\/pdf, not HTML/])
    t.strictSame((await audit('/empty')).rules, ['status/empty', ...ofSite])
    t.match(await audit('/challenge'), { status: 502, billed: '0', body: { error: { reason: 'blocked' } } })
  })

  await t.test('is bounded on hostile pages, and rejects invalid addresses', async t => {
    for (const path of ['/deep', '/attributes']) {
      const { status, body } = await audit(path)
      t.equal(status, 200, path)
      t.ok(Check(AuditOnpageAnswer, body), path)
      t.ok(JSON.stringify(body).length < 50_000, path)
    }
    t.match(await audit('http://127.0.0.1:8080/'), {
      status: 400,
      body: { error: { reason: 'private_address' } },
    })
    for (const [sent, reason] of [
      [{}, 'required'],
      [{ url: 7 }, 'wrong_type'],
      [{ url: 'ftp://a.example/' }, 'bad_url'],
      [[], 'wrong_type'],
    ]) {
      const { status, body } = await system.call(key, 'POST', '/v1/actors/audit-onpage', sent)
      t.match({ status, ...body.error }, { status: 400, code: 'invalid_input', reason })
    }
  })
})

/** Distinct texts of 60 words each. */
const textOf = (name: string, words = 60) =>
  Array.from({ length: words }, (_, n) => `${name}${String.fromCharCode(97 + (n % 26))}${n * 7}`).join(' ')

type Planted = { title?: string; description?: string; head?: string; text?: string; links?: string[] }

function planted(path: string, { title, description, head = '', text, links = [] }: Planted = {}): string {
  const anchors = links.map(to => `<a href="${to}"${to === '/quiet' ? ' rel=nofollow' : ''}>To ${to}</a>`)
  return `<!doctype html><html lang=en><head><title>${title ?? `The page at ${path}`}</title>
<meta name=description content="${description ?? `All about the page at ${path}`}">${head}</head>
<body><main><h1>${path}</h1><p>${text ?? textOf(path.slice(1) || 'home')}</p></main>${anchors.join(' ')}</body></html>`
}

const canonicalTo = (path: string) => `<link rel=canonical href="${path}">`
const versions = (...paths: string[]) =>
  paths.map(path => `<link rel=alternate hreflang=${path.slice(1)} href="${path}">`).join('')
const noindex = '<meta name=robots content=noindex>'
const similar = textOf('similar', 3_000)

const deep = [...'abcdefg'].map(name => `/deep-${name}`)
const firstLinks = [
  ...[
    '/dup1',
    '/dup2',
    '/Dup-1',
    '/sim-one',
    '/sim-two',
    '/en',
    '/de',
    '/fr',
    '/r1',
    '/r2',
    '/loop1',
    '/gone',
  ],
  ...['/kept/x', '/hidden', '/c1', '/cl1', '/cbroken', '/cnoindex', '/credirect', '/cblocked', '/deep-a'],
]

/** A site in which each fault is planted once. */
const faultySite: Record<string, Page> = {
  '/robots.txt': { headers: plain, body: 'User-agent: *\nDisallow: /kept/\n' },
  '/': planted('/', { links: firstLinks }),
  '/dup1': planted('/dup1', { title: 'A title of two pages', description: 'One text of two pages' }),
  '/dup2': planted('/dup2', { title: 'A title of two pages', description: 'One text of two pages' }),
  '/Dup-1': planted('/Dup-1', { title: 'Pages: two of a TITLE, 7', text: textOf('dup1') }),
  '/sim-one': planted('/sim-one', { text: similar }),
  '/sim-two': planted('/sim-two', { text: `${similar} sim` }),
  '/en': planted('/en', { head: versions('/en', '/de', '/fr', '/gone') }),
  '/de': planted('/de', { head: versions('/en', '/de') }),
  '/fr': planted('/fr', { head: versions('/fr', '/hidden') }),
  '/r1': { status: 301, headers: { location: '/r2' } },
  '/r2': { status: 302, headers: { location: '/dup1' } },
  '/loop1': { status: 301, headers: { location: '/loop2' } },
  '/loop2': { status: 301, headers: { location: '/loop1' } },
  '/hidden': planted('/hidden', { head: noindex }),
  '/c1': planted('/c1', { head: canonicalTo('/c2') }),
  '/c2': planted('/c2', { head: canonicalTo('/c3') }),
  '/c3': planted('/c3', { head: canonicalTo('/c3') }),
  '/cl1': planted('/cl1', { head: canonicalTo('/cl2') }),
  '/cl2': planted('/cl2', { head: canonicalTo('/cl1') }),
  '/cbroken': planted('/cbroken', { head: canonicalTo('/gone') }),
  '/cnoindex': planted('/cnoindex', { head: canonicalTo('/hidden') }),
  '/credirect': planted('/credirect', { head: canonicalTo('/r2') }),
  '/cblocked': planted('/cblocked', { head: canonicalTo('/kept/x') }),
  ...Object.fromEntries(
    deep.map((path, n) => [path, planted(path, { links: n < 6 ? [deep[n + 1] as string] : [] })]),
  ),
}

/** The expected pages of each rule of the site, with the other URLs of the finding. */
const expectedOfSite: Record<string, Record<string, string[]>> = {
  'site/title-duplicate': { '/dup1': ['/dup2'], '/dup2': ['/dup1'] },
  'site/title-similar': { '/dup1': ['/Dup-1'], '/dup2': ['/Dup-1'], '/Dup-1': ['/dup1'] },
  'site/description-duplicate': { '/dup1': ['/dup2'], '/dup2': ['/dup1'] },
  'site/text-similar': { '/sim-one': ['/sim-two'], '/sim-two': ['/sim-one'] },
  'site/hreflang-no-return': { '/en': ['/fr'], '/fr': ['/hidden'] },
  'site/hreflang-broken': { '/en': ['/gone'] },
  'site/hreflang-not-indexed': { '/fr': ['/hidden'] },
  'site/canonical-chain': { '/c1': ['/c2', '/c3'] },
  'site/canonical-loop': { '/cl1': ['/cl2'], '/cl2': ['/cl1'] },
  'site/canonical-broken': { '/cbroken': ['/gone'] },
  'site/canonical-noindex': { '/cnoindex': ['/hidden'] },
  'site/canonical-redirect': { '/credirect': ['/r2'] },
  'site/canonical-blocked': { '/cblocked': ['/kept/x'] },
  'site/broken-link': { '/': ['/gone'] },
  'site/redirect-loop': { '/': ['/loop1'] },
  'site/redirect-chain': { '/': ['/r1'] },
  'site/redirected-link': { '/': ['/r1', '/r2'] },
  'site/blocked-link': { '/': ['/kept/x'] },
  'site/noindex-linked': { '/hidden': [] },
  'site/orphan': { '/c2': [], '/c3': [], '/cl2': [] },
  'site/deep': { '/deep-f': [], '/deep-g': [] },
}

test('The audit of a site', { timeout: 240_000 }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('auditing-sites', '--tier', 'pro')
  const other = await system.createProject('auditing-sites-other')
  const origin = await startOrigin({ host: '127.1.14.2' })
  t.teardown(() => origin.close())
  origin.site(faultySite)
  const path = (url: string) => url.slice(origin.url.length)
  const crawl = (more = {}) => system.crawl(key, { url: `${origin.url}/`, delay_ms: 0, depth: 9, ...more })
  const audit = (body: unknown, as = key, headers = {}) =>
    system.call(as, 'POST', '/v1/actors/audit-site', body, headers)
  const rowsOf = async (body: object): Promise<SiteFinding[]> => {
    const answer = await fetch(`${system.base}/v1/actors/audit-site`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'ndjson', ...body }),
    })
    t.match(answer.headers.get('content-type'), /^application\/x-ndjson/)
    const lines = (await answer.text()).trim().split('\n')
    return lines.map(line => JSON.parse(line))
  }
  const run = await crawl()
  const rows = await rowsOf({ crawl_id: run.id })

  await t.test('finds every planted fault of the site, and no other', async t => {
    const found: typeof expectedOfSite = {}
    for (const { rule, url, samples } of rows.filter(({ rule }) => rule.startsWith('site/')))
      found[rule] = { ...found[rule], [path(url)]: samples.map(path).sort() }
    const equal = rows
      .filter(({ rule }) => rule === 'site/title-duplicate')
      .sort((a, b) => a.page_id - b.page_id)
    const similar = { ...expectedOfSite['site/title-similar'], '/Dup-1': [path(equal[0]?.url ?? '')] }
    const expected = { ...expectedOfSite, 'site/title-similar': similar } // concurrent fetches decide which is first
    for (const rule of new Set([...Object.keys(found), ...Object.keys(expected)]))
      t.strictSame(found[rule], expected[rule as keyof typeof expected], rule)
  })

  await t.test('groups the findings by rule, with descriptions and examples', async t => {
    const { status, body, headers } = await audit({ crawl_id: run.id, examples: 2 })
    t.equal(status, 200)
    t.ok(Check(AuditSiteAnswer, body), JSON.stringify(body).slice(0, 2_000))
    t.equal(headers.get('x-pages-billed'), '1')
    t.match(body, { actor: 'audit-site', url: `crawl:${run.id}`, data: { crawl_id: run.id, against: null } })
    const { summary, rules, not_applied: notApplied } = body.data
    t.equal(summary.pages, summary.audited)
    t.equal(summary.findings, rows.length)
    t.equal(summary.findings, summary.errors + summary.warnings + summary.info)
    for (const { rule, count, share, examples } of rules) {
      t.equal(count, rows.filter(row => row.rule === rule).length, rule)
      t.ok(Math.abs(share - count / summary.audited) < 1e-4, rule)
      t.equal(examples.length, Math.min(2, count), rule)
    }
    const chain = rules.find(({ rule }: SiteFinding) => rule === 'site/canonical-chain')
    t.match(chain, {
      severity: 'warning',
      remedy: 'Declare the last URL of the chain.',
      source: { url: /^https:\/\/developers\.google\.com\// },
      examples: [
        {
          url: `${origin.url}/c1`,
          message: /^The canonical URL starts a chain of 2 pages\. Declare/,
          pagerank: Number,
        },
      ],
    })
    t.ok(notApplied.some(({ rule }: SiteFinding) => rule === 'site/sitemap-not-linked'))
  })

  await t.test('agrees with audit-onpage page by page', async t => {
    const { not_applied: notApplied } = (await audit({ crawl_id: run.id })).body.data
    const timed = 'speed/slow-answer' // each request takes its own time
    const left = new Set([timed, ...notApplied.map(({ rule }: SiteFinding) => rule)])
    const pages = (await system.call(key, 'GET', `/v1/crawls/${run.id}/pages?limit=100`)).body.items
    t.equal(pages.length, 27)
    for (const { url } of pages) {
      const { body } = await system.call(key, 'POST', '/v1/actors/audit-onpage', { url })
      const live = body.data.findings.map(({ rule, count = null }: SiteFinding) => [rule, count])
      const stored = rows.filter(
        row => row.url === url && row.rule !== timed && !row.rule.startsWith('site/'),
      )
      t.strictSame(
        stored.map(({ rule, count }) => [rule, count]),
        live.filter(([rule]: [string]) => !left.has(rule)),
        url,
      )
    }
  })

  await t.test('answers with CSV and server-sent events on request', async t => {
    const csv = await audit({ crawl_id: run.id }, key, { accept: 'text/csv' })
    t.match(csv.headers.get('content-type'), /^text\/csv/)
    const lines = csv.body.trimEnd().split('\r\n')
    t.equal(lines[0], 'change,rule,severity,url,page_id,count,samples,pagerank')
    t.equal(lines.length, rows.length + 1)
    const { body } = await audit({ crawl_id: run.id }, key, { accept: 'text/event-stream' })
    const events = [...body.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name, data]) => ({
      name,
      data: JSON.parse(data),
    }))
    const stages = new Set(events.flatMap(({ data }) => data.stage ?? []))
    for (const stage of ['auditing the pages', 'reading the links']) t.ok(stages.has(stage), stage)
    t.match(events.at(-1), { name: 'result', data: { data: { summary: { audited: 27 } } } })
  })

  await t.test('compares the findings with those of an earlier crawl', async t => {
    origin.site({
      '/dup2': planted('/dup2', { description: 'One text of two pages' }),
      '/c3': planted('/c3', { head: canonicalTo('/c1') }),
      '/deep-f': planted('/deep-f'),
    })
    const later = await crawl()
    const both = { crawl_id: later.id, against: run.id }
    const changes = await rowsOf(both)
    const of = (change: string, rule: string) =>
      changes
        .filter(row => row.change === change && row.rule === rule)
        .map(({ url }) => path(url))
        .sort()
    t.strictSame(of('gone', 'site/title-duplicate'), ['/dup1', '/dup2'])
    t.strictSame(of('same', 'site/description-duplicate'), ['/dup1', '/dup2'])
    t.strictSame(of('new', 'site/canonical-loop'), ['/c1', '/c2', '/c3'])
    t.strictSame(of('same', 'site/canonical-loop'), ['/cl1', '/cl2'])
    t.strictSame(of('gone', 'site/deep'), ['/deep-g'], 'the page is not in the later crawl')
    const { data } = (await audit(both)).body
    const sum = (change: string) => changes.filter(row => row.change === change).length
    t.match(data.summary, { new: sum('new'), same: sum('same'), gone: sum('gone') })
    t.equal(data.summary.gone_with_page, changes.filter(({ url }) => path(url) === '/deep-g').length)
    const loops = data.rules.find(({ rule }: SiteFinding) => rule === 'site/canonical-loop')
    t.match(loops, { count: 5, new: 3, same: 2, gone: 0, examples: [{ change: 'new' }] })
  })

  await t.test('knows which pages only a sitemap leads to', async t => {
    const locs = ['/', '/sim-one', '/hidden', '/lonely', '/quiet'].map(
      path => `<url><loc>${origin.url}${path}</loc></url>`,
    )
    origin.site({
      '/sitemap.xml': `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs.join('')}</urlset>`,
      '/sim-one': planted('/sim-one', { links: ['/quiet'] }),
      '/lonely': planted('/lonely'),
      '/quiet': planted('/quiet'),
    })
    const listed = await crawl({ seed_kind: 'sitemap' })
    const found = (await rowsOf({ crawl_id: listed.id })).filter(({ rule }) =>
      rule.startsWith('site/sitemap'),
    )
    t.strictSame(found.map(({ rule, url }) => [rule, path(url)]).sort(), [
      ['site/sitemap-not-indexed', '/hidden'],
      ['site/sitemap-not-linked', '/lonely'],
    ])
    const early = await crawl({ seed_kind: 'sitemap', max_pages: 3 })
    const { not_applied: notApplied } = (await audit({ crawl_id: early.id })).body.data
    const because = notApplied.find(({ rule }: SiteFinding) => rule === 'site/sitemap-not-linked')?.because
    t.match(because, /has not read all URLs/, 'pages beyond max_pages may link to others')
  })

  await t.test('is empty and free without stored pages, and rejects invalid requests', async t => {
    const bare = await crawl({ store_html: false })
    const empty = await audit({ crawl_id: bare.id })
    t.match(empty.body, {
      warnings: [/store_html: false/],
      data: { summary: { audited: 0 }, rules: { length: 0 } },
    })
    t.ok(Check(AuditSiteAnswer, empty.body))
    t.equal(empty.headers.get('x-pages-billed'), '0')
    t.match((await audit({ crawl_id: run.id, against: bare.id })).body, {
      warnings: [/store_html: false, so nothing was compared/],
      data: { against: null, summary: { new: null } },
    })
    for (const [body, as] of [
      [{ crawl_id: 999_999_999 }, key],
      [{ crawl_id: run.id, against: 999_999_999 }, key],
      [{ crawl_id: run.id }, other],
    ] as const)
      t.match(await audit(body, as), { status: 404, body: { error: { code: 'not_found' } } })
    for (const [body, field, reason] of [
      [{}, 'crawl_id', 'required'],
      [{ crawl_id: 'x' }, 'crawl_id', 'wrong_type'],
      [{ crawl_id: run.id, against: run.id }, 'against', 'bad_value'],
      [{ crawl_id: run.id, examples: 21 }, 'examples', 'out_of_range'],
      [{ crawl_id: run.id, format: 'xml' }, 'format', 'bad_value'],
    ] as const) {
      const { status, body: answer } = await audit(body)
      t.match({ status, ...answer.error }, { status: 400, code: 'invalid_input', field, reason })
    }
  })
})
