/** Every page becomes the same tree as in browsers, in the relevant parts. */

import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { Element } from 'domhandler'
import fc from 'fast-check'
import { test } from 'tap'
import { attribute, hasWord } from './attribute.ts'
import { baseOf } from './base-of.ts'
import { parseTree } from './parse-tree.ts'
import { rawTextOf } from './raw-text.ts'
import { textOf } from './text-of.ts'
import { hostile, outline } from './tree.examples.ts'
import { walk } from './walk.ts'

const tree = (html: string): string => outline(parseTree(html))

test('Slots of declarative shadow roots', async t => {
  const host = (inside: string, children: string) =>
    tree(`<x-a><template shadowrootmode=open>${inside}</template>${children}</x-a>`)
  const cases: [inside: string, children: string, shown: string, left: string, why: string][] = [
    ['<h2><slot>old</slot></h2>', 'new<b>er</b>', 'h2[slot[new b[er]]]', '', 'have the children of the host'],
    ['<slot>old</slot>', ' ', 'slot[old]', '  ', 'keep their content without any'],
    [
      '<slot></slot><h2><slot name=t>old</slot></h2>',
      '<p>a</p><i slot=t>b</i>c<i slot=t>d</i>',
      'slot[p[a] c] h2[slot[i[b] i[d]]]',
      '',
      'receive those with their names',
    ],
    ['<slot name=t>old</slot>', 'a<i slot=u>b</i>', 'slot[old]', ' a i[b]', 'lose nothing'],
    [
      '<slot name=t><slot>old</slot></slot>',
      'a<i slot=t>b</i>',
      'slot[i[b]]',
      ' a',
      'are lost with the default content',
    ],
    ['<slot></slot><slot>old</slot>', 'a', 'slot[a] slot[old]', '', 'are the first of each name'],
    [
      '<x-b><template shadowrootmode=open><u><slot>old</slot></u></template><slot></slot></x-b>',
      'a',
      'x-b[template[u[slot[slot[a]]]]]',
      '',
      'pass them on',
    ],
  ]
  for (const [inside, children, shown, left, why] of cases)
    t.equal(host(inside, children), `x-a[template[${shown}]${left}]`, why)
})

test('Nesting of elements', async t => {
  const cases: [html: string, expected: string, why: string][] = [
    ['<p>a<p>b', 'p[a] p[b]', 'a paragraph ends the previous one'],
    ['<p>a<b>c<div>d</div>e', 'p[a b[c]] div[d] e', 'a block ends a paragraph through open emphasis'],
    ['<ul><li>a<ul><li>b</ul><li>c</ul>', 'ul[li[a ul[li[b]]] li[c]]', 'items end items of their own list'],
    ['<dl><dt>a<dd>b<dt>c</dl>', 'dl[dt[a] dd[b] dt[c]]', 'terms and definitions end each other'],
    ['<select><option>a<option>b</select>', 'select[option[a] option[b]]', 'options end options'],
    ['<h1>a<h2>b</h3>c', 'h1[a] h2[b] c', 'headings of all levels end headings'],
    ['<a>x<a>y</a>z', 'a[x] a[y] z', 'links end links'],
    ['<table><td>1<td>2<tr><th>3</table>z', 'table[tr[td[1] td[2]] tr[th[3]]] z', 'cells make rows'],
    [
      '<table><thead><tr><th>a<tbody><tr><td>b</table>',
      'table[thead[tr[th[a]]] tbody[tr[td[b]]]]',
      'parts of tables end parts',
    ],
    [
      '<table><tr><td><table><tr><td>a</table>b<td>c</table>',
      'table[tr[td[table[tr[td[a]]] b] td[c]]]',
      'but not through a table',
    ],
    [
      '<b>x<div>y</b>z</div>after',
      'b[x div[yz]] after',
      'emphasis that ends within a block does not continue after it',
    ],
    ['<a><span>x</a>y', 'a[span[x]] y', 'a link ends with what is open in it'],
    ['<span><div>x</span>y</div>z', 'span[div[xy] z]', 'other elements do not end across a block'],
    ['<body><p>x</body></html>y<body><html><p>z', 'body[p[xy] p[z]]', 'the page ends only at its end'],
    ['<head><title>t</title><p>x', 'head[title[t]] p[x]', 'content ends the head'],
    ['<head><meta>text', 'head[meta[]] text', 'text ends the head'],
    ['<br></br><img>x</img><image>', 'br[] br[] img[] x img[]', 'void elements are empty'],
    ['<script>a<b>&amp;</script><title>&amp;</title>', 'script[a<b>&amp;] title[&]', 'raw text is raw'],
    [
      '<textarea>\n\n<p></textarea><pre>\nx</pre>',
      'textarea[\n<p>] pre[x]',
      'the first line break is ignored',
    ],
    ['<p>a<!--x-->b<![CDATA[c]]><!doctype x>d', 'p[abd]', 'comments are ignored'],
    [
      '<svg><title>t</title><path/><g><![CDATA[a]]><p>out',
      'svg[title[t] path[] g[a]] p[out]',
      'drawings end',
    ],
    ['<math><mi>x</mi><annotation>y</annotation></math>z', 'math[mi[x] annotation[y]] z', 'formulas too'],
    [
      '<svg><foreignObject><p>a<p>b</svg>c',
      'svg[foreignobject[p[a] p[b]]] c',
      'and end together with HTML in them',
    ],
    ['a\0b\r\nc&nbsp;&notit;', 'a\ufffdb\nc\u00a0¬it;', 'text is decoded'],
  ]
  for (const [html, expected, why] of cases) t.equal(tree(html), expected, `${why}: ${html}`)
})

test('Elements and attributes', async t => {
  const root = parseTree(
    '<A HREF="a&amp;b" href=c Class="One two" x constructor=1 __proto__=2><svg><Path D=1>',
  )
  const [link] = root.children
  if (!(link instanceof Element)) return t.fail('there is a link')
  t.equal(attribute(link, 'href'), 'a&b', 'the first of two attributes counts, and is decoded')
  t.equal(attribute(link, 'x'), '', 'a name alone has an empty value')
  t.equal(
    attribute(link, 'toString'),
    null,
    'a missing attribute is null, also with the name of an object property',
  )
  t.ok(hasWord(link, 'class', 'one') && !hasWord(link, 'class', 'on'), 'words are found in any case')
  const [svg] = link.children
  t.match(svg instanceof Element && svg.namespace, /svg$/, 'a drawing has a namespace')
  t.equal(link.namespace, undefined, 'HTML has none')
})

test('Text and addresses', async t => {
  const page = parseTree(
    '<base href="/b/"><p>a <b>b</b>c\n<li>d<script>x</script></li>e<template>y</template>',
  )
  t.equal(textOf(page), 'a bc d e', 'only blocks separate words')
  t.equal(textOf(parseTree('<p>a<slot>b</slot>')), 'ab', 'a slot is no block')
  t.equal(rawTextOf(page), 'a bc\ndxey', 'the raw text is all of it')
  t.equal(baseOf(page, 'https://example.com/a/c'), 'https://example.com/b/', 'the base is that of the page')
  const inert = parseTree('<template><base href=/x></template><p>')
  t.equal(baseOf(inert, 'https://example.com/'), 'https://example.com/', 'but not one in a template')
  const late = parseTree(
    '<body><noscript><base href=/n></noscript><svg><base href=/s></svg><base target=x><p>a<base href=/x/><base href=/y/>',
  )
  t.equal(baseOf(late, 'https://example.com/a/'), 'https://example.com/x/', 'the first in the body counts')
  t.equal(baseOf(late, 'https://other.test/a/'), 'https://other.test/x/', 'for each address of the page')
  for (const href of [
    'javascript:void(0)',
    'data:,x',
    'about:blank',
    'mailto:x@y',
    'file:///x',
    'http://[',
  ]) {
    const page = parseTree(`<base href="${href}"><base href=/y/>`)
    t.equal(
      baseOf(page, 'https://example.com/a/'),
      'https://example.com/a/',
      `no page has a base of "${href}"`,
    )
  }
})

function measures(html: string): { depth: number; elements: number } {
  let [depth, deepest, elements] = [0, 0, 0]
  walk(parseTree(html), {
    enter: () => {
      elements += 1
      depth += 1
      deepest = Math.max(deepest, depth)
      return true
    },
    leave: () => {
      depth -= 1
    },
  })
  return { depth: deepest, elements }
}

const soup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'<b> </b> <i> </i> <a> </a> <p> </p> <div> </div> <table> </table> <tr> <td> </td> <ul> <li> </ul>'.split(
          ' ',
        ),
        ...'<svg> </svg> <desc> <math> <mi> <template> </template> <head> <body> <html> <form> </form> <h1>'.split(
          ' ',
        ),
        ...'<script> </script> <title> </title> <select> <option> <button> <br> <dd> <dt> <ruby> <rt> x'.split(
          ' ',
        ),
      ),
      fc.string({ unit: codePoint }),
    ),
    { maxLength: 80 },
  )
  .map(parts => parts.join(''))

test('Any text is a page', async t => {
  const linked = fc.property(soup, html => {
    walk(parseTree(html), {
      enter: ({ children, parent }) => {
        if (parent === null) throw new Error('an element without a parent')
        for (const [at, child] of children.entries())
          if (child.prev !== (children[at - 1] ?? null) || child.next !== (children[at + 1] ?? null))
            throw new Error('neighbours are not linked to each other')
        return true
      },
    })
  })
  t.doesNotThrow(
    () => fc.assert(linked, { numRuns: documents(600) }),
    'nothing throws, and the tree is consistent',
  )

  for (const [what, html] of Object.entries(hostile)) {
    const started = process.cpuUsage()
    const { depth } = measures(html)
    t.ok(process.cpuUsage(started).user < 4_000_000, `${what}: costs little`)
    t.ok(depth <= 576, `${what}: nests no deeper than 512, and 64 more in slots`)
  }
  const deep = `${'<div>'.repeat(600)}<script>a<b</script>x${'</div>'.repeat(600)}<p>after`
  const last = parseTree(deep).children.at(-1)
  t.equal(
    last instanceof Element && outline(last),
    'after',
    'end tags of elements that were too deep end nothing else',
  )
})
