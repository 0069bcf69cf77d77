/** The text of a thread has its posts, without the lines of the forum about them. */
import { test } from 'tap'
import { articleOf, links, mainOf, prose } from './article.examples.ts'

const textOf = (body: string) =>
  articleOf(
    `<title>Moss or grass?</title><body><nav><ul>${links(5)}</ul></nav><main>${body}</main></body>`,
    'https://forum.example.com/threads/moss.12/',
  ).text
const post = (inside: string, at: number) => `<div class="post" id="post-${at}">${inside}</div>`
const text = (at: number) => `<div class="text"><p>${prose(at)}</p><p>${prose(at + 20)}</p></div>`
const thread = (beside: (at: number) => string) =>
  textOf(`<h1>Moss or grass?</h1>${[1, 2, 3].map(at => post(beside(at), at)).join('')}`)

test('Lines about the posts', async t => {
  for (const line of [
    '#N · May 3, 2026',
    '#N · May 3, 2026 (Edited)',
    '12 Posts 3 Posters 1.5k Views 3 Watching',
    '6.3K views 23 replies 14 participants last post by ada May 3, 2026',
    '2 Replies',
    'Show more replies',
    'Sorted by: Reset to default',
    'Last edited: May 3, 2026',
    'You must log in to answer this question.',
    'This topic was automatically closed 30 days after the last reply. New replies are no longer allowed.',
    'ada81 has marked this topic as solved on',
    'Code: Select all',
    'Sorted by:',
  ]) {
    for (const element of ['p', 'span']) {
      const found = thread(at => `<${element}>${line.replace('N', `${at}`)}</${element}>${text(at)}`)
      t.notMatch(found, line.slice(3, 12), `are no text: ${line} in ${element}`)
      t.match(found, prose(3), 'but the posts are')
    }
  }
  const top =
    '<div class="back2top"><a href="#top" class="top" title="Top"><span class="sr-only">Top</span></a></div>'
  const posts = [1, 2, 3].map(at => post(`${text(at)}${top}`, at)).join('')
  const markdown = mainOf(
    `<main><h1>Moss or grass?</h1>${posts}</main>`,
    'https://forum.example.com/threads/moss.12/',
  )
  t.notMatch(markdown, 'Top', 'nor are links to the top of the page')
  for (const line of ['#1 is the best of them', 'Two views on moss', 'I edited it in May 2026, sorry'])
    t.match(
      thread(at => `<p>${line}</p>${text(at)}`),
      line,
      'nor are others',
    )
})

test('The source of a quote', async t => {
  const quote = (inside: string) => mainOf(`<blockquote><div>${inside}</div></blockquote>`)
  t.match(quote('<cite>Ada wrote:</cite>Moss'), '> *Ada wrote:*\n>\n> Moss\n', 'is above its text')
  t.match(quote('<cite>Hamlet</cite>, a play'), '> *Hamlet*, a play\n', 'unlike a title in a sentence')
})

test('Lists of facts about the author of a post', async t => {
  const user = '<dl><dt>Join Date</dt><dd>Mar 2010</dd><dt>Posts</dt><dd>1,234</dd></dl>'
  const found = thread(at => `${user}${text(at)}<p>Reply With Quote</p>`)
  t.notMatch(found, /Join Date|Mar 2010|1,234|Reply With/, 'are no text')
  const terms = '<dl><dt>Posts</dt><dd>Wood in the ground</dd><dt>Rails</dt><dd>Wood across it</dd></dl>'
  t.match(
    thread(at => `${text(at)}${terms}`),
    'Wood in the ground',
    'unlike definitions',
  )
})

test('Numbers on a line between others', async t => {
  const step = (at: number) => `<div><span>${at}.</span><p>${prose(at)}</p></div>`
  t.match(
    articleOf(`<main><h1>Moss</h1>${[1, 2, 3, 4].map(step).join('')}</main>`).text,
    '2.',
    'count the steps',
  )
  const button = `<div><span>Advertisement</span>${text(1)}</div>${text(2)}`
  t.notMatch(articleOf(`<main><h1>Moss</h1>${button}</main>`).text, 'Advertisement', 'unlike a label')
})

test('The post above a list of comments', async t => {
  const comments = [1, 2, 3, 4].map(
    at => `<li><article id="comment-${at}" class="comment">${text(at)}</article></li>`,
  )
  const sorting = Array.from(
    { length: 30 },
    (_, at) => `<div><a href="?by=${at}">Order all comments by their number ${at}</a></div>`,
  )
  const page = `<title>Moss or grass?</title><body><div><div><h1>Moss or grass?</h1>${text(9)}${text(8)}</div>${sorting.join('')}
    <ul class="list">${comments.join('')}</ul></div></body>`
  t.match(articleOf(page, 'https://forum.example.com/post/12').text, prose(9), 'is part of the text')
})

test('A list of links in a post', async t => {
  const list = ['Moss and the shade of old walls', 'Grass that no one ever mows'].map(
    (title, at) => `<li><a href="https://seeds.example/${at}">${title}</a></li>`,
  )
  t.match(
    thread(at => `${text(at)}<ul>${list.join('')}</ul>`),
    'shade of old walls',
    'is text',
  )
  const pages = [1, 2, 3].map(at => `<li><a href="/page-${at}">Page ${at}</a></li>`).join('')
  t.notMatch(
    thread(at => `${text(at)}<ul>${pages}</ul>`),
    'Page 2',
    'unlike short links',
  )
})

test('Long lines of counts and names', async t => {
  const started = process.cpuUsage()
  thread(at => `<p>${'1 views, '.repeat(60)}x</p><p>${'1 views,'.repeat(60)}x</p>${text(at)}`)
  articleOf(`<title>Example${'website'.repeat(60)}x | Moss</title><h1>Moss</h1>${text(1)}`)
  t.ok(process.cpuUsage(started).user < 1_000_000, 'take little time')
})
