/**
 * Documents that make parsers slow, deep or wrong. Each ends with a link that must be found. The link proves that the
 * whole document was parsed, and in the same way as in a browser.
 */
import { numbered, ownText, page, series, stream, thousands } from './answers.ts'
import { type Count, done, type Site } from './site.ts'

type Pieces = Iterable<string | Buffer>
type Shape = [name: string, body: () => Pieces, more?: { type?: string; pages?: Count }]

const start = '<!doctype html><title>A shape</title><body>'
const end = '<p><a href="/end">The end</a>'
const html = (...parts: (string | Buffer | Pieces)[]): Pieces => series(start, ...parts, end)
const as = (encoding: BufferEncoding, text = `${start}<p>Grüße, שלום${end}`) => Buffer.from(text, encoding)
const bigEndian = (text: Buffer) => Buffer.from(text).swap16()
const [bom8, bom16] = [Buffer.of(0xef, 0xbb, 0xbf), Buffer.of(0xff, 0xfe)]

const shapes: Shape[] = [
  ['depth-1k', () => html(thousands('<div>', 1))],
  ['depth-10k', () => html(thousands('<div>', 10))],
  ['depth-100k', () => html(thousands('<div>', 100))],
  ['depth-1m', () => html(thousands('<div>', 1000))],
  [
    'twenty-thousand-attributes',
    () =>
      html(
        '<p ',
        numbered(20_000, n => `data-a${n}="${n}" `),
        '>',
      ),
  ],
  ['megabyte-word', () => html(thousands('x', 1000))],
  ['million-entities', () => html(thousands('&amp;', 1000))],
  ['twenty-thousand-anchors', () => html(thousands('<a href="#x">', 20))],
  ['nested-tables', () => html(thousands('<table><tr><td>', 20))],
  ['nested-lists', () => html(thousands('<ul><li>', 20))],
  ['nested-svg', () => html(thousands('<svg><foreignObject><math><mtext>', 5))],
  ['unclosed-everything', () => html(thousands('<b><i><p><a><table><select><form><button><h1>', 2))],
  ['unclosed-comment', () => series(start, '<!--', thousands('- ->', 250), end), { pages: 1 }],
  ['nul-characters', () => html(thousands('\0', 500), '<p\0 class="\0">', '\0</p>')],
  ['utf8-bom-against-its-label', () => [bom8, as('utf8')], { type: 'text/html; charset=windows-1252' }],
  ['utf16-bom', () => [bom16, as('utf16le')], { type: 'text/html' }],
  ['utf16-bom-big-endian', () => [bigEndian(bom16), bigEndian(as('utf16le'))], { type: 'text/html' }],
  // The HTML standard decodes this page as windows-1252, in which it has no link. A parser that guesses better finds
  // the link.
  ['utf16-without-bom', () => [as('utf16le')], { type: 'text/html', pages: { atLeast: 1, atMost: 2 } }],
  ['wrong-label', () => [as('latin1')], { type: 'text/html; charset=shift_jis' }],
  ['label-after-a-megabyte', lateLabel, { type: 'text/html' }],
  ['five-charsets', () => html(...mixed)],
]

const mixed = [
  as('utf8', 'Grüße\n'),
  Buffer.from('8393ea8c0a', 'hex'),
  Buffer.from('c6fccbdc0a', 'hex'),
].concat(Buffer.from('cff0e8e2e5f20a', 'hex'), as('utf16le', 'Grüße'))

function lateLabel(): Pieces {
  return series('<!doctype html><!--', thousands(' ', 1000), '--><meta charset="shift_jis"><body>', end)
}

const shaped = shapes.map(
  ([name, body, { type, pages = 2 } = {}]): Site => ({
    name,
    group: 'html',
    serve(visit) {
      if (visit.url.pathname === '/end') page(visit, 'The end', '<p>That was all.')
      else stream(visit, body(), type === undefined ? {} : { 'content-type': type })
    },
    expect: done(pages),
  }),
)

const manyLinks: Site = {
  name: 'fifty-thousand-links',
  group: 'html',
  crawl: { max_pages: 100 },
  serve(visit) {
    const { pathname } = visit.url
    if (pathname === '/') stream(visit, html(numbered(50_000, n => `<a href="/leaf/${n}">${n}</a>\n`)))
    else page(visit, pathname, ownText(pathname))
  },
  expect: done(100, { stopReason: 'max_pages' }),
}

export const htmlShapes: Site[] = [...shaped, manyLinks]
