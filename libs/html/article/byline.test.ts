/** Authors are found in the markup of publishing systems, and labels are not taken for names. */
import { test } from 'tap'
import { articleOf, paragraphs } from './article.examples.ts'

type Case = { body?: string; head?: string; after?: string; name: string | null; because: string }

const bylineOf = ({ head = '', body = '', after = '' }: Case) =>
  articleOf(
    `<html lang=en><head>${head}</head><body><main><article><h1>Moss instead of grass</h1>
    ${body}${paragraphs(4)}${after}</article></main></body></html>`,
  ).byline

const organization = (name: string) =>
  `<script type="application/ld+json">${JSON.stringify({
    '@type': 'Article',
    author: { '@type': 'Organization', name },
  })}</script>`

const cases: Record<string, Case[]> = {
  'Names and other words': [
    { body: '<p>By April Moss</p>', name: 'April Moss', because: 'a month can be a given name' },
    {
      body: '<p>By Ada Moss April 5, 2020</p>',
      name: 'Ada Moss',
      because: 'a month after a name is part of a date',
    },
    {
      body: '<p>Text Size</p><p>By Ada Moss</p>',
      name: 'Ada Moss',
      because: 'the word "text" introduces a name only before a colon or "by"',
    },
    { body: '<p>Text: Ada Moss</p>', name: 'Ada Moss', because: 'as it does here' },
    {
      body: '<p>Auteur(s) :</p><p>Les Jardiniers du Jardin de Radio France</p>',
      name: 'Les Jardiniers du Jardin de Radio France',
      because: 'a label may leave the number open, and a group may have a long name',
    },
    {
      body: '<p>Ada</p><p>Last Modified May 3, 2020</p><p>May 3, 2020</p>',
      name: null,
      because: 'the label of a date is not a name',
    },
    {
      body: '<p>It’s time to look up</p><p>May 5, 2023</p>',
      name: null,
      because: 'a sentence with an apostrophe is not a name in another script',
    },
    {
      body: '<p>--speed=N fly</p><p>May 5, 2023</p>',
      name: null,
      because: 'nor is the option of a program',
    },
    { body: '<p>By 苔 太郎</p>', name: '苔 太郎', because: 'unlike a name without capitals' },
    { body: '<p>By D’Arcy O’Moss</p>', name: 'D’Arcy O’Moss', because: 'a name may have apostrophes' },
  ],
  'Marked elements': [
    {
      body: '<div class="author-photo"></div><p class="authorName">Ada Moss</p>',
      name: 'Ada Moss',
      because: 'class names may be in camel case',
    },
    {
      body: '<div class="blog__authorname">Ada Moss</div>',
      name: 'Ada Moss',
      because: 'or without a separator',
    },
    {
      body: '<p itemprop=author>By <a href=/ada>Ada Moss</a><span>Senior Autos Reporter</span></p>',
      name: 'Ada Moss',
      because: 'a role after the name is not another author',
    },
    {
      body: '<nav><span itemprop=author>Ada Moss</span></nav>',
      name: 'Ada Moss',
      because: 'some sites mark the line under the title as navigation',
    },
    {
      after: '<footer class="meta"><a rel=author href=/ada>Ada Moss</a></footer>',
      name: 'Ada Moss',
      because: 'WordPress signs in the footer of the article',
    },
    {
      body: '<p>By <a rel=author href=/member/AdaM>AdaM</a>ada of the moss garden</p>',
      name: 'AdaM',
      because: 'a link that is marked as the author is more certain than its line',
    },
  ],
  'Marked elements with other texts': [
    {
      body: '<p>by <span class="author vcard fn">ada</span> on May 3, 2020</p>',
      name: 'ada',
      because: 'one word alone is a user name, even in lower case',
    },
    {
      body: '<a class="bigusername" href="member.php?u=8">mossfast</a>',
      name: 'mossfast',
      because: 'vBulletin marks users so',
    },
    {
      body: `<div class="ltx_authors"><span class="ltx_creator ltx_role_author"><span class="ltx_personname">Ada Moss</span><span
        class="ltx_contact">University of Ghent</span></span><span class="ltx_author_before"> and </span><span
        class="ltx_creator ltx_role_author"><span class="ltx_personname">Bo Fern</span></span></div>`,
      name: 'Ada Moss, Bo Fern',
      because: 'LaTeXML marks each author, beside an institute',
    },
    {
      body: '<p class="author">S.</p><p class="author">Ada Moss</p>',
      name: 'Ada Moss',
      because: 'an initial is not a user name',
    },
    {
      body: '<div class="post-author">A new and better way to earn some money, Grow, and Bloom</div>',
      name: null,
      because: 'the parts of a sentence are not names',
    },
    {
      body: '<p class="author">Example</p>',
      after: '<div class="teaser"><p class="author">Bo Lichen</p></div>',
      name: 'Example',
      because: 'the author of a teaser does not replace the site at the title',
    },
  ],
  'Labels and dates around names': [
    {
      body: '<p><a rel=author href=/ada>View all posts by Ada Moss</a></p>',
      name: 'Ada Moss',
      because: 'a link to the other posts has the name too',
    },
    {
      body: '<a rel=author href=/ada>Afficher mon profil complet</a>',
      name: null,
      because: 'a label is not a name',
    },
    {
      body: '<p>Posted by</p><p>u/ada81</p>',
      name: 'u/ada81',
      because: 'a label may be followed by the name of a user',
    },
    {
      body: '<p><a href="/members/bo.7/">bo</a> replied</p><p>ada81 Discussion starter</p>',
      name: 'ada81',
      because: 'the author of the first post precedes others',
    },
    {
      body: '<p>Dec 26, 2025 • Ada Moss in Gardens</p>',
      name: 'Ada Moss',
      because: 'a date and a name may be in one line',
    },
    {
      body: '<p>03/01/2017 by Ada Moss, Chair of the Moss Committee</p>',
      name: 'Ada Moss',
      because: 'the name may follow the date',
    },
    {
      body: '<p>March 5, 2024 / by Ada Moss / in News</p>',
      name: 'Ada Moss',
      because: 'with a separator between them',
    },
    {
      body: '<p>March 5, 2024 · 3 min · Ada Moss</p>',
      name: 'Ada Moss',
      because: 'or with the time of reading',
    },
    {
      body: '<p>Ada Moss</p><p>Posted on Mar 5</p>',
      name: 'Ada Moss',
      because: 'and a date need not have a year',
    },
    { body: '<p>By Ada Moss, Berlin</p>', name: 'Ada Moss', because: 'a place is not a second author' },
    { body: '<p>By Ada Moss in</p>', name: 'Ada Moss', because: 'nor is the word before a category' },
  ],
  'Links to pages of authors': [
    {
      body: '<p>News</p><a href="/en/author-Ada-Moss-13.cms">Ada Moss</a><p>Share</p>',
      name: 'Ada Moss',
      because: 'their address has a part that names authors',
    },
    {
      body: '<p><a href="https://www.example.com/members/adas_garden.81/">adas_garden</a></p>',
      name: 'adas_garden',
      because: 'or people, if it has the name too',
    },
    {
      body: '<p>by <a href="/author/ada/">ada moss</a></p>',
      name: 'ada moss',
      because: 'a name without capitals begins with the user in its address',
    },
    {
      body: '<h4 class="author-name"><a href="/author/ada/">Ada Moss</a>, <a href="/author/bo/">Bo Lichen</a></h4>',
      name: 'Ada Moss, Bo Lichen',
      because: 'several in one line are several authors',
    },
    {
      body: '<p><a rel=author href="/author/ada/">Ada Moss</a> <a rel=author href="/gardens">GARDENS</a></p>',
      name: 'Ada Moss',
      because: 'a word behind a full name is the publisher',
    },
    { body: '<p><a href="/user/login">Sign In</a></p>', name: null, because: 'links to forms are not' },
    {
      body: '<p><a href="https://videos.example/user/garden">Garden</a></p>',
      name: null,
      because: 'profiles of the site on other sites are not',
    },
    {
      body: `<p><a href="/profile/ada-moss">Ada Moss</a> ${'planted moss in the shade of walls, '.repeat(5)}</p>`,
      name: null,
      because: 'people in the text are not',
    },
    {
      after: '<p><a href="/author/bo-lichen">Bo Lichen</a></p>'
        .repeat(2)
        .replace('<p>', '<p>x</p>'.repeat(9)),
      name: null,
      because: 'authors of other articles are not',
    },
  ],
  'Lines below the text': [
    {
      after:
        '<h2>Article written by:</h2><h3>Ada Moss, MD</h3><h2>Article reviewed by:</h2><h3>Bo Lichen</h3>',
      name: 'Ada Moss',
      because: 'name the author before the reviewer',
    },
    {
      after: '<h3>About the author</h3><p>Ada Moss is a gardener in the north, and has two sheds.</p>',
      name: 'Ada Moss',
      because: 'begin with the name',
    },
    {
      head: organization('Example Ltd'),
      after: '<p>Written by Ada Moss</p>',
      name: 'Ada Moss',
      because: 'are better than the organization of the site',
    },
    {
      body: '<p>By Bo Lichen</p>',
      after: '<p>Written by Ada Moss</p>',
      name: 'Bo Lichen',
      because: 'count only if no line at the title does',
    },
    {
      after: '<div class=comments><p>Written by Ada Moss</p></div>',
      name: null,
      because: 'do not count in comments',
    },
  ],
  'Names of organizations': [
    {
      head: organization('Example Ltd'),
      body: '<p>Ada Moss</p><p>Co-Founder &amp; Director</p>',
      name: 'Ada Moss',
      because: 'a name above a role is of a person, who wrote for the organization of the site',
    },
    {
      head: organization('Example Ltd'),
      name: 'Example Ltd',
      because: 'the organization of the site is the author if no person is',
    },
    {
      head: `<meta name=author content="Example"><meta property="og:site_name" content="Example">${organization('Institute of Moss')}`,
      name: 'Institute of Moss',
      because: 'another organization comes before the site',
    },
    {
      head: '<meta name=author content="garden.example">',
      body: '<p>May 3, 2020</p><p>Ada Moss</p>',
      name: 'Ada Moss',
      because: 'the address of a site is not a person',
    },
    {
      head: '<meta name=author content="garden.example">',
      name: 'garden.example',
      because: 'but better than no author',
    },
    {
      body: '<p>May 3, 2020</p><p>Garden Visitors: 80</p>',
      name: null,
      because: 'a label with a value is not a name',
    },
    {
      body: '<p>May 3, 2020</p><p>Old Moss, which is never mown again.</p>',
      name: null,
      because: 'a sentence is not a name',
    },
    ...[
      '<p><b>Key Facts</b></p>',
      '<p>Why It Matters</p>',
      '<p><b>North Sea</b></p>',
      '<ul><li>Range of 90 km</li></ul>',
    ].map(line => ({
      body: `<p>May 3, 2020</p><p>${'Moss grows slowly in the shade, '.repeat(6)}</p>${line}`,
      name: null,
      because: `a line behind a paragraph is not beside the date above it: ${line}`,
    })),
    { body: '<p>May 3, 2020</p><p>Range of 90 km</p>', name: null, because: 'no name ends with a particle' },
    { body: '<p>Contact Our Team</p><p>Senior gardeners</p>', name: null, because: 'neither is a button' },
  ],
}

cases['Other languages'] = Object.entries({
  'Par Anne Dubois Publié le 1er mars 2024': 'Anne Dubois',
  'Por María López Publicado el 3 de marzo de 2024': 'María López',
  'Von Klaus Müller Aktualisiert am 3. März 2024': 'Klaus Müller',
  'Автор: Анна Иванова': 'Анна Иванова',
  '김철수 기자': '김철수',
  '记者：王小明': '王小明',
  'โดย สมชาย ใจดี': 'สมชาย ใจดี',
  'بقلم أحمد علي': 'أحمد علي',
  'كتب: أحمد علي': 'أحمد علي',
  'كتب: أحمد علي ٤ مارس ٢٠٢٥': 'أحمد علي',
  'מאת דנה כהן': 'דנה כהן',
  'Gespeichert von ada81 am Di., 05.03.2024 - 10:15': 'ada81',
  'Eingereicht von Ada Moss am 5. März 2024': 'Ada Moss',
  'Soumis par Anne Dubois le mar 05/03/2024 - 10:15': 'Anne Dubois',
  'Propos recueillis par Anne Dubois': 'Anne Dubois',
  'Enviado por María López el Mar, 05/03/2024 - 10:15': 'María López',
  'Geschreven door Jan de Vries op 5 maart 2024': 'Jan de Vries',
  'Interview: Klaus Müller': 'Klaus Müller',
  'Interview Room': null,
  'ライター：山田太郎': '山田太郎',
  '投稿者：山田太郎': '山田太郎',
  'Yazar: Deniz Kaya': 'Deniz Kaya',
  'Szerző: Nagy Anna': 'Nagy Anna',
  'Kirjoittaja: Aino Korhonen': 'Aino Korhonen',
  'Oleh Dewi Lestari': 'Dewi Lestari',
  '作者：王小明 发布时间：2024-03-05 10:15': '王小明',
  '2024-03-05 10:15 来源：例报 作者：王小明': '王小明',
  'Culture | Autor: Ada Moss | 5. 3. 2024': 'Ada Moss',
  '山田太郎 記者': '山田太郎',
  '김철수 기자 kim@news.test': '김철수',
}).map(([line, name]) => ({ body: `<p>${line}</p>`, name, because: line }))

test('The class of a whole page', async t => {
  const page = (element: string) =>
    `<${element} class="writer-html5"><nav><a href="index.html">MossLib</a></nav><main><h1>Moss lawns</h1>${paragraphs(4)}</main>`
  for (const element of ['html', 'body']) t.equal(articleOf(page(element)).byline, null, element)
})

for (const [title, list] of Object.entries(cases)) {
  test(title, async t => {
    for (const one of list) t.equal(bylineOf(one), one.name, one.because)
  })
}

test('The authors of the items of a listing', async t => {
  const teaser =
    '<article><h2><a href="/a">Moss instead of grass</a></h2><span class="byline">By Ada Moss</span></article>'
  const page = `<title>The Garden</title><main>${teaser}${teaser}</main>`
  t.equal(articleOf(page, 'https://www.example.com/').byline, null, 'are not its authors')
  const stated = `<meta name="author" content="Ada Moss">${page}`
  t.equal(articleOf(stated, 'https://www.example.com/').byline, 'Ada Moss', 'unless its head states them')
})
