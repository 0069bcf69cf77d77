/** For each rule the least change of the clean page that makes it find something, and which others that cannot be without. */
import { clean, type Example } from './audit.examples.ts'
import type { AuditContext, AuditedSite } from './context.ts'

type Change = (page: Example) => Example
/** `also`: rules that the same fault concerns. */
export type Pair = { change: Change; also?: readonly string[] }

/** Puts one text in the place of another, which must be there. */
const swap =
  (...pairs: [from: string | RegExp, to: string][]): Change =>
  page => {
    let { html } = page
    for (const [from, to] of pairs) {
      const swapped = html.replace(from, () => to)
      if (swapped === html) throw new Error(`${from} is not in the clean page`)
      html = swapped
    }
    return { ...page, html }
  }

const both =
  (...changes: Change[]): Change =>
  page =>
    changes.reduce((changed, change) => change(changed), page)
/** At the end of the content, and at the end of the head. */
const add = (html: string): Change => swap(['</main>', `${html}</main>`])
const addToHead = (html: string): Change => swap(['</head>', `${html}</head>`])
const headers =
  (changed: Record<string, string | null>): Change =>
  page => {
    const all = Object.entries({ ...page.headers, ...changed })
    return {
      ...page,
      headers: Object.fromEntries(all.filter(([, value]) => value !== null)) as Example['headers'],
    }
  }
const context =
  (changed: Partial<AuditContext>): Change =>
  page => ({ ...page, context: { ...page.context, ...changed } })
const site = (changed: Partial<AuditedSite>): Change =>
  context({ site: { ...(clean.context.site as AuditedSite), ...changed } })
/** The page under another address, which it is said to have everywhere. */
const at =
  (url: string): Change =>
  page => ({ ...page, url, html: page.html.replaceAll(clean.url, url.replaceAll('&', '&amp;')) })
const jsonLd = (value: object): Change =>
  addToHead(
    `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...value })}</script>`,
  )
const title = (text: string): Change => swap([/<title>.*<\/title>/, `<title>${text}</title>`])
const description = (text: string): Change =>
  swap([/<meta name="description".*?>/, `<meta name="description" content="${text}">`])
const canonical = (href: string): Change =>
  swap([/<link rel="canonical".*?>/, `<link rel="canonical" href="${href}">`])
const robots = (content: string): Change =>
  swap([/<meta name="robots".*?>/, `<meta name="robots" content="${content}">`])
const body = (html: string): Change => swap([/<main[\s\S]*<\/main>/, `<main><h1>Tides</h1>${html}</main>`])
const words = (count: number): string => 'The tide comes in and goes out again. '.repeat(Math.ceil(count / 8))
const own = '/tides/other'

const answer: Record<string, Pair> = {
  'status/client-error': { change: page => ({ ...page, status: 404 }) },
  'status/server-error': { change: page => ({ ...page, status: 503 }) },
  'status/unknown': { change: page => ({ ...page, status: 999 }) },
  'status/soft-404': {
    change: both(title('Page not found: there is no such page in this harbour'), body('<p>Sorry.</p>')),
    also: ['content/thin', 'links/fragment-missing'],
  },
  'status/empty': { change: page => ({ ...page, html: '' }) },
  'document/not-html': { change: page => ({ ...page, contentType: 'application/pdf' }) },
  'redirect/no-target': { change: page => ({ ...page, status: 302 }) },
  'redirect/chain': {
    change: context({
      hops: [
        { url: 'https://harbour.example/a', status: 301 },
        { url: 'https://harbour.example/b', status: 301 },
      ],
    }),
  },
  'redirect/temporary': { change: context({ hops: [{ url: 'https://harbour.example/a', status: 302 }] }) },
  'redirect/insecure': {
    change: context({
      hops: [
        { url: 'https://a.example/', status: 301 },
        { url: 'http://a.example/', status: 301 },
      ],
    }),
    also: ['redirect/chain'],
  },
  'redirect/meta-refresh': { change: addToHead('<meta http-equiv="refresh" content="0; url=/other">') },
}

const search: Record<string, Pair> = {
  'robots/noindex': { change: robots('noindex'), also: ['hreflang/on-noindexed'] },
  'robots/nofollow': { change: robots('nofollow') },
  'robots/conflict': { change: both(robots('follow, nofollow')), also: ['robots/nofollow'] },
  'robots/unknown-directive': { change: robots('index, no-archive') },
  'robots/nosnippet': { change: headers({ 'x-robots-tag': 'nosnippet' }) },
  'robots/expired': { change: robots('unavailable_after: Sat, 12 Oct 2024 10:00:00 GMT') },
  'robots/disallowed': { change: site({ googlebot: { allowed: false, rule: '/tides/' } }) },
  'robots/noindex-unreadable': {
    change: both(robots('noindex'), site({ googlebot: { allowed: false, rule: '/tides/' } })),
    also: ['robots/noindex', 'robots/disallowed', 'hreflang/on-noindexed'],
  },
  'robots/unreachable': { change: site({ robotsStatus: 503, googlebot: { allowed: false, rule: null } }) },
  'canonical/missing': {
    change: both(at('https://harbour.example/tides?sort=new'), swap([/<link rel="canonical".*?>/, ''])),
  },
  'canonical/mismatch': {
    change: both(
      canonical('https://harbour.example/tides'),
      swap([/<link rel="alternate".*?>\n<link rel="alternate".*?>\n<link rel="alternate".*?>/, '']),
    ),
  },
  'canonical/insecure': {
    change: both(
      canonical(clean.url.replace('https', 'http')),
      swap([/(?:<link rel="alternate".*?>\n)+/, '']),
    ),
  },
  'canonical/multiple': { change: addToHead('<link rel="canonical" href="https://harbour.example/other">') },
  'canonical/invalid': { change: canonical('') },
  'canonical/relative': { change: canonical('/tides/why-twice') },
  'canonical/fragment': { change: canonical(`${clean.url}#moon`) },
  'canonical/in-body': {
    change: both(swap([/<link rel="canonical".*?>/, '']), add(`<link rel="canonical" href="${clean.url}">`)),
  },
  'canonical/on-noindexed': {
    change: both(
      robots('noindex'),
      canonical('https://harbour.example/tides'),
      swap([/(?:<link rel="alternate".*?>\n)+/, '']),
    ),
    also: ['robots/noindex', 'canonical/mismatch'],
  },
}

const texts: Record<string, Pair> = {
  'title/missing': { change: swap([/<title>.*<\/title>/, '']) },
  'title/length': {
    change: title(
      'High water and low water at every shore of the world, told for those who live there and for all who come',
    ),
  },
  'title/multiple': { change: addToHead('<title>Tides</title>') },
  'title/outside-head': {
    change: both(
      swap([/<title>.*<\/title>/, '']),
      add('<title>Why high water comes twice a day at most shores</title>'),
    ),
  },
  'title/placeholder': { change: title('Untitled document'), also: ['title/length'] },
  'meta-description/missing': { change: swap([/<meta name="description".*?>/, '']) },
  'meta-description/length': { change: description('Of tides.') },
  'meta-description/multiple': { change: addToHead('<meta name="description" content="Of the sea.">') },
  'meta-description/same-as-title': {
    change: description('Why high water comes twice a day at most shores'),
    also: ['meta-description/length'],
  },
  'h1/missing': { change: swap([/<h1>(.*)<\/h1>/, '<h2>Why high water comes</h2>']) },
  'h1/multiple': { change: add('<h1>Tides again</h1>') },
  'h1/empty': { change: swap([/<h1>.*<\/h1>/, '<h1><span class="title"></span></h1>']) },
  'headings/empty': { change: add('<h2></h2>') },
  'headings/skipped-level': { change: swap(['<h3>Heights</h3>', '<h4>Heights</h4>']) },
  'headings/too-long': { change: add(`<h2>${words(60)}</h2><p>So it is.</p>`) },
  'headings/no-subheadings': {
    change: body(
      `<ul><li id="moon">Tides come and go, and come again.</li></ul>${`<p>${words(100)}</p>`.repeat(2)}<div>${words(700)}</div>`,
    ),
  },
  'content/thin': { change: body('<p id="moon">Tides come and go.</p>') },
  'content/script-shell': {
    change: page => ({
      ...page,
      html: page.html.replace(
        /<body>[\s\S]*<\/body>/,
        '<body><div id="root"></div><script src="/app.js"></script></body>',
      ),
    }),
  },
  'content/placeholder': { change: add('<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>') },
  'content/hard-to-read': {
    change: add(
      `<div>${'<p>Institutional intermediation necessitates comprehensive administrative interoperability considerations notwithstanding jurisdictional heterogeneity, organizational specialization, epistemological differentiation and methodological incompatibility.</p>'.replace('<p>', '').replace('</p>', '')}</div>`.replace(
        /^<div>(.*)<\/div>$/,
        (_, text) => Array.from({ length: 20 }, (_, n) => `<p>${n}. ${text}</p>`).join(''),
      ),
    ),
  },
  'content/long-paragraphs': { change: add(`<p>${words(240)}</p>`) },
  'content/repeated-paragraph': {
    change: add(
      '<p>Whoever lives at the shore knows all of this by heart, and whoever does not will have to look it up each time anew.</p>'.repeat(
        5,
      ),
    ),
  },
  'charset/missing': {
    change: page => ({
      ...swap(['<meta charset="utf-8">\n', ''], ['The moon</a>', 'The møøn</a>'])(page),
      contentType: 'text/html',
    }),
  },
  'charset/not-utf8': {
    change: page => ({
      ...swap(['<meta charset="utf-8">', '<meta charset="windows-1252">'])(page),
      contentType: 'text/html',
    }),
  },
  'charset/conflict': { change: swap(['<meta charset="utf-8">', '<meta charset="iso-8859-1">']) },
  'charset/late': {
    change: page => ({
      ...swap(
        ['<meta charset="utf-8">\n', ''],
        ['</head>', `<!-- ${'x'.repeat(200)} --><meta charset="utf-8"></head>`],
      )(page),
      contentType: 'text/html',
    }),
  },
  'charset/undecodable': {
    change: page => ({ ...swap(['The moon</a>', 'The møøn</a>'])(page), encoding: 'latin1' }),
  },
  'html/doctype-missing': { change: swap(['<!doctype html>\n', '']) },
  'html/quirks-mode': {
    change: swap(['<!doctype html>', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">']),
  },
  'html/obsolete-elements': { change: add('<center>Tides</center>') },
  'html/frames': { change: add('<frameset></frameset>'), also: ['html/obsolete-elements'] },
  'lang/missing': { change: swap(['<html lang="en">', '<html>']) },
  'lang/invalid': { change: swap(['<html lang="en">', '<html lang="en_US">']) },
  'lang/xml-mismatch': { change: swap(['<html lang="en">', '<html lang="en" xml:lang="de">']) },
  'viewport/missing': { change: swap([/<meta name="viewport".*?>/, '']) },
  'viewport/fixed-width': { change: swap(['width=device-width, initial-scale=1', 'width=980']) },
  'viewport/zoom-disabled': { change: swap(['initial-scale=1', 'initial-scale=1, user-scalable=no']) },
  'url/underscores': { change: at('https://harbour.example/why_twice') },
  'url/session-id': { change: at('https://harbour.example/tides?PHPSESSID=1') },
  'url/spaces': { change: at('https://harbour.example/why%20twice') },
  'url/double-slash': { change: at('https://harbour.example//tides') },
  'url/many-parameters': { change: at('https://harbour.example/tides?a=1&b=2&c=3&d=4&e=5&f=6') },
  'url/too-long': { change: at(`https://harbour.example/${'tides/'.repeat(350)}`) },
}

const parts: Record<string, Pair> = {
  'img/alt-missing': { change: add('<img src="/a.png" width="9" height="9">') },
  'img/alt-filename': { change: add('<img src="/a.png" alt="IMG_0815.jpg" width="9" height="9">') },
  'img/alt-placeholder': { change: add('<img src="/a.png" alt="image" width="9" height="9">') },
  'img/alt-long': { change: add(`<img src="/a.png" alt="${words(80)}" width="9" height="9">`) },
  'img/src-missing': { change: add('<img src="" alt="A ship" width="9" height="9">') },
  'img/size-missing': { change: add('<img src="/a.png" alt="A ship">') },
  'img/map-area-alt': { change: add('<map name="m"><area shape="rect" href="/north"></map>') },
  'img/server-side-map': {
    change: add('<a href="/map"><img src="/a.png" alt="A map" width="9" height="9" ismap></a>'),
  },
  'links/empty-anchor': { change: add(`<a href="${own}"><i class="icon"></i></a>`) },
  'links/generic-text': { change: add(`<a href="${own}">Read more »</a>`) },
  'links/malformed': { change: add('<a href="htp://moon.example/">The moon of today</a>') },
  'links/javascript': { change: add('<a href="javascript:show()">All of the tides</a>') },
  'links/own-machine': { change: add('<a href="http://localhost:8080/tides">Tides of today</a>') },
  'links/internal-insecure': { change: add('<a href="http://harbour.example/other">Other tides</a>') },
  'links/internal-nofollow': { change: add(`<a href="${own}" rel="nofollow">Other tides</a>`) },
  'links/internal-tracking': { change: add(`<a href="${own}?utm_source=home">Other tides</a>`) },
  'links/fragment-missing': { change: add('<a href="#sun">The sun and its part</a>') },
  'links/too-many': { change: add('<a href="/tides/1">Tide</a> '.repeat(3_001)), also: ['weight/elements'] },
  'links/none': { change: swap(['<a href="/tides">All about tides</a>', 'All about tides']) },
  'hreflang/invalid': { change: swap(['hreflang="de"', 'hreflang="en-UK"']) },
  'hreflang/self-missing': {
    change: swap(
      [/<link rel="alternate" hreflang="en".*?>/, ''],
      [/<link rel="alternate" hreflang="x-default".*?>/, ''],
    ),
  },
  'hreflang/duplicate': {
    change: addToHead('<link rel="alternate" hreflang="de" href="https://harbour.example/de/anders">'),
  },
  'hreflang/relative': { change: swap(['https://harbour.example/de/warum', '/de/warum']) },
  'hreflang/x-default-missing': {
    change: swap([
      /<link rel="alternate" hreflang="x-default".*?>/,
      '<link rel="alternate" hreflang="fr" href="https://harbour.example/fr/pourquoi">',
    ]),
  },
  'hreflang/not-canonical': {
    change: canonical('https://harbour.example/tides'),
    also: ['canonical/mismatch'],
  },
  'hreflang/on-noindexed': { change: robots('noindex'), also: ['robots/noindex'] },
  'hreflang/language-mismatch': { change: swap(['<html lang="en">', '<html lang="fr">']) },
  'og/missing': {
    change: swap([/(?:<meta property="og:.*>\n)+/, ''], [/<meta name="twitter:card".*?>/, '']),
  },
  'og/incomplete': { change: swap([/<meta property="og:image".*?>/, '']) },
  'og/url-mismatch': {
    change: swap([
      /<meta property="og:url".*?>/,
      '<meta property="og:url" content="https://harbour.example/">',
    ]),
  },
  'og/relative': { change: swap(['"og:image" content="https://harbour.example', '"og:image" content="']) },
  'og/name-attribute': { change: swap(['<meta property="og:type"', '<meta name="og:type"']) },
  'twitter/card-invalid': {
    change: swap(['"twitter:card" content="summary"', '"twitter:card" content="photo"']),
  },
  'twitter/title-missing': { change: swap([/<meta property="og:title".*?>/, '']), also: ['og/incomplete'] },
  'twitter/relative': { change: addToHead('<meta name="twitter:image" content="/tide.png">') },
}

const data: Record<string, Pair> = {
  'jsonld/invalid': {
    change: addToHead(
      '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing",}</script>',
    ),
  },
  'jsonld/context-missing': {
    change: addToHead('<script type="application/ld+json">{"@type":"Thing","name":"Tide"}</script>'),
  },
  'jsonld/type-missing': { change: jsonLd({ name: 'Tide' }) },
  'jsonld/type-case': { change: jsonLd({ '@type': 'thing', name: 'Tide' }) },
  'jsonld/too-large': {
    change: addToHead(
      `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","name":"${'x'.repeat(530_000)}"}</script>`,
    ),
    also: ['jsonld/invalid'],
  },
  'schema/product': { change: jsonLd({ '@type': 'Product', name: 'Boat' }) },
  'schema/breadcrumb': {
    change: jsonLd({ '@type': 'BreadcrumbList', itemListElement: [{ '@type': 'ListItem', name: 'Tides' }] }),
  },
  'schema/faq-page': {
    change: jsonLd({ '@type': 'FAQPage', mainEntity: [{ '@type': 'Question', name: 'Why?' }] }),
  },
  'schema/qa-page': {
    change: jsonLd({ '@type': 'QAPage', mainEntity: { '@type': 'Question', name: 'Why?' } }),
  },
  'schema/event': { change: jsonLd({ '@type': 'Event', name: 'Regatta', startDate: '2026-07-01' }) },
  'schema/recipe': { change: jsonLd({ '@type': 'Recipe', name: 'Fish soup' }) },
  'schema/job-posting': {
    change: jsonLd({
      '@type': 'JobPosting',
      title: 'Pilot',
      description: 'Ships',
      datePosted: '2026-01-02',
      jobLocation: 'Harbour',
    }),
  },
  'schema/local-business': { change: jsonLd({ '@type': 'Restaurant', name: 'Anchor' }) },
  'schema/review': {
    change: jsonLd({
      '@type': 'Review',
      author: 'Ada',
      itemReviewed: { '@type': 'Boat', name: 'Mary' },
      reviewRating: { '@type': 'Rating' },
    }),
  },
  'schema/aggregate-rating': {
    change: jsonLd({ '@type': 'AggregateRating', ratingValue: 4, itemReviewed: { '@type': 'Boat' } }),
  },
  'schema/video': { change: jsonLd({ '@type': 'VideoObject', name: 'Tide', uploadDate: '2026-01-02' }) },
  'schema/software-application': {
    change: jsonLd({ '@type': 'MobileApplication', name: 'Tides', offers: { price: 0 } }),
  },
  'schema/course': { change: jsonLd({ '@type': 'Course', name: 'Sailing' }) },
  'schema/dataset': { change: jsonLd({ '@type': 'Dataset', name: 'Heights' }) },
  'schema/movie': { change: jsonLd({ '@type': 'Movie', name: 'The sea' }) },
  'schema/profile-page': {
    change: jsonLd({ '@type': 'ProfilePage', mainEntity: { '@type': 'Person', url: '/ada' } }),
  },
  'schema/discussion-posting': {
    change: jsonLd({ '@type': 'DiscussionForumPosting', author: { name: 'Ada' }, text: 'Why?' }),
  },
  'schema/article': { change: swap(['"image":"https://harbour.example/tide.png",', '']) },
  'schema/organization': { change: jsonLd({ '@type': 'Organization', name: 'Harbour' }) },
  'schema/date-invalid': { change: swap(['2026-02-03"', '3 February 2026"']) },
  'schema/rating-out-of-range': {
    change: jsonLd({
      '@type': 'Product',
      name: 'Boat',
      aggregateRating: { '@type': 'AggregateRating', ratingValue: '87', reviewCount: 3 },
    }),
  },
}

const people: Record<string, Pair> = {
  'a11y/label-missing': { change: add('<input name="place">') },
  'a11y/button-name': { change: add('<button><svg><path d="M0"/></svg></button>') },
  'a11y/image-button-alt': { change: add('<input type="image" src="/go.png">') },
  'a11y/label-for-missing': { change: add('<label for="gone">Place</label>') },
  'a11y/nested-control': { change: add(`<a href="${own}">Other <button>tides</button></a>`) },
  'a11y/duplicate-id': { change: add('<p id="moon">The moon again.</p>') },
  'a11y/iframe-title': { change: add('<iframe src="https://moon.example/"></iframe>') },
  'a11y/table-headers': {
    change: add(`<table>${'<tr><td>a</td><td>b</td><td>c</td></tr>'.repeat(3)}</table>`),
  },
  'a11y/tabindex-positive': { change: add(`<a href="${own}" tabindex="3">Other tides</a>`) },
  'a11y/role-unknown': { change: add('<div role="buton">Tides</div>') },
  'a11y/reference-missing': { change: add('<div role="group" aria-labelledby="gone">Tides</div>') },
  'a11y/body-hidden': { change: swap(['<body>', '<body aria-hidden="true">']), also: ['h1/missing'] },
  'a11y/list-item-outside': { change: add('<div><li>Tides</li></div>') },
  'a11y/accesskey-duplicate': {
    change: add(`<a href="${own}" accesskey="t">Other tides</a> <a href="/3" accesskey="t">Third tides</a>`),
  },
  'a11y/autoplay': { change: add('<audio src="/sea.mp3" autoplay></audio>') },
  'a11y/video-captions': { change: add('<video src="/sea.mp4" controls></video>') },
  'a11y/drawing-name': { change: add('<svg role="img"><path d="M0"/></svg>') },
  'a11y/moving-text': { change: add('<marquee>Tides</marquee>') },
  'a11y/object-alternative': { change: add('<object data="/map.svg"></object>') },
}

const delivery: Record<string, Pair> = {
  'compression/missing': {
    change: both(headers({ 'content-encoding': null }), add(`<div>${words(900)}</div>`)),
  },
  'caching/missing': { change: headers({ etag: null }) },
  'caching/no-store': { change: headers({ 'cache-control': 'private, no-store' }) },
  'caching/vary-everything': { change: headers({ vary: '*' }) },
  'speed/slow-answer': { change: context({ elapsedMs: 2_500 }) },
  'weight/html': { change: addToHead(`<!-- ${'x'.repeat(2_100_000)} -->`) },
  'weight/elements': { change: add('<b>a</b> '.repeat(1_400)) },
  'weight/inline-code': { change: addToHead(`<style>${'a{color:red}'.repeat(10_000)}</style>`) },
  'weight/embedded-images': {
    change: add(`<img src="data:image/png;base64,${'A'.repeat(110_000)}" alt="A ship" width="9" height="9">`),
  },
  'weight/blocking-scripts': {
    change: addToHead(Array.from({ length: 6 }, (_, n) => `<script src="/${n}.js"></script>`).join('')),
  },
  'weight/script-twice': { change: addToHead('<script defer src="/count.js"></script>') },
  'security/not-https': { change: both(at('http://harbour.example/tides')) },
  'mixed-content/active': { change: addToHead('<script defer src="http://cdn.example/a.js"></script>') },
  'mixed-content/passive': {
    change: add('<img src="http://cdn.example/a.png" alt="A ship" width="9" height="9">'),
  },
  'security/form-insecure': {
    change: add('<form action="http://harbour.example/go"><button>Go</button></form>'),
  },
  'security/password-insecure': {
    change: both(at('http://harbour.example/tides'), add('<input type="password" aria-label="Password">')),
    also: ['security/not-https'],
  },
  'security/hsts-missing': { change: headers({ 'strict-transport-security': null }) },
  'security/hsts-off': { change: headers({ 'strict-transport-security': 'max-age=0' }) },
  'security/nosniff-missing': { change: headers({ 'x-content-type-options': null }) },
  'security/framing-allowed': {
    change: both(
      add('<form method="post"><button>Go</button></form>'),
      headers({ 'content-security-policy': "default-src 'self'" }),
    ),
  },
  'security/frame-options-invalid': {
    change: headers({ 'x-frame-options': 'ALLOW-FROM https://a.example' }),
  },
  'security/csp-missing': {
    change: both(
      add('<form method="post"><button>Go</button></form>'),
      headers({ 'x-frame-options': 'DENY' }),
    ),
  },
  'security/referrer-unsafe': { change: headers({ 'referrer-policy': 'unsafe-url' }) },
}

const long = `<p>${words(150)}</p>`.repeat(2)
const headed = ['North', 'South', 'East', 'West']
  .map((name, n) => `<h2>${name}</h2><p>Part ${n}: ${words(190)}</p>`)
  .join('')

const engines: Record<string, Pair> = {
  'aeo/no-question-headings': {
    change: both(swap(['What does the moon do?', 'The moon and the sea']), add(headed)),
  },
  'aeo/question-unanswered': { change: add('<h2>And what of the sun?</h2><h2>Winds</h2><p>They blow.</p>') },
  'aeo/no-lists-or-tables': {
    change: body(`<h2 id="moon">What of the moon?</h2>${long}<div>${words(600)}</div>`),
  },
  'aeo/author-missing': {
    change: swap([',"author":{"@type":"Person","name":"Ada Byron"}', '']),
    also: ['schema/article'],
  },
  'aeo/date-missing': {
    change: swap(['"datePublished":"2026-01-02T08:00:00+01:00","dateModified":"2026-02-03",', '']),
    also: ['schema/article'],
  },
  'aeo/date-future': { change: swap(['2026-02-03', '2027-02-03']) },
  'aeo/dates-reversed': { change: swap(['2026-02-03', '2025-02-03']) },
  'aeo/ai-bots-disallowed': { change: site({ aiBots: { 'OAI-SearchBot': 'disallowed' } }) },
  'aeo/ai-use-reserved': { change: headers({ 'content-signal': 'search=yes, ai-train=no' }) },
  'aeo/llms-txt-missing': {
    change: both(at('https://harbour.example/'), site({ llms: { status: 404, text: null } })),
  },
  'aeo/llms-txt-malformed': {
    change: both(at('https://harbour.example/'), site({ llms: { status: 200, text: 'Harbour' } })),
  },
}

export const pairs: Readonly<Record<string, Pair>> = {
  ...answer,
  ...search,
  ...texts,
  ...parts,
  ...data,
  ...people,
  ...delivery,
  ...engines,
}
