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
  [
    `x<a class=footnote-anchor href="#n1" id=r1>1</a> y<a class=footnote-anchor href="#n2" id=r2>2</a><div class=footnote>
      <a class=footnote-number id=n1 href="#r1">1</a><div><p>z</div></div><div class=footnote><a class=footnote-number id=n2
      href="#r2">2</a><div><p>w</div></div>`,
    'x[^1] y[^2]\n\n[^1]: z\n\n[^2]: w\n',
  ],
]

test('Labels of notes', async t => {
  for (const [html, markdown] of cases)
    t.equal(writeMarkdown(parseTree(html), { base: 'https://example.com/' }), markdown, html)
})

test('Footnotes in deep elements', async t => {
  const many = 100_000
  const pages = {
    labels: `x<sup><a href=#n>1</a></sup><ol class=footnotes><li id=n>${'<div class=label>'.repeat(480)}${'y <b></b>'.repeat(many)}`,
    references: `${'<sup><a href=#n>1</a>'.repeat(480)}${'<b>x</b>'.repeat(many)}<ol class=footnotes><li id=n>y`,
    'links back': `x<sup><a href=#n>1</a></sup><ol class=footnotes><li id=n>${'<a href=#q><table><tr><td>'.repeat(120)}${'<b>y</b>'.repeat(many)}`,
  }
  for (const [what, html] of Object.entries(pages)) {
    const document = parseTree(html)
    const started = process.cpuUsage()
    writeMarkdown(document, { base: 'https://example.com/' })
    const spent = process.cpuUsage(started).user / 1000
    t.ok(spent < 500, `cost little: ${what} (${Math.round(spent)} ms)`)
  }
})
