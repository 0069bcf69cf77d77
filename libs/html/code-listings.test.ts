/** Code that pages show in other elements than `pre` is code in Markdown and in the article. */
import { test } from 'tap'
import { readArticle } from './article/read-article.ts'
import { writeMarkdown } from './markdown/write-markdown.ts'
import { parseTree } from './tree/parse-tree.ts'

const url = 'https://example.com/'

const listings = {
  Doxygen: [
    `<div class="fragment"><div class="line"><a id="l1"></a><span class="lineno">    1</span>int f() {</div>
    <div class="foldopen"><div class="line"><span class="lineno">    2</span>  <a href="g.html">g</a>(a * b);</div>
    </div><div class="line"><span class="lineno">    3</span>&#160;</div>
    <div class="line"><span class="lineno">    4</span>}</div>
    </div>`,
    ['', 'int f() {', '  g(a * b);', ' ', '}'],
  ],
  Crayon: [
    `<div class="crayon-syntax"><table class="crayon-table"><tr><td class="crayon-nums"><div
    class="crayon-nums-content"><div class="crayon-num">1</div><div class="crayon-num">2</div></div></td><td
    class="crayon-code"><div class="crayon-pre"><div class="crayon-line"><span>if</span><span> </span>(a)</div><div
    class="crayon-line">&nbsp;&nbsp;b();</div></div></td></tr></table></div>`,
    ['', 'if (a)', '  b();'],
  ],
  LaTeXML: [
    `<div class="ltx_listing ltx_lst_language_Python"><div class="ltx_listing_data"><a
    href="data:text/plain;base64,eA==" download="">⬇</a></div>
    <div class="ltx_listingline">
    <span class="ltx_tag ltx_tag_listingline">1</span><span>def</span><span> </span>f():</div>
    <div class="ltx_listingline"><span class="ltx_tag ltx_tag_listingline">2</span><span>    </span>pass</div>
    </div>`,
    ['python', 'def f():', '    pass'],
  ],
  SyntaxHighlighter: [
    `<div class="syntaxhighlighter  jscript"><table><tbody><tr><td class="gutter"><div class="line number1">1</div><div
    class="line number2">2</div></td><td class="code"><div class="container"><div class="line number1"><code
    class="js keyword">if</code> <code class="js plain">(a)</code></div><div class="line number2"><code
    class="js spaces">&nbsp;&nbsp;</code><code class="js plain">b();</code></div></div></td></tr></tbody></table></div>`,
    ['', 'if (a)', '  b();'],
  ],
  GitHub: [
    `<table class="highlight tab-size js-file-line-container"><tbody><tr>
      <td id="L1" class="blob-num js-line-number" data-line-number="1"></td>
      <td id="LC1" class="blob-code blob-code-inner"><span class="pl-k">def</span> <span>f</span>():</td>
    </tr><tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">
</td></tr><tr>
      <td class="blob-num" data-line-number="3"></td><td class="blob-code">  pass</td></tr></tbody></table>`,
    ['', 'def f():', '', '  pass'],
  ],
  'CodeMirror 6': [
    `<div class="cm-editor"><div class="cm-scroller"><div class="cm-content" role="textbox" data-language="python"><div
      class="cm-line"><span>def</span> f():</div><div class="cm-line"><br></div><div class="cm-line">  pass</div></div></div></div>`,
    ['python', 'def f():', '', '  pass'],
  ],
  'CodeMirror 5': [
    `<div class="CodeMirror"><div class="CodeMirror-lines"><div class="CodeMirror-code" role="presentation">${[
      'def f():',
      '  pass',
    ]
      .map(
        (
          line,
          at,
        ) => `<div><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber">${at + 1}</div></div>
      <pre class=" CodeMirror-line "><span role="presentation">${line}</span></pre></div>`,
      )
      .join('')}</div></div></div>`,
    ['', 'def f():', '  pass'],
  ],
  Ace: [
    `<div class="ace_editor"><div class="ace_layer ace_text-layer"><div class="ace_line">def f():</div><div class="ace_line">  pass</div></div></div>`,
    ['', 'def f():', '  pass'],
  ],
} as const

for (const [about, [html, [language, ...lines]]] of Object.entries(listings)) {
  test(`A listing of ${about} is one block of code without line numbers`, async t => {
    const tree = parseTree(`<p>Before the code, there is a sentence.</p>${html}<p>After.</p>`)
    const code = lines.join('\n')
    const markdown = writeMarkdown(tree, { base: url })
    t.equal(
      markdown,
      `Before the code, there is a sentence.\n\n\`\`\`${language}\n${code}\n\`\`\`\n\nAfter.\n`,
    )
    const { text, content } = readArticle(tree, { url })
    t.equal(text, `Before the code, there is a sentence.\n\n${code}\n\nAfter.`)
    t.match(content, language === '' ? '<pre>' : `<pre class="language-${language}">`)
  })
}

test('Other elements with such a name are no code', async t => {
  for (const open of ['<div class="fragment"><p>', '<div class="container"><div class="line">'])
    t.equal(
      writeMarkdown(parseTree(`${open}One</p></div><p>Two</p></div>`), { base: url }),
      'One\n\nTwo\n',
      open,
    )
})
