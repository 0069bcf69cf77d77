/** Pages and their Markdown, by the subject of the rule. Links are relative to https://example.com/dir/page. */
type Example = [html: string, markdown: string]

export const examples: Readonly<Record<string, readonly Example[]>> = {
  'paragraphs and line breaks': [
    ['<p>a\n b</p><p>c', 'a b\n\nc\n'],
    ['a<br>b<br>', 'a  \nb\n'],
    ['a<br><br>b', 'a\n\nb\n'],
    ['<p>&nbsp;</p><p> </p>x', 'x\n'],
    ['<hr><p>a', '---\n\na\n'],
    ['<p>a<x-part>b</x-part>c', 'a b c\n'],
  ],
  headings: [
    ['<h1>A <b>b</b><br>c</h1><h3><p>d</p></h3>', '# A **b** c\n\n### d\n'],
    ['<h2>C #</h2><h2></h2>', '## C \\#\n'],
    ['<h2>A<a href="#a">¶</a></h2>', '## A\n'],
    ['<h3><button>Why?</button></h3><button>x</button>', '### Why?\n'],
    ['<div role=heading aria-level=4>x</div>', '#### x\n'],
  ],
  emphasis: [
    ['<b> a </b>b', '**a** b\n'],
    ['<b>a</b><strong>b</strong>', '**ab**\n'],
    ['<b>Note:</b>x', '**Note**:x\n'],
    ['中<b>“文”</b>字', '中“**文**”字\n'],
    ['<i>a<b>b</b></i>', '*a**b***\n'],
    ['<s>a</s> <del>b</del>', '~~a~~ ~~b~~\n'],
    ['a<b><code>b</code></b>c', 'a`b`c\n'],
    ['<b><p>a</p><p>b</p></b>', 'a\n\nb\n'],
    ['<b></b><i> </i>x', 'x\n'],
    ['H<sub>2</sub>O <kbd>Ctrl</kbd> <mark>m</mark>', 'H<sub>2</sub>O <kbd>Ctrl</kbd> <mark>m</mark>\n'],
    ['<q>a</q>', '“a”\n'],
  ],
  'escapes, only where they are needed': [
    ['5 * 3 * 2, snake_case, [1], a < b, &, 2*3', '5 * 3 * 2, snake_case, [1], a < b, &, 2\\*3\n'],
    ['__init__ *a* `c` ~~x~~', '\\_\\_init\\_\\_ \\*a\\* \\`c\\` \\~\\~x\\~\\~\n'],
    ['2*3 and ~5 and `', '2*3 and ~5 and `\n'],
    ['&lt;b&gt; &amp;amp; [a](b) C:\\dir \\*', '\\<b> \\&amp; [a\\](b) C:\\dir \\\\*\n'],
    [
      '<p># a<p>- b<p>1. c<p>&gt; d<p>+ e<p>[f]: g',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\+ e\n\n\\[f]: g\n',
    ],
    ['a<br>---<br>===<br>|-|', 'a  \n\\---  \n\\===  \n\\|-|\n'],
    ['<i>x</i>&lt;<b>.</b>i> a!<b><a href=/>b</a></b>', '*x*<.i> a\\!**[b](https://example.com/)**\n'],
    ['#a -b 1.c', '#a -b 1.c\n'],
    ['a!<a href=b>c</a>', 'a\\![c](https://example.com/dir/b)\n'],
  ],
  'links and pictures': [
    ['<a href="../x y?a=1&amp;b#f">l[i]</a>', '[l\\[i\\]](https://example.com/x%20y?a=1&b#f)\n'],
    ['<a href="#f" title=\'a "b"\'>x</a>', '[x](https://example.com/dir/page#f "a \\"b\\"")\n'],
    [
      '<a href="a(b)">x</a> <a href="a(b">y</a>',
      '[x](https://example.com/dir/a(b)) [y](https://example.com/dir/a\\(b)\n',
    ],
    ['<a href="javascript:x()">x</a> <a>y</a> <a href="http://[">z</a>', 'x y z\n'],
    [
      '<a href=/><img src=i.png alt="a]"></a>',
      '[![a\\]](https://example.com/dir/i.png)](https://example.com/)\n',
    ],
    ['<a href=/ aria-label=Home><svg></svg></a>', '[Home](https://example.com/)\n'],
    ['<code><a href=/t>T</a>&lt;x&gt;</code>', '[`T`](https://example.com/t)`<x>`\n'],
    ['<a href=/><h2>a</h2><p>b</p></a>', '## [a](https://example.com/)\n\nb\n'],
    ['<a href=/><div>a</div><div>b</div></a>', '[a b](https://example.com/)\n'],
    ['<a href=/><b><a href=/b>x</a></b></a>', '[x](https://example.com/b)\n'],
    ['<img src="data:x"><img src="data:x" data-src=/l.png>', '![](https://example.com/l.png)\n'],
    ['<img srcset="/s.png 300w,/l.png 600w">', '![](https://example.com/l.png)\n'],
    ['<img src=/p.gif width=1 height=1>x', 'x\n'],
    [
      '<figure><img src=/i.png alt=I><figcaption>C</figcaption></figure>',
      '![I](https://example.com/i.png)\n\nC\n',
    ],
  ],
  code: [
    ['<code>a`b</code> <code>``</code>', '``a`b`` ` `` `\n'],
    ['<pre><code class="language-js">\n\nlet a\n  b\n</code></pre>', '```js\nlet a\n  b\n```\n'],
    ['<pre>a\n```\nb</pre>', '````\na\n```\nb\n````\n'],
    ['<div class="highlight-python notranslate"><pre>a&nbsp;b</pre></div>', '```python\na b\n```\n'],
    ['<pre class="brush: ts; x">a</pre><pre data-lang=go>b</pre>', '```ts\na\n```\n\n```go\nb\n```\n'],
    ['<pre><div>a</div><div>b</div>c<br>d</pre>', '```\na\nb\nc\nd\n```\n'],
    [
      '<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>b<button>Copy</button></pre>',
      '```\na\nb\n```\n',
    ],
    [
      '<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>',
      '```\na\nb\n```\n',
    ],
  ],
  lists: [
    ['<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c\n'],
    ['<ul><li><p>a</p><li><p>b</p></ul>', '- a\n\n- b\n'],
    ['<ol start=9><li>a<li>b<pre>c</pre></ol>', '9. a\n10. b\n\n    ```\n    c\n    ```\n'],
    ['<ul><li>a</ul><ul><li>b</ul>', '- a\n\n* b\n'],
    ['<ul><li>a<ol start=4><li>b</ol></ul>', '- a\n\n  4. b\n'],
    ['<ul><li>a</li><ul><li>b</ul></ul>', '- a\n  - b\n'],
    ['<ul><li>a<ul><li>b</ul><ul><li>c</ul></ul>', '- a\n  - b\n\n  * c\n'],
    ['<ul><li></li><li>x</ul>y', '- x\n\ny\n'],
    [
      '<ul><li><input type=checkbox checked>a<li><label><input type=checkbox>b</label></ul>',
      '- [x] a\n- [ ] b\n',
    ],
    ['<blockquote>a<ul><li>b</ul></blockquote><blockquote>c', '> a\n>\n> - b\n\n> c\n'],
    ['<dl><dt>a<dd>b</dl>', '**a**\n\nb\n'],
    ['<ul><li><hr>a</ul>', '- ___\n\n  a\n'],
  ],
  tables: [
    [
      '<table><tr><th>a<th align=right>b<th style="text-align: center">c<tr><td>1|2<td><p>3<p>4<td>`</table>',
      '| a | b | c |\n| --- | --: | :-: |\n| 1\\|2 | 3<br>4 | ` |\n',
    ],
    ['<table><tr><td>a<td>b<tr><td>c<td>d</table>', '|   |   |\n| --- | --- |\n| a | b |\n| c | d |\n'],
    [
      '<table><caption>T</caption><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f</table>',
      'T\n\n| a |   | b |\n| --- | --- | --- |\n| c | d | e |\n|   | f |\n',
    ],
    [
      '<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td><table><tr><td>e<td>f</table></table>',
      '| a | b |\n| --- | --- |\n| - c<br>- d | e f |\n',
    ],
    ['<table><tr><td><h2>a</h2><p>b<td>c</table>', '## a\n\nb\n\nc\n'],
    ['<table role=presentation><tr><td>a<tr><td>b</table>', 'a\n\nb\n'],
    ['<table><tr><td>a<td><table><tr><th>b<tr><td>c</table></table>', 'a\n\n| b |\n| --- |\n| c |\n'],
  ],
  footnotes: [
    [
      'x<sup><a href="#fn1" id=r1>1</a></sup><div class=footnotes><ol><li id=fn1>n <a href="#r1">↩</a></ol></div>',
      'x[^1]\n\n[^1]: n\n',
    ],
    [
      'x<a href="#n"><sup>[a]</sup></a><aside role=doc-footnote id=n><p>y<p>z</aside>',
      'x[^a]\n\n[^a]: y  \nz\n',
    ],
    ['x<sup><a href="#no">1</a></sup>', 'x<sup>[1](https://example.com/dir/page#no)</sup>\n'],
  ],
  'invisible content': [
    ['<p hidden>a<p style="color:red;display: none">b<p aria-hidden=true>c<p>d', 'd\n'],
    ['<template>a</template><script>b</script><noscript>c</noscript><select><option>d</select>e', 'e\n'],
    ['<strong aria-hidden=true>1.2.</strong> Names', '**1.2.** Names\n'],
  ],
  'other things': [
    ['<details><summary>a</summary>b</details>', '**a**\n\nb\n'],
    ['<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)\n'],
    [
      '<math><mi>x</mi><annotation encoding="application/x-tex">x&lt;y_1</annotation></math>',
      '$x\\lt y_1$\n',
    ],
    ['<math display=block alttext="x"></math>', '$$x$$\n'],
  ],
}
