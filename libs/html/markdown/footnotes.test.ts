/** Notes have no links that lead back, and no labels of their own. */
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { writeMarkdown } from './write-markdown.ts'

const cases: [html: string, markdown: string][] = [
  [
    `x<a href="#n" role="doc-noteref">1</a><aside class="footnote-list"><aside id=n role=doc-footnote><span><span>[</span
      ><a role="doc-backlink" href="#r">1</a><span>]</span></span><p>y</aside></aside>`,
    'x[^1]\n\n[^1]: y\n',
  ],
  [
    `x<a href="#n" role=doc-noteref id=r>1</a> y<a href="#n" role=doc-noteref id=s>1</a><aside id=n role=doc-footnote>
      <span class=label><span>[</span>1<span>]</span></span><span class=backrefs>(<a role=doc-backlink href="#r">1</a>,<a
      role=doc-backlink href="#s">2</a>)</span><p>z</aside>`,
    'x[^1] y[^1]\n\n[^1]: z\n',
  ],
  [
    'x<a href="#n" role="doc-noteref">1</a><div class=footnotes><p id=n>y (see <a role="doc-backlink" href="#r">1</a>)</div>',
    'x[^1]\n\n[^1]: y (see )\n',
  ],
]

test('Labels of notes', async t => {
  for (const [html, markdown] of cases)
    t.equal(writeMarkdown(parseTree(html), { base: 'https://example.com/' }), markdown, html)
})
