/** The clean tree of an article has its words, links and code, without the aids around them. */
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { articleOf, site } from './article.examples.ts'
import { articleHtml } from './article-html.ts'
import { keptTree } from './kept-tree.ts'

const resolve = (address: string): string | null => URL.parse(address, 'https://example.com/')?.href ?? null
const treeOf = (html: string) => keptTree(parseTree(html).children, () => true, resolve)
const htmlOf = (html: string): string => articleHtml(treeOf(html))

test('Links from a part of the text to itself', async t => {
  for (const link of [
    '<a class="headerlink" href="#u" title="Link to this heading">¶</a>',
    '<a class="headerlink" href="/page.html#u">¶</a>',
    '<a href="#u" class="doc-anchor">§</a>',
    '<a href="#u"> <span>#</span></a>',
    '<a href="#u"></a>',
  ]) {
    t.equal(htmlOf(`<h2>Use${link}</h2>`), '<h2>Use</h2>', `are left out: ${link}`)
    t.equal(htmlOf(`<p>a ${link} b</p>`), '<p>a  b</p>', 'also in a paragraph')
  }
  const { text, content } = articleOf(
    site('<h2 id=u>Use<a href="#u">¶</a></h2><p>Moss is wet.<a href="#p">¶</a>'),
  )
  t.match(text, '\n\nUse\n\nMoss is wet.')
  t.notMatch(text + content, '¶')
  for (const [html, expected] of [
    ['<a href="/tags">#</a>', '<a href="https://example.com/tags">#</a>'],
    ['<a href="#n">1</a>', '<a href="https://example.com/#n">1</a>'],
    [
      '<a href="#i"><img src="/i.png"></a>',
      '<a href="https://example.com/#i"><img src="https://example.com/i.png"></a>',
    ],
    ['§ 5 ¶', '§ 5 ¶'],
  ] as const)
    t.equal(htmlOf(`<p>${html}</p>`), `<p>${expected}</p>`, `other links and signs are kept: ${html}`)
})
