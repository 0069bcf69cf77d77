/** Values of a page by a JSON Schema: each with its source, and nothing that the page does not state. */
import { parseTree } from '@tidemark/html/tree/parse-tree'
import type { JsonObject } from '@tidemark/schema/bounds'
import { validatorOf } from '@tidemark/schema/validator'
import { test } from 'tap'
import { described, missingIn } from '../model/missing.ts'
import { noPageFacts } from '../no-page-facts.ts'
import { numberIn } from './convert.ts'
import { emptyExtraction, extractionOf, withoutNulls } from './extraction.ts'
import { readKeyValues } from './key-value.ts'

const url = 'https://shop.test/p/1'
const metadata = { ...noPageFacts, title: 'Shop: Tide clock', lang: 'en' }
const fill = (html: string, properties: JsonObject, more: JsonObject = {}) =>
  extractionOf({ type: 'object', properties, ...more }, { tree: parseTree(html), url, base: url, metadata })
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const [text, number] = [{ type: 'string' }, { type: 'number' }]

const product = ld({
  '@context': 'https://schema.org',
  '@graph': [
    { '@type': 'WebSite', name: 'Shop' },
    {
      '@type': 'Product',
      name: 'Tide clock',
      image: ['/clock.jpg', '/back.jpg'],
      brand: { '@type': 'Brand', name: 'Mark' },
      offers: {
        '@type': 'Offer',
        price: '1,299.00',
        priceCurrency: 'EUR',
        availability: 'https://schema.org/InStock',
      },
      aggregateRating: { ratingValue: '4.5', reviewCount: 12 },
      review: [
        { author: { name: 'A' }, reviewBody: 'Good.' },
        { author: { name: 'B' }, reviewBody: 'Fine.' },
      ],
    },
  ],
})

test('Values come from JSON-LD', async t => {
  const { data, fields, warnings } = fill(
    product,
    {
      name: text,
      price: number,
      currency: text,
      in_stock: { type: 'boolean' },
      availability: { enum: ['in stock', 'out of stock'] },
      rating: number,
      reviewCount: { type: 'integer' },
      brand: text,
      image: { type: 'string', format: 'uri' },
      images: { type: 'array', items: { type: 'string', format: 'uri' }, 'x-alias': 'image' },
      offers: { type: 'object', properties: { priceCurrency: text, seller: text } },
      reviews: {
        type: 'array',
        'x-alias': ['review'],
        items: { $ref: '#/$defs/review' },
      },
      weight: number,
    },
    {
      $defs: {
        review: { type: 'object', properties: { author: text, body: { ...text, 'x-alias': 'reviewBody' } } },
      },
    },
  )
  t.strictSame(data, {
    name: 'Tide clock',
    price: 1299,
    currency: 'EUR',
    in_stock: true,
    availability: 'in stock',
    rating: 4.5,
    reviewCount: 12,
    brand: 'Mark',
    image: 'https://shop.test/clock.jpg',
    images: ['https://shop.test/clock.jpg', 'https://shop.test/back.jpg'],
    offers: { priceCurrency: 'EUR', seller: null },
    reviews: [
      { author: 'A', body: 'Good.' },
      { author: 'B', body: 'Fine.' },
    ],
    weight: null,
  })
  const of = (path: string) => fields.find(field => field.path === path)
  t.strictSame(of('/price'), { path: '/price', from: 'jsonld', where: 'json_ld[0].@graph[1].offers.price' })
  t.equal(of('/reviews/1/body')?.where, 'json_ld[0].@graph[1].review[1].reviewBody')
  t.strictSame(warnings, ['no value for /offers/seller was found', 'no value for /weight was found'])
})

test('Values come from a graph of one item', async t => {
  const { data, fields } = fill(ld({ '@graph': { '@type': 'Product', name: 'Clock' } }), { name: text })
  t.strictSame(data, { name: 'Clock' })
  t.match(fields, [{ path: '/name', where: 'json_ld[0].@graph.name' }])
})

test('Values come from every source, the best one first', async t => {
  const html = `<head><meta property="og:title" content="Open"><meta property="product:price:amount" content="7,50">
    <meta property="article:published_time" content="2026-01-02"></head>
    <div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Micro</b>
      <span itemprop="offers" itemscope itemtype="https://schema.org/Offer"><i itemprop="price">12</i></span></div>
    <table><tr><th>Weight (net)</th><td>2,5 kg</td></tr><tr><td>Colour</td><td> blue </td></tr></table>
    <dl><dt>Warranty<dd>2 years</dl>
    <p class=sku data-id=77>SKU-1</p><p class=sku>SKU-2</p>`
  const { data, fields } = fill(html, {
    name: text,
    price: number,
    published: text,
    weight: { ...number, title: 'Weight (net)' },
    colour: text,
    warranty: { type: 'integer' },
    sku: { ...text, 'x-selector': '.sku' },
    skus: { type: 'array', items: text, 'x-selector': '.sku' },
    id: { type: 'integer', 'x-selector': { selector: '.sku', attr: 'data-id' } },
    language: text,
  })
  t.strictSame(data, {
    name: 'Micro',
    price: 12,
    published: '2026-01-02',
    weight: 2.5,
    colour: 'blue',
    warranty: 2,
    sku: 'SKU-1',
    skus: ['SKU-1', 'SKU-2'],
    id: 77,
    language: 'en',
  })
  t.strictSame(
    fields.map(({ path, from, where }) => `${path} ${from} ${where}`),
    [
      '/name microdata microdata[0].name',
      '/price microdata microdata[0].offers.price',
      '/published opengraph article:published_time',
      '/weight table table: Weight (net)',
      '/colour table table: Colour',
      '/warranty table dl: Warranty',
      '/sku selector .sku',
      '/skus selector .sku',
      '/id selector .sku',
      '/language opengraph html[lang]',
    ],
  )
  const both = fill(`${ld({ '@type': 'Product', name: 'Linked', price: 'on request' })}${html}`, {
    name: text,
    price: number,
  })
  t.strictSame(both.data, { name: 'Linked', price: 12 }, 'a value of another type leads to the next source')
})

test('Rows of a table and items of a type are objects', async t => {
  const table =
    '<table><tr><th>Port<th>High water<th>Note</tr><tr><td>Brest<td>6.1<td>x</tr><tr><td>Dover<td>n/a<td></tr></table>'
  const ports = { type: 'array', items: { type: 'object', properties: { port: text, highWater: number } } }
  const { data, fields } = fill(table, { ports })
  t.strictSame(data, {
    ports: [
      { port: 'Brest', highWater: 6.1 },
      { port: 'Dover', highWater: null },
    ],
  })
  t.strictSame(fields[1], { path: '/ports/0/highWater', from: 'table', where: 'table[0], row 1' })
  const signs = '<table><tr><th>Name<th>km/h<th>a~b</tr><tr><td>A<td>50<td>1</tr></table>'
  const speeds = { type: 'object', properties: { name: text, 'km/h': number, 'a~b': number } }
  const pointers = fill(signs, { 'of/all': { type: 'array', items: speeds } }).fields.map(({ path }) => path)
  t.strictSame(pointers, ['/of~1all/0/name', '/of~1all/0/km~1h', '/of~1all/0/a~0b'], 'JSON pointers')
  const spanned = `<table><tr><th colspan=2>Port<th>High water<th></tr><tr><td rowspan=2>Brest<td rowspan=2>x<td>6.1<td></tr>
    <tr><td>6.4<td></tr><tr><td colspan=2>Dover<td>5<td></tr><tr><td>Mean<td colspan=3>5.8</tr></table>`
  t.strictSame(
    fill(spanned, { ports, mean: number }).data,
    {
      ports: [
        { port: 'Brest', highWater: 6.1 },
        { port: 'Brest', highWater: 6.4 },
        { port: 'Dover', highWater: 5 },
      ],
      mean: 5.8,
    },
    'a cell counts in each row that it spans, and a total is a value of its own',
  )
  const entries = {
    type: 'array',
    items: { type: 'object', properties: { name: text, eur: text, price: text } },
  }
  const twoRows = '<table><tr><th rowspan=2>Name<th>Price</tr><tr><th>EUR</tr><tr><td>A<td>1</tr>'
  t.strictSame(
    fill(twoRows, { entries }).data,
    { entries: [{ name: 'A', eur: '1', price: null }] },
    'a second row of headers names the columns that no header above spans',
  )
  const empty =
    '<table><tr><th>Name<th>Price</tr><tr><td rowspan=3>A<td rowspan=2>1</tr><tr></tr><tr><td>2</tr><tr><td>B<td>3</tr>'
  t.strictSame(
    (fill(empty, { entries }).data.entries as { name: string; price: string }[]).map(
      ({ name, price }) => name + price,
    ),
    ['A1', 'A2', 'B3'],
    'a row without cells is no object',
  )
  const events = ['A', 'B'].map(name => ld({ '@type': 'Event', name, startDate: '2026-01-01' })).join('')
  const entry = { type: 'object', 'x-type': 'Event', properties: { name: text, start: text } }
  t.strictSame(fill(events, { events: { type: 'array', items: entry } }).data, {
    events: [
      { name: 'A', start: '2026-01-01' },
      { name: 'B', start: '2026-01-01' },
    ],
  })
  const second = fill(
    `${ld({ '@type': 'Person', name: 'P', price: 1 })}${ld({ '@type': 'Offer', price: 2 })}`,
    { price: number, name: text },
    { 'x-type': 'Offer' },
  )
  t.strictSame([second.data.price, second.fields[0]?.where], [2, 'json_ld[1].price'])
  const third = fill(
    ld([{ '@type': 'Person', name: 'P' }]) + ld({ '@type': 'Thing', name: 'T', sku: 's', gtin: 'g' }),
    { name: text, article: { $ref: '#/$defs/sku' }, number: { $ref: '#/$defs/gtin' } },
    { $defs: { sku: { ...text, 'x-alias': 'sku' }, gtin: { ...text, title: 'GTIN' } } },
  )
  t.strictSame(third.data, { name: 'T', article: 's', number: 'g' }, 'names behind references count')
})

test('All schemas that apply to an object name its properties', async t => {
  const $defs = {
    named: { type: 'object', properties: { name: text, price: { ...number, title: 'Net' } } },
    priced: { properties: { price: { 'x-alias': 'amount' }, brand: text } },
    none: { type: 'null' },
    deep: { allOf: [{ $ref: '#/$defs/named' }, { allOf: [{ $ref: '#/$defs/priced' }] }] },
  }
  const html = ld({ '@type': 'Product', name: 'Clock', amount: '5 EUR', brand: 'Mark', sku: 's', gtin: 'g' })
  const all = { name: 'Clock', price: 5, brand: 'Mark' }
  const cases: [schema: JsonObject, data: JsonObject][] = [
    [{ allOf: [{ $ref: '#/$defs/named' }, { $ref: '#/$defs/priced' }], properties: { sku: text } }, all],
    [{ $ref: '#/$defs/deep', properties: { sku: text } }, all],
    [
      {
        ...{ $ref: '#/$defs/named', properties: { sku: text, price: { 'x-alias': 'amount' } } },
        anyOf: [{ $ref: '#/$defs/none' }, { properties: { brand: text } }, { properties: { gtin: text } }],
      },
      all,
    ],
  ]
  for (const [schema, expected] of cases) {
    const page = { tree: parseTree(html), url, base: url, metadata }
    const { data } = extractionOf({ $defs, ...schema }, page)
    t.strictSame(new Map(Object.entries(data)), new Map(Object.entries({ sku: 's', ...expected })))
  }
  const recursive = {
    $defs: {
      a: {
        allOf: [{ properties: { x: { $ref: '#/$defs/a' } } }, { properties: { x: { $ref: '#/$defs/a' } } }],
      },
    },
  }
  const { data } = fill(html, { a: { $ref: '#/$defs/a' }, name: text }, recursive)
  t.equal(data.name, 'Clock', 'a schema that contains itself twice ends')
  const chain = Array.from({ length: 20 }, (_, n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }])
  const long = { $defs: { ...Object.fromEntries(chain), d20: number } }
  const price = { $ref: '#/$defs/d0', 'x-alias': 'amount' }
  t.equal(fill(html, { price }, long).data.price, '5 EUR', 'references are followed to a limit')
})

test('Lists within lists and rows stay lists', async t => {
  const lists = (items: JsonObject) => ({ type: 'array', items })
  const page = ld({ '@type': 'Place', coordinates: [[1, 2], ['3', 'x'], []], tags: ['a'], box: [[[1], 2]] })
  const properties = {
    coordinates: lists(lists(number)),
    tags: lists(lists(text)),
    box: lists(lists(lists(number))),
    endless: { ...lists({ $ref: '#/properties/endless' }), 'x-alias': 'tags' },
    objects: { ...lists(lists({ type: 'object', properties: { a: text } })), 'x-alias': 'tags' },
  }
  const schema = { type: 'object', properties }
  const { data, fields } = fill(page, properties)
  t.strictSame(data, {
    coordinates: [[1, 2], [3]],
    tags: [['a']],
    box: [[[1], [2]]],
    endless: null,
    objects: null,
  })
  t.strictSame(validatorOf(schema)(withoutNulls(data, schema)), [])
  t.equal(fields.find(({ path }) => path === '/coordinates')?.where, 'json_ld[0].coordinates')

  const html =
    '<table><tr><th>Name<th>Tags<th>Maker</tr><tr><td>A<td>x, y<td>M</tr><tr><td>B<td><td>N</tr></table>'
  const maker = { type: 'object', properties: { name: text } }
  const rows = { rows: lists({ type: 'object', properties: { name: text, tags: lists(text), maker } }) }
  const table = fill(html, rows)
  t.strictSame(table.data, {
    rows: [
      { name: 'A', tags: ['x, y'], maker: null },
      { name: 'B', tags: null, maker: null },
    ],
  })
  const all = { type: 'object', properties: rows }
  t.strictSame(validatorOf(all)(withoutNulls(table.data, all)), [])
})

test('Missing values are null, and no null counts as invalid', async t => {
  const schema = {
    type: 'object',
    properties: { a: text, b: { type: ['string', 'null'] }, c: { type: 'object', properties: { d: text } } },
  }
  const { data, fields } = emptyExtraction(schema)
  t.strictSame([data, fields], [{ a: null, b: null, c: null }, []])
  t.strictSame(withoutNulls(data, schema), { b: null })
  t.strictSame(withoutNulls({ a: 'x', b: null, c: { d: null } }, schema), { a: 'x', b: null, c: {} })
})

test('A model receives the keywords of all schemas that apply to a missing value', async t => {
  const schema = {
    type: 'object',
    properties: { price: { ...text, description: 'The price' }, rating: { $ref: '#/$defs/rating' } },
    allOf: [{ properties: { price: { pattern: '^[0-9]+$', description: 'Ignored' } } }],
    $defs: { rating: { ...number, minimum: 0, maximum: 5, description: 'Stars' } },
  }
  const missing = missingIn(schema, emptyExtraction(schema).data)
  t.strictSame(
    missing.map(({ path, schema: one }) => [path, described(one, schema)]),
    [
      ['/price', { type: 'string', description: 'The price', pattern: '^[0-9]+$' }],
      ['/rating', { type: 'number', description: 'Stars', minimum: 0, maximum: 5 }],
    ],
  )
})

test('A null is valid in every form in which a schema allows it', async t => {
  const none = { type: 'null' }
  const cases: [property: JsonObject, isAllowed: boolean][] = [
    [{ type: ['string', 'null'] }, true],
    [{ anyOf: [text, none] }, true],
    [{ oneOf: [none, { $ref: '#/$defs/gtin' }] }, true],
    [{ anyOf: [text, { $ref: '#/$defs/none' }] }, true],
    [{ anyOf: [text, { const: null }] }, true],
    [{ enum: ['a', null] }, true],
    [{ const: null }, true],
    [{ allOf: [{ $ref: '#/$defs/nullable' }, { title: 'GTIN' }] }, true],
    [{}, false],
    [text, false],
    [{ anyOf: [text, number] }, false],
    [{ type: 'string', enum: ['a', null] }, false],
    [{ type: ['string', 'null'], enum: ['a'] }, false],
    [{ allOf: [{ anyOf: [text, none] }, text] }, false],
  ]
  for (const [gtin, isAllowed] of cases) {
    const schema = {
      type: 'object',
      required: ['gtin'],
      properties: { gtin },
      $defs: { gtin: text, none, nullable: { type: ['string', 'null'] } },
    }
    const { data } = emptyExtraction(schema)
    const errors = validatorOf(schema)(withoutNulls(data, schema))
    t.strictSame([data, errors.length === 0], [{ gtin: null }, isAllowed], JSON.stringify(gtin))
  }
  const numbers = { anyOf: [{ enum: [null] }, number] }
  t.strictSame(fill(ld({ price: '5 EUR' }), { price: numbers }).data, { price: 5 }, 'a value is preferred')
})

test('Choices that refer to each other are visited once', t => {
  const any = { anyOf: Array.from({ length: 150 }, () => ({ $ref: '#/$defs/any' })) }
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/any' } }, $defs: { any } }
  const began = performance.now()
  t.strictSame(emptyExtraction(schema).data, { a: null })
  t.ok(performance.now() - began < 2_000)
  t.end()
})

test('A value of an enum is never replaced by a similar one', async t => {
  const cases: [written: string, values: string[], chosen: string][] = [
    ['£', ['$', '€'], '£'],
    ['A++', ['A', 'B', 'C'], 'A++'],
    ['A-', ['A', 'B'], 'A-'],
    ['-5', ['5', '10'], '-5'],
    ['c++', ['C', 'C++', 'C#'], 'C++'],
    ['c#', ['C', 'C++', 'C#'], 'C#'],
    ['a ++', ['A', 'A++'], 'a ++'],
    ['Energy class: A++', ['A+++', 'A++', 'A+', 'A'], 'A++'],
    ['AC/DC', ['AC', 'DC'], 'AC/DC'],
    ['https://schema.org/InStock', ['in stock', 'sold out'], 'in stock'],
    ['schema.org/InStock', ['in stock', 'sold out'], 'in stock'],
    ['schema:InStock', ['in_stock', 'in-stock'], 'schema:InStock'],
    ['In-Stock', ['in_stock', 'sold_out'], 'in_stock'],
    ['C', ['c', 'C'], 'C'],
  ]
  for (const [written, values, chosen] of cases) {
    const { data } = fill(ld({ grade: written }), { grade: { enum: values } })
    t.equal(data.grade, chosen, `${written} of ${values}`)
  }
})

test('Numbers are read as people write them', async t => {
  const cases: [string, number | undefined][] = [
    ['12', 12],
    ['€ 1.299,00', 1299],
    ['1,299.00 USD', 1299],
    ['1,299', 1299],
    ['0,5', 0.5],
    ['1.5', 1.5],
    ["1'299.50", 1299.5],
    ['1.299.000', 1_299_000],
    ['−3', -3],
    ['EUR12.50', 12.5],
    ['₹1,29,900.00', 129_900],
    ['1 299,000', 1299],
    ['0,125', 0.125],
    ['-0,125', -0.125],
    ['19.99 24.99', 19.99],
    ['1 299,00 € 1 499,00 €', 1299],
    ['5-7 days', 5],
    ['1\u2009299 €', 1299],
    ['1\u2007299\u2007000,50', 1_299_000.5],
    ['1\u202f299\u00a0000', 1_299_000],
    ['$.99', 0.99],
    [',5', 0.5],
    ['.500', 0.5],
    ['−.5', -0.5],
    ['Rs.500', 500],
    ['...5 left', 5],
    ['– 300', -300],
    ['–300', -300],
    [' - 1,200.50', -1200.5],
    ['-$5', -5],
    ['− EUR 5', -5],
    ['– .5', -0.5],
    ['-0', 0],
    ['10 – 20', 10],
    ['Brest – 20', 20],
    ['(1,200)', 1200],
    ['1e5', 100_000],
    ['1.5E-3 g', 0.0015],
    ['1e999', undefined],
    ['3e8a1', undefined],
    ['iPhone-15', 15],
    ['12.05.2024', undefined],
    ['12.05.2024 14:30', undefined],
    ['version 1.2.3', undefined],
    ['1.299.00', undefined],
    ['none', undefined],
    ['', undefined],
  ]
  for (const [written, value] of cases) t.equal(numberIn(written), value, written)
})

test('Brackets around a number of a table are a minus', async t => {
  const row = (cells: string[]) => `<tr>${cells.map(cell => `<td>${cell}`).join('')}</tr>`
  const html = `<table><tr><th>Year<th>Result<th>Note</tr>${row(['2024', '(1,200)', '(1)'])}${row(['2025', '– 300', 'x'])}
    ${row(['2026', '($1.5)', ''])}${row(['2027', '5 (6)', ''])}${row(['2028', '(5–7)', ''])}
    ${row(['(2029)', '(2,900)', ''])}</table>
    <dl><dt>Loss<dd>(5.00 €)<dt>Code<dd>(7)</dl><p class=count>(128)`
  const entry = { type: 'object', properties: { year: number, result: number, note: text } }
  const { data } = fill(html, {
    years: { type: 'array', items: entry },
    loss: number,
    code: text,
    count: { ...number, 'x-selector': '.count' },
  })
  t.strictSame(data, {
    years: [
      { year: 2024, result: -1200, note: '(1)' },
      { year: 2025, result: -300, note: 'x' },
      { year: 2026, result: -1.5, note: null },
      { year: 2027, result: 5, note: null },
      { year: 2028, result: 5, note: null },
      { year: 2029, result: -2900, note: null },
    ],
    loss: -5,
    code: '(7)',
    count: 128,
  })
})

test('Hostile pages and schemas take a bounded time', async t => {
  const deep = '<table><tr><td>a<td>'.repeat(3_000)
  const lists = '<dl><dt>a<dd>'.repeat(3_000)
  const rows = `<table><tr><th>a<th>b</tr>${'<tr><td>1<td>2</tr>'.repeat(20_000)}</table>`
  const all = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`p${n}`, { $ref: '#' }]))
  const within = { ...all, s: { type: 'string', 'x-selector': 'p' } }
  const items = { type: 'array', items: { type: 'object', properties: { a: text, b: text } } }
  for (const [name, html, properties] of [
    ['nested tables', deep, { a: text }],
    ['nested lists', lists, { a: text }],
    ['many rows', rows, { items }],
    ['a schema within itself', '<p>x', within],
    ['many items', ld(Array.from({ length: 5_000 }, (_, n) => ({ name: `n${n}` }))), { name: text, ...all }],
    [
      'long values',
      `<p>${'x'.repeat(100_000)}`,
      Object.fromEntries(
        Array.from({ length: 900 }, (_, n) => [`p${n}`, { type: 'string', 'x-selector': 'p' }]),
      ),
    ],
  ] as const) {
    const began = process.cpuUsage()
    const { data, fields } = fill(html, properties)
    const { user, system } = process.cpuUsage(began)
    t.comment(`${name}: ${fields.length} values in ${Math.round((user + system) / 1000)} ms`)
    t.ok(user + system < 10e6, name)
    t.ok(JSON.stringify(data).length < 8 * 1024 ** 2, 'and the result is bounded')
  }
  const header = Array.from({ length: 50 }, (_, n) => `<th>h${n}`).join('')
  const spanning = `<table><tr>${header}</tr><tr>${'<td rowspan=1000>x'.repeat(49)}<td>y</tr>${'<tr><td>y</tr>'.repeat(999)}</table>`
  const rowsRead = readKeyValues(parseTree(spanning.repeat(10))).tables.flatMap(table => table.rows)
  t.ok(rowsRead.flat().length <= 50_000, 'cells count in each row that they span')
  const wide = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`p${n}`, text]))
  const list = { type: 'array', items: { type: 'object', properties: wide } }
  const { data, warnings } = fill(ld({ list: Array.from({ length: 1_000 }, () => ({ p0: 'x' })) }), { list })
  t.ok(JSON.stringify(data).length < 512 * 1024, 'a list ends when all its properties were visited')
  t.match(warnings.at(-1), /no value|ends after/)
})
