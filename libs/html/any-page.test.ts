/** Broken and hostile pages are read correctly, within limits, and do not stay in memory. */

import { deepStrictEqual as deepEqual } from 'node:assert'
import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { heapGrowth } from '@tidemark/testing/heap-growth'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { Parser, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { test } from 'tap'
import { decodeText } from './character-references.ts'
import { document, read, resolve } from './html.examples.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'

const word = fc.constantFrom('alpha', 'béta', 'γάμμα', '&amp;', '&lt;b&gt;', '1 < 2', '😀', 'x\n y')
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '))
const path = fc
  .array(fc.constantFrom('a', 'b', '..', 'c.html', '?q=1', '#f'), { minLength: 1, maxLength: 3 })
  .map(parts => `/${parts.join('/')}`)
const anchor = fc
  .tuple(path, phrase)
  .map(([href, text]) => `<a class="l" href="${href}" title='t'>${text}</a>`)
const block = fc.oneof(
  anchor,
  phrase.map(text => `<p>${text}</p>`),
  fc.tuple(anchor, phrase).map(([link, text]) => `<div><ul><li>${text} ${link}</ul></div>`),
)
const pages = fc.array(block, { maxLength: 30 }).map(blocks => document(blocks.join('\n')))

test('Comparison with other readers', async t => {
  const plainText = (html: string) => {
    const decoded = html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    return decoded.replace(/\s+/g, ' ').trim()
  }
  const byExpression = fc.property(pages, html => {
    const expected = [...html.matchAll(/<a class="l" href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(
      ([, href = '', text = '']) => ({
        href: resolve(href),
        anchor: [...plainText(text)].slice(0, 200).join(''),
      }),
    )
    deepEqual(
      read(html).links.map(({ href, anchor }) => ({ href, anchor })),
      expected,
    )
  })
  t.doesNotThrow(
    () => fc.assert(byExpression, { numRuns: sized(30, 100) }),
    'finds the same links as a regular expression',
  )

  const byParser = fc.property(pages, html => {
    let text = ''
    let inTitle = false
    const parser = new Parser({
      onopentagname: name => {
        inTitle = name === 'title'
        if (name !== 'a') text += ' '
      },
      onclosetag: name => {
        inTitle = false
        if (name !== 'a') text += ' '
      },
      ontext: part => {
        if (!inTitle) text += part
      },
    })
    parser.end(html)
    const expected = text.replace(/\s+/g, ' ').trim()
    deepEqual(read(html).text, {
      length: [...expected].length,
      words: expected.split(' ').filter(word => /[\p{L}\p{N}]/u.test(word)).length,
    })
  })
  t.doesNotThrow(() => fc.assert(byParser, { numRuns: sized(30, 100) }), 'counts the same text as a parser')
})

const fragment = fc.constantFrom(
  ...[
    '<¦>¦</¦/>¦<a¦<a href=¦<a href=x>¦</a>¦"¦\'¦=¦&¦&amp¦&#¦&#x¦;¦\0¦\ufeff¦\ud800¦text ¦ ¦<!--¦-->¦<![CDATA[¦]]>¦<!doctype¦<?',
    '<svg>¦</svg>¦<svg/>¦<math>¦<foreignObject>¦<desc>¦<title>¦</title>¦<script>¦</script>¦<style>¦<plaintext>¦<xmp>',
    '<script type=application/ld+json>¦{"a":¦[¦<template>¦</template>¦<noscript>¦</noscript>¦<body>¦<textarea>¦<select>',
    '<base href=¦<meta name=robots content=¦<meta http-equiv=refresh content=¦<link rel=canonical href=¦<h1>¦</h1>¦<img alt=',
  ].flatMap(line => line.split('¦')),
)

test('Any text is a page', async t => {
  const soup = fc.array(fc.oneof({ weight: 8, arbitrary: fragment }, fc.string({ unit: codePoint })), {
    maxLength: 60,
  })
  const total = fc.property(soup, fragments => {
    const facts = read(fragments.join(''))
    return (
      facts.text.length >= facts.text.words &&
      /^[0-9a-f]{64}$/.test(facts.contentHash) &&
      !JSON.stringify(facts).includes('\\u0000')
    )
  })
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(600) }), 'nothing throws')

  const many = 100_000
  const hostile: Record<string, string> = {
    'deep nesting': '<div>'.repeat(many),
    'deep nesting, closed': '<b>'.repeat(many) + '</i></b>'.repeat(many),
    'many attributes': `<a ${Array.from({ length: 20_000 }, (_, at) => `a${at}=1`).join(' ')} href=/x>`,
    'the same attribute again': `<a ${'href=/x '.repeat(20_000)}>`,
    'one long word': 'x'.repeat(2 ** 20),
    'one long text in a link': `<a href=/x><h1>${'é '.repeat(2 ** 19)}`,
    'drawings in drawings': '<svg>'.repeat(many),
    'drawings and texts in turn': '<svg><desc>'.repeat(many) + '</svg>'.repeat(many),
    'templates in templates': `${'<template>'.repeat(many)}${'</template>'.repeat(many)}`,
    'drawings after drawings': '<template>'.repeat(600) + '<svg></svg>'.repeat(many),
    'only angles': '<'.repeat(2 ** 20),
    'only ampersands': '&'.repeat(2 ** 20),
    'references without end': `&${'a'.repeat(2 ** 20)}`,
    'different references': Array.from({ length: many }, (_, at) => `&x${at};`).join(''),
    'open comments': '<!--'.repeat(many),
    'open data sections': '<svg><![CDATA['.repeat(many),
    'open titles': '<title>'.repeat(many),
    'one long address': `<a href="/${'&amp;'.repeat(2 ** 18)}">`,
    'many rules for robots': `<meta name=robots content="${'a,'.repeat(many)}">`,
    'only NULs': '\0'.repeat(2 ** 20),
    'deep data': `<script type=application/ld+json>${'{"a":'.repeat(80_000)}`,
    'wide data': `<script type=application/ld+json>[${'{},'.repeat(170_000)}{}]</script>`,
    'an open quote': '<a href="'.repeat(many),
    'a refresh of spaces': `<meta http-equiv=refresh content="1${' '.repeat(2 ** 20)}x">`,
  }
  for (const [what, html] of Object.entries(hostile)) {
    const started = process.cpuUsage()
    read(html)
    t.ok(process.cpuUsage(started).user < 2_000_000, `${what}: costs little`)
  }
})

test('A small page cannot expand into very many links', async t => {
  const base = `<base href="https://example.com/${'b/'.repeat(4_000)}">`
  const { links } = read(base + Array.from({ length: 50_000 }, (_, n) => `<a href=${n}>x</a>`).join(''))
  t.ok(links.length > 1_000)
  t.ok(links.reduce((sum, { href }) => sum + href.length, 0) <= 16 * 1024 ** 2)
})

test('The directives for robots of a page are limited, but not those that forbid indexing or following', async t => {
  const meta = (content: string) => `<meta name=robots content="${content}">`
  const many = Array.from({ length: 5_000 }, (_, n) => meta(`${n} ${'x'.repeat(1_980)}`)).join('')
  const short = Array.from({ length: 500 }, (_, n) => `r${n}`).join()
  for (const html of [many, meta(short).repeat(2), meta(short) + many]) {
    const { robotsMeta: robots } = read(`${html}${meta('noindex, NoFollow')}${meta('none, none')}`)
    t.ok(robots.length > 3 && robots.length <= 103, `${robots.length} directives`)
    t.ok(robots.join('').length <= 2_000 + 'noindexnofollownone'.length)
    t.strictSame(robots.slice(-3), ['noindex', 'nofollow', 'none'])
  }
  t.strictSame(read(meta('index, follow, index')).robotsMeta, ['index', 'follow'])
})

test('The quick tokenizer', async t => {
  t.ok(Reflect.has(Tokenizer.prototype, 'fastForwardTo'), 'replaces an existing method')
  const callsOf = (Kind: typeof Tokenizer, html: string, cut: number) => {
    const events: unknown[][] = []
    const record = (name: string | symbol) =>
      name === 'isInForeignContext' ? () => false : (...given: unknown[]) => events.push([name, ...given])
    const callbacks = new Proxy({}, { get: (_, name) => record(name) }) as TokenizerCallbacks
    const tokenizer = new Kind({ decodeEntities: false }, callbacks)
    tokenizer.write(html.slice(0, cut))
    tokenizer.write(html.slice(cut))
    tokenizer.end()
    return events
  }
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '</',
      '<a ',
      '<p>',
      '="',
      '"',
      "'",
      '<!--',
      '-->',
      '--!>',
      '<![CDATA[',
      ']]>',
      '<?',
      '?>',
      '<!x',
    ],
    ...[
      '<script>',
      '</script',
      '<title>',
      '</title>',
      '<textarea>',
      '<plaintext>',
      '&amp;',
      'text',
      'é😀',
      ' ',
      '/',
      '=',
    ],
  )
  const html = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(html, fc.nat(200), (html, cut) =>
      deepEqual(callsOf(QuickTokenizer, html, cut), callsOf(Tokenizer, html, cut)),
    ),
    { numRuns: sized(600, 2_000) },
  )
  t.pass('and finds the same in any page, also in one of two pieces')
})

test('Results keep no page in memory', async t => {
  const kept: unknown[] = []
  const grown = heapGrowth(() => {
    for (let at = 0; at < 40; at++) {
      const name = `a-rather-long-name-number-${at}`
      const html = `<html lang=${name}><title>${name}</title><meta name=description content=${name}><meta property="og:${name}" content=${name}><meta name=robots content=${name}><link rel=canonical href=${name}><link rel=alternate hreflang=${name} href=${name}><script type=application/ld+json>{"${name}":"${name}"}</script><h1>${name}</h1><a href=${name} rel=${name}>${name}</a>${'text '.repeat(200_000)}`
      kept.push(read(html))
    }
    return kept
  })
  t.equal(kept.length, 40)
  t.ok(grown < 5_000_000, `40 pages of a megabyte leave ${Math.round(grown / 1024)} KiB`)
})

test('Character references keep no page in memory', async t => {
  decodeText('&amp;')
  const grown = heapGrowth(() => {
    for (let at = 0; at < 60; at++) {
      const page = `&tidetable${100_000 + at} ${'text '.repeat(200_000)}`
      const text = page.slice(0, 30)
      t.equal(decodeText(text), text)
    }
  })
  t.ok(grown < 20_000_000, `unknown ones of 60 pages of a megabyte leave ${Math.round(grown / 1024)} KiB`)
})
