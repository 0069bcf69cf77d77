/** The text of an article is kept, and the content around and between it is not. */
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import {
  articleOf,
  links,
  mainOf,
  noComments,
  pageUrl,
  paragraphs,
  prose,
  shortComments,
  site,
} from './article.examples.ts'
import { readArticle } from './read-article.ts'

const inside = (html: string, head = '') => articleOf(site(html, head)).text

test('The text', async t => {
  const { text } = articleOf(site(''))
  t.equal(
    text,
    Array.from({ length: 5 }, (_, at) => prose(at)).join('\n\n'),
    'is its paragraphs, separated by empty lines',
  )
  t.equal(
    inside('<h2>Tools</h2><ul><li>A rake</li><li>A broom</li></ul><p>No more.</p>')
      .split('\n\n')
      .slice(5)
      .join('|'),
    'Tools|- A rake\n- A broom|No more.',
    'has its headings and lists',
  )
  const deep = site('').replace('<main>', `${'<div>'.repeat(450)}<main>`)
  t.equal(articleOf(deep).text, text, 'is read as deep as a browser reads')
  t.match(inside('<pre>if moss:\n    water()\n</pre>'), 'if moss:\n    water()', 'has unchanged code')
  t.match(
    inside('<table><tr><th>Moss</th><th>Shade</th></tr><tr><td>Hypnum</td><td>deep</td></tr></table>'),
    'Moss\tShade\nHypnum\tdeep',
    'has rows of tables in lines',
  )
  t.match(
    inside(
      '<table><tr><th></th><th>Moss</th><th>Shade</th><th>Sun</th></tr><tr><td>Ann</td><td></td><td> </td><td>9</td></tr></table>',
    ),
    /\n\tMoss\tShade\tSun\nAnn\t\t\t9/,
    'has empty cells, so that other cells stay in their columns',
  )
  const numbered = '<ol reversed=""><li value="7">A rake, which is old</li><li>A broom of twigs</li></ol>'
  t.match(articleOf(site(numbered)).content, numbered, 'has the numbers of its lists')
  const spanning = '<table><tr><th rowspan="2">Moss</th><th rowspan="2">Shade</th></tr><tr></tr>'
  const rows = '<tr><td>Hypnum</td><td>deep</td></tr></table>'
  t.match(
    articleOf(site(spanning + rows)).content,
    spanning + rows,
    'has an empty row that the cells above extend into, so that other cells stay in their columns',
  )
  for (const [attribute, row] of [
    ['style="visibility:hidden"', '<tr></tr>'],
    ['style="display:none"', ''],
    ['class="hidden"', ''],
  ]) {
    const one = '<table><tr><th rowspan="2">Moss</th><th>Shade</th></tr>'
    const { content } = articleOf(site(`${one}<tr ${attribute}><td>x</td></tr>${rows}`))
    t.match(
      content.replace('</tr> <tr>', '</tr><tr>'),
      one + row + rows,
      `has the rows of browsers: ${attribute}`,
    )
  }
  t.match(
    articleOf(site(`<table><tr><th rowspan="1">Moss</th></tr><tr></tr>${rows}`)).content,
    `<table><tr><th rowspan="1">Moss</th></tr>${rows}`,
    'has no other empty row',
  )
  t.match(inside('<p>On<br>two <b>li</b>nes</p>'), 'On\ntwo lines', 'has the line breaks of the page')
  const streamed = `<body><div id="root"><h1>Moss</h1></div><div hidden id="S:0"><article>${paragraphs(3)}</article></div>`
  t.match(articleOf(streamed).text, prose(2), 'is found before scripts move it to its position')
  const japanese =
    '苔は日陰でよく育ち、水をあまり必要としません。冬でも緑を保ちますが、最初の一年はゆっくりです。'
  const page = `<html lang=ja><body><ul>${links(6)}</ul><div><p>${japanese}</p><p>${japanese}また、${japanese}</p></div></body>`
  t.equal(
    articleOf(page).text,
    `${japanese}\n\n${japanese}また、${japanese}`,
    'is found in a script without spaces',
  )
  t.ok(articleOf(page).wordCount > 40, 'and its words are counted')
})

test('Content outside of the text', async t => {
  const around: Record<string, string> = {
    'a bar to share': '<div class="share-bar">Share this with everybody you know, now</div>',
    'related articles by their name': `<div class="relatedPosts__list">${paragraphs(1, 7)}</div>`,
    'related articles by their heading': `<h3>You may also like</h3><ul>${links(3)}</ul>`,
    'a letter to subscribe to':
      '<section id="newsletter-signup"><p>Sign up to get all our news, every week, for free.</p></section>',
    'a form': '<form><p>Write us your name, and we will write to you, soon.</p><input name=name></form>',
    'the caption of a picture':
      '<figure><img src=/moss.jpg><figcaption>Moss on a wall, in the rain, in May.</figcaption></figure>',
    'a list of links': `<ul>${links(4)}</ul>`,
    'an aside': '<aside><p>Did you know that moss has no roots, and never had any?</p></aside>',
    'hidden content':
      '<p style="display: none">No reader can see this, and no reader should, ever.</p><p class="sr-only">Nor this.</p>',
    'the label of an advertisement': '<p>Advertisement</p>',
    'a disclosure of commissions':
      '<p>We may earn a commission when you buy through links on our site, as we should.</p>',
    'the sources at its end': '<h2>References</h2><ol><li>Moss, its life. Green Press, 1987.</li></ol>',
    'teasers of other articles': `<div>${[1, 2, 3].map(at => `<div><h3><a href="/a/${at}">Another garden ${at}</a></h3><p>${prose(at + 20)}</p></div>`).join('')}</div>`,
    'a repeated text': `<blockquote><p>${prose(1)}</p></blockquote>`,
  }
  const plain = inside('')
  for (const [what, html] of Object.entries(around)) t.equal(inside(html), plain, `leaves out ${what}`)
  t.match(
    inside('<p>Moss lives<sup class="reference"><a href="#n1">[1]</a></sup> long.</p>'),
    'Moss lives long.',
    'leaves out marks of references',
  )
  t.notMatch(plain, 'Moss instead of grass', 'leaves out the title, which is a separate field')
})

test('Labels of the site in many languages', async t => {
  const plain = inside('')
  for (const label of [
    'Читайте также: Мох вместо травы',
    '责任编辑：李四',
    '相关阅读：苔藓代替草',
    'Archivado en: Jardines, Musgos',
    'Czytaj również: Mech zamiast trawy',
    'Läs också: Mossa i stället för gräs',
    'Bekijk ook: Mos in plaats van gras',
    'Veja também: Musgo em vez de grama',
    'Źródło: PAP',
    'Also read: Moss instead of grass',
    'اقرأ أيضا: الطحالب بدل العشب',
    'بیشتر بخوانید: خزه به جای چمن',
    'קראו גם: טחב במקום דשא',
    'यह भी पढ़ें: घास की जगह काई',
    'Xem thêm: Rêu thay cỏ',
    'Baca juga: Lumut pengganti rumput',
    'Διαβάστε επίσης: Βρύα αντί για γρασίδι',
    'Čtěte také: Mech místo trávy',
    'Citește și: Mușchi în loc de iarbă',
    'Lue myös: Sammalta ruohon sijaan',
    'View full details',
    'Story continues below advertisement',
    'Was this page helpful?',
    'Last modified: June 1, 2024',
    'News provided by',
    '0:00 / 23:04',
    '<span>00:00</span><span>1:48:12</span>',
  ])
    t.equal(inside(`<p>${label}</p>`), plain, label)
  t.match(inside('<p>19:30 / 21:00</p>'), '19:30', 'but not the times of an event')
  const counters = [1, 2, 3].map(at => `<div><span>${at} of 3</span><p>${prose(at + 8)}</p></div>`).join('')
  t.notMatch(inside(counters), /of 3/, 'the numbers of the pictures in a gallery')
  t.notMatch(inside('<div>1.2K</div>'), '1.2K', 'a rounded count')
  const cell = '<table><tr><th>Year<th>Sold<tr><td>2024<td>1.2K<tr><td>2025<td>3 of 4</table>'
  t.match(inside(cell), /1\.2K\s[\s\d]*3 of 4/, 'but not in a table of data')
})

test('A request in the last lines of a short text', async t => {
  const page = (line: string) =>
    articleOf(`<title>Moss</title><main><h1>Moss</h1>${paragraphs(3)}<p>${line}</p></main>`).text
  for (const line of ['Thanks for reading the garden book!', 'Подписывайтесь на наш канал в Telegram'])
    t.notMatch(page(line), line, line)
})

test('The line of the day above a text', async t => {
  const page = (line: string) =>
    articleOf(`<title>Moss lawns</title><main><h1>Moss lawns</h1>${line}${paragraphs(4)}</main>`).text
  const plain = page('')
  for (const line of [
    'March 2, 2024',
    'Updated: 3rd May 2026, 9:30 am ET',
    '7 min read · Sep 19, 2022',
    'Publié le 12 février 2024 à 22h10, modifié le 13 février 2024 à 08h00',
    'Veröffentlicht am 3. Mai 2024 um 10:15 Uhr',
    '2024年3月1日 9時30分',
  ])
    t.equal(page(`<p>${line}</p>`), plain, `${line} is left out`)
  for (const line of [
    '<h2>3 May 2024</h2>',
    '<ul><li>3 May 2024<li>4 June 2024</ul>',
    '<p>On 3 May 2024 moss</p>',
  ])
    t.match(page(line), 'May 2024', `${line} is text`)
  t.match(inside(`<p>3 May 2024</p><p>${prose(9)}</p>`), '3 May 2024', 'a day amid the text is text')
})

test('A sentence about the author', async t => {
  const textOf = (name: string, title: string, site = 'The Garden') =>
    articleOf(
      `<title>${title}</title><meta name=author content="${name}"><meta property="og:site_name" content="${site}">
      <body><main><h1>${title}</h1>${paragraphs(4)}<p>${name} is known for moss and for its gardens.</p>${paragraphs(2, 10)}</main>`,
    ).text
  const about = /is known for moss/
  t.notMatch(textOf('Ada Moss', 'On lawns'), about, 'is left out')
  t.match(textOf('Ada Moss', 'A life of Ada Moss'), about, 'unless the text is about the author')
  t.match(textOf('Green Ltd', 'On lawns', 'Green Ltd'), about, 'or the author is the site')
  t.match(textOf('mossdb', 'On lawns'), about, 'or it has only one word, as products have')
  const box = (name: string) =>
    articleOf(
      site(
        `<div class=box><div><h4>${name}</h4></div><div><p>She lives in a garden of moss.</p></div></div>`,
        '<meta name=author content="Ada Moss">',
      ),
    ).text
  t.notMatch(box('Ada Moss'), /Ada|She lives/, 'so is a box at the end with the name as its heading')
  t.match(box('Bo Lichen'), /Bo Lichen\s+She lives/, 'unless the name is of another person')
})

test('Items of a list that resemble notices', async t => {
  for (const item of [
    'Affiliate links: you may earn a commission if you add them.',
    'Stay informed: <a href="/visit">visit</a> a gardener twice a year.',
  ]) {
    const text = item.replace(/<[^>]+>/g, '')
    t.match(inside(`<ul><li>${item}</li><li>Water it.</li></ul><p>${prose(9)}</p>`), text, 'are text')
    t.notMatch(inside(`<p>${item}</p><p>${prose(9)}</p>`), text, 'unlike paragraphs')
  }
})

test('Refrains in the text', async t => {
  const chorus =
    'And the moss it grows, and the moss it grows, under the wall where no one goes, all the winter long, all the winter long.'
  const verse = (at: number) => `<p>${prose(20 + at)}</p>`
  const count = (html: string) => articleOf(html).text.split(chorus).length - 1
  const article = (inner: string) =>
    `<body><nav>${links(4)}</nav><article><h1>A song of moss</h1>${inner}</article></body>`
  const four = [1, 2, 3, 4]
  const sung: Record<string, string> = {
    'as a paragraph after each verse': four.map(at => `${verse(at)}<p>${chorus}</p>`).join(''),
    'as a quote after each verse': four.map(at => `${verse(at)}<blockquote>${chorus}</blockquote>`).join(''),
    'in boxes that are numbered': four
      .map(at => `<div class="verse v${at}">${verse(at)}<p>${chorus}</p></div>`)
      .join(''),
    'beneath headings': `${paragraphs(4)}${four.map(at => `<h2>Part ${at}</h2><p>${chorus}</p>`).join('')}`,
  }
  for (const [where, inner] of Object.entries(sung))
    t.equal(count(article(inner)), 4, `is kept each time ${where}`)
  const opened = `<p class="summary">${chorus}</p><div class="text"><p>${chorus}</p>${paragraphs(4)}</div>`
  t.equal(count(article(opened)), 1, 'but a summary that repeats the opening, or the reverse, is not')
})

test('A section with full paragraphs', async t => {
  const section = `${paragraphs(2, 30)}`
  for (const heading of ['Tags', 'See also', 'Navigation', 'Search', 'Comments']) {
    const { text } = articleOf(site(`<h2>${heading}</h2>${section}<h2>Rain</h2>${paragraphs(60, 40)}`))
    t.match(text, `${heading}\n\n${prose(30)}\n\n${prose(31)}`, `is of the text under "${heading}"`)
  }
  const late = inside(`${paragraphs(20, 40)}<section><h2>References</h2>${section}</section>`)
  t.match(late, prose(31), 'also at its end')
})

test('Limits of class names', async t => {
  const named = `<body><div class="widget-share"><p>${prose(1)}</p></div><div class="widget-share"><p>${prose(2)}</p></div></body>`
  t.match(articleOf(named).text, prose(2), 'a name of most of the text describes the layout')
  t.match(
    inside(
      '<div class="my_footer_x__a9Bc3d">Short but true, so it stays.</div><p class="text-sidebar:lg">Yes.</p>',
    ),
    'Yes.',
    'a variant describes the look',
  )
  t.match(
    inside(`<h2 id="share-your-garden-with-moss">Rain</h2><p>${prose(9)}</p>`),
    'Rain',
    'a heading may be about anything',
  )
  t.match(
    inside(`<p>It was <span class="date">in May</span>, when ${prose(3)}</p>`),
    'in May, when',
    'a word in a sentence is kept',
  )
  t.match(
    inside('<pre><code class="language-js">let moss</code></pre>'),
    'let moss',
    'the language of code is not a language switch',
  )
})

type Forum = { url: string; head: string; parts: (text: string, at: number) => string }

/** Threads in the markup of forums, where a user and votes are beside each post. */
const forums: Readonly<Record<string, Forum>> = {
  questions: {
    url: 'https://qa.example.com/questions/12/moss',
    head: '<div itemscope itemtype="https://schema.org/QAPage"><h1>Moss or grass?</h1></div>',
    parts: (
      text,
      at,
    ) => `<div ${at === 0 ? 'id="question" class="question"' : `id="answer-${at}" class="answer"`}
      data-postid="${at}"><div class="js-vote-count">${at}</div><div class="s-prose js-post-body" itemprop="text"><p>${text}</p></div>
      <div class="user-info"><a href="/users/${at}">user${at}</a><span>1,${at}43</span></div></div>`,
  },
  phpBB: {
    url: 'https://www.example.com/viewtopic.php?t=9',
    head: '<h2 class="topic-title"><a href="/t9">Moss or grass?</a></h2>',
    parts: (text, at) => `<div id="p${at}" class="post bg1"><div class="inner"><dl class="postprofile"><dt><a
      href="/u/${at}" class="username">user${at}</a></dt><dd>Posts: 31</dd><dd>Joined: Mon Mar 02, 2020</dd></dl><div class="postbody"><div
      class="content">${text}</div></div></div></div>`,
  },
  Discourse: {
    url: 'https://www.example.com/t/moss/12',
    head: '<div itemscope itemtype="http://schema.org/DiscussionForumPosting"><h1>Moss or grass?</h1></div>',
    parts: (
      text,
      at,
    ) => `<div id="post_${at + 1}" class="topic-body crawler-post"><div class="crawler-post-meta"><a
      href="/u/${at}">user${at}</a><time>May 3, 2026, 10:00am</time></div><div class="post" itemprop="text"><p>${text}</p></div></div>`,
  },
}

test('Other kinds of pages', async t => {
  const post = (at: number) =>
    `<div class="comment" id="post-${at}"><a class="username">user${at}</a><p>${prose(at)}</p></div>`
  const thread = `<body><nav>${links(5)}</nav><h1>Moss or grass?</h1><div class="comments">${[1, 2, 3, 4].map(post).join('')}</div></body>`
  for (const at of [1, 4])
    t.match(
      articleOf(thread, 'https://forum.example.com/threads/moss.12/').text,
      prose(at),
      'in a forum every post counts',
    )
  const byLength = (count: number) => Array.from({ length: count }, (_, at) => prose(at)).join(' ')
  const answers = ['Try shade first.', 'Lime keeps it away, says my neighbour.', 'Stones are better.']
  for (const [name, { head, parts, url }] of Object.entries(forums)) {
    const [first, ...others] = [byLength(10), ...answers].map(parts)
    const page = `<title>Moss or grass?</title><body><nav><ul>${links(5)}</ul></nav><div role=main>${head}${first}
      <div>${others.join('')}</div></div><div id=sidebar><div id=post-9><a href=/x>Roses</a></div></div></body>`
    const { text } = articleOf(page, url)
    for (const output of [text, mainOf(page, url)]) {
      for (const answer of answers) t.match(output, answer, `short posts after a long one count: ${name}`)
      t.notMatch(output, /Posts:|Joined:/, `without the facts about their authors: ${name}`)
      t.notMatch(output, 'Roses', `but none beside the thread: ${name}`)
    }
  }
  const answer = (inside: string, at: number) =>
    `<div id="answer-${at}" data-postid="${at}"><p>${byLength(3)}</p>${inside}</div>`
  const codes = '<pre><code>Messages: 12</code></pre><p>Output:</p><pre><code>registered: true</code></pre>'
  const parts = `<h2>Joined: the two tables</h2><ul><li>Location: Berlin</li></ul><p>Join: the club</p><p>Posts: 12</p><p>${byLength(1)}</p>`
  const facts = '<dl><dd>Posts: 31</dd><dd>Joined: Mon Mar 02, 2020</dd></dl>'
  const answered = articleOf(
    `<body itemscope itemtype="https://schema.org/QAPage"><main><h1>Moss?</h1>${[codes, parts, facts].map(answer).join('')}</main></body>`,
    'https://qa.example.com/questions/12/moss',
  ).text
  for (const line of [
    'Messages: 12',
    'registered: true',
    'Joined: the two',
    'Location: Berlin',
    'Posts: 12',
    'the club',
  ])
    t.match(answered, line, 'a line of a post is not a fact about its author')
  t.notMatch(answered, /Posts: 31|Mon Mar/)
  for (const lines of [
    '<div>Join Date: Mar 2010</div><div>Age: 41</div><div>Posts: 123</div>',
    '<div>Joined: 12-March 10</div><div>Posts: 123</div>',
    "<div>Posts: 123</div><div>Join Date: Mar '10</div>",
    '<div>Registered: 12.03.10</div><div>Messages: 123</div>',
  ]) {
    const posts = [0, 1, 2, 3].map(at => `<div class="post" id="p${at}">${lines}<p>${byLength(2)}</p></div>`)
    const { text } = articleOf(
      `<title>Moss?</title><body><div id="posts"><h1>Moss?</h1>${posts.join('')}</div></body>`,
      'https://forum.example.com/viewtopic.php?t=12',
    )
    t.notMatch(text, /Join|Registered|Posts|Messages/, `facts about the author are no text: ${lines}`)
  }
  const card = (at: number) =>
    `<div><h3><a href="/a/${at}">Garden number ${at}</a></h3><p>${prose(at)}</p></div>`
  const listing = `<body><nav><ul>${links(5)}</ul></nav><div>${[1, 2, 3, 4, 5].map(card).join('')}</div></body>`
  t.match(
    articleOf(listing, 'https://example.com/').text,
    /Garden number 1[\s\S]+Garden number 5/,
    'in a listing the items count',
  )
  const none = articleOf('<body><p>Hello</p><a href=/x>there</a></body>')
  t.equal(none.text, 'Hello\n\nthere', 'a page without an article returns all its text')
  t.ok(none.confidence < 0.3, 'with little confidence')
  t.ok(
    articleOf(site('', '<meta name=author content="Ada Moss">')).confidence > 0.5,
    'and an article has a higher one',
  )
  const quiet = articleOf('')
  t.same(
    [quiet.text, quiet.content, quiet.title, quiet.comments, quiet.wordCount],
    ['', '', null, null, 0],
    'an empty page is empty',
  )
  t.equal(
    articleOf('<p>High water<details><summary>When?</summary>at noon</details>').text,
    'High water\n\nWhen?\n\nat noon',
    'a page of few words is more than the label of its details',
  )
})

test('Comments of readers', async t => {
  const { text, comments } = articleOf(
    site(
      `</div><div id="comments"><h3>2 comments</h3><p>${prose(11)}</p><form><p>Leave yours, if you must, below.</p><textarea name=text></textarea></form></div><div>`,
    ),
  )
  t.match(comments, prose(11), 'are a separate field')
  t.notMatch(text, prose(11))
  t.notMatch(comments, 'Leave yours', 'without the form for a new one')
  t.equal(articleOf(site('')).comments, null, 'null without comments')

  const below = (html: string) => articleOf(site(`</div>${html}<div>`)).comments
  for (const [name, html] of Object.entries(shortComments)) t.equal(below(html), 'Lovely moss!', name)
  for (const [name, html] of Object.entries(noComments)) t.equal(below(html), null, name)
})

test('Addresses of the content', async t => {
  const linked = '<p>A <a href="guide.html">guide</a>.</p>'
  const contentWith = (head: string) => articleOf(site(linked, head)).content
  const pageBase = '<a href="https://www.example.com/garden/guide.html">'
  t.match(contentWith('<base href="/late/"><base href="/x/">'), 'example.com/late/guide.html', 'have a base')
  for (const inert of ['noscript', 'template', 'svg'])
    t.match(contentWith(`<${inert}><base href="/x/"></${inert}>`), pageBase, `a base in ${inert} is ignored`)
  for (const href of ['javascript:void(0)', 'data:,x', 'about:blank', 'mailto:x@y'])
    t.match(contentWith(`<base href="${href}">`), pageBase, `a base of "${href}" is ignored`)
})

test('Images that are loaded lazily', async t => {
  const images: Record<string, string> = {
    '<img src="data:x" data-lazy="https://cdn.example.com/q.jpg">': 'https://cdn.example.com/q.jpg',
    '<picture><source srcset="/big.webp 2x"><img src="data:x"></picture>': 'https://www.example.com/big.webp',
    '<img src="data:x" data-original=false data-srcset="/s.png 1x, /l.png 2x">':
      'https://www.example.com/l.png',
    '<img src="data:x" data-src=true data-srcset="/s.png 1x">': 'https://www.example.com/s.png',
    '<img src="/blank.gif" data-srcset="/s.png 1x">': 'https://www.example.com/s.png',
    '<img src="/real.jpg" data-src=true>': 'https://www.example.com/real.jpg',
  }
  for (const [image, address] of Object.entries(images))
    t.match(articleOf(site(`<p>See ${image} here.</p>`)).content, ` <img src="${address}"> here.`, image)
  t.match(
    articleOf(site('<p>See <img src="data:x" data-src=true> here.</p>')).content,
    'See  here.',
    'have an address',
  )
})

test('The content', async t => {
  const { content, nodes, leadImage } = articleOf(
    site(
      `<p onclick="steal()">A <a href="../moss?a=1&amp;b" onmouseover=x target=_blank>link</a>, <a href="javascript:x">none</a>
      <span style="color:red">red</span> <script>bad()</script><custom-tag>own</custom-tag> <b></b></p><section>Part</section>
      <img src="data:image/gif;base64,x" data-src="/late.jpg" alt='a "b"' onerror=x><pre class=hl><code class="x language-css">a &lt; b</code></pre>`,
      '<base href="https://cdn.example.com/dir/"><meta property="og:image" content="/lead.png">',
    ),
  )
  t.match(content, '<p>A <a href="https://cdn.example.com/moss?a=1&amp;b">link</a>, none', 'has clean links')
  t.match(content, 'red own </p><div>Part</div>', 'keeps the content of unknown elements')
  t.match(
    content,
    '<img src="https://cdn.example.com/late.jpg" alt="a &quot;b&quot;">',
    'has images that are loaded lazily',
  )
  t.match(content, '<pre><code class="language-css">a &lt; b</code></pre>', 'keeps the language of code')
  t.notMatch(content, /script|onclick|style|<b>|data:/, 'has no scripts and no empty elements')
  t.ok(nodes.children.length > 0, 'is also available as a tree')
  t.equal(leadImage, 'https://cdn.example.com/lead.png', 'the lead image is absolute')
  const screenshot = '<meta property="og:image" content=" /at 9.41\u202fAM.png ">'
  t.equal(
    articleOf(site('<p>x</p>', screenshot)).leadImage,
    new URL('/at 9.41\u202fAM.png', pageUrl).href,
    'and keeps the white space of its name',
  )
  const document = parseTree(site('<p>x</p>'))
  const before = document.children.length
  const once = readArticle(document, { url: pageUrl })
  t.equal(readArticle(document, { url: pageUrl }).content, once.content, 'reading does not change the page')
  t.equal(document.children.length, before)
})

test('The facts of an event', async t => {
  const page = (
    type: string,
  ) => `<title>Moss walk</title><script type="application/ld+json">{"@type":"${type}","name":"Moss walk"}</script>
    <body><nav>${links(4)}</nav><main><h1>Moss walk</h1><h2><span class="date-start">December 12</span></h2>
    <div class="description">${paragraphs(4)}</div><div class="event-meta"><h2>Details</h2><dl><dt>Date</dt>
    <dd><abbr class="published" title="2026-12-12">December 12 at noon</abbr></dd></dl></div><div class="meta-group"><h2>Venue</h2><dl>
    <dd>Town Hall</dd><dd><address>Market 1</address></dd></dl></div></main></body>`
  for (const type of ['Event', 'MusicEvent'])
    for (const output of [articleOf(page(type)).text, mainOf(page(type))])
      for (const fact of ['December 12 at noon', 'Town Hall', 'Market 1', prose(3)])
        t.match(output, fact, `are part of its text: ${type}`)
  const post = `<main><h1>Moss walk</h1>${paragraphs(4)}<div class="post-meta"><span class="date">May 3</span></div></main>`
  t.notMatch(articleOf(post).text, 'May 3', 'unlike the line about an article')
})

test('A text that only the JSON-LD has', async t => {
  const page = (articleBody: string, shown = '') => {
    const data = JSON.stringify({ '@type': 'NewsArticle', headline: 'Moss lawns', articleBody }).replaceAll(
      '</',
      '<\\/',
    )
    return `<title>Moss lawns</title><script type="application/ld+json">${data}</script><h1>Moss lawns</h1><div>${shown}</div>
      <footer><p>All of this belongs to a gardener, who has written a long sentence about it here.</p></footer>`
  }
  const expected = [0, 1, 2].map(prose).join('\n\n')
  const lines = [0, 1, 2].map(prose).join('\n')
  t.equal(articleOf(page(lines)).text, expected, 'is the text')
  t.equal(articleOf(page(lines.replaceAll('\n', '\n\n'))).text, expected)
  const withMarkup = `${paragraphs(3)}<script>bad()</script>`
  t.equal(articleOf(page(withMarkup)).text, expected, 'is written as HTML too')
  t.equal(articleOf(page(lines, `<p>${prose(0).slice(0, 90)} …</p>`)).text, expected, 'replaces a beginning')
  const whole = articleOf(page(lines, `${paragraphs(3)}<p>And <b>more</b> that no data has.</p>`)).text
  t.match(whole, 'And more', 'does not replace the text of the page')
  t.notMatch(articleOf(page(prose(1))).text, prose(1), 'is no summary')
})

test('A box around a field for an e-mail address', async t => {
  const field = '<form><input type="email"><button>Go</button></form>'
  const box = `<div class="css-9a"><h3>Always up to date</h3><p>Every morning the news in your mailbox, in three minutes.</p>${field}</div>`
  const { text } = articleOf(site(`${box}<p>${prose(5)}</p>`))
  t.notMatch(text, /Always up to date|mailbox/, 'is left out without a name')
  t.match(text, prose(5), 'text beside it stays')
  t.match(
    articleOf(site(`<p>Write to us, and say why.</p>${field}`)).text,
    'say why',
    'is not the whole text',
  )
  const product = `<div><h1>Moss stool</h1><p>€89.00, made of oak and moss.</p>${field}</div>`
  t.match(articleOf(`<main>${product}${paragraphs(4)}</main>`).text, '€89.00', 'has no title of a page')
})

test('The line of the authors above a text', async t => {
  const page = (line: string, more = '') => {
    const head = '<title>Moss lawns</title><meta name="author" content="Ada Moss">'
    return articleOf(`${head}<main><h1>Moss lawns</h1>${line}${paragraphs(4)}${more}</main>`).text
  }
  const touching =
    '<span>Door <a href="/ada">Ada Moss</a></span><span>3 mei 2026</span><span>Leestijd 3 min.</span>'
  for (const line of [
    'Ada Moss',
    'By Ada Moss',
    'Von Ada Moss, 3. Mai 2026',
    'By Ada Moss · May 3, 2026',
    touching,
  ])
    t.equal(page(`<p>${line}</p>`), page(''), `is no text: ${line}`)
  t.match(page('<p>Ada Moss grows moss.</p>'), 'grows moss', 'unlike a sentence')
  const code = '<pre>rake</pre><pre>rake --deep</pre>'
  t.notMatch(page('<p class="byline">By Ada Moss</p>', code), 'Ada Moss', 'is left out beside code too')
})

test('A request for consent without a name', async t => {
  const page = (above: string, within = '') =>
    articleOf(
      `<title>Moss lawns</title><body><div>${above}<main><h1>Moss lawns</h1>${paragraphs(2)}${within}</main></div></body>`,
    ).text
  for (const line of [
    'We use cookies to improve your experience. By browsing on you agree.',
    'Wir verwenden Cookies, um unsere Seite zu verbessern. Mehr steht in der Erklärung.',
    'Wij gebruiken cookies om je ervaring te verbeteren. Ga je akkoord?',
  ]) {
    t.equal(page(`<div><p>${line}</p></div>`), page(''), `is no text: ${line}`)
    t.match(page('', `<p>${line}</p>`), line, 'except in the content')
  }
})
