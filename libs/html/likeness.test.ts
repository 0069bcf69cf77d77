import fc from 'fast-check'
import { test } from 'tap'
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
    'when they differ in their links only',
  )
  t.equal(
    likeness('<h1>Events of day 7 in 2031</h1>Nothing.', day(7)),
    likeness('<h1>Events of day 8 in 2031</h1>Nothing.', day(8)),
    'when they differ in the numbers of their own address',
  )
  t.not(
    likeness('<p>Drawn: 4, 8, 15.', day(7)),
    likeness('<p>Drawn: 16, 23, 42.', day(8)),
    'but not when other numbers differ',
  )
  t.not(likeness('<p>Some words.'), likeness('<p>Other words.'), 'nor when the words differ')
  t.equal(
    likeness('<p>Words.<script>a()</script><!-- 1 -->'),
    likeness('<p>Words.<style>b{}</style>'),
    'whatever nobody sees',
  )
})

test('Without links, hash and likeness take the same text', async t => {
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
    fc.string({ unit: 'binary', maxLength: 5 }).map(text => text.replace(/<a/gi, '')),
  )
  /** Short enough for all of it to count. */
  const pages = fc.array(piece, { maxLength: 60 }).map(pieces => pieces.join('').slice(0, 5_000))
  const same = fc.property(pages, html => {
    const { content, likeness } = scanned(html)
    if (!content.text.bytes.equals(likeness.text.bytes)) throw new Error(`${content.text.bytes}`)
    return content.text.characters === likeness.text.characters
  })
  t.doesNotThrow(() => fc.assert(same, { numRuns: 1000 }), 'byte by byte, whichever way it came to them')

  const parted = fc.property(pages, pages, (before, after) => {
    const whole = scanned(`${before}<a href=/x>A link 😀 &amp;</a>${after}`)
    return whole.content.text.characters >= whole.likeness.text.characters
  })
  t.doesNotThrow(() => fc.assert(parted, { numRuns: 300 }), 'and with them the likeness has no more')
})

/** A page whose text has been read, before it is given back. */
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
