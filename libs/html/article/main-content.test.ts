/** The main content of a page of any kind, as Markdown: all parts of the body, and nothing of the frame around it. */
import { documents } from '@tidemark/testing/documents'
import fc from 'fast-check'
import { test } from 'tap'
import { writeMarkdown } from '../markdown/write-markdown.ts'
import { parseTree } from '../tree/parse-tree.ts'
import { hostile } from '../tree/tree.examples.ts'
import { articleOf, links, mainOf, pageUrl, paragraphs, prose, site } from './article.examples.ts'

const section = (id: string, inside: string): string =>
  `<section id="${id.toLowerCase()}"><h2>${id}<a class="headerlink" href="#${id.toLowerCase()}">¶</a></h2>${inside}</section>`

/** Returns a page of a manual about a rake, with a frame whose texts contain the word `frame`. */
const manual = (
  inside: string,
  above = '',
): string => `<!doctype html><title>Rakes — Garden manual</title><body>
  <div class="nav related"><a href="/">frame home</a> <a href="next">frame next</a></div>
  <header><h1>Garden frame manual</h1></header>${above}<div class="content">
  <h1>Rakes<a class="headerlink" href="#rakes">¶</a></h1><p>${prose(0)}</p>
  <div class="index"><ul><li><a href="#cookies">frame Cookies</a><li><a href="#menu">frame Menu</a><li><a href="#end">frame End</a></ul></div>
  ${inside}</div><div class="sidebar"><h3>frame topics</h3><ul>${links(4)}</ul></div>
  <div class="footer"><p>All of this frame belongs to a gardener, who wrote it on a long winter evening.</p></div>`

test('The main content of an article', async t => {
  const output = mainOf(site('<figure><img src=moss.png alt=Moss><figcaption>Moss</figcaption></figure>'))
  t.match(output, /^# Moss instead of grass\n\n/, 'begins with its headline')
  t.ok(output.includes(prose(4)) && output.includes('![Moss](https://www.example.com/garden/moss.png)'))
  t.notMatch(output, /Most read|Another story|belongs to a gardener/, 'has nothing of the frame')
  const code = '<div class="highlight-sh"><pre>rake --deep</pre></div>'
  t.match(mainOf(site(code)), '```sh\nrake --deep\n```', 'has code with its language')
  const gallery = `<ul class="gallery mw-gallery-traditional"><li class="gallerybox"><div class="thumb"><img src=wall.png alt=Wall></div>
    <div class="gallerytext">A wall in Ghent</div></ul>`
  t.match(mainOf(site(gallery)), /!\[Wall\]\(.*wall\.png\).*A wall in Ghent/s, 'has its galleries')
  const sections = ['Moss lawns', 'Moss lawns in the shade'].map(title => `<h1>${title}</h1>${paragraphs(2)}`)
  const titles = mainOf(`<title>Moss lawns</title><main>${sections.join('')}</main>`).match(/^# .*/gm)
  t.strictSame(titles, ['# Moss lawns', '# Moss lawns in the shade'], 'has sections that resemble the title')
  t.equal(mainOf(`<p>${prose(1)}</p>`), `${prose(1)}\n`, 'needs no html and body tags')
  t.equal(mainOf('<nav><a href=/a>Tools</a></nav>'), '[Tools](https://www.example.com/a)\n', 'is never empty')
})

test('The headline', async t => {
  const topic = `<title>Moss dies in the sun - Support - Garden Forum</title><div id="main-outlet" role="main">
    <div id="topic-title"><h1><a href="/t/1">Moss dies in the sun</a></h1></div>
    <div itemscope itemtype="http://schema.org/DiscussionForumPosting">${[1, 2, 3]
      .map(
        at =>
          `<div id="post_${at}" class="topic-body"><div class="post" itemprop="text">${paragraphs(2, at)}</div></div>`,
      )
      .join('')}</div></div>`
  const output = mainOf(topic, 'https://www.example.com/t/moss/1')
  t.match(output, /^# \[?Moss dies in the sun/, 'is no list of links, although it is a link')
  t.notMatch(output, /Support|Garden Forum/)
  const card = `<div class="recipe-card"><h2 class="recipe-name">Moss soup</h2><ul><li>One litre of water, boiled.</li></ul></div>`
  const recipe = `<title>Moss soup - Kitchen</title><body><main><article><header><h1 class="entry-title">Moss soup</h1></header>
    <div class="entry-content">${paragraphs(4)}${card}</div></article></main>`
  const soup = mainOf(recipe)
  t.ok(
    soup.startsWith(`# Moss soup\n\n${prose(0)}`),
    'is the heading above the text, not one that repeats it',
  )
  t.notMatch(soup, '## Moss soup')
  t.match(soup, 'One litre of water')
  const sections = ['Why it came', 'Food and water'].map(
    (name, n) => `<h1>${name}</h1>${paragraphs(2, n * 2)}`,
  )
  const post = `<title>Bats of the tower - Site</title><main><article><header><h1>Bats of the tower</h1></header>
    <div class="entry-content">${sections.join('')}</div></article></main>`
  const titles = mainOf(post).match(/^# .*/gm)
  t.strictSame(titles, ['# Bats of the tower', '# Why it came', '# Food and water'], 'is above its sections')
  t.match(articleOf(post).text, /^Why it came\n/, 'the text of the article begins with the first section')
  const logo = `<title>Moss Garden</title><header><h1><a href="/">Moss Garden</a></h1></header>
    <main><article><h1>Why bats came to town</h1>${paragraphs(4)}</article></main>`
  t.strictSame(mainOf(logo).match(/^# .*/gm), ['# Why bats came to town'], 'is not the name of the site')
})

test('A gallery of long captions', async t => {
  const figure = (caption: string) =>
    `<figure><img src="/m.jpg" alt="Moss"><figcaption>${caption}</figcaption></figure>`
  const captions = [prose(0), `${prose(1)} ${prose(2)}`, prose(3), prose(4)]
  const items = captions.map(caption => `<li>${figure(caption)}</li>`).join('')
  const page = (inside: string) => `<title>Moss in pictures</title><body><nav><ul>${links(5)}</ul></nav><main>
    <h1>Moss in pictures</h1>${inside}</main><footer>All of this belongs to a gardener, who wrote it in winter.</footer>`
  const output = mainOf(page(`<p>Four walls, in four towns.</p><ul>${items}</ul>`))
  for (const caption of captions) t.ok(output.includes(caption), 'has all captions')
  t.match(output, 'Four walls, in four towns.')
  const { text } = articleOf(page(`<ul>${items}</ul>`))
  for (const caption of captions) t.ok(text.includes(caption), 'so has the text of the article')
  const introduced = page(
    `<article>${paragraphs(5)}${figure(`${prose(5)} ${prose(6)}`).repeat(20)}</article>`,
  )
  for (const result of [articleOf(introduced).text, mainOf(introduced)]) {
    t.ok(result.includes(prose(0)) && result.includes(prose(6)), 'has them also below a longer introduction')
    t.notMatch(result, /Another story|gardener, who/, 'without the frame')
  }
  const article = articleOf(page(`${paragraphs(6, 6)}${figure(prose(0))}`)).text
  t.notMatch(article, prose(0), 'the text of an article has no captions')
  const long = `${prose(6)} ${prose(7)}`
  const withLongCaptions = articleOf(page(`${paragraphs(4, 8)}${figure(long).repeat(5)}`)).text
  t.notMatch(withLongCaptions, long, 'also if its captions have more words')
})

test('A page without prose', async t => {
  const page = (
    inside: string,
  ) => `<title>Moss</title><body><nav><ul>${links(5)}</ul></nav><main><article><header><h1>Moss</h1>
    <div class="entry-meta"><time>20 February 2024</time> by Ada</div></header>${inside}</article></main><footer>Powered by moss</footer>`
  const gallery = page(`<p>Ten days of snow.</p><figure><img src="/moss.jpg" alt="Cushion">
    <figcaption>A cushion at dawn</figcaption></figure>`)
  const song = page(
    '<h2>Moss song lyrics</h2><div>[Chorus]<br>Roll, moss<br>Roll on<br>Down by the wall</div>',
  )
  for (const output of [mainOf(gallery), articleOf(gallery).text]) {
    t.match(output, 'Ten days of snow.', 'has the text of its main element')
    t.match(output, 'A cushion at dawn', 'with the captions of its images')
    t.notMatch(output, /Another story|Powered by/, 'without the frame')
  }
  t.match(mainOf(gallery), '![Cushion](https://www.example.com/moss.jpg)', 'and with its images')
  for (const output of [mainOf(song), articleOf(song).text])
    t.match(output, /Chorus.*Down by the wall/s, 'has the lines of a song, not only its heading')
})

test('Declarative shadow roots', async t => {
  const root = (inside: string) => `<template shadowrootmode="open"><style>p{}</style>${inside}</template>`
  const page = `<title>Moss lawns</title><body><garden-app>
    ${root(
      `<header><nav><ul>${links(4)}</ul></nav></header><main><garden-article>${root(
        `<article><h1>Moss lawns</h1>${paragraphs(3)}<p>Moss <x-mark>${root('<b>grows</b>')}</x-mark> slowly.</p>
      <div class="related">${root(`<ul>${links(3)}</ul>`)}</div><slot></slot></article>`,
      )}<p>${prose(9)}</p></garden-article></main><footer>A long sentence, which belongs to the frame, is here.</footer>`,
    )}
    </garden-app><template><p>Inert moss.</p></template>`
  const { text, content, title } = articleOf(page)
  t.equal(title, 'Moss lawns')
  const expected = [0, 1, 2].map(prose)
  t.equal(text, [...expected, 'Moss grows slowly.', prose(9)].join('\n\n'), 'are read as their elements are')
  t.notMatch(content, 'template', 'the content has no templates')
  const markdown = mainOf(page)
  t.ok(markdown.startsWith(`# Moss lawns\n\n${prose(0)}\n`), 'the Markdown begins with the headline')
  t.ok(markdown.includes('Moss **grows** slowly.') && markdown.includes(prose(9)))
  t.notMatch(markdown, /Another story|the frame|Inert/, 'and has nothing of the frame')
})

test('Images that open in a lightbox', async t => {
  const image = '<a class="lightbox" href="/large.jpg"><img src="/small.jpg" alt="Moss"></a>'
  const shown = '[![Moss](https://www.example.com/small.jpg)](https://www.example.com/large.jpg)'
  for (const html of [
    `<p>${image}</p>`,
    `<div class="lightbox-wrapper">${image}</div>`,
    `<div class="lightbox-wrapper"><span>${image}</span></div>`,
    `<div class="lightbox-wrapper">${image.replace('</a>', '<span class="meta">1 MB</span></a>')}</div>`,
  ]) {
    t.match(mainOf(site(html)), shown.slice(1, -34), html)
    t.match(articleOf(site(html)).content, '<img src="https://www.example.com/small.jpg" alt="Moss">', html)
  }
  t.match(mainOf(site(`<p>${image}</p>`)), shown)
  const viewer = '<div class="lightbox"><a href="/p">Previous</a><a href="/n">Next</a></div>'
  t.notMatch(mainOf(site(viewer)), 'Previous', 'the viewer itself is left out')
  t.notMatch(mainOf(site('<div class="popup"><a href="/join">Join us for free</a></div>')), 'Join us')
})

test('The main content of a page that scripts hide', async t => {
  const article = `<main><article><h1>Moss lawns</h1>${paragraphs(4)}</article></main>`
  const behind = `<body><div id="root" aria-hidden="true">${article}</div>
    <div role="dialog" aria-modal="true"><h2>We use cookies</h2><p>Accept them all.</p></div></body>`
  for (const n of [0, 1, 2, 3]) t.ok(mainOf(behind).includes(prose(n)), 'is the page behind an open dialog')
  t.notMatch(mainOf(behind), 'cookies', 'without the dialog')
  const quotes = [5, 6, 7].map(n => `<figure><p>${prose(n)}</p></figure>`).join('')
  const marquee = `<div>${quotes}</div><div aria-hidden="true">${quotes}</div>`
  const moving = mainOf(
    `<main><h1>Moss lawns</h1>${paragraphs(4)}<div class="marquee">${marquee}</div></main>`,
  )
  for (const n of [5, 6, 7]) t.equal(moving.split(prose(n)).length, 2, 'has no copies of moving texts')
  for (const hiding of [
    'style="visibility:hidden"',
    'style="display: none !important"',
    'hidden',
    'class=d-none',
  ])
    for (const html of [`<html ${hiding}><body>${article}`, `<html><body ${hiding}>${article}`]) {
      t.ok(mainOf(html).includes(prose(3)), `is shown within the root: ${html.slice(0, 60)}`)
      t.ok(articleOf(html).text.includes(prose(3)), `is an article within the root: ${html.slice(0, 60)}`)
    }
})

test('The main content of a manual', async t => {
  const output = mainOf(
    manual(
      [
        section('Cookies', '<p>Eat them after raking.</p><pre>eat(cookie)</pre>'),
        section('Menu', '<table><tr><th>Day<th>Food<tr><td><p>1</p><td>Soup</table>'),
        section('References', '<dl><dt id="comment">Comment<dd>What a gardener says.</dl>'),
        '<div class="admonition seealso"><p class="admonition-title">See also</p><p><a href="/hoes">Hoes</a></p></div>',
        section('Contact us', '<p>Subscribe to a rake that is in use.</p>'),
        '<aside class="footnote-list"><p>[1] In the old book.</p></aside>',
      ].join(''),
    ),
  )
  t.strictSame(
    [...output.matchAll(/^#+ .*$/gm)].map(([line]) => line),
    ['# Rakes', '## Cookies', '## Menu', '## References', '## Contact us'],
    'has every heading, also those that name a frame elsewhere, and no name of the manual',
  )
  t.match(output, '```\neat(cookie)\n```')
  t.match(output, '| Day | Food |\n| --- | --- |\n| 1 | Soup |')
  t.match(output, '**Comment**\n\nWhat a gardener says.')
  t.match(output, '> See also\n>\n> [Hoes](https://www.example.com/hoes)')
  t.match(output, '[1] In the old book.')
  t.notMatch(output, /frame|¶/, 'has no navigation, table of contents or footer')

  const index = `<body><div role="main"><h1>Index<a class="headerlink" href="#index">¶</a></h1>
    <table><tr><td><ul><li><a href="a.html#rake">rake</a><li><a href="a.html#hoe">hoe</a></ul></td></tr></table></div>
    <div class="footer"><p>All of this frame belongs to a gardener, who wrote it on a long winter evening.</p></div>`
  t.match(mainOf(index), /^# Index\n\n.*rake.*hoe/s, 'is an index without sentences')
  t.notMatch(mainOf(index), 'frame')

  const header = `<div class="top"><h1>rake(1) Manual Page</h1><h2>NAME</h2><p>rake - move leaves</p></div>`
  const page = `<title>rake(1)</title><body>${header}<div class="text"><h2>SYNOPSIS</h2><pre>rake [leaf]</pre>
    <h2>DESCRIPTION</h2>${paragraphs(3)}<pre>rake</pre></div><div id="footer">Last updated</div>`
  t.match(
    mainOf(page),
    /^# rake\(1\) Manual Page\n\n## NAME\n\nrake - move leaves\n\n## SYNOPSIS/,
    'has its head',
  )
  const outside = `<body><blockquote><pre>#define RAKE 1</pre></blockquote><div>${paragraphs(3)}<pre>rake</pre></div>`
  t.match(mainOf(outside), '#define RAKE 1', 'has code before the text')
})

test('The pages around a page of a manual', async t => {
  const link = (direction: string, title: string) =>
    `<a href="/${title}"><span><span>${direction}</span><span>${title}</span></span></a>`
  const pager = `<div class="flex">${link('Previous', 'Hoes')}${link('Next', 'Spades')}</div>`
  const steps = `<div>${link('Nextcloud', 'Setup')}</div>`
  const output = mainOf(manual(`<pre>rake()</pre><pre>rake()</pre>${steps}${pager}`))
  t.notMatch(output, /Hoes|Spades/, 'are left out')
  t.match(output, 'NextcloudSetup', 'unlike a link with another word')
})

test('Headings with classes that name a bar', async t => {
  const heading = (name: string, id: string) =>
    `<h2 class="anchor ${name}" id="${id}">${id}<a href="#${id}" class="hash-link">&#8203;</a></h2>`
  const guide = (head: string) => `<!doctype html><title>Moss</title>${head}<main><article><h1>Moss</h1>
    ${heading('anchorWithStickyNavbar_LWe7', 'Water')}${paragraphs(2)}
    ${heading('anchorTargetStickyNavbar_Vzrq', 'Light')}${paragraphs(2, 2)}</article></main>`
  const kinds = {
    'a manual': '<meta name=generator content=Docusaurus>',
    'a blog': '<script type="application/ld+json">{"@type":"BlogPosting","headline":"Moss"}</script>',
  }
  for (const [kind, head] of Object.entries(kinds)) {
    t.match(mainOf(guide(head)), '\n## Water\n\nMoss grows', `${kind} has its headings in Markdown`)
    t.match(mainOf(guide(head)), '\n## Light\n\nGardeners')
    t.match(articleOf(guide(head)).text, /^Water\W*\n\nMoss.+\n\nLight\W*\n\nGardeners/s, `${kind} in text`)
  }
})

test('The main content of a wiki with code', async t => {
  const edit = (name: string) => `<span class="${name}">[<a href="/edit">edit</a>]</span>`
  const page = `<title>Walls - Garden wiki</title><meta name=generator content="MediaWiki 1.39.1"><body>
    <div id="content" role="main"><h1>Walls</h1><div id="siteSub" class="noprint">From Garden wiki</div>
    <a class="mw-jump-link" href="#mw-head">Jump to navigation</a>
    <div class="mw-parser-output"><p>${prose(0)}</p><h2><span class="mw-headline">Use</span>${edit('mw-editsection')}</h2>
    <pre>make</pre><div class="mw-heading"><h2>Parts</h2>${edit('mw-editsection')}</div><pre>install</pre>
    <h2>Age${edit('editsection')}</h2><p>${prose(1)}</p></div>
    <div class="printfooter">Retrieved from "<a href="/w?oldid=1">https://w.example.org/w?oldid=1</a>"</div>
    <div id="catlinks" class="catlinks"><a href="/c">Category</a>: <ul><li><a href="/c/w">Old walls</a></ul></div></div>`
  for (const text of [mainOf(page), articleOf(page).text]) {
    t.match(text, /Use\n.*make.*Parts\n.*install.*Age\n/s, 'has its sections')
    t.notMatch(text, /edit|Retrieved|Category|Old walls|From Garden|Jump to/, 'has nothing of the frame')
  }
})

test('The main content of a repository', async t => {
  const row =
    '<tr><td><a href="/tree/src">frame src</a><td><a href="/commit/1">frame Fix the build</a><td><div>frame Mar 1</div>'
  const readme = `<article class="markdown-body entry-content" itemprop="text"><div class="markdown-heading"><h1>rake</h1>
    <a class="anchor" href="#rake"></a></div><p>${prose(0)}</p><pre>npm i rake</pre><h2>Use</h2><p>${prose(1)}</p>
    <pre>rake --deep</pre></article>`
  const page = (text: string) =>
    `<title>garden/rake</title><body><main><nav><a href="/c">frame Code</a></nav><h2>frame Files</h2><table>${row}${row}</table>${text}</main>`
  const output = mainOf(page(readme))
  t.match(output, /^# rake\n.*npm i rake.*## Use\n.*rake --deep/s, 'is its introduction')
  t.notMatch(output, 'frame', 'without the list of files')
  t.match(mainOf(page(`${readme}<pre>frame</pre>`)), 'frame Files', 'unless code is beside it')
  t.match(mainOf(page(`${readme}<dl><dt>frame<dd>x</dl>`)), 'frame Files', 'or definitions are')
  t.match(mainOf(page(`${readme}<p>${prose(2)}</p>`)), prose(2), 'or prose is')
  const note = `<div class="entry-content"><p>${prose(3)}</p></div>`
  const index = `<meta name=generator content="Docutils 0.20">${page(note)}`
  t.match(mainOf(index), 'frame src', 'an index is more than a note')
})

test('The main content of indexes and portals', async t => {
  const frame = `<div class="nav"><ul>${'<li><a href="x">frame tools</a>'.repeat(5)}</ul></div>`
  const own = (id: string) => `<a class="headerlink" href="#${id}">¶</a>`
  const faq = `<body>${frame}<div role="main"><h1>Rakes${own('rakes')}</h1>
    <h2><a class="toc-backref" href="#id1">Why rake?</a>${own('why')}</h2>${paragraphs(2)}</div>`
  t.match(mainOf(faq), '\n## Why rake?\n', 'headings that link to their entry in the contents are text')

  const item = '<li><a href="hoe.html"><code class="mod">hoe</code> — Tool of the week</a>'
  const chapters = `<body>${frame}<div role="main"><h1>Tools${own('tools')}</h1>
    <div class="admonition note"><p>${prose(1)}</p></div><ul>${item.repeat(40)}</ul></div>`
  t.equal(mainOf(chapters).match(/Tool of the week/g)?.length, 40, 'an index has all its links beside a note')
  t.notMatch(mainOf(chapters), 'frame')

  const entry = (n: number) => `<div class="section"><h2>Tool ${n}${own(`t${n}`)}</h2>
    <dl><dt id="tool${n}"><em>class</em> Tool${n}</dt><dd><ul>${item.repeat(9)}</ul></dd></dl></div>`
  const flat = `<body><div id="hd">${frame}</div><div class="section"><h1>All tools${own('all')}</h1>${[1, 2, 3].map(entry).join('')}</div>`
  const headings = [...mainOf(flat).matchAll(/^#+ .*$/gm)].map(([line]) => line)
  t.strictSame(
    headings,
    ['# All tools', '## Tool 1', '## Tool 2', '## Tool 3'],
    'definitions have their list',
  )

  const portal = `<title>Tools</title><body>${frame}<h1>Tools</h1><table><tr><td><ul>${item.repeat(9)}</ul></td></tr></table>`
  t.equal(mainOf(portal).match(/Tool of the week/g)?.length, 9, 'a portal is more than its heading')
  t.notMatch(mainOf(portal), 'frame', 'and has no navigation')
})

test('Text for screen readers', async t => {
  const unit = '<span class="sr-only screen-reader-text"> minutes</span>'
  const drawn = '<span aria-hidden="true">mins</span>'
  const time = (value: string) => mainOf(site(`<div><span>Cook Time: </span><span>${value}</span></div>`))
  for (const value of [`<span>30${unit}</span> ${drawn}`, `30${unit}${drawn}`])
    t.match(time(value), /Cook Time: 30 minutes\n/, `replaces what is hidden from them: ${value}`)
  for (const value of [`30${unit}`, `30${unit} <span>mins</span>`, `30${unit} or ${drawn}`])
    t.notMatch(time(value), 'minutes', `is left out beside other text: ${value}`)
})

test('The main content of a category of a shop', async t => {
  const products = (name: string) =>
    [1, 2, 3, 4, 5, 6].map(
      n => `<li class="${name}"><a href="/p/${n}"><img src="/${n}.jpg" alt=""><h2>Tea number ${n}</h2><span
        class="price">£${n}.00</span></a><a href="?add-to-cart=${n}" class="button">Add to basket</a></li>`,
    )
  const page = (
    name: string,
    text: string,
    body = '',
  ) => `<title>Tea - Shop</title><body class="${body}"><nav><ul>${links(5)}</ul></nav>
    <main><header><h1>Tea</h1><div class="term-description">${text}</div></header><ul>${products(name).join('')}</ul></main>
    <footer>All of this belongs to a gardener, who wrote it in winter.</footer>`
  const sentence = '<p>All our teas come from small gardens in Japan.</p>'
  for (const name of ['product type-product', 'item product product-item'])
    for (const text of ['', sentence, paragraphs(2)]) {
      const output = mainOf(page(name, text))
      t.match(output, /^# Tea\n/, 'begins with its name')
      for (const n of [1, 6])
        t.match(output, `Tea number ${n}`, `has its products beside ${text.length} letters`)
      t.notMatch(output, /Another story|a gardener, who/, 'has nothing of the frame')
    }
  const product = page('product', paragraphs(2), 'single-product')
  for (const other of [product, page('product', paragraphs(8))])
    t.notMatch(mainOf(other), 'Tea number', 'a page of one product and an article are about no others')
})

test('The text of pages that are not articles', async t => {
  const post = (n: number, text: string): string =>
    `<div class="post" id="post-${n}"><div>${text}</div></div>`
  const requested = `${prose(1)} So which moss is the best one?`
  const thread = [
    post(1, requested),
    post(2, `<blockquote><div class="by">Ada said:</div>${requested}</blockquote>${prose(3)}`),
    post(3, `<blockquote>${prose(4)}</blockquote>${prose(5)}`),
  ].join('')
  const forum = articleOf(`<body><main>${thread}</main>`, 'https://forum.example.com/threads/moss.7').text
  t.equal(forum.split(requested).length, 2, 'a forum repeats no post in quotes')
  t.ok(forum.includes(prose(4)), 'but has quotes of other texts')

  const panel = (hidden: string, text: string) => `<div role="tabpanel" ${hidden}><p>${text}</p></div>`
  const tabs = site(`${panel('', 'First, water it every evening.')}${panel('hidden', 'Or wait for rain.')}`)
  for (const text of [articleOf(tabs).text, mainOf(tabs)])
    t.match(text, /water it every evening\.\n\nOr wait for rain\./, 'tabs have all their panels')
  const request = `<h3><button aria-expanded="false">Does it need water?</button></h3><div>${prose(7)}</div>`
  t.match(
    articleOf(site(request)).text,
    'Does it need water?\n\n',
    'a question that opens its answer is a heading',
  )
  const item = '<h1>Struct <b>Widget</b> <button>Copy item path</button></h1>'
  const reference = `<!doctype html><title>Widget in moss - Rust</title><main>${item}${paragraphs(2)}</main>`
  t.match(mainOf(reference), /^# Struct \*\*Widget\*\*\n/, 'a button beside the words of a heading is not')
  t.notMatch(articleOf(reference).title, 'Copy')
  const footer = `<p>${prose(3)}</p><p>${prose(4)}</p>`
  const portal = `<body><main><h1>Garden</h1><ul>${links(3)}</ul></main><div class="footer">${footer}</div>`
  t.notMatch(mainOf(portal), prose(3), 'a footer with more sentences than the main element is not the text')
  const wrapped = portal.replace(footer, `<div class="inner">${footer}</div>`)
  t.notMatch(mainOf(wrapped), prose(3), 'nor is an element of such a footer')
})

test('Any page', async t => {
  const part = fc.constantFrom(
    ...'<h1>¦</h1>¦<h2>¦<a href=#x>¦¶¦</a>¦<pre>¦</pre>¦<dl>¦<dt id=menu>¦<p>Moss grows, slowly.¦<table><tr><td>¦</table>'.split(
      '¦',
    ),
    ...'<main>¦</main>¦<div class=footer>¦<aside class=note>¦<blockquote>¦</blockquote>¦<div id=toc>¦</div>¦text¦<button>'.split(
      '¦',
    ),
  )
  const total = fc.property(fc.array(part, { maxLength: 60 }), parts => {
    const html = parts.join('')
    const words = (text: string) => text.match(/\w+/g) ?? []
    // Within `pre` a link has no target, but a main element within it is no code.
    const all = new Set(words(`${writeMarkdown(parseTree(html), { base: pageUrl })} ${pageUrl}#x`))
    return words(mainOf(html)).every(word => all.has(word) || word === 'Note') // the label of a box
  })
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(150) }), 'has no invented words')
  t.equal(
    mainOf('moss<div class=footer></div>grows'),
    'moss grows\n',
    'also beside a footer that is left out',
  )
  for (const [what, html] of Object.entries(hostile)) {
    const started = process.cpuUsage()
    mainOf(html)
    t.ok(process.cpuUsage(started).user < 8_000_000, `${what}: costs little`)
  }
})

test('Panels of tabs', async t => {
  const panel = (id: string, inside: string) =>
    `<div id="tab-${id}" role="tabpanel"><h2>${id}</h2>${inside}</div>`
  const values = '<table><tr><th>Weight</th><td>3.2 kg</td></tr><tr><th>Wood</th><td>Oak</td></tr></table>'
  const reviews = `<div id="comments"><p>Sturdy and beautiful, and it came well packed.</p></div>`
  const output = mainOf(`<title>Oak stool</title><main><h1>Oak stool</h1><div class="tabs">
    <ul role="tablist"><li role="tab"><a href="#tab-Description">Description</a><li role="tab"><a href="#tab-Data">Data</a></ul>
    ${panel('Description', paragraphs(3))}${panel('Data', values)}${panel('Reviews', reviews)}</div></main>`)
  t.match(output, prose(2))
  t.match(output, '| Weight | 3.2 kg |', 'are all parts of the text')
  t.notMatch(output, 'well packed', 'except those of comments')
})

test('Labels of panels', async t => {
  const tab = (label: string) => `<li role="tab" id="of-${label}">${label}</li>`
  const panel = (inside: string, attributes = '') => `<div role="tabpanel" ${attributes}>${inside}</div>`
  const page = (tabs: string, panels: string) =>
    mainOf(`<title>Moss</title><main><h1>Moss</h1>${paragraphs(3)}<div><ul role="tablist">${tabs}</ul>
      <div>${panels}</div></div>${paragraphs(3, 3)}</main>`)
  const both = tab('npm') + tab('Yarn')
  const two = page(both, panel('<p>Run one.</p>') + panel('<p>Run two.</p>', 'hidden'))
  t.match(two, '**npm**\n\nRun one.\n\n**Yarn**\n\nRun two.', 'are those of the tabs in their order')
  const named = page(both, panel('<p>Run one.</p>', 'aria-labelledby="of-Yarn"'))
  t.match(named, '**Yarn**\n\nRun one.', 'or of the tab that a panel names')
  t.notMatch(named, 'npm')
  const headed = page(both, panel('<h2>npm</h2><p>Run one.</p>') + panel(''))
  t.notMatch(headed, /\*\*/, 'are neither repeated nor written above nothing')
  t.notMatch(page(both, panel('<p>Run one.</p>')), '**npm**', 'are left out if their panel is unknown')
  const many = 20_000
  const started = process.cpuUsage()
  page(tab('npm').repeat(many), panel('<p>Run one.</p>').repeat(many))
  page(both, panel('', 'aria-labelledby="of-Yarn"').replace('</div>', '').repeat(many))
  t.ok(process.cpuUsage(started).user < 8_000_000, 'cost little')
})

test('A table that lays out a page', async t => {
  const page = (
    text: string,
  ) => `<title>The mill</title><body><table><tr><td colspan="3">Historical society</td></tr>
    <tr><td><a href="a.htm">Home</a></td><td>${text}</td><td><b>News</b><br><a href="n.htm">Summer fair</a></td></tr>
    <tr><td colspan="3">Copyright 2001 Historical Society. You are visitor 10,233 of this page.</td></tr></table></body>`
  const output = mainOf(page([0, 1, 2].map(prose).join('<br><br>')))
  t.equal(output, `${[0, 1, 2].map(prose).join('\n\n')}\n`, 'has the text in a cell')
  const rows = [0, 1, 2].map(at => `<tr><td>${at}</td><td>${prose(at)}</td></tr>`).join('')
  t.match(
    mainOf(`<title>Notes</title><body><table>${rows}</table></body>`),
    `| 2 | ${prose(2)} |`,
    'unlike data',
  )
})
