/** The audit of sitemaps: pages, dates and sitemaps. */

import type { Bucket } from '@tidemark/contracts/http/actors/sitemap-audit'
import { buckets } from '@tidemark/contracts/http/actors/sitemap-audit'
import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { allSteps } from '../../concurrency/in-steps.ts'
import { heededCanonical } from './heeded-canonical.ts'
import { lastmodFault } from './lastmod.ts'
import { probedSteps, resultWithoutResponse } from './probed-page.ts'
import { bucketOf, type ProbedState } from './sitemap-bucket.ts'
import { listedSteps } from './sitemap-entries.ts'
import { inSmallHeap } from './small-heap.scene.ts'

const fine: ProbedState = { status: 200, hasFailed: false, isNoindex: false, isAway: false }

/** A page for each bucket. */
const faults: Record<Bucket, Partial<ProbedState>> = {
  network_error: { hasFailed: true },
  server_error: { status: 503 },
  client_error: { status: 404 },
  redirect: { status: 301 },
  noindex: { isNoindex: true },
  canonicalised_away: { isAway: true },
  ok: {},
}

test('The canonical URL of a Link header', async t => {
  const other = 'https://a.example/b'
  const cases: [field: string, canonical: string | null][] = [
    ['</b>; rel="canonical"', other],
    ['</b>; rel=canonical', other],
    ["</b>; rel='canonical'", other],
    ["</b>;rel = 'alternate canonical' ; title=it's", other],
    ['</b>; rel="alternate CANONICAL"', other],
    ['</b>; title="a, <c>; rel=x"; rel=canonical', other],
    ['</b>; title="a \\"b\\" ; rel=x"; rel=canonical', other],
    ['</b>;; crossorigin; rel=canonical;', other],
    ['</x>; rel=preload, </b>; rel=canonical', other],
    ['</b>; rel=preload; rel=canonical', null],
    ['</b>; rel=canonical; rel=preload', other],
    ['</b>; title="rel=canonical"', null],
    ['</b>; title="; rel=canonical"; rel=alternate', null],
    ['</c>; title="</b>; rel=canonical"', null],
    ['</b>; rel=canonicals', null],
    ['</b>; rel=canonical, </c>; rel=canonical', null],
    [`</b>; ${'; \\"'.repeat(2_000)} rel=canonical`, null],
  ]
  for (const [link, canonical] of cases)
    t.equal(
      heededCanonical({ url: 'https://a.example/a', headers: { link } }, null),
      canonical,
      link.slice(0, 80),
    )
})

test('Of each two faults of a page the graver one is its bucket', async t => {
  t.same(buckets, [
    'network_error',
    'server_error',
    'client_error',
    'redirect',
    'noindex',
    'canonicalised_away',
    'ok',
  ])
  for (const [at, graver] of buckets.entries()) {
    for (const other of buckets.slice(at)) {
      // A status alone.
      const both = { ...fine, ...faults[other], ...faults[graver] }
      t.equal(bucketOf(both), graver, `${graver} and ${other}`)
    }
  }
  t.equal(
    bucketOf({ ...fine, ...faults.noindex, ...faults.canonicalised_away, status: null }),
    'network_error',
  )
})

test('Every status has its bucket', async t => {
  const expected: [number, Bucket][] = [
    [200, 'ok'],
    [204, 'ok'],
    [299, 'ok'],
    [300, 'redirect'],
    [304, 'redirect'],
    [308, 'redirect'],
    [400, 'client_error'],
    [410, 'client_error'],
    [429, 'client_error'],
    [499, 'client_error'],
    [500, 'server_error'],
    [599, 'server_error'],
    [600, 'client_error'],
    [999, 'client_error'],
    [101, 'client_error'],
  ]
  for (const [status, bucket] of expected) t.equal(bucketOf({ ...fine, status }), bucket, `${status}`)
})

const url = 'https://site.test/a?utm_source=x'
const probed = (html: string, more: object = {}) =>
  allSteps(
    probedSteps({
      url,
      status: 200,
      contentType: 'text/html',
      headers: {},
      body: Buffer.from(html),
      now: Date.parse('2026-03-01T12:00:00Z'),
      ...more,
    }),
  )

test('A page', async t => {
  t.same(
    probed('<title>A</title>'),
    {
      status: 200,
      bucket: 'ok',
      error: null,
      isUnasked: false,
      challenge: null,
      redirectedTo: null,
      canonical: null,
      robotsTag: null,
      metaRobots: null,
    },
    'says nothing, mostly',
  )
  t.match(
    probed('<link rel=canonical href="/a#top">'),
    { bucket: 'ok', canonical: 'https://site.test/a' },
    'is its own canonical by its normal form',
  )
  for (const other of ['http://site.test/a', '/A', '/a/', 'https://www.site.test/a'])
    t.match(probed(`<link rel=canonical href="${other}">`), { bucket: 'canonicalised_away' }, other)
  for (const beside of ['', '<!-- canonical -->'])
    t.match(
      probed('', {
        url: 'https://site.test/a?q=f%FCr',
        contentType: 'text/html; charset=iso-8859-1',
        body: Buffer.from(`${beside}<link rel=canonical href="?q=für">`, 'latin1'),
      }),
      { bucket: 'ok', canonical: 'https://site.test/a?q=f%FCr' },
      'with its query in the encoding of the page',
    )
  t.match(probed('<link rel=canonical href="javascript:alert(1)">'), { bucket: 'ok', canonical: null })
  t.match(probed('<link rel=canonical href="mailto:a@b.test">'), { bucket: 'ok', canonical: null })
  const link = '</x.css>; rel=preload, </b>; title="a"; rel="alternate canonical"'
  t.match(
    probed('%PDF', { contentType: 'application/pdf', headers: { link } }),
    { bucket: 'canonicalised_away', canonical: 'https://site.test/b' },
    'may name its canonical in its head, which is all that a PDF can',
  )
  t.match(
    probed('<link rel=canonical href="/a">', { headers: { link } }),
    { bucket: 'ok', canonical: null },
    'and of two that differ neither is heeded',
  )
  t.match(
    probed('%PDF', { contentType: 'application/pdf', headers: { link: '</b>; rel=canonical; hreflang=de' } }),
    { bucket: 'ok', canonical: null },
    'one for another language is ignored',
  )
  const [here, there] = ['<link rel=canonical href="/a">', '<link rel=canonical href="/b">']
  const heeded: [html: string, bucket: Bucket, canonical: string | null][] = [
    [`<body><p>Hi</p>${there}`, 'ok', null],
    [`<head>${there}<link rel=canonical href="/c">`, 'ok', null],
    [`<head>${here}${there}`, 'ok', null],
    [`<head>${there}</head><body><p>Hi</p>${here}`, 'canonicalised_away', 'https://site.test/b'],
    [`<head>${there}${there}`, 'canonicalised_away', 'https://site.test/b'],
    [`<head>${here}<body>canonical`, 'ok', 'https://site.test/a'],
    ['<link rel=canonical media="(max-width: 640px)" href="/b">', 'ok', null],
    ['<link hreflang=en href="/a" rel=canonical>', 'ok', null],
    ['<LINK REL=CANONICAL LANG=en HREF="/a">', 'ok', null],
    [
      `<head>${there}<link rel=canonical type="text/html" href="/c">`,
      'canonicalised_away',
      'https://site.test/b',
    ],
  ]
  for (const [html, bucket, canonical] of heeded) t.match(probed(html), { bucket, canonical }, html)
})

test('A page that is to be in no index', async t => {
  const metas: [string, string][] = [
    ['<meta name=robots content="NoIndex, follow">', 'noindex, follow'],
    ['<meta name=robots content=none>', 'none'],
    ['<meta name=robots content=index><meta name=robots content=noindex>', 'index, noindex'],
    ['<meta name=googlebot content=noindex>', 'googlebot: noindex'],
    ['<meta name=robots content=index><meta name=BingBot content="NOINDEX">', 'index; bingbot: noindex'],
  ]
  for (const [html, metaRobots] of metas) t.match(probed(html), { bucket: 'noindex', metaRobots }, html)
  for (const tag of [
    'noindex',
    'nofollow, NONE',
    'googlebot: noindex',
    'bingbot: nofollow, otherbot: noindex',
  ])
    t.match(probed('', { headers: { 'x-robots-tag': tag } }), { bucket: 'noindex', robotsTag: tag }, tag)
  const passed = 'unavailable_after: Sat, 12 Oct 2024 00:00:00 GMT'
  for (const tag of [passed, `nofollow, bingbot: ${passed}`])
    t.match(probed('', { headers: { 'x-robots-tag': tag } }), { bucket: 'noindex' }, tag)
  t.match(probed(`<meta name=robots content="index, ${passed}">`), { bucket: 'noindex' })
  t.match(probed(`<meta name=googlebot content="${passed.replace('2024', '2030')}">`), { bucket: 'ok' })
  for (const tag of ['nofollow', 'noimageindex', 'unavailable_after: Sat, 12 Oct 2030 00:00:00 GMT'])
    t.match(probed('', { headers: { 'x-robots-tag': tag } }), { bucket: 'ok', robotsTag: tag }, tag)
  t.match(probed('<meta name=keywords content=noindex><meta name=robots content=nosnippet>'), {
    bucket: 'ok',
    metaRobots: 'nosnippet',
  })
  t.match(
    probed('<meta name=robots content=noindex>', { contentType: 'text/plain' }),
    { bucket: 'ok', metaRobots: null },
    'must be HTML for its metas to count',
  )
})

test('A page that is somewhere else, or nowhere', async t => {
  const moved = { status: 301, contentType: null, location: '../b?c' }
  t.match(probed('', moved), { bucket: 'redirect', redirectedTo: 'https://site.test/b?c' })
  t.match(probed('', { ...moved, location: undefined }), { bucket: 'redirect', redirectedTo: null })
  t.match(probed('', { ...moved, location: 'http://[' }), { bucket: 'redirect', redirectedTo: null })
  t.match(probed('', { body: null }), { status: 200, bucket: 'network_error', error: 'protocol' })
  t.match(probed('', { status: 500, body: null }), { status: 500, bucket: 'network_error' })
  t.match(resultWithoutResponse('timeout', true), {
    status: null,
    bucket: 'network_error',
    error: 'timeout',
    isUnasked: true,
  })
  const challenge = probed('<title>Just a moment...</title>', {
    status: 403,
    headers: { 'cf-mitigated': 'challenge' },
  })
  t.match(challenge, { bucket: 'client_error', challenge: 'Cloudflare' })
})

test('Any page has a bucket', async t => {
  const piece = fc.constantFrom(
    ...'<meta name=robots content=|<meta name=googlebot content="|noindex|">|>|<link rel=canonical href="|/b|\0|<|&#0;|</head>'.split(
      '|',
    ),
  )
  const soup = fc.array(fc.oneof(piece, fc.string({ unit: codePoint })), { maxLength: 30 })
  const property = fc.property(soup, soup, (html, header) => {
    const { bucket } = probed(html.join(''), {
      headers: { 'x-robots-tag': header.join(''), link: header.join('') },
    })
    return ['ok', 'noindex', 'canonicalised_away'].includes(bucket)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: sized(150, 500) }))
})

test('A date of change', async t => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const cases: [string, ReturnType<typeof lastmodFault>][] = [
    ['2026', null],
    ['2026-02', null],
    [' 2024-02-29 ', null],
    ['2026-03-02', null],
    ['2026-03-01T12:00Z', null],
    ['2026-03-01T13:00:00.5+02:00', null],
    ['2026-03-01T12:04:00Z', null],
    ['2026-03-01T12:06:00Z', 'future'],
    ['2026-03-01T12:00:00-01:00', 'future'],
    ['2026-03-03', 'future'],
    ['2026-04', 'future'],
    ['2027', 'future'],
    ['2026-02-29', 'unreadable'],
    ['2026-13', 'unreadable'],
    ['2026-00-10', 'unreadable'],
    ['2026-1-2', 'unreadable'],
    ['2026-03-01T12:00', 'unreadable'],
    ['2026-03-01T25:00Z', 'unreadable'],
    ['2026-03-01 12:00:00', 'unreadable'],
    ['Sun, 01 Mar 2026 12:00:00 GMT', 'unreadable'],
    ['yesterday', 'unreadable'],
    ['', 'unreadable'],
    ['0000', null],
  ]
  for (const [text, fault] of cases) t.equal(lastmodFault(text, now), fault, text)
})

test('A sitemap', async t => {
  const from = 'https://site.test/maps/sitemap.xml'
  const part = { wanted: 100, from: 0, now: Date.parse('2026-03-01T12:00:00Z') }
  const read = (entries: string, more: object = {}) =>
    allSteps(listedSteps(`<urlset>${entries}</urlset>`, from, { ...part, ...more }))
  const page = (loc: string, more = '') => `<url><loc>${loc}</loc>${more}</url>`
  const pages = [
    page('https://site.test/a#b', '<lastmod>2026-01-02</lastmod>'),
    page('https://site.test/a?utm_source=mail', '<lastmod>2030</lastmod>'),
    page('/caf&#233;?b&amp;a', '<lastmod>soon</lastmod>'),
    page('https://other.test/'),
    page('mailto:a@b.test') + page('http://[::') + page('https://a:b@site.test/c'),
    page('https://site.test/n\0ul'),
  ].join('')
  t.match(
    read(pages),
    {
      isSitemap: true,
      urls: 8,
      unusable: 2,
      foreign: 1,
      repeated: 1,
      lastmod: { future: 1, unreadable: 1 },
      entries: [
        ['https://site.test/a', '2026-01-02'],
        ['https://site.test/caf%C3%A9?b&a', 'soon'],
        ['https://other.test/', null],
        ['https://a:b@site.test/c', null, 'https://site.test/c'],
        ['https://site.test/n%00ul', null],
      ],
      next: null,
    },
    'lists each page once, as it stands there, and counts what is wrong',
  )
  t.match(read(page('https://site.test/a?utm_source=x')).entries, [
    ['https://site.test/a?utm_source=x', null, 'https://site.test/a'],
  ])
  t.match(read('<html>'), { urls: 0, entries: { length: 0 }, next: null })
  t.equal(allSteps(listedSteps('<html></html>', from, part)).isSitemap, false)

  const many = Array.from({ length: 25 }, (_, n) => page(`/${n}`)).join('')
  t.match(read(many, { wanted: 0 }), { urls: 25, entries: { length: 0 }, next: null }, 'may only be counted')
  const first = read(many, { wanted: 10 })
  t.equal(first.next, 10)
  const second = read(many, { wanted: 15, from: first.next })
  t.equal(second.next, null)
  t.same(
    [...first.entries, ...second.entries].map(([url]) => url),
    Array.from({ length: 25 }, (_, n) => `https://site.test/${n}`),
    'comes in parts that fit together',
  )
  const long = Array.from({ length: 5_000 }, (_, n) => page(`/${n}/${'x'.repeat(2_000)}`)).join('')
  const start = read(long, { wanted: 50_000 })
  t.ok(start.next !== null && start.next > 4_000 && start.next < 5_000, 'which a message can hold')
  t.equal(start.entries.length + read(long, { wanted: 50_000, from: start.next ?? 0 }).entries.length, 5_000)
})

test('A sitemap below a long address is read in little memory, and in short steps', async t => {
  const read = ({ listedSteps }: typeof import('./sitemap-entries.ts')) => {
    const from = `https://site.test/${'x'.repeat(8_000)}`
    const pages = Array.from({ length: 10_000 }, (_, n) => `<url><loc>?${n}</loc></url>`).join('')
    const reading = listedSteps(`<urlset>${pages}</urlset>`, from, { wanted: 10, from: 9_000, now: 0 })
    for (let steps = 0; ; steps++) {
      const { done, value } = reading.next()
      if (done) return { steps, urls: value.urls, next: value.next, first: value.entries[0]?.[0].slice(-6) }
    }
  }
  const { steps, ...result } = await inSmallHeap(40, read, new URL('./sitemap-entries.ts', import.meta.url))
  t.strictSame(result, { urls: 10_000, next: 9_010, first: 'x?9000' })
  t.ok(steps > 1_000)
})
