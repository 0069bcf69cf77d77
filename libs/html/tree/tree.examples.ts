/** Fixtures of the tests: pages that are slow for naive readers, and trees as one line of text. */
import { type ChildNode, type Document, Element, Text } from 'domhandler'

/** Returns a tree as one line with the names of elements and the texts only: `p[text b[more]]`. */
export function outline({ children }: Document | Element): string {
  const shown = (node: ChildNode): string => {
    if (node instanceof Text) return node.data
    return node instanceof Element ? `${node.name}[${outline(node)}]` : ''
  }
  return children.map(shown).join(' ')
}

const many = 20_000

export const hostile: Readonly<Record<string, string>> = {
  'open elements': '<div>x'.repeat(many),
  'open emphasis': '<b>x'.repeat(many),
  'end tags of nothing': '</i>'.repeat(many),
  'end tags that a table stops': `<i><table><tr><td>${'<div>'.repeat(480)}${'</i>'.repeat(many)}`,
  'emphasis around blocks, in turn': '<b><div></b>x'.repeat(many),
  'open items': '<ul><li>x'.repeat(many),
  'open quotes': '<blockquote>x'.repeat(many),
  'open paragraphs in open links': '<p><a href=x>y'.repeat(many),
  'tables in tables': '<table><tr><td>x'.repeat(many),
  'links in tables in links': '<a href=#x><table><td>'.repeat(many / 2),
  'cells that span': `<table>${'<tr><td colspan=1000 rowspan=1000>x<td>y'.repeat(many)}`,
  'code in code': '<pre>x'.repeat(many),
  'code in one block of many classes': `<div class="${'w '.repeat(many)}">${'<pre>x</pre>'.repeat(many)}`,
  'gutters in gutters': `<pre>${'<span class=lineno>'.repeat(500)}${'a<br>'.repeat(many)}`,
  'code of backticks': `<pre>${'``` x '.repeat(many * 2)}`,
  'references to one note': `<sup>${'<a href=#x>1</a>'.repeat(many)}</sup><ol class=footnotes><li id=x>y</ol>`,
  'notes in notes': `<sup><a href=#x>1</a></sup>${'<div class=footnotes><div id=x>'.repeat(many / 2)}`,
  'pictures in one picture': `<picture>${'<source srcset="a 1x"><img>'.repeat(many)}`,
  'a set of nothing': `<img srcset="a${' '.repeat(many * 4)}b 2x">`,
  'drawings in drawings': '<svg>'.repeat(many),
  'drawings and texts in turn': '<svg><desc>'.repeat(many),
  'templates in templates': '<template>'.repeat(many),
  'slots in slots':
    `<x><template shadowrootmode=open>${'<b>'.repeat(9)}<slot></slot>${'</b>'.repeat(9)}</template>y`.repeat(
      400,
    ),
  'many attributes': `<a ${Array.from({ length: many }, (_, at) => `a${at}=${at}`).join(' ')}>`,
  'long attributes': `<a href="${'x'.repeat(65_536)}">`.repeat(50),
  'one long name': `<${'a'.repeat(many * 10)}>`,
  'stars and letters': '*a'.repeat(many),
  'emphasis of points': '<b>.</b>a'.repeat(many),
  'open brackets': '['.repeat(many),
  'an address of brackets': `<a href="${'('.repeat(many)}">x</a>`,
  'line breaks': '<br>x'.repeat(many),
  'dashes and spaces': `<p>${'- '.repeat(many)}x`,
  'hidden elements in hidden elements': '<div aria-hidden=true><p>x</p><br>'.repeat(many),
  'headers in headers': '<header class="nav-x site-y">x'.repeat(many / 2),
}
