/** URLs: their normal form, their key, and proof that the fast paths change no result. */

import { createHash } from 'node:crypto'
import { webPath, webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { heapGrowth } from '@tidemark/testing/heap-growth'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { normalEscapes } from './escapes.ts'
import { urlKey } from './key.ts'
import { knownKey } from './known-keys.ts'
import { createLinkCache } from './link-cache.ts'
import { listedUrls } from './listed.ts'
import { maxUrlLength, normalForm } from './normal-form.ts'
import { resolverIn } from './query-charset.ts'
import { createResolver } from './resolver.ts'
import { withoutTracking } from './tracking.ts'
import { spellings } from './url.spellings.ts'
import { references, standard } from './url.vectors.ts'

const page = 'https://example.com/docs/guide/page.html?v=1#top'

test('The normal form', async t => {
  for (const [says, input, normal] of spellings) t.equal(normalForm(input), normal, says)
  for (const [reference, target] of references) {
    t.equal(normalForm(reference, 'http://a/b/c/d;p?q'), target, `of ${reference} is as RFC 3986, 5.4 has it`)
  }
  for (const [input, normal] of standard) {
    t.equal(normalForm(input), normal, `of ${JSON.stringify(input)} is as the URL standard has it`)
  }
  t.equal(normalForm('../x?y', page), 'https://example.com/docs/x?y', 'resolves against a base')
  t.equal(normalForm('//cdn.example/x', new URL(page)), 'https://cdn.example/x', 'accepts a parsed base')
  t.equal(normalForm('http://example.com/', 'nonsense'), null, 'is null for an invalid base')

  const full = `http://h/${'a'.repeat(maxUrlLength - 9)}`
  t.equal(normalForm(full), full, 'may be 8,192 characters long')
  t.equal(normalForm(`${full}a`), null, 'may not be longer')
  t.equal(normalForm(`http://h/${'é'.repeat(2000)}`), null, 'may not become longer by encoding')
})

test('Any number of escapes takes linear time', async t => {
  const started = process.cpuUsage()
  t.equal(normalEscapes('%41%zz'.repeat(200_000)).length, 800_000)
  t.ok(process.cpuUsage(started).user < 3_000_000)
})

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b2', '~', 'x.html', '.', '..', '.well', '-', '_', 'Z') },
  fc.constantFrom(
    '%41',
    '%2e',
    '%2F',
    '%2f',
    '%',
    '%%32%65',
    '%4%31',
    '%zz',
    '%e3%83%84',
    'ü',
    '\ud800',
    ' ',
    '\t',
    '\\',
    '\n',
  ),
  fc.constantFrom('//', '?', '&', '=', '#', ':', '@', '.', ';', "'", '"', '<', '|', '+', '\u0000'),
  fc.constantFrom('utm_source=1', 'gclid', 'q=1', 'http:', 'https:', 'HTTP://', 'mailto:', 'javascript:'),
  fc.constantFrom(
    'example.com',
    'EXAMPLE.com',
    'example.com.',
    'example.com:443',
    'u:p@example.com',
    'evil.example',
    '[::1]',
    '0x7f.1',
  ),
  fc.string({ unit: codePoint, maxLength: 3 }),
)
const tail = fc
  .array(piece, { maxLength: 7 })
  .chain(pieces => fc.constantFrom(pieces.join('/'), pieces.join('')))
const start = fc.constantFrom(
  '',
  '/',
  '//',
  './',
  '../',
  '?',
  '#',
  ' ',
  'http://',
  'https://example.com',
  'https://example.com/',
  'http://example.com:8080/',
  'h',
)
const href = fc.tuple(start, tail).map(parts => parts.join(''))
const pageUrl = fc.oneof(
  fc.constantFrom(
    page,
    'http://example.com:8080/',
    'https://example.com/a%62/%2e./c%2fd/x?utm_id=1&q',
    'https://u:p@example.com./x/y#z',
    'about:blank',
    'nonsense',
    'http://[::1]/a/',
  ),
  fc
    .tuple(fc.constantFrom('http://', 'https://'), fc.constant('example.com/'), tail)
    .map(parts => parts.join('')),
)

test('The laws of the normal form', async t => {
  const idempotent = fc.property(href, pageUrl, (link, base) => {
    const normal = normalForm(link, base)
    return normal === null || normalForm(normal) === normal
  })
  t.doesNotThrow(
    () => fc.assert(idempotent, { numRuns: sized(350, 3000) }),
    'the normal form of a normal form is itself',
  )

  const plainest = fc.property(href, pageUrl, (link, base) => {
    const normal = normalForm(link, base)
    return normal === null || (/^https?:\/\/[^A-Z/?#@]+\/[!-~]*$/.test(normal) && !/#|^[^?]*\?$/.test(normal))
  })
  t.doesNotThrow(
    () => fc.assert(plainest, { numRuns: sized(350, 3000) }),
    'it is ASCII, its host in lower case, without a user, a fragment and an empty query',
  )

  const noOther = fc.property(webUrl({ withQueryParameters: true }), url => {
    const { origin, pathname, search } = new URL(url)
    const query = withoutTracking(search.slice(1))
    const expected = `${origin}${pathname}${query === '' ? '' : `?${query}`}`
    const spelled = (text: string) =>
      text.replace(/%([0-9a-f]{2})|[\w.~-]/gi, (letter, hex?: string) =>
        hex === undefined ? `<${letter.charCodeAt(0)}>` : `<${Number.parseInt(hex, 16)}>`,
      )
    return spelled(expected) === spelled(normalForm(url) ?? '')
  })
  t.doesNotThrow(
    () => fc.assert(noOther, { numRuns: sized(250, 2000), examples: [['http://a.aa/%30']] }),
    'it changes nothing but the spelling of octets, tracking and the fragment',
  )

  const cache = createLinkCache(64)
  const samePage = fc.property(pageUrl, fc.array(href, { maxLength: 12 }), (base, links) => {
    const resolve = createResolver(base, cache)
    return links.every(
      link => resolve(link) === normalForm(link, base) && resolve(link) === normalForm(link, base),
    )
  })
  t.doesNotThrow(
    () => fc.assert(samePage, { numRuns: sized(250, 2000) }),
    'a resolver agrees with the normal form, cached or not',
  )

  const plain = fc.property(
    webUrl({ withQueryParameters: true, withFragments: true }),
    webPath(),
    (base, path) => {
      const resolve = createResolver(base, cache)
      return [base, path, path.slice(1)].every(link => resolve(link) === normalForm(link, base))
    },
  )
  t.doesNotThrow(() => fc.assert(plain, { numRuns: sized(300, 1000) }), 'also for links of real pages')
})

test('A resolver', async t => {
  const resolve = createResolver(page)
  t.equal(
    resolve('#a'),
    'https://example.com/docs/guide/page.html?v=1',
    'treats a fragment as the page itself',
  )
  t.equal(resolve('other.html#x'), 'https://example.com/docs/guide/other.html', 'joins plain names')
  t.equal(resolve('https://example.com/x'), 'https://example.com/x', 'recognizes its own origin')
  t.equal(
    resolve('https://example.community/x'),
    'https://example.community/x',
    'distinguishes a longer host',
  )
  t.equal(resolve(`/${'a'.repeat(maxUrlLength)}`), null, 'limits the length')

  const cache = createLinkCache(10)
  const small = createResolver(page, cache)
  for (let at = 0; at < 1000; at++) small(`/p${at}`)
  const held = [...cache.young.values(), ...cache.old.values()].reduce(
    (sum, answers) => sum + answers.size,
    0,
  )
  t.ok(held <= 20, 'caches at most two generations')
  t.equal(small('/p999'), 'https://example.com/p999', 'and keeps working')
})

test('A resolver of a page in an old encoding writes queries in it, as browsers do', async t => {
  for (const [charset, href, target] of [
    ['windows-1252', '/ü?q=ü&e=€#ü', '/%C3%BC?q=%FC&e=%80'],
    ['windows-1252', '?q=б😀', '/d/?q=%26%231073%3B%26%23128512%3B'],
    ['windows-1252', '#?ü', '/d/'],
    ['windows-1252', '?q=u', '/d/?q=u'],
    ['windows-1251', '?q=б', '/d/?q=%E1'],
    ['koi8-r', '?q=б', '/d/?q=%C2'],
    ['iso-8859-2', '?q=ł', '/d/?q=%B3'],
    ['gbk', '?q=你好€', '/d/?q=%C4%E3%BA%C3%80'],
    ['gb18030', '?q=你好', '/d/?q=%C4%E3%BA%C3'],
    ['big5', '?q=十中', '/d/?q=%A4Q%A4%A4'],
    ['shift_jis', '?q=日本表ｱ', '/d/?q=%93%FA%96{%95\\%B1'],
    ['euc-jp', '?q=日本ｱ', '/d/?q=%C6%FC%CB%DC%8E%B1'],
    ['euc-kr', '?q=한', '/d/?q=%C7%D1'],
    ['utf-8', '?q=ü', '/d/?q=%C3%BC'],
    ['utf-16le', '?q=ü', '/d/?q=%C3%BC'],
    ['iso-2022-jp', '?q=日', '/d/?q=%E6%97%A5'],
  ] as const) {
    const resolve = resolverIn(charset, createResolver)('https://site.test/d/')
    t.equal(resolve(href), `https://site.test${target}`, `${href} in ${charset}`)
  }
  const resolve = resolverIn('windows-1252', createResolver)(page)
  t.equal(resolve(`?${'ü'.repeat(maxUrlLength)}`), null, 'and limits the length')
})

test('The cache of a resolver', async t => {
  const resolve = createResolver(page, createLinkCache(1000))
  const kept: unknown[] = []
  const grown = heapGrowth(() => {
    for (let at = 0; at < 40; at++) {
      const html = `/a-rather-long-path-number-${at} b-rather-long-path?number=${at} ${'text '.repeat(200_000)}`
      kept.push(...html.split(' ', 2).map(resolve))
    }
    return kept
  })
  t.equal(kept.length, 80)
  t.ok(grown < 5_000_000, `holds no page alive: 40 of a megabyte leave ${Math.round(grown / 1024)} KiB`)
})

test('A list of URLs contains neither its seed nor a URL twice', async t => {
  const [seed, other] = ['https://example.com/', 'https://example.com/a']
  const listed = listedUrls('HTTPS://Example.com#top', [seed, other, other])
  t.same([...listed], [[urlKey(other), other]])
  t.equal(listedUrls(seed).size, 0)
})

test('A URL key', async t => {
  const bytes = (text: string) =>
    createHash('sha256').update(text).digest().subarray(0, 8).toString('base64url')
  t.match(urlKey('http://example.com/'), /^[\w-]{11}$/, 'has 11 characters')
  const law = fc.property(fc.string(), text =>
    [urlKey(text), knownKey(text), knownKey(text)].every(key => key === bytes(text)),
  )
  t.doesNotThrow(() => fc.assert(law), 'is the first 8 bytes of the SHA-256')
})
