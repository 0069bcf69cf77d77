/** Dates are read in the forms of several languages, and impossible ones are not. */
import { test } from 'tap'
import { articleOf, paragraphs } from './article.examples.ts'
import { findDate, readDate } from './facts/written-date.ts'

test('Written dates', async t => {
  for (const [text, date] of [
    ['2026-11-21T10:00:00.000Z', '2026-11-21T10:00:00Z'],
    ['2026-11-21 10:00', '2026-11-21'],
    ['2026-11-21T10:00:30+0530', '2026-11-21T10:00:30+05:30'],
    ['2026-11-21T24:00:00Z', '2026-11-21'],
    ['2026-11-21T10:75:00Z', '2026-11-21'],
    ['2026-11-21T10:00:99Z', '2026-11-21'],
    ['2026-11-21T10:00:00+99:00', '2026-11-21'],
    ['20261121', '2026-11-21'],
    ['1700000000', '2023-11-14'],
    ['Sat, 21 Nov 2026 10:00:00 GMT', '2026-11-21'],
    ['2026 Nov 21', '2026-11-21'],
    ['21.11.26', '2026-11-21'],
    ['1er août 2019', '2019-08-01'],
    ['12 października 2021', '2021-10-12'],
    ['2024년 3월 3일', '2024-03-03'],
    ['3 березня 2024', '2024-03-03'],
    ['3 Μαΐου 2024', '2024-05-03'],
    ['3 مارس 2024', '2024-03-03'],
    ['3 במרץ 2024', '2024-03-03'],
    ['3 मार्च 2024', '2024-03-03'],
    ['24 Kasım 2026', '2026-11-24'],
    ['3 Ağustos 2026', '2026-08-03'],
    ['5 MAYIS 2026', '2026-05-05'],
    ['1 Aralık 2026', '2026-12-01'],
    ['5. marts 2024', '2024-03-05'],
    ['5. maaliskuuta 2024', '2024-03-05'],
    ['4. kesäkuuta 2024', '2024-06-04'],
    ['2024. március 5.', '2024-03-05'],
    ['5 ianuarie 2024', '2024-01-05'],
    ['Selasa, 5 Maret 2024', '2024-03-05'],
    ['5 de maig de 2024', '2024-05-05'],
    ['Ngày 5 tháng 3 năm 2024', '2024-03-05'],
    ['5 tháng 12, 2024', '2024-12-05'],
    ['٢٤ نوفمبر ٢٠٢٦', '2026-11-24'],
    ['۲۰۲۶/۱۱/۲۴', '2026-11-24'],
    ['१४ मार्च २०२६', '2026-03-14'],
    ['2026-02-30', null],
    ['in 1984', null],
    ['version 10.2.2020.1', '2020-02-10'],
    ['nothing', null],
  ] as const) {
    t.equal(readDate(text), date, text)
  }
  t.equal(findDate('في ٢٤ نوفمبر ٢٠٢٦'), '2026-11-24')
  t.equal(findDate('It was on 3 May 2020, they say'), '2020-05-03', 'are found in a text')
})

test('The day on which an author became a user', async t => {
  const post = (profile: string) => `<body><main><h1>Moss lawns</h1><div id="p1" class="post">${profile}<p
    class="by">by ada81 <time datetime="2026-10-01T08:00:00Z">Thu Oct 01, 2026 8:00 am</time></p>${paragraphs(4)}</div></main>`
  for (const profile of [
    '<dl><dd><b>Joined:</b> Mon Mar 02, 2020 8:14 am</dd></dl>',
    '<dl><dt>Joined</dt><dd>Mar 2, 2020</dd></dl>',
    '<div>Join Date: Mar 2, 2020</div>',
    '<p>Member since Mar 2, 2020</p>',
    '<p>Joined in March 2, 2020</p>',
    '<p>Joined us on Mar 2, 2020</p>',
    '<p>Joined the forum on Mar 2, 2020</p>',
    '<p>Registered User since Mar 2, 2020</p>',
    '<p>Joined · Mar 2, 2020</p>',
    '<p>Joined (Mar 2, 2020)</p>',
    '<p>Member Since – Mar 2, 2020</p>',
    '<div>Registered user since</div><div>Mar 2, 2020</div>',
  ])
    t.match(articleOf(post(profile)).published, '2026-10-01', `is no date of the post: ${profile}`)
  for (const line of ['Registered nurses strike, 3 May 2024', 'Joined by friends, 3 May 2024']) {
    const page = `<main><h1>Moss lawns</h1><div>${line}</div>${paragraphs(4)}</main>`
    t.match(articleOf(page).published, '2024-05-03', `but a line of the article has its date: ${line}`)
  }
})

test('The days of comments', async t => {
  const dated = '<time class="published" datetime="2023-05-05T10:00:00+00:00">May 5, 2023</time>'
  const remark = `<ol class="comment-list"><li class="comment">${dated}<p>Lovely moss!</p></li></ol>`
  const page = (line: string, below: string, text = paragraphs(4)) =>
    `<body><main><article><h1>Moss lawns</h1>${line}${text}</article>${below}</main></body>`
  const comments = `<div id="comments">${remark}</div>`
  const review = `<div id="reviews"><div id="comments"><div itemprop="review"><p itemprop="datePublished">May 5, 2023</p><p>Good.</p></div></div></div>`
  for (const below of [comments, review])
    for (const text of [paragraphs(4), '<p>Moss by the metre.</p>'])
      t.equal(articleOf(page('', below, text)).published, null, `are no days of the page: ${below}`)
  const own = '<p><time datetime="2022-04-04">April 4, 2022</time></p>'
  t.equal(articleOf(page(own, comments)).published, '2022-04-04', 'unlike the day of the article')
  const posts = [1, 2, 3].map(at => `<div class="comment" id="post-${at}">${dated}${paragraphs(1, at)}</div>`)
  const thread = `<body><h1>Moss lawns</h1><div class="comments">${posts.join('')}</div></body>`
  const { published } = articleOf(thread, 'https://forum.example.com/threads/moss.12/')
  t.match(published, '2023-05-05', 'but the posts of a forum may be marked as comments')
})

test('Dates of digits in English', async t => {
  const page = (date: string, head = '', lang = 'en') =>
    `<html lang=${lang}><head>${head}</head><body><main><h1>Moss lawns</h1><p class="date">${date}</p>${paragraphs(4)}</main></body>`
  t.equal(articleOf(page('05.03.2024')).published, '2024-03-05', 'begin with the day before a dot')
  t.equal(articleOf(page('05/03/2024')).published, '2024-05-03', 'and with the month before a slash')
  t.equal(articleOf(page('05/03/2024', '', 'en-GB')).published, '2024-03-05', 'except in Britain')
  t.equal(articleOf(page('05.23.2024')).published, '2024-05-23', 'no month is after the twelfth')
  const head = '<meta property="article:published_time" content="2024-09-10T10:00:00Z">'
  t.equal(articleOf(page('09.10.2024', head)).published, '2024-09-10T10:00:00Z', 'another statement decides')
  const other = '<meta property="article:published_time" content="2024-09-12">'
  t.equal(articleOf(page('09.10.2024 <time datetime="2024-09-10">', other)).published, '2024-09-10', 'any')
  const stated = '<meta name=citation_date content="11/03/2024">'
  t.equal(articleOf(page('', stated)).published, '2024-11-03', 'so do those in the head')
  t.equal(articleOf(page('', stated, 'de')).published, '2024-03-11', 'unlike those of other languages')
})

test('A date in the title of an element', async t => {
  const page = (line: string) => `<main><h1>Moss lawns</h1>${line}${paragraphs(4)}</main>`
  for (const line of [
    '<span class="date" title="2024-03-05">3 weeks ago</span>',
    '<abbr itemprop="datePublished" title="2024-03-05T10:00:00+01:00">10:00 AM</abbr>',
    '<time title="March 5, 2024">yesterday</time>',
  ])
    t.match(articleOf(page(line)).published, '2024-03-05', line)
  const dated = '<span class="date" title="2024-04-06">March 5, 2024</span>'
  t.equal(articleOf(page(dated)).published, '2024-03-05', 'counts only if its text has none')
})

test('The day of the last change', async t => {
  const manual = (foot: string) =>
    `<main><article><h1>Rakes</h1>${paragraphs(3)}<pre>rake --deep</pre><pre>rake</pre><footer>${foot}</footer></article></main>`
  for (const foot of [
    'Last updated on <b><time datetime="2024-02-09T11:20:00Z" itemprop="dateModified">Feb 9, 2024</time></b>',
    '<p>Last updated: <time datetime="2024-02-09">2/9/24</time></p>',
    '<span class="git-revision-date">February 9, 2024</span>',
    '<p>Last modified: February 9, 2024</p>',
    '<p class="date">Zuletzt aktualisiert am 9. Februar 2024</p>',
    '<p>Обновлено 9 февраля 2024</p>',
    '<p>آخر تحديث: 9 فبراير 2024</p>',
    '<p>최종 수정 2024년 2월 9일</p>',
  ]) {
    const { published, modified } = articleOf(manual(foot))
    t.equal(published, null, `is not the day of publication of a manual: ${foot}`)
    t.match(modified, '2024-02-09')
  }
  const article = (line: string) =>
    articleOf(`<main><h1>Moss lawns</h1><p>${line}</p>${paragraphs(4)}</main>`)
  const both =
    'Updated <time datetime="2024-02-09">Feb 9, 2024</time>, published <time datetime="2023-01-05">Jan 5, 2023</time>'
  t.equal(article(both).published, '2023-01-05', 'is followed by that of publication')
  t.equal(article(both).modified, '2024-02-09')
  t.equal(article('Updated on Feb 9, 2024').published, '2024-02-09', 'dates an article without another day')
})

test('Elements that touch each other in a line', async t => {
  const page = (line: string) =>
    articleOf(`<main><h1>Moss lawns</h1><div>${line}</div>${paragraphs(4)}</main>`)
  const split = page('<span>By</span><span>Ada Moss</span><span>May 3, 2025</span><span>4 min read</span>')
  t.equal(split.published, '2025-05-03', 'are apart')
  t.equal(split.byline, 'Ada Moss')
  t.equal(
    page('<a href="/t">ツイート</a><a href="/s">シェア</a>').byline,
    null,
    'are no name if all are links',
  )
  const buttons = '</div><p><time>2025年5月27日</time></p><div class="sns"><a>ツイート</a><a>シェア</a></div>'
  t.equal(page(buttons).byline, null, 'are no name if they share the page')
  t.equal(page('By Ada Moss, May 3<sup>rd</sup>, 2025').published, '2025-05-03', 'unlike parts of words')
})
