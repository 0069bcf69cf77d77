/** Reading any page, even a broken or hostile one, never throws, invents words or takes long. */

import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { textOf } from '../tree/text-of.ts'
import { articleOf, pageUrl, site } from './article.examples.ts'
import type { Article } from './article.ts'
import { readArticle } from './read-article.ts'

const fragment = fc.constantFrom(
  ...[
    '<div>¦</div>¦<p>¦</p>¦<a href=/x>¦</a>¦<h1>¦</h1>¦<h2>References</h2>¦<ul><li>¦</ul>¦<table><tr><td>¦</table>¦<pre>¦</pre>¦<br>¦<constructor>¦<b>¦</b>',
    '<div class="share related-posts __proto__ constructor">¦<article>¦</article>¦<main>¦<section role=constructor>¦<aside>¦<p itemprop=author>¦<time datetime=2020>¦<nav>',
    'By Ada Moss¦Moss grows, slowly. ¦3. Mai 2020¦苔は、よく育ちます。¦word ¦Advertisement¦© 2020¦😀¦\ud800¦&amp;¦\0',
    '<script type=application/ld+json>{"@type":"Article","author":[{"name":{}}],"datePublished":7}</script>¦<script type=application/ld+json>¦</script>',
    '<meta name=author content="¦">¦<meta property=article:published_time content=2020-01-01>¦<title>¦</title>¦<base href=http://[>¦<img src="¦<template>¦<svg>¦</svg>¦<noscript>',
  ].flatMap(line => line.split('¦')),
)

const soup = fc
  .array(fc.oneof({ weight: 9, arbitrary: fragment }, fc.string({ unit: codePoint, maxLength: 8 })), {
    maxLength: 80,
  })
  .map(parts => parts.join(''))

/** Returns all fields of an article, also those that are computed lazily. */
function fieldsOf(article: Article) {
  const { title, byline, published, modified, siteName, lang, leadImage, excerpt, comments } = article
  const { text, content, confidence, wordCount } = article
  const about = { title, byline, published, modified, siteName, lang, leadImage, excerpt, comments }
  return { ...about, text, content, confidence, wordCount }
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

test('Any page', async t => {
  const total = fc.property(soup, html => {
    const document = parseTree(html)
    const article = readArticle(document, { url: pageUrl })
    const there = textOf(document).replace(/\s+/g, '')
    const { confidence, content, text } = fieldsOf(article)
    return (
      wordsOf(text).every(word => there.includes(word)) &&
      confidence >= 0 &&
      confidence <= 1 &&
      !/<script|<style|javascript:/i.test(content) &&
      JSON.stringify(fieldsOf(article)).length > 0
    )
  })
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(400) }), 'is read without invented words')
  const parted = '<pre>Advertisement<h2>References</h2>\u3400'
  t.notMatch(
    articleOf(parted).text,
    /Advertisement\u3400/,
    'text that is left out separates the words around it',
  )
  const again = fc.property(soup, html => {
    const { content, text } = articleOf(html)
    return wordsOf(textOf(parseTree(content))).join('') === wordsOf(text).join('')
  })
  t.doesNotThrow(
    () => fc.assert(again, { numRuns: sized(120, 500) }),
    'has the same words in its text and its content',
  )
  t.doesNotThrow(() => readArticle(parseTree('<p>x'), { url: 'no address' }), 'may have any address')
})

test('Custom elements', async t => {
  const line =
    'Built on <relative-time class="date">Jan 1</relative-time> by <my-term><b>people</b></my-term>, who set each stone by hand, as it is said of them.'
  const box = '<my-box><p>In a box.</p></my-box>'
  const { content, text } = articleOf(
    site(`<div>${line}</div><div>Above ${box} below</div><my-card>One</my-card><my-card>Two</my-card>`),
  )
  t.match(
    text,
    '\n\nBuilt on Jan 1 by people, who set each stone by hand, as it is said of them.\n\n',
    'continue a text',
  )
  t.match(
    content,
    '<div>Built on Jan 1 by <b>people</b>, who set each stone by hand, as it is said of them.</div>',
    'also in its HTML',
  )
  t.match(text, 'Above\n\nIn a box.\n\nbelow', 'but boxes do not')
  t.match(text, 'One\n\nTwo', 'nor do elements without text beside them')
})

test('A hostile page', async t => {
  const many = sized(10_000, 30_000)
  const sentence = 'Moss grows in the shade, and it grows slowly, as everybody knows. '
  const pages: Record<string, string> = {
    'nested elements': `${'<div>'.repeat(many)}${sentence}`,
    'nested elements with names': `${'<div class="related share x">'.repeat(many)}${sentence}`,
    'custom elements': `${'x<a-b>'.repeat(many)}`,
    'different names': Array.from({ length: many }, (_, at) => `<p class="a${at} b${at}" id=c${at}>x`).join(
      '',
    ),
    'long names': `<p class="${'a-b '.repeat(many)}">${sentence}</p>`.repeat(2),
    'one long text': `<p>${sentence.repeat(many / 10)}`,
    'one long word': `<h1>${'x'.repeat(many * 35)}</h1><p>${'x'.repeat(many * 35)}`,
    'many paragraphs': `<p>${sentence}</p>`.repeat(many / 4),
    'many headings': `<h2>References</h2><p>${sentence}`.repeat(many / 8),
    'many teasers': `<div><h3><a href=/x>Some other page</a></h3><p>${sentence}</p></div>`.repeat(many / 12),
    'many bylines': '<p class=byline>By Ada Moss, 3. Mai 2020</p>'.repeat(many / 2),
    'many lists in lists': '<ul><li><a href=/x>one two</a>'.repeat(many / 2),
    'many meta elements': '<meta name=author content="Ada Moss and Bo Lichen">'.repeat(many),
    spaces: `<p>${' '.repeat(many * 35)}x${' '.repeat(many * 35)}</p><meta name=author content="${' '.repeat(many)}x">`,
    'spaces of other kinds in a title': `<title>a${'\u00a0'.repeat(many)}b</title><p>${sentence}`,
    'spaces in the address of a link': `<p><a href="${' '.repeat(many * 4)}x">${sentence}</a>`,
    'a long title': `<title>${'a - b | '.repeat(many)}</title><h1>${'a - b | '.repeat(many)}</h1><p>${sentence}`,
    'a long line of digits': `<h1>x</h1><p>${'1.'.repeat(many)}</p><p>${'1 '.repeat(20)}</p>`,
    'a long list of sources': `<p>${sentence.repeat(20)}</p><h2>References</h2>${'<p></p>'.repeat(many * 7)}`,
    'a long list of data': `<script type=application/ld+json>[${'{},'.repeat(many * 5)}{}]</script>`,
    'deep data': `<script type=application/ld+json>${'{"author":['.repeat(many / 1.5)}</script>`,
    'many sections': `<p>${sentence.repeat(20)}</p>${`<div>${'<i></i>'.repeat(41)}<h6>Navigation</h6></div>`.repeat(many / 10)}`,
    'many sections after empty headings': '<div><h6></h6><h1>Navigation</h1></div>'.repeat(many),
    'many headings in headings': '<h6><div><h1>Navigation</h1></div></h6>'.repeat(many),
    'many fields for e-mail addresses': `${'<div>'.repeat(300)}${'<span></span><input type=email>'.repeat(many / 4)}`,
    'dates in dates': `<h1>x</h1>${'<div class=date>'.repeat(400)}${'<time>1 May</time>'.repeat(many / 4)}`,
    'requests for consent in articles': '<article><p>We use our cookies'.repeat(many / 4),
    'figures in figures above a text': `<h1>x</h1>${'<figure>'.repeat(400)}${'<i></i>'.repeat(many)}</figure><p>${sentence}`,
    'many panels of tabs': `<div role=tabpanel><p>${sentence}</p></div>`.repeat(many / 10),
    'cells in cells': `<table><tr><td><p>${sentence}`.repeat(many / 10),
    'nested panels': `${'<button class=accordion></button><div class=panel hidden>'.repeat(450)}${'<b>x</b>'.repeat(many * 6)}`,
    'nested quotes': `${'<blockquote>'.repeat(250)}${Array.from({ length: many }, (_, at) => `<p>${at} moss grows`).join('')}`,
    'wide data': `<script type=application/ld+json>[${'{"@type":"Article","author":{"@id":"x"}},'.repeat(many / 6)}{}]</script>`,
  }
  const forum = 'https://forum.example.com/threads/moss.7'
  for (const [what, html] of Object.entries(pages))
    for (const url of [pageUrl, forum]) {
      const document = parseTree(html)
      const started = process.cpuUsage()
      fieldsOf(readArticle(document, { url }))
      const spent = process.cpuUsage(started).user / 1000
      t.ok(spent < many / 15, `${what} at ${url}: costs little (${Math.round(spent)} ms)`)
    }
})
