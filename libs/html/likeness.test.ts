import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { CodeWindow } from './code-window.ts'
import { document, read } from './html.examples.ts'
import { Page } from './page.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'
import { Scanner } from './scanner.ts'

test('Two pages are alike', async t => {
  const likeness = (body: string, url?: string) => read(document(body), url).likeness
  const day = (n: number) => `https://example.com/2031/05/${n}`

  t.match(likeness('<p>Some words.'), /^[0-9a-f]{16}$/)
  t.equal(
    likeness('<p>The same <b>words</b>. <a href="/1">One</a>'),
    likeness('<div>The same words.</div><a href="/2">Two</a> <a href="/3">Three</a>'),
    'if they differ only in their links',
  )
  t.equal(
    likeness('<h1>Events of day 7 in 2031</h1>Nothing.', day(7)),
    likeness('<h1>Events of day 8 in 2031</h1>Nothing.', day(8)),
    'if they differ in the numbers of their own address',
  )
  t.not(
    likeness('<p>Drawn: 4, 8, 15.', day(7)),
    likeness('<p>Drawn: 16, 23, 42.', day(8)),
    'but not if other numbers differ',
  )
  t.not(likeness('<p>Some words.'), likeness('<p>Other words.'), 'nor if the words differ')
  t.equal(
    likeness('<p>Words.<script>a()</script><!-- 1 -->'),
    likeness('<p>Words.<style>b{}</style>'),
    'invisible parts',
  )
})

test('Media and form fields are content', async t => {
  const at = (n: number) => `https://example.com/gallery/${n}?full=1`
  const differ = (t: Test, of: (n: number) => string) => {
    for (const [body, other] of [
      [of(7), of(8)],
      [`<a href="/next">${of(7)}</a>`, `<a href="/next">${of(8)}</a>`],
    ]) {
      const [one, two] = [
        read(document(`<p>A gallery.${body}`), at(7)),
        read(document(`<p>A gallery.${other}`), at(8)),
      ]
      t.equal(one.contentHash, two.contentHash, `the text is the same: ${body}`)
      t.not(one.likeness, two.likeness, `${body}`)
    }
  }
  await t.test('even if its number is in its own address', async t => {
    differ(t, n => `<img src="/${n}.jpg">`)
    differ(t, n => `<img srcset="/${n}.jpg 2x">`)
    differ(t, n => `<img src="/lazy.gif" data-src="/${n}.jpg">`)
    differ(t, n => `<img src="/lazy.gif" data-url="/${n}.jpg">`)
    differ(t, n => `<picture><source srcset="/${n}.webp"><img src="/x.jpg"></picture>`)
    differ(t, n => `<video src="/${n}.mp4"></video>`)
    differ(t, n => `<video poster="/${n}.jpg"></video>`)
    differ(t, n => `<video><source src="/${n}.mp4"></video>`)
    differ(t, n => `<audio src="/${n}.mp3"></audio>`)
    differ(t, n => `<iframe src="/embed/${n}"></iframe>`)
    differ(t, n => `<embed src="/${n}.swf"><object data="/same"></object>`)
    differ(t, n => `<object data="/${n}.svg"></object>`)
    differ(t, n => `<img src="/x.jpg" alt="Picture ${n}">`)
    differ(t, n => `<svg><image href="/${n}.png"/></svg>`)
    differ(t, n => `<canvas data-points="${n} ${n}"></canvas>`)
    differ(t, n => `<div data-photo="${n}"></div>`)
    differ(t, n => `<div style="background: url(/${n}.jpg)"></div>`)
    differ(t, n => `<input name="answer" placeholder="Question ${n}">`)
    differ(t, n => `<select name="choice-${n}"></select>`)
    differ(t, n => `<textarea name="t">Draft ${n}</textarea>`)
  })

  await t.test('except additions of a server that sends one page for all addresses', async t => {
    const same = (of: (n: number) => string) =>
      t.equal(read(document(of(7)), at(7)).likeness, read(document(of(8)), at(8)).likeness, of(7))
    same(n => `<input type="hidden" name="csrf" value="${n * 77}">`)
    same(n => `<div data-csrf-token="${n * 77}" style="top: ${n}px"></div>`)
    same(n => `<div data-page="${n}"></div>`)
    same(n => `<img src="/count?of=/gallery/${n}?full=1">`)
    same(n => `<img src="/count?of=${encodeURIComponent(`/gallery/${n}?full=1`)}">`)
    same(n => `<img width="1" height="1" src="/count?${n * 77}">`)
    same(n => `<template><img src="/${n}.jpg" data-a="${n}"></template>`)
    same(n => `<noscript><img src="/${n}.jpg" data-a="${n}"></noscript>`)
  })

  await t.test('within limits', async t => {
    const many = '<img src="/a.jpg" data-x="b">'.repeat(100_000)
    t.equal(read(document(many)).likeness, read(document(`${many}<img src="/other.jpg">`)).likeness)
    const long = 'x'.repeat(1000)
    t.equal(
      read(document(`<img src="/${long}1">`)).likeness,
      read(document(`<img src="/${long}2">`)).likeness,
    )
  })
})

test('Without links, hash and likeness cover the same text', async t => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        'alpha',
        'béta',
        '中文',
        '😀',
        '\ud83d',
        '&amp;',
        '&#x1f600;',
        '&nbsp;',
        '&lt;p>',
        '1 < 2',
        'x\0y',
        '\u0085',
        '\ufeff',
      ],
      ...[
        ' ',
        '\n\t',
        '<p>',
        '</p>',
        '<b>',
        '</b>',
        '<br>',
        '<h1>',
        '</h1>',
        '<img alt="a b">',
        '<!-- c -->',
        '<title>t</title>',
      ],
      ...[
        '<script>s()</script>',
        '<style>s{}</style>',
        '<textarea>',
        '</textarea>',
        '<svg>',
        '</svg>',
        'w'.repeat(1500),
      ],
    ),
    fc.string({ unit: codePoint, maxLength: 5 }).map(text => text.replace(/<a/gi, '')),
  )
  /** Pages that are short enough to count completely. */
  const pages = fc.array(piece, { maxLength: 60 }).map(pieces => pieces.join('').slice(0, 5_000))
  const same = fc.property(pages, html => {
    const { content, likeness } = scanned(html)
    if (!content.text.bytes.equals(likeness.text.bytes)) throw new Error(`${content.text.bytes}`)
    return content.text.characters === likeness.text.characters
  })
  t.doesNotThrow(() => fc.assert(same, { numRuns: sized(300, 1000) }), 'byte by byte, by both ways')

  const parted = fc.property(pages, pages, (before, after) => {
    const whole = scanned(`${before}<a href=/x>A link 😀 &amp;</a>${after}`)
    return whole.content.text.characters >= whole.likeness.text.characters
  })
  t.doesNotThrow(
    () => fc.assert(parted, { numRuns: sized(100, 300) }),
    'and with links the likeness has no additional text',
  )
})

/** Returns a page after its text was read and before it is closed. */
function scanned(html: string): Page {
  const page = new Page()
  window.open(html)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, new Scanner(html, window, page))
  tokenizer.write(html)
  tokenizer.end()
  window.close()
  return page
}

const window = new CodeWindow(4096)
