/** Fixtures of the tests: pages that consist of a few parts, each with a purpose. */
import { writeMarkdown } from '../markdown/write-markdown.ts'
import { parseTree } from '../tree/parse-tree.ts'
import type { Article } from './article.ts'
import { mainContent } from './main-content.ts'
import { readArticle } from './read-article.ts'

export const pageUrl = 'https://www.example.com/garden/moss-lawns'

export const articleOf = (html: string, url = pageUrl): Article => readArticle(parseTree(html), { url })

/** Returns the main content of a page as Markdown. */
export function mainOf(html: string, url = pageUrl): string {
  const tree = parseTree(html)
  return writeMarkdown(tree, { base: url, ...mainContent(tree, url) })
}

const sentences = [
  'Moss grows where grass gives up, in the shade of old walls and under the eaves of the shed.',
  'It needs little water, no mowing at all, and it stays green through most of the winter.',
  'Gardeners in wet countries have known this for centuries, and they build whole gardens from it.',
  'The first year is slow, because birds pull at the young cushions, looking for worms below.',
  'After that it closes like a carpet, and only leaves have to be taken off in the autumn.',
  'Walk on it with bare feet, if you like, but leave the heavy boots on the stones beside it.',
] as const

/** Returns a paragraph of prose with a number. Different numbers have different paragraphs. */
export const prose = (number: number): string =>
  `${sentences[number % sentences.length]} That was said in note ${number} of the garden book, with care.`

export const paragraphs = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, at) => `<p>${prose(from + at)}</p>`).join('\n')

export const links = (count: number, path = '/more'): string =>
  Array.from(
    { length: count },
    (_, at) => `<li><a href="${path}/${at}">Another story of the day ${at}</a></li>`,
  ).join('')

/** Returns a typical page, with `inside` after the text of the article. */
export const site = (inside: string, head = ''): string => `<!doctype html><html lang="en"><head>
  <title>Moss instead of grass | The Example Gardener</title>${head}</head><body class="has-sidebar">
  <header class="site-header"><a href="/">The Example Gardener</a>
    <nav><ul>${links(8)}</ul></nav></header>
  <div class="layout"><main><h1>Moss instead of grass</h1>
    <div class="body">${paragraphs(5)}${inside}</div></main>
  <div class="sidebar"><h3>Most read</h3><ul>${links(6, '/read')}</ul></div></div>
  <footer><p>All of this belongs to a gardener, who has written a long sentence about it here.</p></footer>
  </body></html>`

/** One reader's comment "Lovely moss!" below an article, in the markup of publishing systems. */
export const shortComments: Readonly<Record<string, string>> = {
  'a paragraph': '<div id=comments><h3>Comments</h3><p>Lovely moss!</p></div>',
  'one after its count':
    '<section class=comments><h2>1 comment</h2><div class=comment>Lovely moss!</div></section>',
  'one of WordPress': `<div id="comments" class="comments-area"><h2 class="comments-title">One thought on “Moss”</h2>
    <ol class="comment-list"><li class="comment byuser comment-author-ada even depth-1" id="comment-7"><article class="comment-body">
    <footer class="comment-meta"><div class="comment-author vcard"><b class="fn">Ada</b> <span class="says">says:</span></div>
    <div class="comment-metadata"><a href="#comment-7"><time>3 March 2026</time></a></div></footer>
    <div class="comment-content"><p>Lovely moss!</p></div><div class="reply"><a href="#respond">Reply</a></div></article></li></ol>
    <div id="respond" class="comment-respond"><h3>Leave a Reply</h3><form><p>Your email address will not be published.</p></form></div></div>`,
  'one of Drupal': `<section class="comments"><h2>Comments</h2><article class="comment" typeof="schema:Comment"><footer>
    <p>Submitted by Ada on 3 March</p></footer><div class="field--name-comment-body"><p>Lovely moss!</p></div></article></section>`,
  'one that is marked': `<div id="discussion"><div itemprop="comment" itemscope><div itemprop="author">Ada</div>
    <div itemprop="commentText" class="commentText">Lovely moss!</div></div></div>`,
  'one beside what the site says': `<div class=comments><p>1 Comment</p><p>Please log in to comment.</p><p>Sort by: newest</p>
    <p>Lovely moss!</p><p>Comments are closed.</p></div>`,
}

/** Comment areas below an article without any comment. */
export const noComments: Readonly<Record<string, string>> = {
  'only a heading': '<div id=comments><h3>Comments</h3></div>',
  'none yet': '<div class=comments><h3>0 comments</h3><p>No comments yet.</p></div>',
  'a call for the first': '<div class=comments><p>Be the first to comment!</p></div>',
  'they are closed': '<div class=comments><p>Comments are closed.</p></div>',
  'a required login': '<div class=comments><p>You must be logged in to post a comment.</p></div>',
  'a required login, in German':
    '<div class=comments><p>Noch keine Kommentare.</p><p>Du musst angemeldet sein.</p></div>',
  'a form': `<div class=comments><p class="comment-form-author">Name</p><p>Your e-mail address will not be published.</p>
    <p>Leave a comment</p></div>`,
  'only a count': '<div class=comments><span class=comments-count>12 comments</span></div>',
  'only an author': '<div class=comments><div class=comment><div class=comment-author>Ada</div></div></div>',
}
