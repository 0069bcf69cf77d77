/** Every page keeps its text, structure and links in Markdown. */

import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { hostile } from '../tree/tree.examples.ts'
import { examples } from './markdown.examples.ts'
import { writeMarkdown } from './write-markdown.ts'

const base = 'https://example.com/dir/page'
const markdown = (html: string): string => writeMarkdown(parseTree(html), { base })

for (const [about, cases] of Object.entries(examples)) {
  test(`Markdown of ${about}`, async t => {
    for (const [html, expected] of cases) t.equal(markdown(html), expected, html)
  })
}

test('Boxes of MDN and Confluence are quotes', async t => {
  t.equal(markdown('<div class="notecard note"><p><b>Note:</b> a</div>b'), '> **Note:** a\n\nb\n')
  const kind = 'confluence-information-macro'
  t.equal(
    markdown(`<div class="${kind} ${kind}-tip"><div class=${kind}-body>a</div></div>`),
    '> **Tip**\n>\n> a\n',
  )
})

test('The caller can resolve links', async t => {
  const page = parseTree('<a href=x>a</a> <a href=y>b</a>')
  const resolve = (href: string): string | null => (href === 'x' ? 'there' : null)
  t.equal(writeMarkdown(page, { resolve }), '[a](there) b\n')
})

test('Signs beside the sign of a mark are text', async t => {
  const cases = [
    ['<a href=/>C:\\</a>', '[C:\\\\](https://example.com/)\n'],
    ['<img src=/a alt="C:\\">', '![C:\\\\](https://example.com/a)\n'],
    ['<i>a\\</i><br>b', '*a\\\\*  \nb\n'],
    ['<table><tr><th>a<tr><td>b\\<br>c</table>', '| a |\n| --- |\n| b\\\\<br>c |\n'],
    ['a\\<code>b</code>', 'a\\\\`b`\n'],
    ['<b>* a</b> b', '**\\* a** b\n'],
    ['<b>a *</b>', '**a \\***\n'],
    ['<b>Stop!</b>', '**Stop!**\n'],
  ] as const
  for (const [html, expected] of cases) t.equal(markdown(html), expected, html)
})

test('Emphasis that the sign of another mark makes ineffective is left out', async t => {
  const cases = [
    ['<b><s>x</s></b>a', '~~x~~a\n'],
    ['a<s><b>x</b></s> c', 'a**x** c\n'],
    ['a<i><s>x</s>x</i>', 'a~~x~~x\n'],
    ['a <s><b>x</b></s> c', 'a ~~**x**~~ c\n'],
    ['(<b><i><s>x</s></i></b>)', '(***~~x~~***)\n'],
    ['<b>x</b><s><b>y</b></s> a', '**x**~~**y**~~ a\n'],
    ['<b>x</b><s><b>y</b></s>a', '**xy**a\n'],
    ['<b>x<i>x</i></b><i>x</i>', 'x*xx*\n'],
    ['<b>x</b><i>x</i> <i>x</i><b>x</b>', '**x***x* *x***x**\n'],
  ] as const
  for (const [html, expected] of cases) t.equal(markdown(html), expected, html)
})

test('Only lines that would begin another block get an escape at their start', async t => {
  const cases = [
    ['<a href=/>[1]: a</a>', '[\\[1\\]: a](https://example.com/)\n'],
    ['<b>_</b>', '**_**\n'],
    ['a<br>&nbsp;<br>b', 'a  \n\u00a0  \nb\n'],
    ['a<br>&emsp;-<br>b', 'a  \n\u2003-  \nb\n'],
    ['a<br>|<br>b', 'a  \n|  \nb\n'],
    ['a<br>:-<br>b', 'a  \n\\:-  \nb\n'],
    ['_ _ _', '\\_ _ _\n'],
    ['[a\\]: b', '\\[a\\\\]: b\n'],
  ] as const
  for (const [html, expected] of cases) t.equal(markdown(html), expected, html)
})

test('An empty first item does not join a list to the text above', async t => {
  t.equal(markdown('<p>a</p><ol><li></li><li>b</li></ol>'), 'a\n\n2. b\n')
  t.equal(markdown('<ul><li>a<ol><li></li><li>b</li></ol></li></ul>'), '- a\n\n  2. b\n')
})

test('Links and images have only web, mail and telephone addresses', async t => {
  const hidden = [
    ' java&#10;script:alert(1)',
    '&#1;javascript:alert(1)',
    'JaVa\tScRiPt:alert(1)',
    '&#106;avascript&colon;alert(1)',
    'java&Tab;script:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'DATA:text/html;base64,eA==',
    'blob:https://example.com/x',
    'file:///etc/passwd',
    'about:blank',
    'view-source:https://example.com/',
    'x-own:anything',
    'http://',
  ]
  for (const href of hidden) {
    t.equal(markdown(`<p><a href="${href}">words</a>`), 'words\n', href)
    t.notMatch(markdown(`<p>a<img src="${href}" alt=b>`), /\]\(/, href)
    t.notMatch(markdown(`<base href="${href}"><p><a href="">words</a>`), /script|file:|data:/i, href)
  }
  t.equal(markdown('<a href="mailto:a@b.test">a</a>'), '[a](mailto:a@b.test)\n')
  t.equal(markdown('<a href=" tel:+49123 ">a</a>'), '[a](tel:+49123)\n')
  t.equal(markdown('<a href="//cdn.test/x">a</a>'), '[a](https://cdn.test/x)\n')
  t.notMatch(markdown('<img src="mailto:a@b.test" alt=a>'), /\]\(/)
})

test('Footnotes take linear time', async t => {
  const many = 32_000
  const page = (text: (n: number) => unknown) => {
    const references = Array.from(
      { length: many },
      (_, n) => `<sup><a href=#n${n} id=r${n}>${text(n)}</a></sup>`,
    )
    const notes = Array.from({ length: many }, (_, n) => `<div id=n${n}><a href=#r${n}>↩</a>x`)
    return `<p>${references.join('')}<div class=footnotes>${notes.join('')}</div>`
  }
  for (const text of [() => 1, () => '*', (n: number) => (n < 5_000 ? n + 5_000 : '*')]) {
    const tree = parseTree(page(text))
    const started = process.cpuUsage()
    const output = writeMarkdown(tree, { base })
    t.ok(process.cpuUsage(started).user < 3_500_000, 'regardless of their names')
    const labels = [...output.matchAll(/\[\^(\w+)\](?!:)/g)].map(([, label]) => label)
    t.equal(labels.length, many)
    t.equal(new Set(labels).size, many, 'labels are unique')
  }
})

test('Only the content is written, if it is selected', async t => {
  const page = parseTree('<ul>a<li>b<div>c<p>d</p></div></ul><p>e</p>')
  const named = (name: string) => (element: { name: string }) => element.name === name
  t.equal(writeMarkdown(page, { base, omit: named('div') }), 'a\n\n- b\n\ne\n')
  const around = (element: { name: string }) => element.name === 'ul' || element.name === 'li'
  t.equal(
    writeMarkdown(page, { base, isAround: around }),
    'c\n\nd\n\ne\n',
    'elements around it have no text and no signs',
  )
})

const word = fc.constantFrom(
  'alpha',
  'béta',
  '中文',
  'a_b',
  '2*3',
  '[x]',
  '# a',
  '- b',
  '1. c',
  '|',
  '~',
  '\\',
  '&lt;i>',
)
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '))
const anchor = fc
  .tuple(fc.nat(1e6), phrase)
  .map(([number, text]) => `<a href="/target/${number}?a=(&amp;b=[c]#d">${text}</a>`)
const inline = fc.oneof(
  phrase,
  anchor,
  fc
    .tuple(fc.constantFrom('b', 'i', 'code', 's', 'sup', 'span'), phrase)
    .map(([name, text]) => `<${name}>${text}</${name}>`),
)
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map(parts => parts.join(''))
const { document } = fc.letrec<{ document: string; block: string }>(tie => ({
  document: fc.array(tie('block'), { maxLength: 6 }).map(blocks => blocks.join('\n')),
  block: fc.oneof(
    { depthSize: 'small' },
    line.map(text => `<p>${text}</p>`),
    line.map(text => `<h2>${text}</h2>`),
    line.map(text => `<pre>${text}\n\`\`\`\n</pre>`),
    fc.tuple(line, line).map(([a, b]) => `<table><tr><th>${a}<th>b<tr><td>${b}<td>d</table>`),
    tie('document').map(inner => `<ul><li>${inner}<li>x</ul>`),
    tie('document').map(inner => `<ol start=7><li>${inner}</ol>`),
    tie('document').map(inner => `<blockquote>${inner}</blockquote>`),
  ),
}))

test('Any page is Markdown', async t => {
  const keeps = fc.property(document, html => {
    const output = markdown(html)
    const outside = html.replace(/<pre>.*?<\/pre>/gs, '')
    for (const [, number] of outside.matchAll(/\/target\/(\d+)/g))
      if (!output.includes(`](https://example.com/target/${number}?a=\\(&b=[c]#d)`))
        throw new Error(`lost ${number}`)
    const fences = output
      .split('\n')
      .filter(text => /^[\s>\d.)*-]*`{3,}$/.test(text) && !/^[\s>\d.)*-]*```$/.test(text))
    if (fences.length % 2 !== 0) throw new Error('an open fence')
    for (const name of ['alpha', 'béta', '中文']) {
      const count = (text: string): number => text.split(name).length - 1
      if (count(output) !== count(html)) throw new Error(`another number of ${name}`)
    }
    if (/<(?!\/?(?:sup|br)\b)[a-z/]/i.test(output.replace(/(`+).*?\1|\\</gs, '')))
      throw new Error('a raw tag')
  })
  t.doesNotThrow(
    () => fc.assert(keeps, { numRuns: sized(100, 300) }),
    'no words and links are lost, and fences are closed',
  )

  const total = fc.property(
    fc.array(
      fc.oneof(
        fc.constantFrom(
          ...'<b> </b> <i> <a·href=x> </a> <p> <div> <table> </table> <tr> <th> <td·colspan=3> <ul> </ul> <li> <ol·start=x>'
            .split(' ')
            .map(tag => tag.replace('·', ' ')),
          ...'<pre> </pre> <code> </code> <h1> </h1> <br> <hr> <blockquote> <dl> <dt> <dd> <details> <summary> <sup> <img>'.split(
            ' ',
          ),
          ...'<input·type=checkbox> <ruby> <rt> <math> <svg> <q> <a·href=#x> <li·id=x> <caption> <main> <nav> <x-y> & | ``` * _'
            .split(' ')
            .map(tag => tag.replace('·', ' ')),
        ),
        fc.string({ unit: codePoint }),
      ),
      { maxLength: 60 },
    ),
    parts => {
      const page = parseTree(parts.join(''))
      return !/\n\n\n$/.test(writeMarkdown(page, { base }))
    },
  )
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(300) }), 'nothing throws')

  for (const [what, html] of Object.entries(hostile)) {
    const started = process.cpuUsage()
    const output = markdown(html)
    t.ok(process.cpuUsage(started).user < 4_000_000, `${what}: costs little`)
    t.ok(output.length < 20_000_000, `${what}: does not grow without end`)
  }
})
