/** The audit of one page: each rule has a page that it matches and one that it does not. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuditFound } from '@tidemark/contracts/http/actors/audit-onpage'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { seePage } from '../seen-page.ts'
import { clean, type Example } from './audit.examples.ts'
import { auditOf } from './audit.ts'
import { pairs } from './audit-pairs.scene.ts'
import type { AuditedSite } from './context.ts'
import { rules } from './rules.ts'

const seen = ({ html, encoding, url, status, contentType, headers }: Example) =>
  seePage({ url, status, contentType, headers, body: Buffer.from(html, encoding) })
const audit = (page: Example) => auditOf(seen(page), page.context)
const found = (page: Example) => audit(page).findings.map(({ rule }) => rule)

/** The results of all pairs. */
const broken = new Map(Object.entries(pairs).map(([id, { change }]) => [id, audit(change(clean))]))

test('A correct page has no findings', async t => {
  const { summary, findings, stats } = audit(clean)
  t.strictSame(findings, [])
  t.strictSame(summary, { errors: 0, warnings: 0, info: 0 })
  t.match(stats, { link_count: 2, image_count: 1, heading_count: 3, has_json_ld: true })
  t.equal(stats.html_bytes, Buffer.byteLength(clean.html))
  t.ok(stats.word_count > 200 && stats.text_bytes < stats.html_bytes)
  t.equal(stats.content_ratio, Math.round((stats.text_bytes / stats.html_bytes) * 10_000) / 10_000)
})

test('Each rule', async t => {
  for (const { id, severity } of rules) {
    const pair = pairs[id]
    if (pair === undefined) {
      t.fail(`${id} has no pair in a *-pairs.scene.ts file`)
      continue
    }
    const { findings = [] } = broken.get(id) ?? {}
    const found = findings.map(({ rule }) => rule).sort()
    t.strictSame(found, [id, ...(pair.also ?? [])].sort(), `${id} is found, and nothing else`)
    t.equal(findings.find(({ rule }) => rule === id)?.severity, severity)
  }
  const known = new Set<string>(rules.map(({ id }) => id))
  t.strictSame(
    Object.keys(pairs).filter(id => !known.has(id)),
    [],
    'every pair belongs to a rule',
  )
})

test('Findings are bounded, and have their total number', async t => {
  for (const [id, result] of broken) {
    t.ok(Check(AuditFound, result), id)
    for (const { message, samples, count } of result.findings) {
      t.ok(message.length <= 400 && /[.)"]$/.test(message), message)
      t.ok(samples.every(sample => sample.length <= 160))
      t.ok(count === undefined || count >= samples.length)
    }
  }
  const many = { ...clean, html: clean.html.replace('</main>', `${'<img src="/a.png">'.repeat(70)}</main>`) }
  t.match(audit(many).findings[0], { rule: 'img/alt-missing', count: 70, message: /^70 images/ })
  t.equal(audit(many).findings[0]?.samples.length, 5)
})

test('Ids never change, and each rule has a reason and a source', async t => {
  const golden = readFileSync(join(import.meta.dirname, 'audit.ids.txt'), 'utf8')
    .trim()
    .split('\n')
  const ids = rules.map(({ id }) => id)
  t.strictSame(
    golden.filter(id => !ids.some(known => known === id)),
    [],
    'a published id stays',
  )
  t.strictSame(
    ids.filter(id => !golden.includes(id)),
    [],
    'a new one is written into audit.ids.txt',
  )
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.length >= 80)
  for (const { id, finds, reason, source } of rules) {
    t.match(id, /^[a-z0-9]+(?:-[a-z0-9]+)*\/[a-z0-9]+(?:-[a-z0-9]+)*$/)
    t.ok(finds.length > 5 && /\.$/.test(reason), id)
    t.match(source.url, /^https:\/\/[\w.-]+\//, id)
  }
})

test('An error or a file is audited as such', async t => {
  const notFound = audit({ ...clean, status: 404, html: '<h1>Gone' })
  t.strictSame(
    notFound.findings.map(({ rule }) => rule),
    ['status/client-error'],
  )
  t.match(notFound.stats, { heading_count: 1, html_bytes: 8 })
  const findings = [300, 302, 304, 399, 600, 999].map(status => found({ ...clean, status, html: '' }))
  t.strictSame(findings, [
    ...Array.from({ length: 4 }, () => ['redirect/no-target']),
    ...Array.from({ length: 2 }, () => ['status/unknown']),
  ])
  const site = { ...(clean.context.site as AuditedSite), robotsStatus: null }
  const cut = audit({ ...clean, context: { ...clean.context, site } })
  t.match(cut.findings, [{ rule: 'robots/unreachable', message: /^robots\.txt does not respond/ }])
  const pdf = audit({ ...clean, contentType: 'application/pdf', html: '%PDF <h1>x' })
  t.strictSame(
    pdf.findings.map(({ rule }) => rule),
    ['document/not-html'],
  )
  t.strictSame(Object.values(pdf.stats), [0, 0, 0, 0, 0, 0, 0, false])
})

function graph(...nodes: object[]): string {
  const block = { '@context': 'https://schema.org', '@graph': nodes }
  return `<script type="application/ld+json">${JSON.stringify(block)}</script>`
}

function breadcrumbs(...itemListElement: object[]): string {
  return graph({ '@type': 'BreadcrumbList', itemListElement })
}

/** Correct pages that resemble faults: a single false finding would discredit all others. */
const harmless: [why: string, html: string][] = [
  ['an address that is written out', '<a href="http://localhost:8000/">http://localhost:8000/</a>'],
  [
    'one key for one address',
    '<a href="/up" accesskey="u">Up to all</a> <a href="/up" accesskey="u">Up to all</a>',
  ],
  ['an example of a placeholder', '<pre>say("Lorem ipsum dolor sit amet, consectetur")</pre>'],
  ['a replacement character in the source', '<p>U+FFFD looks like \ufffd.</p>'],
  [
    'a label within a drawing',
    '<svg role="img" aria-labelledby="ship"><title id="ship">A ship</title></svg>',
  ],
  [
    'a formula that is linked',
    '<math><mtr id="eq1"><mi>h</mi></mtr></math><a href="#eq1">The first formula</a>',
  ],
  [
    'an answer that is shown on demand',
    '<h2>And the sun?</h2><div hidden>It pulls too.</div><h2>Winds</h2><p>They blow.</p>',
  ],
  [
    'an answer that is a picture',
    '<h2>And the sun?</h2><img src="/s.png" alt="It pulls" width="9" height="9"><h2>Winds</h2><p>They blow.</p>',
  ],
  ['a picture that is decoration', '<img src="/a.png" alt="" width="9" height="9">'],
  ['a picture that counts visits', '<img src="https://stats.example/1" width="1" height="1">'],
  ['a picture that a script will load', '<img data-src="/a.png" alt="A ship" width="9" height="9">'],
  ['a picture with a label', '<img src="/a.png" aria-label="A ship" width="9" height="9">'],
  ['a picture for clients without scripts', '<noscript><img src="/a.png"></noscript>'],
  ['a link of a picture', '<a href="/ship"><img src="/a.png" alt="A ship" width="9" height="9"></a>'],
  ['a link with a label', '<a href="/ship" aria-label="The ship"><i></i></a>'],
  ['a link for pointers alone', '<a href="/ship" aria-hidden="true" tabindex="-1"><i></i></a>'],
  ['a place, and no link', '<a id="here"></a><a name="there"></a><a href="#there">The place</a>'],
  [
    'an anchor with an escaped name',
    '<h2 id="höhe">Height</h2><p>High.</p><a href="#h%C3%B6he">The height</a>',
  ],
  [
    'an anchor in a document of a user',
    '<h2 id="user-content-set-up">Set up</h2><p>Easy.</p><a href="#set-up">How to set it up</a>',
  ],
  ['a route of an application', '<a href="#/ships">Ships of the harbour</a><a href="#">To the top of it</a>'],
  [
    'an address of mail or telephone',
    '<a href="mailto:a@b.example">Write to us</a><a href="tel:+49301">Call us</a>',
  ],
  ['an address without scheme', '<a href="//moon.example/">The moon</a><a href="http.html">What HTTP is</a>'],
  ['a field within its label', '<label>Place <input name="p"></label>'],
  ['a field with a placeholder', '<input name="p" placeholder="Place">'],
  ['an invisible field', '<input type="hidden" name="p"><div hidden><input name="q"></div>'],
  [
    'buttons with a name',
    '<input type="submit"><button aria-label="Go"></button><button><svg><title>Go</title></svg></button>',
  ],
  [
    'a table for layout only',
    '<table role="presentation"><tr><td>a<td>b<td>c<tr><td>a<td>b<td>c<tr><td>a<td>b<td>c</table>',
  ],
  ['a table of pairs', '<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>'],
  [
    'ids within drawings',
    '<svg aria-hidden="true"><g id="a"/></svg><svg aria-hidden="true"><g id="a"/></svg>',
  ],
  [
    'an invisible frame',
    '<iframe src="/t" style="display:none"></iframe><iframe src="/t" width="0" height="0"></iframe>',
  ],
  ['a film without sound', '<video src="/a.mp4" autoplay muted loop></video>'],
  [
    'several roles, of which one is known',
    '<div role="doc-subtitle">Tides</div><ul role="none presentation"><li>x</li></ul>',
  ],
  ['a question that has its answer in parts', '<h2>And why?</h2><h3>The moon</h3><p>It pulls.</p>'],
  [
    'JSON-LD that refers to its own',
    '<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Organization","@id":"#o","name":"H","url":"/"},{"@type":"WebPage","publisher":{"@id":"#o"}}]}</script>',
  ],
  [
    'breadcrumbs that are named in different ways, the last without a URL',
    breadcrumbs(
      { position: 1, item: { '@id': 'https://harbour.example/', name: 'Home' } },
      { position: 2, name: 'Here' },
    ),
  ],
  [
    'breadcrumbs in another order than their positions',
    breadcrumbs({ position: 2, name: 'Here' }, { position: 1, item: '/', name: 'Home' }),
  ],
  [
    'breadcrumbs without numbers as positions',
    breadcrumbs({ position: { toString: 1 }, item: '/', name: 'Home' }, { position: 2, name: 'Here' }),
  ],
  [
    'breadcrumbs in microdata',
    '<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemscope itemtype="https://schema.org/Thing" itemprop="item" itemid="/up" href="/up"><b itemprop="name">All tides</b></a><meta itemprop="position" content="1"></li><li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><b itemprop="name">Here</b><meta itemprop="position" content="2"></li></ol>',
  ],
  [
    'questions of which one has a name and one a text',
    graph({
      '@type': 'QAPage',
      mainEntity: [
        { name: 'Why?', answerCount: 1 },
        { text: 'How?', answerCount: 1 },
      ],
    }),
  ],
  [
    'a rating and a review that their product refers to',
    graph(
      {
        '@type': 'Product',
        ...{ name: 'Boat', aggregateRating: { '@id': '#rating' }, review: [{ '@id': '#review' }] },
      },
      { '@type': 'AggregateRating', '@id': '#rating', ratingValue: 4, reviewCount: 3 },
      { '@type': 'Review', '@id': '#review', author: 'Ada', reviewRating: { ratingValue: 4 } },
    ),
  ],
  [
    'complete microdata',
    '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Boat</b><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price">1</b></div></div>',
  ],
]

test('Nothing is found in', async t => {
  for (const [why, html] of harmless) {
    const page = { ...clean, html: clean.html.replace('</main>', () => `${html}</main>`) }
    t.strictSame(audit(page).findings, [], why)
  }
  const of = (changed: Partial<Example>) => found({ ...clean, ...changed })
  t.strictSame(
    of({
      contentType: 'text/html',
      html: `\ufeff${clean.html.replace('<meta charset="utf-8">', '<!-- ü -->')}`,
    }),
    [],
    'a byte order mark',
  )
  const utf16 = Buffer.from(`\ufeff${clean.html.replace('utf-8', 'utf-16')}`, 'utf16le')
  const { findings } = auditOf(seePage({ ...clean, contentType: 'text/html', body: utf16 }), clean.context)
  t.match(findings, [{ rule: 'charset/not-utf8', samples: ['byte order mark: utf-16le'] }], 'another mark')
  const big = { ...clean, contentType: 'text/html; charset=UTF-16', body: Buffer.from(utf16).swap16() }
  t.strictSame(
    auditOf(seePage(big), clean.context).findings.map(({ rule }) => rule),
    ['charset/not-utf8'],
    'a mark that orders the bytes of UTF-16',
  )
  t.strictSame(
    of({ html: clean.html.replace('<!doctype', '<!-- a --> <!-- b -->\n<!DOCTYPE') }),
    [],
    'a comment before the doctype',
  )
  t.strictSame(
    of({
      html: clean.html.replace(
        'href="https://harbour.example/tides/why-twice"',
        'href="https://HARBOUR.example:443/tides/why-twice?utm_source=x"',
      ),
    }),
    [],
    'a canonical in another spelling',
  )
  const sentence = '潮水每天涨落两次，'
  const inChinese = (text: string) =>
    clean.html
      .replace(/<main[\s\S]*<\/main>/, `<main><h1 id="moon">潮汐</h1>${text}</main>`)
      .replace('lang="en"', 'lang="zh"')
      .replaceAll('hreflang="en"', 'hreflang="zh"')
  const paragraphs = `<p>${sentence.repeat(30)}</p>`.repeat(2)
  t.strictSame(of({ html: inChinese(paragraphs) }), [], 'a text without spaces between words')
  const long = inChinese(`<p>${sentence.repeat(60)}</p>`)
  t.strictSame(of({ html: long }), ['content/long-paragraphs'], 'it can be too long like any other')
  const insecure = clean.html.replace(
    '</head>',
    '<script defer src="http://cdn.example/a.js"></script></head>',
  )
  const upgraded = { ...clean.headers, 'content-security-policy': 'upgrade-insecure-requests' }
  t.strictSame(of({ html: insecure, headers: upgraded }), [], 'URLs that browsers upgrade to https')
  const besideHeader = { ...clean.headers, 'content-security-policy': "frame-ancestors 'self'" }
  const upgrading = insecure.replace(
    '</head>',
    '<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests"></head>',
  )
  t.strictSame(of({ html: upgrading, headers: besideHeader }), [], 'by a policy beside the one of the header')
  const unknown = { ...clean.context, knowsDelivery: false, site: null }
  t.strictSame(of({ headers: {}, context: unknown }), [], 'unknown facts')
})

test('A canonical URL for another version of the page counts as none', async t => {
  const stated = (links: string, link?: string) => {
    const html = clean.html.replace(/<link rel="canonical".*?>/, links)
    const { findings } = audit({ ...clean, html, headers: { ...clean.headers, ...(link && { link }) } })
    return findings.map(({ rule, samples }) => [rule, ...samples])
  }
  const [self, other] = [clean.url, 'https://m.harbour.example/tides']
  const own = `<link rel="canonical" href="${self}">`
  const ignored = (sample: string) => [['canonical/ignored-attribute', sample]]
  const narrow = 'media="only screen and (max-width: 640px)"'
  t.strictSame(stated(`<link rel="canonical" ${narrow} href="${other}">`), ignored(`${narrow}: ${other}`))
  t.strictSame(
    stated(`${own}<link rel="canonical" lang="de" type="text/html" href="/de">`),
    ignored('lang="de" type="text/html": /de'),
    'beside one that counts',
  )
  t.strictSame(
    stated('', `<${other}>; rel="canonical"; media="print", <${self}>; rel=canonical; title="a; type=b"`),
    ignored(`media="print": ${other}`),
    'in the header',
  )
  t.strictSame(stated(`<link rel="canonical" media="" href="${self}">`), [], 'an empty attribute names none')
})

test('Text ends the head', async t => {
  const rules = ['canonical/in-body', 'hreflang/in-body', 'title/outside-head']
  const broken = (text: string) =>
    found({ ...clean, html: clean.html.replace('<head>', `<head>${text}`) }).filter(id => rules.includes(id))
  for (const text of ['Tides', '\ufeff', '&nbsp;']) t.strictSame(broken(text).sort(), rules, text)
  t.strictSame(broken('\n\t <!-- a --><noscript>b</noscript><style>c</style>'), [])
})

test('Versions in the body count as none', async t => {
  const version = (code: string, href: string) => `<link rel="alternate" hreflang="${code}" href="${href}">`
  const german = version('de', 'https://harbour.example/de/warum')
  const versions = `${version('en', clean.url)}${german}`
  const bare = clean.html.replace(/(?:<link rel="alternate".*?>\n)+/, '')
  const inBody = (html: string, links: string) => {
    const { findings } = audit({ ...clean, html: html.replace('</main>', `${links}</main>`) })
    return findings.map(({ rule, count }) => [rule, count])
  }
  t.strictSame(inBody(bare, versions), [['hreflang/in-body', 2]])
  const faulty = `${version('en-UK', '/uk')}${version('fr', 'https://harbour.example/fr/pourquoi')}`
  t.strictSame(inBody(bare, faulty), [['hreflang/in-body', 2]], 'no other rule reads them')
  t.strictSame(inBody(clean.html, german), [], 'one that the head lists too')
  const moved = bare.replace('</head>', `<img src="/a.png" alt="" width="9" height="9">${versions}</head>`)
  t.match(inBody(moved, ''), [['hreflang/in-body', 2]], 'content ends the head')
})

test('Each element of structured data has the required properties', async t => {
  const lacks = (html: string) =>
    audit({ ...clean, html: clean.html.replace('</main>', () => `${html}</main>`) }).findings.map(
      ({ rule, samples }) => [rule, ...samples],
    )
  const [home, here] = ['https://harbour.example/', 'https://harbour.example/here']
  const crumbs = (...missing: string[]) => [
    ['schema/breadcrumb', ...missing.map(name => `BreadcrumbList (JSON-LD): itemListElement.${name}`)],
  ]
  t.strictSame(
    lacks(breadcrumbs({ position: 1, item: home }, { position: 2, item: here })),
    crumbs('name or itemListElement.item.name'),
    'a URL is no name',
  )
  t.strictSame(
    lacks(breadcrumbs(...['Home', 'Tides', 'Here'].map((name, n) => ({ position: n + 1, name })))),
    crumbs('item (all but the last)'),
    'only the last has no URL of its own',
  )
  t.strictSame(
    lacks(breadcrumbs({ position: 1, item: home, name: 'Home' }, { position: 2 })),
    crumbs('name or itemListElement.item.name'),
    'one of two elements has no name',
  )
  const questions = { '@type': 'QAPage', mainEntity: [{ name: 'Why?', answerCount: 1 }, { answerCount: 1 }] }
  t.strictSame(lacks(graph(questions)), [
    ['schema/qa-page', 'QAPage (JSON-LD): mainEntity.name or mainEntity.text'],
  ])
})

test('A graph of one node needs no list', async t => {
  const block = { '@context': 'https://schema.org', '@graph': { '@type': 'Recipe', name: 'Soup' } }
  const script = `<script type="application/ld+json">${JSON.stringify(block)}</script>`
  const html = clean.html.replace('</main>', () => `${script}</main>`)
  t.strictSame(found({ ...clean, html }), ['schema/recipe'])
  const none = html.replace(/"@graph":\{(.*?)\}/, '"@graph":null,$1')
  t.strictSame(found({ ...clean, html: none }), ['schema/recipe'], 'also beside a graph of null')
  const meaningless = html.replace(/"@context":[^{]*?(?="@graph":\{"@type":"Recipe")/, '')
  t.match(audit({ ...clean, html: meaningless }).findings, [
    { rule: 'jsonld/context-missing', samples: ['(no type) {@graph}'] },
  ])
})

test('A rating is compared with its scale, whatever its syntax', async t => {
  const samples = (html: string) =>
    audit({ ...clean, html: clean.html.replace('</main>', () => `${html}</main>`) }).findings.flatMap(
      ({ rule, samples }) => (rule === 'schema/rating-out-of-range' ? samples : []),
    )
  const boat = (aggregateRating: object) => graph({ '@type': 'Product', name: 'Boat', aggregateRating })
  t.strictSame(samples(boat({ ratingValue: '9', reviewCount: 3 })), ['9 of 5'])
  t.strictSame(samples(boat({ ratingValue: 9, bestRating: 10, reviewCount: 3 })), [])
  t.strictSame(samples(boat({ ratingValue: 9, bestRating: { toString: 1 } })), ['9 of 5'], 'no number')
  const rating = (type: string, property: string, value: number) =>
    `<p itemprop="${property}" itemscope itemtype="https://schema.org/${type}"><b itemprop="ratingValue">${value}</b></p>`
  const item = (type: string, inner: string) =>
    `<div itemscope itemtype="https://schema.org/${type}">${inner}</div>`
  t.strictSame(samples(item('Product', rating('AggregateRating', 'aggregateRating', 7))), ['7 of 5'])
  const review = `<div itemprop="review" itemscope>${rating('Rating', 'reviewRating', 8)}</div>`
  t.strictSame(samples(item('Product', review)), ['8 of 5'], 'in a review')
  t.strictSame(samples(item('Rating', '<b itemprop="ratingValue">6</b>')), ['6 of 5'], 'the item itself')
})

test('A rating to which no other item refers needs its subject', async t => {
  const rating = { '@type': 'AggregateRating', '@id': '#rating', ratingValue: 4, reviewCount: 3 }
  const rules = (...nodes: object[]) =>
    found({ ...clean, html: clean.html.replace('</main>', () => `${graph(...nodes)}</main>`) })
  t.strictSame(rules(rating), ['schema/aggregate-rating'])
  t.strictSame(rules({ ...rating, isPartOf: { '@id': '#rating' } }), ['schema/aggregate-rating'], 'itself')
  const boat = { '@type': 'Product', name: 'Boat', offers: { price: 1 } }
  t.strictSame(rules(boat, rating), ['schema/aggregate-rating'], 'a product beside it')
  const blocks = [graph({ ...boat, aggregateRating: { '@id': '#rating' } }), graph(rating)].join('')
  const html = clean.html.replace('</main>', () => `${blocks}</main>`)
  t.strictSame(found({ ...clean, html }), [], 'a product in another block refers to it')
  const { ratingValue: _, ...empty } = rating
  const rated = { ...boat, aggregateRating: { '@id': '#rating' } }
  t.strictSame(rules(rated, empty), ['schema/aggregate-rating'], 'it still needs its value')
})

/** Counts how often the audit reads the children or the attributes of any element. */
function looksAt(html: string): number {
  const page = seen({ ...clean, html })
  let looks = 0
  const open: object[] = [page.html?.tree as object]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { children, attribs } = node as { children?: object[]; attribs?: object }
    open.push(...(children ?? []))
    const counted = (value: unknown) => ({
      configurable: true,
      get: () => {
        looks++
        return value
      },
    })
    if (children !== undefined) Object.defineProperty(node, 'children', counted(children))
    if (attribs !== undefined) Object.defineProperty(node, 'attribs', counted(attribs))
  }
  auditOf(page, clean.context)
  return looks
}

test('A hostile page costs a bounded number of reads per tag, in any arrangement', async t => {
  const deep = [
    'div',
    'p',
    'a href=#x',
    'b',
    'table><tr><td',
    'label',
    'button',
    'ul><li',
    'h2',
    'object',
    'form',
    'svg',
    'dl><dt',
    'article',
    'span itemscope',
  ]
  const max = 300
  for (const tag of deep) {
    const [few, many] = [1_000, 4_000].map(count => looksAt(`<!doctype html>${`<${tag}>x`.repeat(count)}`))
    if (few === undefined || many === undefined) return t.fail('there are two counts')
    t.ok(many <= few * 4.5 + 1_000, `<${tag}>: ${few} reads for 1,000, ${many} for 4,000`)
    t.ok(many <= max * 4_000, `<${tag}>: ${Math.round(many / 4_000)} for each`)
  }
})

test('The largest pages that are read are audited', async t => {
  const part = sized(0.25, 1)
  const attributes = Array.from({ length: 20_000 * part }, (_, n) => `a${n}="${n}"`).join(' ')
  const hostile: Record<string, string> = {
    tags: '<i>'.repeat(100_000 * part),
    attributes: `<a href="/" ${attributes}>x</a>`,
    ids: Array.from({ length: 50_000 * part }, (_, n) => `<b id="${n % 7}">`).join(''),
    'links to places': Array.from({ length: 50_000 * part }, (_, n) => `<a href="#${n}%zz">x</a>`).join(''),
    'labels and fields': '<label for=a><input>'.repeat(50_000 * part),
    rows: `<table>${'<tr><td>a<td>b<td>c'.repeat(25_000 * part)}`,
    comments: `${'<!-- a -->'.repeat(100_000 * part)}<p>x`,
    'objects of one block': `<script type="application/ld+json">[${'{},'.repeat(160_000 * part)}{}]</script>`,
    'a graph of one node': `<script type="application/ld+json">{"@graph":[${Array.from({ length: 20_000 * part }, (_, n) => `{"@id":"x","p${n}":1}`).join(',')}]}</script>`,
    'blocks of JSON-LD': '<script type="application/ld+json">{"@type":"Product"}</script>'.repeat(
      30_000 * part,
    ),
    'one text': `<p>${'a'.repeat(3_000_000 * part)}`,
    sentences: `<html lang=en><p>${'Tides come. '.repeat(250_000 * part)}`,
    headings: '<h3>why?</h3>'.repeat(50_000 * part),
    'a robots of many rules': `<meta name=robots content="${'a,'.repeat(500_000 * part)}">`,
    hreflang: '<link rel=alternate hreflang=xx href=/x>'.repeat(70_000 * part),
  }
  for (const [what, html] of Object.entries(hostile)) {
    const result = audit({ ...clean, html })
    t.ok(Check(AuditFound, result), what)
    t.ok(JSON.stringify(result).length < 100_000, what)
  }
})
