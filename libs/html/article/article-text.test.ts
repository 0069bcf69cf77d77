/** The text of an article keeps the lines of its code and the rows of its tables. */
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { articleOf } from './article.examples.ts'
import { articleText } from './article-text.ts'

const textOf = (html: string): string => articleText(parseTree(html))

test('Code in the text', async t => {
  const cases: Record<string, [html: string, text: string]> = {
    'has the indentation of its first line': [
      '<p>x</p><pre><code>    first\n      second</code></pre><p>y</p>',
      'x\n\n    first\n      second\n\ny',
    ],
    'has the indentation of a text that begins with code': ['<pre>  a\n b</pre>', '  a\n b'],
    'has the line breaks, empty lines and indentation between `br`': [
      '<pre><code>a:<br>  b: 1<br><br>  c: 2</code></pre>',
      'a:\n  b: 1\n\n  c: 2',
    ],
    'has one line for each block': [
      '<pre><div class=line>if x:</div><div class=line>  y()</div><div class=line><br></div><div>z</div></pre>',
      'if x:\n  y()\n\nz',
    ],
    'has the spaces between its parts': [
      '<pre><span>let</span> <b>a</b>\n<span>  </span><i>b</i></pre>',
      'let a\n  b',
    ],
    'has tabs between cells': ['<pre><table><tr><td>a<td>b<tr><td>c</table></pre>', 'a\tb\nc'],
    'has spaces that do not break': ['<pre>a\n&nbsp;&nbsp;b</pre>', 'a\n  b'],
    'has no empty lines around it': ['<p>x</p><pre>\n\n\n a\n\n</pre><p>y</p>', 'x\n\n a\n\ny'],
    'is left out if it is empty': ['<p>x</p><pre> \n</pre><p>y</p>', 'x\n\ny'],
    'follows the mark of its item': ['<ul><li><pre> a\nb</pre></ul>', '-  a\nb'],
  }
  for (const [what, [html, text]] of Object.entries(cases)) t.equal(textOf(html), text, what)
  const mail = [
    'Moss grows slowly, and it grows in the shade of old walls.',
    '',
    '  > It dies in the sun, she said.',
  ]
  const letter = articleOf(
    `<title>Moss</title><body><pre>\n${mail.join('\n')}\n</pre><hr><a href="/">More</a>`,
  )
  t.equal(letter.text, mail.join('\n'), 'has its lines if it is the whole text')
  t.match(letter.content, /^<pre>Moss grows/, 'so has the content')
  const deep = `<pre>${'<div>a\n'.repeat(500)}</pre>`
  t.equal(textOf(deep).split('\n').length, 500, 'at any depth')
})

test('Tables in the text', async t => {
  const cases: Record<string, [html: string, text: string]> = {
    'have no empty line between their heads and rows': [
      '<p>x</p><table><caption>T</caption><thead><tr><th>a<th>b</thead><tbody><tr><td>c<td>d</tbody><tfoot><tr><td>e<td>f</table><p>y</p>',
      'x\n\nT\n\na\tb\nc\td\ne\tf\n\ny',
    ],
    'have the block of a cell in its row': [
      '<table><tr><td><p>small</p><td><p>large</p><tr><td><div><div>c</div></div><td>d</table>',
      'small\tlarge\nc\td',
    ],
    'have further blocks of a cell on lines of their own': [
      '<table><tr><th>a<th>b<tr><td><p>c<p>d<td><ul><li>e<li>f</ul><br></td></table>x',
      'a\tb\nc\nd\t- e\n- f\n\nx',
    ],
    'have code of a cell in its row': [
      '<table><tr><th>a<th>b<tr><td>c<td><pre>d\n e</pre></table>',
      'a\tb\nc\td\n e',
    ],
    'have tables of a cell in its row': [
      '<table><tr><th>a<th>b<th>c<tr><td>d<td><table><tr><td>e<td>f<tr><td>g<td>h</table><td>i</table>',
      'a\tb\tc\nd\te\tf\ng\th\ti',
    ],
    'have empty cells': [
      '<table><tr><th>a<th>b<th>c<tr><td><p></p><td><p> </p><td><p>d</table>',
      'a\tb\tc\n\t\td',
    ],
    'of a layout keep the paragraphs of their cells': [
      '<table><tr><td><p>a<p>b<td><h2>c</h2><p>d<tr><td>e<td>f</table>',
      'a\n\nb\n\nc\n\nd\n\ne\tf',
    ],
    'of data within a layout': [
      '<table><tr><td><p>a<p>b<table><tr><th>c<th>d<tr><td><p>e<td><p>f</table></table>',
      'a\n\nb\n\nc\td\ne\tf',
    ],
  }
  for (const [what, [html, text]] of Object.entries(cases)) t.equal(textOf(html), text, what)
})

test('Line breaks in the text', async t => {
  const cases: Record<string, [html: string, text: string]> = {
    'separate lines': ['<p>a<br>b<br> c</p>', 'a\nb\nc'],
    'separate paragraphs if two are beside each other': ['a.<br><br>b.<b><br></b> <br>c', 'a.\n\nb.\n\nc'],
    'are at most one empty line': ['a<br><br><br><br>b<br><p>c</p>', 'a\n\nb\n\nc'],
    'end with the line': ['<ul><li>a<br><li>b<br>c</ul>', '- a\n- b\nc'],
  }
  for (const [what, [html, text]] of Object.entries(cases)) t.equal(textOf(html), text, what)
})

test('Readings of characters in the text', async t => {
  const bare = '<ruby>古<rt>ふる</rt></ruby>い'
  const fallback = '<ruby>灯<rp>（</rp><rt>とう</rt><rp>）</rp></ruby>台'
  t.equal(textOf(`<p>${bare}${fallback}</p>`), '古(ふる)い灯(とう)台', 'are in parentheses')
})

test('Items without text', async t => {
  const gallery = '<ul><li><img src="/m.jpg"></li></ul><p>Moss</p>'
  t.equal(textOf(gallery), 'Moss', 'have no mark before the next text')
  t.equal(textOf('<ul><li><ul><li>a</li></ul></li></ul>'), '- a', 'unlike a nested item')
})

test('A poem without full stops', async t => {
  const stanzas = ['By day the bat is cousin to the mouse<br>He likes the attic of an aging house']
  stanzas.push('His fingers make a hat about his head<br>His pulse beat is so slow we think him dead')
  stanzas.push('He loops in crazy figures half the night<br>Among the trees that face the corner light')
  stanzas.push('But when he brushes up against a screen<br>We are afraid of what our eyes have seen')
  const notice = 'All lyrics belong to their owners, for personal use.'
  const page = (
    lines: string,
  ) => `<title>The bat</title><body><nav><a href="/a">A</a></nav><div><div><h1>The bat</h1></div>
    <b>The bat</b><br><br><div>${lines}</div><br><br><div><small>Thanks to Bo for the words</small></div></div>
    <div class="footer-wrap"><small>${notice}</small></div></body>`
  const textOf = (lines: string) => articleOf(page(lines)).text
  const expected = stanzas.join('\n\n').replaceAll('<br>', '\n')
  t.match(textOf(stanzas.join('<br>\n<br>')), expected, 'is the text, with its stanzas')
  t.notMatch(textOf(stanzas.join('<br>\n<br>')), notice, 'and not the notice beneath it')
  const verses = stanzas.flatMap(stanza => stanza.split('<br>'))
  for (const lines of [
    verses.map(verse => `<div>${verse}<br></div>`).join(''),
    `<div class="o-poem">${verses.map(verse => `<div>${verse}</div>`).join('')}</div>`,
  ]) {
    t.match(textOf(lines), verses.join('\n\n'), 'is the text if each line is an element')
    t.notMatch(textOf(lines), notice, 'and not the notice beneath it')
  }
  const rules = textOf(verses.map(verse => `<div>${verse}</div>`).join(''))
  t.match(rules, notice, 'unlike elements without the name or the breaks of a poem')
  const sentences = textOf('<div>The bat is cousin to the mouse.<br></div>'.repeat(6))
  t.match(sentences, notice, 'unlike elements with sentences')
  for (const [what, line] of Object.entries({
    'the data of a product': 'Smartwatch mode of the watch: up to days',
    'an address': 'The garden house, Moss street 12, Ghent',
    names: 'Ada Moss',
    links: '<a href="/w">By day the bat is cousin to the mouse</a>',
  }))
    t.match(textOf(Array(6).fill(line).join('<br>')), notice, `unlike ${what}`)
})
