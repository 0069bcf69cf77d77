/** The clean tree of an article has its words, links and code, without the aids around them. */
import type { Element } from 'domhandler'
import { test } from 'tap'
import { writeMarkdown } from '../markdown/write-markdown.ts'
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

test('White space in code', async t => {
  const without = (name: string) => (element: Element) => !element.attribs.class?.includes(name)
  const tree = (html: string) => articleHtml(keptTree(parseTree(html).children, without('tools'), resolve))
  t.equal(
    tree('<pre><div class=tools>Copy</div><code>a\n<b>    </b>b<div class=tools>Copy</div></code></pre>'),
    '<pre><code>a\n    b</code></pre>',
    'is neither added nor lost with elements that are left out',
  )
  t.equal(tree('<p>a<b>  </b>b<div class=tools>c</div>d'), '<p>a b</p> d', 'is one space outside of code')
  t.equal(tree('a<pre> <code>  </code>\n</pre>b'), 'a b', 'is not code without a text')
})

test('Line numbers of code', async t => {
  for (const [pre, expected] of [
    [
      '<pre><span class="linenos">1</span>import x\n<span class="linenos">2</span>y</pre>',
      '<pre>import x\ny</pre>',
    ],
    [
      '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><pre>a\nb</pre></td></tr></table>',
      '<table><tr><td><pre>a\nb</pre></td></tr></table>',
    ],
    [
      '<figure class="highlight"><table><tr><td class="gutter"><pre><span class="line">1</span><br></pre></td><td class="code"><pre>a</pre></td></tr></table></figure>',
      '<figure><table><tr><td><pre>a</pre></td></tr></table></figure>',
    ],
    [
      '<pre><code><table class="rouge-table"><tr><td class="rouge-gutter gl"><pre class="lineno">1\n</pre></td><td class="rouge-code"><pre>a</pre></td></tr></table></code></pre>',
      '<pre><code><table><tr><td><pre>a</pre></td></tr></table></code></pre>',
    ],
    [
      '<table class="lntable"><tr><td class="lntd"><pre><code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre><code>a\nb</code></pre></td></tr></table>',
      '<table><tr><td><pre><code>a\nb</code></pre></td></tr></table>',
    ],
    [
      '<table><tr><td><pre><code><span>8\n</span><span>9\n</span><span>10\n</span></code></pre></td>\n<td><pre><code>a\nb\nc</code></pre></td></tr></table>',
      '<table><tr>\n<td><pre><code>a\nb\nc</code></pre></td></tr></table>',
    ],
    ['<pre><span class="lnt">1</span>a</pre>', '<pre>a</pre>'],
    [
      '<pre>a</pre><div class="line-numbers-wrapper" aria-hidden="true"><span>1</span><br></div>',
      '<pre>a</pre>',
    ],
  ] as const) {
    t.equal(htmlOf(pre), expected, `are left out: ${pre}`)
    t.notMatch(writeMarkdown(parseTree(pre), { base: 'https://example.com/' }), /\d/, 'also in Markdown')
  }
  for (const html of [
    '<pre class="line-numbers">1 + 2</pre>',
    '<pre>1\n2</pre>',
    '<pre><span class="gutter">if 1</span></pre>',
    '<table><tr><td class="gutter"></td><td class="ln">1</td></tr></table>',
    '<p class="gutter">12</p>',
    '<table><tr><td><pre>1\n3</pre></td><td><pre>a\nb</pre></td></tr></table>',
    '<table><tr><td><pre>1\n2</pre></td><td>a</td></tr></table>',
    '<table><tr><td><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr><tr><td>a</td></tr></table>',
    '<table><tr><td class="lntd"><pre>1</pre></td><td class="lntd"><pre>a</pre></td></tr></table>',
  ])
    t.equal(htmlOf(html), html.replace(/ class="[^"]*"|<\/?span.*?>/g, ''), `other numbers are kept: ${html}`)
  const nested = '<table><tr><td class=gutter>'.repeat(80) + 'x'.repeat(1e6)
  const tree = parseTree(nested)
  const started = process.cpuUsage()
  keptTree(tree.children, () => true, resolve)
  t.ok(process.cpuUsage(started).user < 500_000, 'are searched in linear time')
})

test('The source of a quote above its text', async t => {
  const quote = (inside: string) => htmlOf(`<blockquote><div>${inside}</div></blockquote>`)
  t.match(quote('<cite>Ada wrote:</cite>Moss'), '<cite>Ada wrote: </cite>Moss', 'is a word of its own')
  t.match(quote('<cite>Moss</cite>, a book'), '<cite>Moss</cite>, a book', 'unlike a title in a sentence')
})

test('Tables by their roles', async t => {
  const rows = ['columnheader', 'cell'].map(
    role => `<div role="row">${['a', 'b'].map(text => `<div role="${role}">${text}</div>`).join('')}</div>`,
  )
  const table = `<div role="table">${rows.map(row => `<div role="rowgroup">${row}</div>`).join('')}</div>`
  const cells = (name: string) => `<tr><${name}>a</${name}><${name}>b</${name}></tr>`
  t.equal(htmlOf(table), `<table><tbody>${cells('th')}</tbody><tbody>${cells('td')}</tbody></table>`)
})

test('Numbers in the cells of tables', async t => {
  const team =
    '<table><tr><th>Team</th><th>GL</th></tr><tr><td>Ants</td><td class="gl">12</td></tr><tr><td>Bees</td><td class="gl">14</td></tr></table>'
  t.equal(htmlOf(team), team.replace(/ class="gl"/g, ''), 'are data, also in a class like line numbers')
  t.equal(
    htmlOf(team.replace('Ants', '<code>a</code>')),
    '<table><tr><th>Team</th><th>GL</th></tr><tr><td><code>a</code></td></tr><tr><td>Bees</td><td>14</td></tr></table>',
    'are line numbers beside code',
  )
  t.equal(htmlOf('<table><tr><td class=gl>1<td>a</table>'), '<table><tr><td>a</td></tr></table>', 'or layout')
  for (const many of [`<tr>${'<td class=gl>1'.repeat(2e4)}`, '<tr><td class=gl>1<td>a'.repeat(2e4)]) {
    const tree = parseTree(`<table>${many}</table>`)
    const started = process.cpuUsage()
    keptTree(tree.children, () => true, resolve)
    t.ok(process.cpuUsage(started).user < 2_000_000, 'are read in linear time')
  }
})

test('Links from a note back to the text', async t => {
  for (const sign of ['↩', '↩\ufe0e', '↑']) {
    t.equal(htmlOf(`<li>A note. <a href="#fnref1">${sign}</a></li>`), '<li>A note. </li>', sign)
    t.match(htmlOf(`<a href="/b">${sign}</a>`), sign, 'but not other links')
  }
})

test('The largest image of a set', async t => {
  const image = (set: string) => htmlOf(`<img srcset="${set}">`)
  const picture = '<source srcset="/a.png 1x"><amp-img src="data:,"></amp-img><img src="data:,">'
  t.equal(
    htmlOf(`<picture>${picture}</picture>`),
    '<img src="https://example.com/a.png">',
    'is only that of the next image of a picture',
  )
  t.equal(
    image('/a.png 1w, data:x 9w, /b.png 3w, /c.png 2w'),
    '<img src="https://example.com/b.png">',
    'is one with an address',
  )
  const tree = parseTree(`<img srcset="/${'a'.repeat(64_000)} ${'1w '.repeat(16_000)}">`)
  const started = process.cpuUsage()
  keptTree(tree.children, () => true, resolve)
  t.ok(process.cpuUsage(started).user < 300_000, 'is found in linear time')
})

test('The language of code', async t => {
  const shell = '<pre class="language-shell">ls</pre>'
  const inner = '<pre><code class="language-shell">ls</code></pre>'
  for (const [html, expected] of [
    ['<div class="highlight highlight-source-shell"><pre>ls</pre></div>', `<div>${shell}</div>`],
    [
      '<div class="highlight-shell notranslate"><div class="highlight"><pre>ls</pre></div></div>',
      `<div><div>${shell}</div></div>`,
    ],
    [
      '<div class="language-shell"><div><pre class="highlight"><code>ls</code></pre></div></div>',
      `<div><div>${inner}</div></div>`,
    ],
    ['<pre class="brush: shell">ls</pre>', shell],
    ['<pre class="rust rust-example-rendered">ls</pre>', '<pre class="language-rust">ls</pre>'],
    ['<pre class="rust">ls</pre>', '<pre>ls</pre>'],
    ['<pre lang="shell">ls</pre>', '<pre lang="shell" class="language-shell">ls</pre>'],
    ['<pre lang="en-GB">ls</pre>', '<pre lang="en-GB">ls</pre>'],
    ['<pre data-syntaxhighlighter-params="brush: shell; gutter: false">ls</pre>', shell],
    ['<pre class="lang-shell"><code>ls</code></pre>', inner],
    ['<pre data-lang="shell"><code class="language-shell">ls</code></pre>', inner],
    ['<pre><code class="lang-Shell">ls</code></pre>', inner],
    [
      '<div class="highlight-shell"><table><tr><td class="linenos"><pre>1</pre></td><td class="code"><div><pre>ls</pre></div></td></tr></table></div>',
      `<div><table><tr><td><div>${shell}</div></td></tr></table></div>`,
    ],
    ['<p><code class="language-shell">ls</code></p>', '<p><code class="language-shell">ls</code></p>'],
    [
      '<div class="language-shell"><p><code>ls</code></p><p>x</p></div>',
      '<div><p><code>ls</code></p><p>x</p></div>',
    ],
    ['<div class="language-none"><pre>ls</pre></div>', '<div><pre>ls</pre></div>'],
  ] as const)
    t.equal(htmlOf(html), expected, html)
  const many = `<pre class=lang-shell>${'<br>'.repeat(1e5)}${'<code>a</code>'.repeat(1e5)}</pre>`
  const tree = parseTree(many)
  const started = process.cpuUsage()
  keptTree(tree.children, () => true, resolve)
  t.ok(process.cpuUsage(started).user < 2_000_000, 'is found in linear time')
})

test('Labels that repeat what an element says', async t => {
  const js = '<pre class="language-js">a</pre>'
  t.equal(
    htmlOf('<div>x<div><span>JS</span><button>Copy</button></div>\n<pre class="brush: js">a</pre></div>'),
    `<div>x \n${js}</div>`,
    'are left out: the language of the code below',
  )
  for (const label of ['<p>js files</p>', '<p>py</p>', '<p></p>js', '<p>js</p>in '])
    t.equal(
      htmlOf(`${label}${js}`),
      `${label.replace('<p></p>', '')}${js}`,
      `not other lines above code: ${label}`,
    )
  for (const label of [
    '<h3>JS</h3>',
    '<div><h3>JS</h3></div>',
    '<p><b>JS</b></p>',
    '<dl><dt>JS</dt></dl>',
    '<a href="https://example.com/js"><b>js</b></a>',
    '<table><caption>js</caption></table>',
    '<figure><figcaption>js</figcaption></figure>',
    '<summary>js</summary>',
  ])
    t.equal(htmlOf(`${label}${js}`), `${label}${js}`, `not a part of the text: ${label}`)
  t.equal(htmlOf(`<div role="heading">JS</div>${js}`), `<div>JS</div>${js}`, 'not a heading by its role')
  const item = (text: string) => `<ul><li style="list-style-type:none"><span>${text}</span><p>a</p></li></ul>`
  t.equal(htmlOf(item('•')), '<ul><li><p>a</p></li></ul>', 'are left out: the mark of an item')
  const numbered = (...numbers: string[]) =>
    htmlOf(
      `<ol>${numbers.map(n => `\n<li style="list-style:none"><span>${n}</span><p>a</p></li>`).join('')}</ol>`,
    )
  const bare = '<li><p>a</p></li>'
  t.equal(numbered('1.', '(2)').replaceAll(/\s/g, ''), `<ol>${bare}${bare}</ol>`, 'the numbers of items')
  for (const numbers of [['2.'], ['1.', '3.'], ['a.']])
    t.ok(numbered(...numbers).includes(numbers.at(-1) ?? ''), `not other numbers: ${numbers}`)
  t.match(htmlOf(item('<b>a</b> <i>•</i>')), '•', 'not a sign behind words')
  for (const text of [
    '1.',
    '•x',
    '<code>*</code>',
    '<kbd>-</kbd>',
    '<samp>*</samp>',
    '<b><var>*</var></b>',
    '<a href="https://example.com/">*</a>',
  ])
    t.equal(htmlOf(item(text)), `<ul><li>${text}<p>a</p></li></ul>`, `not ${text}`)
  t.equal(
    htmlOf('<ul><li><b>*</b> a</li></ul>'),
    '<ul><li><b>*</b> a</li></ul>',
    'not where browsers draw one',
  )
})

test('A footnote within a sentence', async t => {
  t.equal(
    htmlOf(
      '<p>the flow<span class="ltx_note ltx_role_footnote"><sup class=ltx_note_mark>1</sup><span class=ltx_note_outer><span class=ltx_note_content><sup class=ltx_note_mark>1</sup><span class="ltx_tag ltx_tag_note">1</span>In <b>litres</b>.</span></span></span> at rest</p>',
    ),
    '<p>the flow (In <b>litres</b>.) at rest</p>',
    'is in parentheses, without its number',
  )
  const beside = '<p>Moss<input type=checkbox><span class=sidenote>It is <b>green</b>.</span> grows.</p>'
  t.equal(htmlOf(beside), '<p>Moss (It is <b>green</b>.) grows.</p>', 'also one of Tufte CSS')
  t.equal(
    writeMarkdown(parseTree(beside), { base: 'https://example.com/' }),
    'Moss (It is **green**.) grows.\n',
    'also in Markdown',
  )
  const mark = '<span class="ltx_note ltx_role_footnotemark"><sup class="ltx_note_mark">2</sup></span>'
  t.equal(htmlOf(`<p>a${mark}</p>`), '<p>a<sup>2</sup></p>', 'not the number of a footnote that is below')
})
