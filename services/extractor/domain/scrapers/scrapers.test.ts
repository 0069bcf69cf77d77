/** Every scraper on its saved pages, on hostile pages, and on paths that would lead elsewhere. */

import { Scraper as ScraperSchema } from '@tidemark/contracts/rpc/scrapers'
import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { createContentThread } from '../../adapters/content-thread.ts'
import { listScrapers } from '../../handlers/list-scrapers.ts'
import { parseJson } from './json.ts'
import { beginningOfJson } from './json-beginning.ts'
import { type Order, orderOf } from './order.ts'
import { readSite } from './read-site.ts'
import type { Entry, Inputs, Scraper } from './scraper.ts'
import { known, pagesOf, scrapers, whole } from './scrapers.scene.ts'

type Params = Record<string, unknown>
const ordered = (domain: string, path: string | null, params: Params = {}) =>
  orderOf(scrapers, { domain, path, params })

function order(domain: string, path: string | null, params: Params = {}): Order {
  const found = ordered(domain, path, params)
  if ('reason' in found) throw new Error(found.message)
  return found
}

function read(scraper: Scraper, text: string, inputs: Inputs = {}): Entry[] | null {
  const { data, warnings } = readSite(scraper, { url: scraper.origin, text, inputs })
  const fields = Object.keys(scraper.dataShape).sort()
  for (const entry of data)
    if (Object.keys(entry).sort().join() !== fields.join())
      throw new Error(`${Object.keys(entry)} are not the fields of ${scraper.domain}`)
  return data.length === 0 && warnings.length > 0 ? null : data
}

for (const { scraper, saved } of known) {
  test(`The scraper of ${scraper.domain}`, async t => {
    const { domain } = scraper
    for (const { path, params = {}, url, page, data } of pagesOf(saved)) {
      const { inputs, ...made } = order(domain, path, params)
      t.strictSame(made, { scraper, url, warnings: [] }, `fetches ${path}`)
      t.strictSame(
        read(scraper, page, inputs),
        data.map(entry => whole(scraper, entry)),
        'reads the values of the page, and null for missing ones',
      )
    }
    t.strictSame(Object.keys(saved.full.data[0] ?? {}), Object.keys(scraper.dataShape), 'with all its fields')
    t.equal(read(scraper, saved.other), null, 'reads nothing in a page of another shape')
    for (const text of ['', ' ', 'null', '[]', '{}', '7', '"x"', '<', '<html></html>', '\ud800', '{"a":'])
      t.equal(read(scraper, text), null, `nor in ${JSON.stringify(text)}`)
    for (const path of saved.refused) {
      const fault = ordered(domain, path)
      t.match(fault, { field: 'path', reason: 'bad_value' }, `refuses ${path}`)
      t.match('message' in fault && fault.message, scraper.routes[0]?.path, 'and names valid paths')
    }
    t.ok(
      Object.values(scraper.names).every(
        ({ source, flags }) => /^\^.*\$$/.test(source) && !flags.includes('m'),
      ),
      'matches each name as a whole',
    )
  })
}

test('The list of scrapers', async t => {
  const list = listScrapers(scrapers)
  const { scrapers: all, total } = await list({ offset: 0, limit: 200 })
  t.ok(total >= 10)
  t.equal(all.length, total)
  t.ok(all.every(one => Check(ScraperSchema, one) && one.paths.length > 0))
  t.strictSame(
    all.map(({ domain }) => domain),
    all.map(({ domain }) => domain).toSorted(),
  )
  t.strictSame((await list({ offset: 2, limit: 3 })).scrapers, all.slice(2, 5))
  t.strictSame(await list({ offset: total, limit: 3 }), { scrapers: [], total })
})

test('The input of a scraper', async t => {
  t.match(
    ordered('PyPI.org', 'project/x'),
    { url: 'https://pypi.org/pypi/x/json' },
    'in any case of its domain',
  )
  t.match(ordered('news.ycombinator.com', ''), { url: 'https://news.ycombinator.com/news' }, 'without a path')
  t.match(ordered('www.npmjs.com', 'package/x'), { field: 'domain', message: /mean npmjs\.com\?/ })
  t.match(ordered('pipy.org', 'project/x'), { field: 'domain', message: /mean pypi\.org/ })
  t.match(ordered('zzzzzzzzzzzz', null), { field: 'domain', message: /Supported domains: arxiv\.org, / })
  for (const domain of ['__proto__', 'constructor', '', '.', '\ud800', 'x'.repeat(253)])
    t.match(ordered(domain, null), { field: 'domain', reason: 'bad_value' }, domain)
  t.match(ordered('pypi.org', null), { field: 'path', message: /supports project\/\{name\}, project/ })

  const search = (params: Params) => ordered('openlibrary.org', 'search', params)
  t.match(search({}), { field: 'params.q', reason: 'required' })
  t.match(search({ q: 7 }), { field: 'params.q', reason: 'wrong_type' })
  t.match(search({ q: ' ' }), { field: 'params.q', reason: 'out_of_range' })
  t.match(search({ q: 'x'.repeat(301) }), { field: 'params.q', reason: 'out_of_range' })
  t.match(search({ q: 'a\nb' }), { field: 'params.q', reason: 'bad_value' })
  for (const page of ['2', 1.5, Number.NaN, true, {}])
    t.match(search({ q: 'x', page }), { field: 'params.page', reason: 'wrong_type' })
  for (const page of [0, 101, -1])
    t.match(search({ q: 'x', page }), { field: 'params.page', reason: 'out_of_range' })
  t.match(search({ q: 'x', page: null }), { warnings: { length: 0 } }, 'null equals a missing value')
  const choice = ordered('stackoverflow.com', 'questions/7', { order: 'best' })
  t.match(choice, { field: 'params.order', reason: 'bad_value', message: /scoredesc, trending/ })

  const strange = JSON.parse('{"__proto__":1,"url":"https://elsewhere.test/","host":"x","q":"tide"}')
  const { url, warnings } = order('openlibrary.org', 'search', strange)
  t.match(url, /^https:\/\/openlibrary\.org\/search\.json\?fields=[\w%]+&q=tide$/)
  t.strictSame(
    warnings,
    ['__proto__', 'url', 'host'].map(name => `params.${name} is not a parameter of search and was ignored`),
  )
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${n}${'x'.repeat(999)}`, n]))
  t.ok(
    JSON.stringify(order('pypi.org', 'project/x', many).warnings).length < 2_000,
    'without repeating all of it',
  )
})

test('The path of an address as its site writes it', async t => {
  for (const [domain, path, url] of [
    ['pypi.org', 'project/x/', 'https://pypi.org/pypi/x/json'],
    ['pypi.org', 'project/x/1.0/', 'https://pypi.org/pypi/x/1.0/json'],
    ['github.com', 'a/b/', 'https://api.github.com/repos/a/b'],
    ['news.ycombinator.com', 'news/', 'https://news.ycombinator.com/news'],
    ['stackoverflow.com', 'questions/7/', 'https://stackoverflow.com/questions/7'],
    ['arxiv.org', 'abs/q-bio/0309001', 'https://arxiv.org/abs/q-bio/0309001'],
    ['arxiv.org', 'abs/q-alg/9701001v2', 'https://arxiv.org/abs/q-alg/9701001v2'],
    ['openlibrary.org', 'works/OL7W/The_Tide_Book', 'https://openlibrary.org/works/OL7W.json'],
    ['openlibrary.org', 'books/OL9M/Tides.', 'https://openlibrary.org/books/OL9M.json'],
    ['openlibrary.org', 'isbn/978-0-00-000000-2', 'https://openlibrary.org/isbn/978-0-00-000000-2.json'],
    ['openlibrary.org', 'isbn/0-00-000000-x', 'https://openlibrary.org/isbn/0-00-000000-x.json'],
  ] as const)
    t.match(ordered(domain, path), { url }, path)
  for (const [domain, path] of [
    ['pypi.org', 'project/x//'],
    ['pypi.org', '/'],
    ['en.wiktionary.org', 'wiki/w/'],
    ['openlibrary.org', 'isbn/978--0000000002'],
  ] as const)
    t.match(ordered(domain, path), { field: 'path', reason: 'bad_value' }, path)
})

test('No path and no parameter leads away from the site', async t => {
  const pieces = [
    ...[
      '..',
      '.',
      '',
      '/',
      '//',
      '\\',
      '@',
      ':',
      '?',
      '#',
      '%',
      '%2e%2e',
      '%2F',
      '%5c',
      '%00',
      '\0',
      '\t',
      '\n',
      ' ',
    ],
    ...[
      '／',
      '．．',
      '＠',
      '。',
      'elsewhere.test',
      'https:',
      'javascript:x',
      '[::1]',
      '\ud800',
      '\u202e',
      'é',
      '🌊',
    ],
    ...[
      'package',
      'project',
      'crates',
      'wiki',
      'news',
      'questions',
      'abs',
      'works',
      'isbn',
      'search',
      'rfc',
      'info',
    ],
    ...[
      'v',
      '@a',
      'rfc7',
      '7',
      'x',
      'OL7W',
      '2601.00001',
      'Special:x',
      '$&',
      '$1',
      '{name}',
      '{title...}',
      '&a=b',
    ],
  ]
  const piece = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: codePoint }))
  const segments = fc.array(
    fc.array(piece, { minLength: 1, maxLength: 3 }).map(parts => parts.join('')),
    { maxLength: 5 },
  )
  const near = fc.constantFrom(...known.flatMap(({ saved }) => pagesOf(saved).map(({ path }) => path ?? '')))
  const mended = fc
    .tuple(near, fc.nat(40), piece)
    .map(([path, at, text]) => path.slice(0, at) + text + path.slice(at))
  const path = fc.oneof(
    segments.map(all => all.join('/')),
    mended,
    { weight: 3, arbitrary: near },
  )
  const name = fc.constantFrom('q', 'page', 'limit', 'p', 'order', 'language', 'url', '__proto__')
  const params = fc.dictionary(name, fc.oneof(fc.integer({ min: -2, max: 120 }), piece, fc.jsonValue()))
  let taken = 0
  const numRuns = documents(1_000)
  fc.assert(
    fc.property(fc.constantFrom(...known), path, params, ({ scraper }, path, params) => {
      const found = orderOf(scrapers, { domain: scraper.domain, path, params })
      if ('reason' in found) return ['path', 'params'].includes(found.field.split('.', 1)[0] ?? '')
      taken++
      const url = new URL(found.url)
      const segments = decodeURIComponent(url.pathname).split('/')
      return (
        url.origin === scraper.origin &&
        url.href === found.url &&
        url.username + url.password + url.hash === '' &&
        !segments.slice(1).some(segment => ['', '.', '..'].includes(segment)) &&
        !/%(?:2f|5c|2e|00)/i.test(url.pathname)
      )
    }),
    { numRuns },
  )
  t.ok(taken > numRuns / 20, `${taken} of ${numRuns} were accepted`)
})

test('Reading any page ends, with entries of the right shape', async t => {
  const numRuns = documents(60)
  for (const { scraper, saved } of known) {
    const pages = pagesOf(saved).map(({ page }) => page)
    const json = pages.filter(page => page.startsWith('{')).map(page => beginningOfJson(page))
    const changed = fc
      .tuple(fc.constantFrom(...pages), fc.nat(4_000), fc.nat(60), fc.string())
      .map(([page, at, left, text]) => page.slice(0, at) + text + page.slice(at + left))
    const text = json.length > 0 ? fc.oneof(changed, spoilt(json), fc.json()) : changed
    fc.assert(
      fc.property(text, text => void read(scraper, text)),
      { numRuns },
    )
    t.pass(`${scraper.domain}: ${numRuns} pages`)
  }
})

/** Documents with a value of another type. */
function spoilt(documents: string[]): fc.Arbitrary<string> {
  const values = [
    null,
    true,
    0,
    -1.5,
    '',
    'x',
    [],
    {},
    [[]],
    [null],
    [{}],
    { url: [] },
    { name: 7 },
    '\ud800',
    -1e300,
  ]
  return fc
    .tuple(fc.constantFrom(...documents), fc.nat(60), fc.constantFrom<unknown>(...values))
    .map(([text, at, value]) => {
      let left = at
      return JSON.stringify(JSON.parse(text), (_, was) => (left-- === 0 ? value : was)) ?? 'null'
    })
}

test('A truncated document is read to its end', async t => {
  const text = JSON.stringify({ a: [1, { b: 'x,"]}' }], c: { d: null }, e: '\\"', f: [[], {}] })
  for (let end = 0; end < text.length; end++) {
    const found = parseJson(text.slice(0, end)) as { a?: unknown; e?: unknown } | undefined
    if (found?.e !== undefined) t.strictSame(found.a, [1, { b: 'x,"]}' }], `cut at ${end}`)
  }
  t.strictSame(parseJson(text), JSON.parse(text))
  t.strictSame(parseJson('{"info":{"name":"x"},"urls":[{"a":1},{"a'), {
    info: { name: 'x' },
    urls: [{ a: 1 }],
  })
  for (const none of ['', '{', '[', ',', '}{', 'x,[', '"x', '<p>{}', '<pre>'])
    t.equal(parseJson(none), undefined, none)
})

test('Pages that attack a scraper', { timeout: patient(300_000) }, async t => {
  const max = sized(256 * 1024, 2 * 1024 ** 2)
  const marks =
    '<h1 id=firstHeading>x</h1><div id=mw-content-text class=mw-parser-output><h2>x</h2><h3>y</h3>'
  const hostile = [
    '[',
    '{"a":',
    '{"name":"x","version":"1","info":{"name":"x","version":"1"},"docs":[',
    '<pre>',
    '<div>',
    `<table class=infobox><tr><td>`,
    '<ol><li>x',
    '<p>x</p>',
    '<div class="answer question js-post-body" data-questionid=1 data-answerid=1 itemprop=author>',
    '<tr class=athing id=1><td class=titleline><a href=a>x</a>',
    '<meta name=citation_author content=x>',
    `<b class="${'reference '.repeat(50)}">`,
  ]
  await using thread = createContentThread(sized(patient(7_500), 60_000))
  for (const { scraper } of known) {
    for (const piece of hostile) {
      const text = (marks + piece.repeat(Math.ceil(max / piece.length))).slice(0, max)
      const page = {
        url: scraper.origin,
        text: piece.startsWith('<') ? text : text.slice(marks.length),
        inputs: {},
      }
      const answer = await thread.scrape({ scraper: scraper.domain, page }, 'a')
      if (answer.length > 5 * max) t.fail(`${scraper.domain} makes ${answer.length} bytes of ${piece}`)
    }
    t.pass(`${scraper.domain} reads ${hostile.length} of them within the thread's time and memory`)
  }
  t.comment(`at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB resident`)
})
