/** Title, author and days are found in all their places, and better sources win. */
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { articleOf, pageUrl, paragraphs, site } from './article.examples.ts'
import { readArticle } from './read-article.ts'

const page = (head: string, body: string, lang = 'en') =>
  `<html lang=${lang}><head>${head}</head><body><main>${body}${paragraphs(4)}</main></body></html>`
const titleOf = (head: string, body = '') => articleOf(page(head, body)).title
const bylineOf = (head: string, body = '') =>
  articleOf(page(head, `<h1>Moss instead of grass</h1>${body}`)).byline
const dayOf = (head: string, body = '', url?: string, lang = 'en') =>
  articleOf(page(head, `<h1>Moss instead of grass</h1>${body}`, lang), url).published
const jsonLd = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`

test('The title', async t => {
  t.equal(articleOf(site('')).title, 'Moss instead of grass', 'is the heading')
  t.equal(
    titleOf('<title>Moss and me - Example</title>'),
    'Moss and me',
    'else the title of the page without the name of the site',
  )
  t.equal(
    titleOf('<meta property="og:title" content="A moss book | Shop"><title>x</title>'),
    'A moss book',
    'or the title for sharing',
  )
  t.equal(
    titleOf('<title>古い灯台 | 新聞</title>', '<h1><ruby>古<rt>ふる</rt></ruby>い灯台</h1>'),
    '古い灯台',
    'without the readings of its characters',
  )
  for (const link of ['<a href="#c">#</a>', ' <a class=header-anchor href="#c">\u200b</a>', ''])
    t.equal(titleOf('<title>Moss in C# | Example</title>', `<h1>Moss in C#${link}</h1>`), 'Moss in C#', link)
  t.equal(
    titleOf('<title>Moss in May :: The Garden</title>', '<h1>The Garden</h1><h1>Moss in May</h1>'),
    'Moss in May',
    'of several headings the one that equals the title of the page',
  )
  t.equal(
    titleOf('<title>Deep moss | Example</title>', '<h1>Example</h1><h2>Deep moss</h2>'),
    'Deep moss',
    'and not the name of the site',
  )
  t.equal(
    titleOf(
      '<title>Deep and dry moss - The Gardener of the North</title>',
      '<h1>The Gardener of the North</h1><h2>Deep and dry moss</h2>',
    ),
    'Deep and dry moss',
    'and not the title of the whole book',
  )
  t.equal(
    titleOf(
      '<title>How moss came to town - Example</title>',
      '<h1>A message from our founder, Ada Moss:</h1>',
    ),
    'How moss came to town',
    'and not the announcement of a text',
  )
  t.equal(
    titleOf('<title>lawns [The Garden Book]</title>', '<h1></h1><h1>Lawns</h1>'),
    'Lawns',
    'also of one word, if a name in brackets follows it in the title of the page',
  )
  t.equal(titleOf('<title>Deep and dry moss│The North</title>'), 'Deep and dry moss', 'without a drawn line')
  t.equal(
    titleOf(
      '<title>The moss report of spring</title>',
      '<h1>News & Views of today</h1><h3>The moss report of spring</h3>',
    ),
    'The moss report of spring',
    'and not the name of the section',
  )
  t.equal(
    titleOf(
      '<title>The Gardener - Deep and dry moss</title>',
      '<h2>The Gardener</h2><h1>Deep and dry moss</h1>',
    ),
    'Deep and dry moss',
    'whose name may be the first part of the title',
  )
  t.equal(
    titleOf('<title>ノートの作り方：独立行政法人情報処理推進機構</title>', '<h1>ノートの作り方</h1>'),
    'ノートの作り方',
    'also in scripts without spaces, whose words have long vowels',
  )
  t.equal(
    titleOf('<title>Example! Moss</title>', '<h1>Moss</h1>'),
    'Moss',
    'even if all titles name the site',
  )
  for (const heading of [
    '<h1><span>27.01.2022</span>The moss report</h1>',
    '<h1><span><small>Unit of the week</small><br>The moss report</span></h1>',
    '<h1>The moss report <small>Welcome to the green north</small></h1>',
  ]) {
    const title = titleOf('<title>Reports | The moss report | Example</title>', heading)
    t.equal(title, 'The moss report', `is the part of ${heading} that is stated`)
  }
  t.equal(
    titleOf('<title>Green: The moss report</title>', '<h1><small>Green:</small> The moss report</h1>'),
    'Green: The moss report',
    'or all of it',
  )
  const wiki = '<h1 class="logo"><a href="/doku.php?id=start"><span>Firm Wiki</span></a></h1>'
  for (const [html, title] of [
    [`${wiki}<h1 id="install">Installing the server</h1>`, 'Installing the server'],
    [`${wiki}<h1 id="servers">Servers</h1>`, 'install'],
    [wiki, 'Firm Wiki'],
    ['<h1>Servers</h1>', 'install [Firm Wiki]'],
  ] as const)
    t.equal(titleOf('<title>install [Firm Wiki]</title>', html), title, `and not the name of a wiki: ${html}`)
  t.equal(
    titleOf('<title>Moss mats</title>', '<h1>Example moss mats for gardens</h1><h2>Example News</h2>'),
    'Example moss mats for gardens',
    'and may begin with the domain of the site',
  )
  t.equal(titleOf('<title>Moss - Example News</title>'), 'Moss', 'unless only words for a site follow')
  t.equal(
    titleOf(
      '<title>Moss - a love story - Green Press</title><meta property="og:title" content="Moss - a love story">',
    ),
    'Moss - a love story',
    'with its separators, if another title only adds the site',
  )
  t.equal(
    titleOf('<title>The Green Blog: Moss in May</title>', '<h3>Moss in May</h3>'),
    'Moss in May',
    'and not the name of the blog before it',
  )
  t.equal(
    titleOf('<title>Green: The moss report | Press</title>', '<h1><b>Green:</b><b>The moss report</b></h1>'),
    'Green: The moss report',
    'with the spaces of the title of the page',
  )
  t.equal(
    titleOf('<title>Dry moss - Forum</title>', '<h1>Thread: Dry moss</h1>'),
    'Dry moss',
    'without a label',
  )
  t.equal(
    titleOf('<title>Discussion: dry moss | Forum</title>', '<h1>Discussion: dry moss</h1>'),
    'Discussion: dry moss',
    'unless the title of the page has it too',
  )
  t.equal(titleOf('', '<h1>Install¶</h1>'), 'Install', 'without the mark of its link')
  t.equal(titleOf('<title></title>'), null, 'null without a title')
})

test('The author', async t => {
  const author = (value: unknown) => jsonLd({ '@type': 'BlogPosting', author: value })
  t.equal(bylineOf(author({ '@type': 'Person', name: 'Ada Moss' })), 'Ada Moss', 'is stated in JSON-LD')
  t.equal(bylineOf(author([{ name: 'Ada Moss' }, 'Bo Lichen'])), 'Ada Moss, Bo Lichen', 'several are')
  t.equal(
    bylineOf(
      jsonLd({
        '@graph': [
          { '@type': 'Article', author: { '@id': '#p' } },
          { '@id': '#p', '@type': 'Person', name: 'Ada Moss' },
        ],
      }),
    ),
    'Ada Moss',
    'by reference',
  )
  for (const [head, name] of [
    ['<meta name=author content="By Ada Moss">', 'Ada Moss'],
    ['<meta name=author content="Ada Moss and Bo Lichen">', 'Ada Moss, Bo Lichen'],
    [
      '<meta name=author content="https://example.com/ada"><meta name=dc.creator content="Ada Moss">',
      'Ada Moss',
    ],
    [
      '<meta name=citation_author content="Moss, Ada"><meta name=citation_author content="Lichen, B. C.">',
      'Ada Moss, B. C. Lichen',
    ],
    ['<meta name=dc.creator content="Moss, Ada">', 'Ada Moss'],
    ['<meta name=dc.creator content="Ada Moss, Bo Lichen">', 'Ada Moss, Bo Lichen'],
    ['<meta name=citation_author content="Ada Moss, PhD">', 'Ada Moss'],
    ['<meta name=author content="admin">', null],
    ['<meta name=author content="Example"><meta name=parsely-author content="Ada Moss">', 'Ada Moss'],
    [
      '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada Moss">',
      'Ada Moss',
    ],
  ] as const) {
    t.equal(bylineOf(head), name, `is ${name} for ${head}`)
  }
  for (const [line, name] of [
    ['<p><a rel=author href=/ada>Ada Moss</a></p>', 'Ada Moss'],
    ['<p>By Ada Moss</p>', 'Ada Moss'],
    ['<p>By</p><p>Ada Moss</p>', 'Ada Moss'],
    ['<p>Von Jürgen von der Lippe, 3. Mai 2020</p>', 'Jürgen von der Lippe'],
    ['<p>Par Loïc Le Clerc | 30 septembre 2018</p>', 'Loïc Le Clerc'],
    ['<p>Posted on May 3, 2020 by Ada Moss</p>', 'Ada Moss'],
    ['<div class="article-byline">By<span>Ada Moss</span> Senior Writer @adamoss</div>', 'Ada Moss'],
    ['<div class="author-name">Ada Moss</div>', 'Ada Moss'],
    ['<p>Ada Moss</p><p>May 3, 2020</p>', 'Ada Moss'],
    ['<p>著者：山田太郎</p>', '山田太郎'],
    ['<p>By the sea, moss grows.</p>', null],
    ['<p>Read more</p><p>May 3, 2020</p>', null],
    ['<div class="comments"><span class="author">Bo Lichen</span></div>', null],
    ['<p>May 3, 2020</p><div class="subscribe-links"><a>Pod Cast</a> <a>Ear Drum</a></div>', null],
  ] as const) {
    t.equal(bylineOf('', line), name, `is ${name} for ${line}`)
  }
})

test('The day', async t => {
  const day = '2020-05-03'
  for (const [head, body, lang] of [
    [jsonLd({ '@type': 'Article', datePublished: '2020-05-03' }), '', 'en'],
    [jsonLd({ '@type': 'JobPosting', datePosted: '2020-05-03' }), '', 'en'],
    ['<meta property="article:published_time" content="2020-05-03">', '', 'en'],
    ['<meta name="DC.date.issued" content="2020-05-03">', '', 'en'],
    ['', '<time datetime="2020-05-03">yesterday</time>', 'en'],
    ['', '<p>Ada wrote this <relative-time datetime="2020-05-03">on May 4</relative-time></p>', 'en'],
    ['', '<span itemprop=datePublished content="2020-05-03">x</span>', 'en'],
    ['', '<p>May 3rd, 2020</p>', 'en'],
    ['', '<p>Published 05/03/2020</p>', 'en-US'],
    ['', '<p>03/05/2020</p>', 'en-GB'],
    ['', '<p>3. Mai 2020</p>', 'de'],
    ['', '<p>03.05.2020, 12:00 Uhr</p>', 'de'],
    ['', '<p>Publié le 3 mai 2020</p>', 'fr'],
    ['', '<p>3 de mayo de 2020</p>', 'es'],
    ['', '<p>2020年5月3日</p>', 'ja'],
  ] as const) {
    t.equal(dayOf(head, body, undefined, lang), day, `is read from ${head}${body} (${lang})`)
  }
  t.equal(dayOf('', '', 'https://example.com/2020/05/03/moss'), day, 'is read from the address')
  t.equal(
    dayOf('<meta property="article:published_time" content="2020-05-03T10:00:00+02:00">'),
    '2020-05-03T10:00:00+02:00',
    'has its time if that is known',
  )
  t.equal(
    dayOf('<meta name="article:modified_time" content="2021-01-01">', '<p>May 3, 2020</p>'),
    day,
    'is not the day of a change',
  )
  t.equal(
    dayOf(
      jsonLd({ '@type': 'Article', datePublished: '2024-01-01' }),
      '<p>May 3, 2020</p>',
      'https://example.com/2020/05/03/moss',
    ),
    day,
    'is the day with the most evidence',
  )
  for (const [body, because] of [
    ['<p>Published May 3, 2020. Updated June 4, 2021</p>', 'precedes the day of a change in its line'],
    ['<p>edited Aug 1, 2022</p><p>asked May 3, 2020</p>', 'is not the day of an edit'],
    [
      '<div>2020-05-03 · Updated 2020-06-04</div><time datetime=2018-03-03>x</time>',
      'begins the line with the day of a change',
    ],
    ['<p>2022年8月1日 更新</p><p>2020年5月3日</p>', 'is not the day before a word for a change'],
    ['<p>May 3, 2020 by Ada</p>', 'is nearer to the title than other days'],
  ] as const) {
    const teasers = '<p>Moss is dry</p><p>Jan 2, 2024</p><p>Moss is wet</p>'
    t.equal(articleOf(page('', `${teasers}<h1>Moss instead of grass</h1>${body}`)).published, day, because)
  }
  for (const [head, body, because] of [
    ['', '<p>May 3, 2020</p>', 'is the day beside the title rather than that of the data'],
    ['<meta property=og:updated_time content=2024-02-02>', '<p>Feb 2, 2024</p>', 'unless that is a change'],
  ] as const) {
    const published = head === '' ? '2023-01-01' : day
    t.equal(dayOf(head + jsonLd({ '@type': 'Article', datePublished: published }), body), day, because)
  }
  const posts = '<p itemprop=datePublished content="2026-03-13">x</p>'.repeat(9)
  t.equal(dayOf('<meta name=date content="2020-05-03">', posts), day, 'is not the day of many teasers')
  t.equal(
    articleOf(page(jsonLd({ '@type': 'Article', dateModified: '2021-02-03' }), '')).modified,
    '2021-02-03',
    'the day of the last change is returned too',
  )
  t.equal(dayOf('<meta name=date content="99/99/2020">'), null, 'null for an impossible day')
  t.equal(dayOf('<meta name="_site.pub-date" content="2026-05-06">'), '2026-05-06')
  for (const name of ['_'.repeat(60), 'a_'.repeat(50), 'a.'.repeat(5_000), '-'.repeat(10_000)]) {
    const started = process.cpuUsage()
    t.equal(dayOf(`<meta name="${name}!" content="2026-05-06">`), null)
    t.ok(process.cpuUsage(started).user < 1_000_000, 'an ambiguous name takes little time')
  }
})

test('Data that was read before', async t => {
  const document = parseTree(page(jsonLd({ '@type': 'Article', author: 'Bo Lichen' }), ''))
  const structured = [{ '@type': 'Article', author: 'Ada Moss' }]
  t.equal(readArticle(document, { url: pageUrl, structured }).byline, 'Ada Moss', 'is not read again')
})

test('Other facts', async t => {
  const { siteName, lang, excerpt, leadImage } = articleOf(
    page(
      '<meta property="og:site_name" content="The Garden"><meta name=description content=" Moss  &amp; more. ">' +
        jsonLd({ '@type': 'NewsArticle', image: [{ url: '/a.jpg' }] }),
      '',
      'en-GB',
    ),
  )
  t.same(
    [siteName, lang, excerpt, leadImage],
    ['The Garden', 'en-GB', 'Moss & more.', 'https://www.example.com/a.jpg'],
  )
  t.match(
    articleOf(page('', '')).excerpt,
    /^Moss grows/,
    'the excerpt is the beginning of the text if the page has none',
  )
})
