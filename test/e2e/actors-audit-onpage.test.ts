/** `POST /v1/actors/audit-onpage` end to end, from the client to the site. */
import { AuditOnpageAnswer } from '@tidemark/contracts/http/actors/audit-onpage'
import { type Page, startOrigin } from '@tidemark/testing/origin'
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

test('The audit of a page', { timeout: 300_000 }, async t => {
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
    '/challenge': { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: '<title>Just a moment...' },
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
