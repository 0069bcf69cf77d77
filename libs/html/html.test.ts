/** The facts that are read from a page, and the equality of pages. */
import { test } from 'tap'
import { createResolver, document, read, resolve } from './html.examples.ts'
import { readPage } from './read-page.ts'
import { selectorFault } from './selection/select.ts'

const linksOf = (html: string) =>
  read(html).links.map(({ href, anchor }) => `${href.replace('https://example.com', '')} ${anchor}`.trim())
const countsOf = (html: string) => Object.values(read(html).text)

test('The metadata of a page', async t => {
  const facts = read(`<!doctype html><html lang=" de-CH "><head><title>
    One &amp; <b>only</b></title><title>Second</title>
    <META NAME=Description CONTENT="  Says&nbsp;&quot;all&quot; ">
    <meta name=description content=late><meta name=robots content="NoIndex, follow"><meta name=robots content="follow,max-snippet:-1">
    <meta property="og:title" content="OG"><meta property="og:title" content="no"><meta name="og:image:width" content="5"><meta property="og:empty" content="">
    <meta name="twitter:card" content="summary"><meta property="og:__proto__" content="x">
    <link rel="ALTERNATE canonical" href="../c?x=1&amp;y=2"><link rel=canonical href=/late><link rel=alternate hreflang="EN-us" href=/en>
    <link rel=alternate hreflang=fr href="mailto:x"><meta http-equiv=Refresh content="5; URL='/next'"></head>
    <body><h1>First <i>head</i>ing</h1><h1><img alt="Second"></h1><h1> </h1><h2>A<h3>B</h4>not</body>`)
  t.equal(facts.title, 'One & <b>only</b>', 'the first title, as text')
  t.equal(facts.description, 'Says "all"', 'the first description, decoded and collapsed')
  t.equal(facts.lang, 'de-CH', 'its language')
  t.same(facts.robotsMeta, ['noindex', 'follow', 'max-snippet:-1'], 'all distinct robots directives')
  t.equal(facts.canonical, 'https://example.com/c?x=1&y=2', 'the first canonical address')
  t.same(facts.hreflang, { 'EN-us': 'https://example.com/en' }, 'its translations, as they are written')
  t.equal(facts.refresh, 'https://example.com/next', 'the target of its refresh')
  t.same(facts.metadata.og, { title: 'OG', 'image:width': '5' }, 'Open Graph, the first of each name')
  t.same(facts.metadata.twitter, { card: 'summary' }, 'its Twitter card')
  t.same([facts.h1, facts.h2, facts.h3], [['First heading', 'Second'], ['A'], ['B']], 'its headings')
  t.same(JSON.parse(JSON.stringify(facts)), facts, 'as plain data')

  t.equal(
    read('<svg><title>Icon</title></svg><title>Page</title>').title,
    'Page',
    'the title of a drawing does not count',
  )
  t.equal(
    read('<noscript><meta http-equiv=refresh content="0;/x"><title>x</title></noscript>').refresh,
    null,
    'statements in noscript do not count',
  )
  for (const [content, target] of [
    ['0', null],
    ['1;/a', '/a'],
    ['.5, url = /a', '/a'],
    ['3 /a', '/a'],
    ['0; url="/a"b', '/a'],
    ['x;/a', null],
    ['5;url=', null],
  ]) {
    t.equal(
      read(`<meta http-equiv=refresh content='${content}'>`).refresh,
      target === null ? null : `https://example.com${target}`,
      `a refresh of ${content}`,
    )
  }
  const empty = read('')
  t.same(
    [empty.title, empty.description, empty.canonical, empty.lang, empty.links],
    [null, null, null, null, []],
    'an empty page has no metadata',
  )
})

test('JSON-LD', async t => {
  const jsonLd = (...blocks: string[]) =>
    read(blocks.map(block => `<script type="application/ld+json; charset=utf-8">${block}</script>`).join(''))
      .metadata.json_ld
  t.same(
    jsonLd('{"a":1}', '{broken', '[{"b":2},3,[4]]', '"text"', 'null'),
    [{ a: 1 }, { b: 2 }],
    'is kept if it is complete',
  )
  t.same(jsonLd('{"a":"<b>&amp;"}'), [{ a: '<b>&amp;' }], 'is not decoded')
  t.same(jsonLd('{"a":"\\u0000\\ud800"}'), [{ a: '\ufffd\ufffd' }], 'has only storable characters')
  const [polluted] = jsonLd('{"__proto__":{"x":1},"a":{"__pro\\u0074o__":2}}')
  t.equal(JSON.stringify(polluted), '{"a":{}}', 'cannot change prototypes')
  t.same(jsonLd(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, '['.repeat(200_000)), [], 'has a maximum depth')
  t.same(jsonLd(`{"a":"${'x'.repeat(600_000)}"}`, '{"b":1}'), [{ b: 1 }], 'has a maximum length')
  t.same(read('<script>{"a":1}</script>').metadata.json_ld, [], 'needs its media type')
})

test('Links', async t => {
  t.same(
    linksOf('<a href="x?a=1&amp;b=2&copy=3">  A <b>b</b>\n c </a>'),
    ['/dir/x?a=1&b=2&copy=3 A b c'],
    'have their target and their text',
  )
  t.same(linksOf('<A HREF=/a>1<a href=/b>2</a>3</a>'), ['/a 1', '/b 2'], 'do not nest')
  t.same(linksOf('<div><a href=/a>1</div>2<p>3'), ['/a 1 2 3'], 'continue if they are not closed')
  t.same(
    linksOf(
      '<a href=/a><img alt="Pic &lt;1&gt;">x</a><a href=/b><svg><title>t</title><text>s</text></svg></a>',
    ),
    ['/a Pic <1> x', '/b s'],
    'may be images',
  )
  t.same(
    linksOf(
      '<svg><a xlink:href=/old><text>s</text></a><a href=/b xlink:href=/c /></svg><a xlink:href=/d>d</a>',
    ),
    ['/old s', '/b'],
    'may state their target as xlink:href in SVG',
  )
  const lazy = (alt: string) =>
    `<img class=lazy alt="${alt}" data-src=/1.jpg><noscript><img alt="Foo" src=/1.jpg></noscript>`
  t.same(linksOf(`<a href=/p>${lazy('Foo')}</a>`), ['/p Foo'], 'name a lazily loaded image once')
  t.same(read(`<h1>${lazy('Foo')}</h1>`).h1, ['Foo'], 'as headings do')
  t.same(linksOf(`<a href=/p>${lazy('')}</a>`), ['/p Foo'], 'by its fallback, if only that has a text')
  t.same(read(`<h1>${lazy('')}</h1>`).h1, ['Foo'], 'as headings do')
  const early =
    '<noscript><img src=/l.png alt="Foo"></noscript><img class=lazyload data-src=/l.png alt="Foo">'
  const logo = read(`<h1><a href=/p>${early}</a></h1>`)
  t.same([logo.links[0]?.anchor, logo.h1], ['Foo', ['Foo']], 'also if the fallback comes first')
  t.same(linksOf('<a href=/p><noscript>Foo</noscript><b>Foo</b></a>'), ['/p Foo'], 'nor a text twice')
  t.same(linksOf('<a href=/p><noscript><p>F<p>oo</noscript></a>'), ['/p F oo'], 'unless it is the only one')
  t.same(
    linksOf('<noscript><a href=/p><img alt=One><img alt=Two></a></noscript><a href=/q><img alt=Three></a>'),
    ['/p One Two', '/q Three'],
    'and all images of a link in noscript',
  )
  t.same(
    linksOf('<frameset><frame src=menu.html title=Menu><frame src=#x><frame></frameset>'),
    ['/dir/menu.html Menu'],
    'are the frames of a frameset',
  )
  t.same(linksOf('<map><area href=/a alt=Area><area alt=none></map>'), ['/a Area'], 'may be areas')
  t.same(
    linksOf(
      '<a>x</a><a href="#top">x</a><a href="mailto:x@y">x</a><a href="javascript:x">x</a><a href="http://[">x</a>',
    ),
    [],
    'lead to pages',
  )
  t.same(
    linksOf(
      '<template><a href=/a></a></template><noscript><a href=/b>b</a></noscript><script>"<a href=/c>"</script><!--<a href=/d>--><textarea><a href=/e></textarea><iframe src=/f><a href=/g></iframe>',
    ),
    ['/b b'],
    'are part of the page',
  )
  t.same(
    linksOf(
      '<template><template></template><a href=/a></a></template><template shadowrootmode=open><a href=/b></a></template><a href=/c>',
    ),
    ['/b', '/c'],
    'in a shadow root are too',
  )
  t.same(
    linksOf('<a href=/a href=/b title="&gt;"class=x>1</a><a b="<a href=/c>" href=/d>2</a>'),
    ['/a 1', '/d 2'],
    'have one address',
  )
  t.same(linksOf('<a href=" &#x2f;a&#10;b ">x</a>'), ['/ab x'], 'are decoded and trimmed')
  t.same(
    linksOf('<a href=b><base href="/base/"><base href=/late/><a href=c>'),
    ['/base/b', '/base/c'],
    'use the first base at any position',
  )
  t.same(
    linksOf('<base target=x><base href="javascript:x"><base href=/late/><a href=b>'),
    ['/dir/b'],
    'ignore an unusable base, and all after it',
  )
  t.same(
    linksOf('<base href=/other><a href="#top">x</a><map><area href=" #y" alt=Area></map>'),
    ['/other x', '/other Area'],
    'are anchors in the page that the base names',
  )
  for (const base of ['', ' href="javascript:x"', ' href=page', ' href="https://example.com/dir/page#part"'])
    t.same(linksOf(`<base${base}><a href="#top">x</a>`), [], `but none with <base${base}>`)
  for (const [base, target] of [
    ['../up/', '/up/b'],
    ['sub/', '/dir/sub/b'],
    ['//example.com/x/y', '/x/b'],
    [' /trimmed/ ', '/trimmed/b'],
    ['?q=1', '/dir/b'],
    ['', '/dir/b'],
    ['data:text/html,x', '/dir/b'],
    ['mailto:x@y', '/dir/b'],
    ['http://[', '/dir/b'],
  ]) {
    t.same(linksOf(`<base href="${base}"><a href=b>`), [target], `take a base of "${base}" as browsers do`)
  }
  t.same(
    linksOf(
      '<template><base href=/t/></template><svg><base href=/s/></svg><noscript><base href=/n/></noscript><a href=b>',
    ),
    ['/dir/b'],
    'ignore a base that is not part of the page',
  )
  t.same(
    read('<base href=/x/><link rel=canonical href=c>').canonical,
    'https://example.com/x/c',
    'as do all addresses',
  )
  const [link] = read('<a href=/ rel=" UGC  NoFollow ">x</a>').links
  t.same([link?.rel, link?.nofollow], ['UGC NoFollow', true], 'may be marked as nofollow')
  const [listed] = read('<a href=/ rel="ugc,nofollow">x</a>').links
  t.same([listed?.rel, listed?.nofollow], ['ugc,nofollow', true], 'also in a list with commas')
  const [other] = read('<a href=/ rel="nofollowed">x</a>').links
  t.same([other?.rel, other?.nofollow], ['nofollowed', false], 'need the exact keyword')
  t.equal(
    read(`<a href=/>${'ü '.repeat(300)}</a>`).links[0]?.anchor,
    'ü '.repeat(100).trim(),
    'have texts of at most 200 characters',
  )
  t.equal(read('<a href=/a>'.repeat(50_001)).links.length, 50_000, 'are at most 50,000')
})

test('The visible text', async t => {
  t.same(countsOf('<p>one two</p><p>three</p>'), [13, 3], 'is split by blocks')
  t.same(countsOf('<p>o<b>n</b>e<br>two<!-- x -->s'), [8, 2], 'is not split by inline elements')
  t.same(countsOf(' \n\t\0 a&nbsp;\u3000\u2003b '), [3, 2], 'has single spaces')
  t.same(countsOf('😀&#x1F600; é\ud800'), [5, 1], 'is counted in characters')
  t.same(
    countsOf(
      '<head><title>x</title><style>x</style></head><script>x</script><noscript>x<p>x</noscript><template>x</template><textarea>x</textarea><iframe>x</iframe><svg><style>x</style><title>x</title><desc>y</desc></svg>',
    ),
    [1, 1],
    'is the text that readers see',
  )
  t.same(
    countsOf(
      '<svg><foreignObject><title>x</title><p>in</p></foreignObject><text>a</text><![CDATA[b]]></svg><![CDATA[c]]>',
    ),
    [6, 3],
    'continues in drawings',
  )
  t.same(countsOf('<svg><title>x<p>out <script>x</script>'), [3, 1], 'continues after an unclosed drawing')
  t.same(countsOf('<noscript>x<body>out'), [3, 1], 'and after an unclosed head')
  t.same(countsOf('a < b &amp; c & d &notit; &lt;p> &#xZ;'), [28, 7], 'is decoded by the standard')
})

test('The content hash', async t => {
  const hash = (html: string) => read(html).contentHash
  const plain = hash(document('<p>Some <a href=/x>text</a></p>'))
  t.match(plain, /^[0-9a-f]{64}$/, 'is a SHA-256')
  const same: [string, string, string?][] = [
    ['white space', '\n <p>\tSome\n<a href=/x>text</a> </p>\n'],
    ['attributes', '<p class=y data-nonce=1>Some <a id=z href="/x#f">text</a></p>'],
    [
      'scripts, styles and comments',
      '<script nonce=5>1</script><style>p{}</style><!-- 9 --><p>Some <a href=/x>text</a></p>',
    ],
    [
      'tokens in the head',
      '<p>Some <a href=/x>text</a></p>',
      '<meta name=csrf-token content=123><link rel=stylesheet href=/s?v=2>',
    ],
    ['markup in a line', '<div>Some <b><a href=/x>te<i>x</i>t</a></b></div>'],
    ['the order of attributes', '<p>Some <a rel=x href=/x class="b a">text</a></p>'],
    [
      'nonces and tokens in forms',
      '<p>Some <a href=/x>text</a></p><input type=hidden name=token value=8c1f>',
    ],
    [
      'the time of rendering',
      '<!-- rendered 2026-01-02T03:04:05Z --><p>Some <a href=/x>text</a></p><!--12 ms-->',
    ],
    [
      'advertisements in scripts',
      '<p>Some <a href=/x>text</a></p><script>ad("<p>Buy</p>")</script><noscript></noscript>',
    ],
    ['frames of others', '<p>Some <a href=/x>text</a></p><iframe src="/ad?9"></iframe>'],
  ]
  for (const [what, body, head] of same) t.equal(hash(document(body, head)), plain, `is blind to ${what}`)
  const words = '<p>Some <a href=/x>text</a></p>'
  const shuffled = (...tags: string[]) =>
    t.equal(
      hash(document(words, tags.join(''))),
      hash(document(words, tags.toReversed().join(''))),
      `is blind to the order of ${tags[0]}`,
    )
  shuffled('<meta property="og:type" content=a>', '<meta property="og:title" content=b>')
  shuffled('<meta name="twitter:card" content=a>', '<meta name="twitter:site" content=b>')
  shuffled('<link rel=alternate hreflang=de href=/de>', '<link rel=alternate hreflang=fr href=/fr>')
  shuffled('<meta name=robots content=noindex>', '<meta name=robots content=nofollow>')
  const translated = (code: string) => hash(document(words, `<link rel=alternate hreflang=${code} href=/x>`))
  t.equal(translated('en-GB'), translated('en-gb'), 'is blind to the case of a language code')
  const other: [what: string, html: string][] = [
    ['the text', document('<p>Some <a href=/x>test</a></p>')],
    ['a word that joins another', document('<p>Some<a href=/x>text</a></p>')],
    ['the target of a link', document('<p>Some <a href=/y>text</a></p>')],
    ['the title', document('<p>Some <a href=/x>text</a></p>').replace('>T<', '>U<')],
    ...Object.entries({
      'a description': '<meta name=description content=d>',
      'a canonical address': '<link rel=canonical href=/c>',
      'robots directives': '<meta name=robots content=noindex>',
      'a translation': '<link rel=alternate hreflang=de href=/de>',
      'structured data': '<script type=application/ld+json>{"a":1}</script>',
      'Open Graph': '<meta property="og:type" content=d>',
      'a Twitter card': '<meta name="twitter:type" content=d>',
    }).map(([what, head]): [string, string] => [what, document('<p>Some <a href=/x>text</a></p>', head)]),
  ]
  const seen = new Set([plain])
  for (const [what, html] of other) {
    t.notOk(seen.has(hash(html)), `sees ${what}`)
    seen.add(hash(html))
  }
  const long = 'word '.repeat(40_000)
  t.not(hash(`${long}a`), hash(`${long}b`), 'covers the end of a long page')
})

test('A page is read in steps, and another may be read between them', async t => {
  const long = document(
    Array.from({ length: 12_000 }, (_, n) => `<a href="/${n}">Link ${n}</a> and text`).join(' '),
  )
  const alone = read(long)
  const steps = readPage(long, { url: 'https://example.com/dir/page', resolve, createResolver })
  let count = 0
  for (let step = steps.next(); ; step = steps.next(), count++) {
    if (step.done) {
      t.strictSame(step.value, alone)
      break
    }
    read(document(`<h1>Other ${count}</h1><a href=/x>x</a>`))
  }
  t.ok(count >= 3, `${count} steps`)
})

test('A selector', async t => {
  const nested = (levels: number) => `${':not('.repeat(levels)}a${')'.repeat(levels)}`
  const quoted = [
    `[a="${'('.repeat(40)}"]`,
    `p:contains("${'('.repeat(40)}${')'.repeat(40)}")`,
    '\\('.repeat(40),
  ]
  for (const valid of [nested(16), 'a'.repeat(500), ':is(a)'.repeat(40), ...quoted])
    t.equal(selectorFault(valid), null, valid)
  t.match(selectorFault(`[a="]"]${nested(17)}`), /nested more than 16 levels/)
  for (const text of [':contains([)', ":contains(')", '[a=[]', '[a=")"]', '\\:not\\('])
    t.match(selectorFault(`${text} ${nested(17)} ${text}`), /nested more than 16 levels/, text)
  t.match(selectorFault(`:nth-child(1 of ${nested(16)})`), /nested more than 16 levels/, 'after "of"')
  t.match(selectorFault(`:n\\6ft(${nested(16)})`), /nested more than 16 levels/, 'a name with an escape')
  t.match(selectorFault('a'.repeat(501)), /more than 500 characters/)
  const began = process.cpuUsage().user
  for (const levels of [1_000, 80])
    t.ok(selectorFault(nested(levels)), `is not compiled with ${levels} levels`)
  t.ok(process.cpuUsage().user - began < 2e5, 'hostile ones take little time')
})
