/** Structured data with cycles, or larger or deeper than its readers support. */
import { numbered, page, series, stream, thousands, times } from './answers.ts'
import { done, type Site } from './site.ts'

type Pieces = Iterable<string | Buffer>

const script = (...json: (string | Pieces)[]): Pieces =>
  series('<script type="application/ld+json">', ...json, '</script>')

const rows: [name: string, body: () => Pieces][] = [
  [
    'json-ld-of-ten-megabytes',
    () =>
      script(
        '[',
        numbered(100_000, n => `{"@type":"Product","name":"Number ${n}","sku":"${n}"},`.padEnd(104)),
        '0]',
      ),
  ],
  [
    'json-ld-in-a-circle',
    () =>
      script(
        '{"@context":"https://schema.org","@graph":[',
        '{"@id":"#a","@type":"Person","knows":{"@id":"#b"}},',
        '{"@id":"#b","@type":"Person","knows":{"@id":"#a"},"parent":{"@id":"#b"}}]}',
      ),
  ],
  ['json-ld-ten-thousand-deep', () => script(thousands('{"a":', 10), '0', thousands('}', 10))],
  ['json-ld-never-closed', () => script(thousands('[{"@graph":', 50))],
  [
    'json-ld-of-prototypes',
    () =>
      script('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"@type":"Thing"}'),
  ],
  [
    'json-ld-ten-thousand-times',
    () => thousands('<script type="application/ld+json">{"@type":"A"}</script>', 10),
  ],
  ['microdata-in-a-circle', () => series(itemsInACircle(), numbered(5000, itemOfItself))],
  [
    'rdfa-prefixes',
    () =>
      series(
        '<div prefix="',
        numbered(20_000, n => `p${n}: http://ns.test/${n}# `),
        '">',
        times('<p property="p1:a p2:b">', 5000),
      ),
  ],
]

export const markupData: Site[] = rows.map(([name, body]) => ({
  name,
  group: 'markup data',
  serve(visit) {
    const document = () =>
      series('<!doctype html><title>Data</title><body>', body(), '<p><a href="/end">The end</a>')
    if (visit.url.pathname === '/end') page(visit, 'The end', '<p>That was all.')
    else stream(visit, document())
  },
  expect: done(2),
}))

const itemsInACircle = (): string =>
  '<div itemscope itemref="b" id="a"><i itemprop="x" itemscope itemref="a" id="b"></i></div>'

const itemOfItself = (n: number): string =>
  `<div id="i${n}" itemscope itemprop="p" itemref="i${n} i${n + 1} i${n - 1}"></div>`
