/** The rules of a site on planted faults, and the parts by which they find them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { Comparison } from './comparison.ts'
import { FindingLog } from './finding-log.ts'
import { OtherUrls } from './other-urls.ts'
import { messageOf } from './rules/rule.ts'
import { applySiteRules, siteRules } from './rules/table.ts'
import { maxDistance, similarTexts } from './similar-texts.ts'
import { forwardsOf, type Site } from './site.ts'
import { findingsIn, type PlantedPage, type PlantedSite, siteOf } from './site-rules.scene.ts'

const linked = (...paths: string[]) => ({ links: ['/', ...paths] })

/** A site with nothing to find. */
const clean: PlantedSite = {
  pages: {
    '/': linked('/a', '/b', '/de'),
    '/a': { ...linked('/b'), alternates: ['/a', '/de'] },
    '/b': { ...linked('/a'), description: 0, descriptionLike: 0 },
    '/de': { ...linked(), alternates: ['/a', '/de'] },
  },
}

const withPages = (
  pages: Record<string, PlantedPage>,
  more: Omit<PlantedSite, 'pages'> = {},
): PlantedSite => ({
  pages: {
    ...clean.pages,
    '/': linked('/a', '/b', '/de', ...Object.keys(pages)),
    ...pages,
  },
  ...more,
})
const link = (to: string, more: Omit<PlantedSite, 'pages'> = {}): PlantedSite => ({
  pages: { ...clean.pages, '/b': linked('/a', to) },
  ...more,
})

/** For each rule a site with its fault, and all findings there as rule, path and count. */
const planted: Record<string, [PlantedSite, [rule: string, path: string, count: number | null][]]> = {
  'site/title-duplicate': [
    withPages({ '/x': { title: 7 }, '/y': { title: 7 }, '/z': { title: 7, canonical: '/x' } }),
    [
      ['site/title-duplicate', '/x', 1],
      ['site/title-duplicate', '/y', 1],
    ],
  ],
  'site/title-similar': [
    withPages({ '/x': { title: 7, titleLike: 9 }, '/y': { title: 8, titleLike: 9 } }),
    [
      ['site/title-similar', '/x', 1],
      ['site/title-similar', '/y', 1],
    ],
  ],
  'site/description-duplicate': [
    withPages({
      '/x': { description: 7 },
      '/y': { description: 7 },
      '/z': { description: 7, isNoindex: true, nofollow: [] },
    }),
    [
      ['site/description-duplicate', '/x', 1],
      ['site/description-duplicate', '/y', 1],
      ['site/noindex-linked', '/z', 1],
    ],
  ],
  'site/description-similar': [
    withPages({
      '/x': { description: 7, descriptionLike: 9 },
      '/y': { description: 7, descriptionLike: 9 },
      '/z': { description: 8, descriptionLike: 9 },
    }),
    [
      ['site/description-duplicate', '/x', 1],
      ['site/description-similar', '/x', 1],
      ['site/description-duplicate', '/y', 1],
      ['site/description-similar', '/y', 1],
      ['site/description-similar', '/z', 2],
    ],
  ],
  'site/text-duplicate': [
    withPages({
      '/x': { text: 7, simhash: [1, 2] },
      '/y': { text: 7, simhash: [1, 2] },
      '/short': { text: 7, simhash: [1, 2], words: 49 },
    }),
    [
      ['site/text-duplicate', '/x', 1],
      ['site/text-duplicate', '/y', 1],
    ],
  ],
  'site/text-similar': [
    withPages({ '/x': { simhash: [1, 2] }, '/y': { simhash: [1, 0x8000_0003] }, '/z': { simhash: [1, 2] } }),
    [
      ['site/text-similar', '/x', 2],
      ['site/text-similar', '/y', 2],
      ['site/text-similar', '/z', 2],
    ],
  ],
  'site/canonical-broken': [
    {
      pages: {
        ...clean.pages,
        '/': linked('/a', '/b', '/de', '/v', '/w', '/x', '/y', '/z'),
        '/v': { canonical: '/loop' },
        '/w': { canonical: '/to-loop' },
        '/x': { canonical: '/dead' },
        '/y': { canonical: '/to-dead' },
        '/z': { canonical: '/to-gone' },
        '/gone': { status: 410, isHtml: false },
      },
      failed: { '/dead': 'dns', '/loop': 'too_many_redirects' },
      redirects: { '/to-loop': '/loop', '/to-dead': '/dead', '/to-gone': '/gone' },
    },
    ['/v', '/w', '/x', '/y', '/z'].map(path => ['site/canonical-broken', path, null]),
  ],
  'site/canonical-loop': [
    withPages({ '/x': { canonical: '/y' }, '/y': { canonical: '/x' } }),
    [
      ['site/canonical-loop', '/x', 1],
      ['site/canonical-loop', '/y', 1],
    ],
  ],
  'site/canonical-chain': [
    withPages({ '/x': { canonical: '/y' }, '/y': { canonical: '/z' }, '/z': {} }),
    [['site/canonical-chain', '/x', 2]],
  ],
  'site/canonical-redirect': [
    withPages(
      { '/x': { canonical: '/old' }, '/y': { canonical: '/moved' } },
      { redirects: { '/old': '/a', '/moved': '/never-seen' } },
    ),
    [
      ['site/canonical-redirect', '/x', null],
      ['site/canonical-redirect', '/y', null],
    ],
  ],
  'site/canonical-noindex': [
    withPages({ '/x': { canonical: '/y' }, '/y': { isNoindex: true } }),
    [
      ['site/canonical-noindex', '/x', null],
      ['site/noindex-linked', '/y', 1],
    ],
  ],
  'site/canonical-blocked': [
    withPages({ '/x': { canonical: '/kept' } }, { failed: { '/kept': 'robots' } }),
    [['site/canonical-blocked', '/x', null]],
  ],
  'site/hreflang-no-return': [
    withPages({ '/x': { alternates: ['/x', '/y', '/de'] }, '/y': { alternates: ['/x', '/y'] } }),
    [['site/hreflang-no-return', '/x', 1]],
  ],
  'site/hreflang-broken': [
    withPages(
      { '/x': { alternates: ['/x', '/old', '/dead', '/never-seen'] } },
      { redirects: { '/old': '/a' }, failed: { '/dead': 'tls' } },
    ),
    [['site/hreflang-broken', '/x', 2]],
  ],
  'site/hreflang-not-indexed': [
    withPages({ '/x': { alternates: ['/x', '/y'] }, '/y': { alternates: ['/x', '/y'], canonical: '/x' } }),
    [['site/hreflang-not-indexed', '/x', 1]],
  ],
  'site/broken-link': [
    withPages(
      { '/x': linked('/x', '/dead', '/to-dead', '/to-gone'), '/gone': { status: 410, isHtml: false } },
      { failed: { '/dead': 'connect' }, redirects: { '/to-dead': '/dead', '/to-gone': '/gone' } },
    ),
    [
      ['site/broken-link', '/', 1],
      ['site/broken-link', '/x', 3],
      ['site/redirected-link', '/x', 1],
    ],
  ],
  'site/redirect-loop': [
    link('/loop', { failed: { '/loop-back': 'too_many_redirects' }, redirects: { '/loop': '/loop-back' } }),
    [['site/redirect-loop', '/b', 1]],
  ],
  'site/redirect-chain': [
    link('/old', { redirects: { '/old': '/older', '/older': '/a' } }),
    [
      ['site/redirect-chain', '/b', 1],
      ['site/redirected-link', '/b', 1],
    ],
  ],
  'site/redirected-link': [
    link('/old', { redirects: { '/old': '/a' } }),
    [['site/redirected-link', '/b', 1]],
  ],
  'site/blocked-link': [link('/kept', { failed: { '/kept': 'robots' } }), [['site/blocked-link', '/b', 1]]],
  'site/noindex-linked': [withPages({ '/x': { isNoindex: true } }), [['site/noindex-linked', '/x', 1]]],
  'site/orphan': [{ pages: { ...clean.pages, '/x': linked('/x') } }, [['site/orphan', '/x', null]]],
  'site/sitemap-not-linked': [
    { pages: { ...clean.pages, '/x': linked() }, hasSitemaps: true },
    [['site/sitemap-not-linked', '/x', null]],
  ],
  'site/sitemap-not-indexed': [
    { ...withPages({ '/x': { canonical: '/a' } }), hasSitemaps: true },
    [['site/sitemap-not-indexed', '/x', null]],
  ],
  'site/unreachable': [
    {
      pages: { ...clean.pages, '/b': { ...linked('/a'), nofollow: ['/x'], description: 0 }, '/x': linked() },
    },
    [['site/unreachable', '/x', null]],
  ],
  'site/deep': [
    {
      pages: {
        ...clean.pages,
        '/b': linked('/a', '/3'),
        ...Object.fromEntries([3, 4, 5, 6, 7, 8].map(n => [`/${n}`, linked(`/${n + 1}`)])),
      },
    },
    [
      ['site/deep', '/7', null],
      ['site/deep', '/8', null],
    ],
  ],
}

test('The start leads to the pages behind its meta refreshes', async t => {
  const site = siteOf({
    pages: {
      '/': { refresh: '/en' },
      '/en/': { refresh: '/en/home' },
      '/en/home': { refresh: '/' },
      '/a': {},
    },
    redirects: { '/en': '/en/' },
  })
  t.strictSame(forwardsOf(site), [1, 2], 'each once')
  t.strictSame(forwardsOf({ ...site, start: 3 }), [])
  t.strictSame(forwardsOf({ ...site, start: -1 }), [])
})

test('The rules of a site', async t => {
  t.strictSame(await findingsIn(clean), [], 'find nothing in a site without faults')
  for (const { id } of siteRules) {
    const [site, expected] = planted[id] ?? [clean, [['no site has this fault planted', '', null]]]
    t.strictSame(await findingsIn(site), expected, id)
    t.ok(
      expected.some(([rule]) => rule === id),
      `${id} is planted`,
    )
  }
  t.strictSame(await findingsIn({ pages: {}, start: null }), [], 'find nothing in an empty site')
})

/** A page that is alike in all that the rules for duplicates compare. */
const alike: PlantedPage = {
  ...{ title: 7, titleLike: 7, description: 7, descriptionLike: 7 },
  ...{ text: 7, simhash: [1, 2] },
}
/** Nearly the same in all of it. */
const nearlyAlike: PlantedPage = { ...alike, title: 8, description: 8, text: 8, simhash: [1, 3] }
const rulesOfDuplicates: string[] = siteRules
  .map(({ id }) => id)
  .filter(id => /^site\/(?:title|description|text)-/.test(id))

/** Returns the findings of a rule as path, count and paths of the other URLs. */
async function duplicatesIn(planted: PlantedSite): Promise<[string, string, number | null, string[]][]> {
  const site = siteOf(planted)
  for (const _ of site.pages.ids) site.log.addPage([])
  await applySiteRules(site, async () => {})
  const paths = Object.keys(planted.pages)
  return paths.flatMap((path, page) =>
    site.log
      .of(page)
      .filter(({ rule }) => rulesOfDuplicates.includes(rule))
      .map(({ rule, count, related }): [string, string, number | null, string[]] => [
        rule,
        path,
        count,
        related.map(position => paths[position] ?? ''),
      ]),
  )
}

test('Versions for other countries that list each other are no duplicates', async t => {
  const alternates = ['/us', '/gb', '/au']
  for (const other of [alike, nearlyAlike]) {
    const versions = {
      '/us': { ...alike, alternates },
      '/gb': { ...other, alternates },
      '/au': { ...other, alternates },
    }
    t.strictSame(await findingsIn(withPages(versions)), [], 'nothing is found in versions')

    const copy = await duplicatesIn(withPages({ ...versions, '/copy': alike }))
    const isEqual = other === alike
    const kind = isEqual ? 'duplicate' : 'similar'
    for (const part of ['title', 'description', 'text']) {
      const rule = `site/${part}-${kind}`
      const of = (path: string) => copy.find(([id, at]) => id === rule && at === path)?.slice(2)
      for (const path of ['/gb', '/au']) t.strictSame(of(path), [1, ['/copy']], `${rule}: a copy of ${path}`)
      t.equal(of('/copy')?.[0], isEqual ? 3 : 2, `${rule}: the copy has all versions beside it`)
      t.strictSame(
        copy.find(([id, at]) => id === `site/${part}-duplicate` && at === '/us')?.slice(2),
        [1, ['/copy']],
        `${part}: a copy of /us`,
      )
    }

    const oneWay = await duplicatesIn(
      withPages({
        '/us': { ...alike, alternates: ['/us', '/gb'] },
        '/gb': { ...other, alternates: ['/gb'] },
      }),
    )
    t.strictSame(
      oneWay.map(([rule, path, count, related]) => [rule, path, count, related]).sort(),
      ['description', 'text', 'title'].flatMap(part => [
        [`site/${part}-${kind}`, '/gb', 1, ['/us']],
        [`site/${part}-${kind}`, '/us', 1, ['/gb']],
      ]),
      'an alternate that does not confirm the other is a duplicate',
    )
  }
})

test('A page with more alternates than are read is not compared for duplicates', async t => {
  const many = Array.from({ length: 100 }, (_, n) => `/version-${n}`)
  const pages = { '/us': { ...alike, alternates: many }, '/gb': { ...alike, alternates: many } }
  t.strictSame(await duplicatesIn(withPages(pages)), [])
  const site = siteOf(withPages(pages))
  for (const _ of site.pages.ids) site.log.addPage([])
  await applySiteRules(site, async () => {})
  for (const rule of rulesOfDuplicates)
    t.equal(site.log.hasAll(0, rule), false, `a missing finding of ${rule} proves nothing`)
})

test('Rules that follow links do not apply if some links were not read', async t => {
  for (const rule of ['site/unreachable', 'site/deep', 'site/noindex-linked']) {
    const [site] = planted[rule] ?? [clean]
    t.strictSame(await findingsIn({ ...site, cutLinks: ['isCut'] }), [], rule)
    t.ok(siteOf({ ...site, cutLinks: ['isCut'] }).notApplied.has(rule), `${rule} is listed`)
  }
})

test('A crawl of a sitemap reports only links between its own pages', async t => {
  const [deep] = planted['site/deep'] ?? [clean]
  const listed: PlantedSite = {
    pages: { ...deep.pages, '/old-1': linked('/old-2'), '/old-2': linked('/old-1'), '/old-3': linked() },
    hasSitemaps: true,
  }
  const notLinked = [['site/sitemap-not-linked', '/old-3', null]]
  t.strictSame(await findingsIn(listed), notLinked, 'pages outside the sitemap may lead to the others')
  for (const rule of ['site/unreachable', 'site/deep'])
    t.match(siteOf(listed).notApplied.get(rule), /followed no links/, `${rule} is listed with its reason`)
  const { hasSitemaps: _, ...urls } = listed
  t.strictSame(
    await findingsIn({ ...urls, isListed: true }),
    [],
    'a crawl of listed URLs knows no links to them',
  )
  for (const rule of ['site/orphan', 'site/unreachable', 'site/deep'])
    t.match(siteOf({ ...urls, isListed: true }).notApplied.get(rule), /found no page by a link/, rule)
  const rule = siteRules.find(({ id }) => id === 'site/sitemap-not-linked')
  const message = rule === undefined ? '' : messageOf(rule, null)
  t.match(message, /no page of this crawl links to it\. /)
  t.notMatch(message, /remove/i, 'a page outside the sitemap may link to it')

  const early: PlantedSite = { ...listed, isIncomplete: true }
  t.strictSame(await findingsIn(early), [], 'pages that the crawl did not read may link to it')
  t.match(siteOf(early).notApplied.get('site/sitemap-not-linked'), /has not read all URLs/)
})

test('A URL that fails after it redirected has no target', t => {
  const others = new OtherUrls()
  others.note('redirected', ['moved'], ['page'])
  others.note('dns', ['moved'], null)
  others.resolve(key => (key === 'page' ? 0 : undefined))
  t.match(others.all, [{ key: 'moved', kind: 'failed', end: -1, hops: 0, endKind: 'failed' }])
  t.end()
})

test('A URL that redirected is also read as a sitemap', t => {
  const others = new OtherUrls()
  others.note('redirected', ['moved'], ['page'])
  others.note('dns', ['lost'], null)
  others.note('sitemap_read', ['moved', 'lost'], null)
  others.resolve(key => (key === 'page' ? 0 : undefined))
  t.match(others.all, [{ key: 'moved', kind: 'redirect', end: 0 }])
  t.end()
})

test('A URL that a retry did not request any more has not failed', t => {
  const others = new OtherUrls()
  others.note('timeout', ['a', 'b'], null)
  others.note('robots_unreachable', ['a'], null)
  others.note('redirected', ['b'], ['c'])
  others.note('redirect_out_of_scope', ['b'], null)
  others.resolve(() => undefined)
  t.strictSame(others.all, [])
  t.end()
})

test('A page that is not shown needs no link back from its versions', async t => {
  const alternates = ['/a', '/de']
  const variant = { '/a?ref=1': { ...linked('/b'), alternates, canonical: '/a' } }
  t.strictSame(await findingsIn(withPages(variant)), [], 'a parameter variant of a page')
  const hidden = withPages({ '/x': { alternates: ['/x', '/de'], isNoindex: true } })
  t.strictSame(await findingsIn(hidden), [['site/noindex-linked', '/x', 1]], 'a page with noindex')
})

test('A rejection of the crawler is no broken page', async t => {
  for (const status of [0, 401, 403, 407, 429, 451, 999]) {
    const rejected = { status, isHtml: false } as const
    const pages = { '/x': { canonical: '/y' }, '/y': rejected, '/z': { alternates: ['/z', '/y'] } }
    t.strictSame(await findingsIn(withPages(pages)), [], String(status))
  }
})

test('Alternates beyond the limit are not missed', async t => {
  const many = Array.from({ length: 100 }, (_, n) => `/version-${n}`)
  const pages = { '/x': { alternates: ['/x', '/y'] }, '/y': { alternates: many } }
  t.strictSame(await findingsIn(withPages(pages)), [])
})

test('Ids of rules never change, and each has a reason, a remedy and a source', async t => {
  const golden = readFileSync(join(import.meta.dirname, 'rules/site.ids.txt'), 'utf8')
    .trim()
    .split('\n')
  t.strictSame([...siteRules.map(({ id }) => id)].sort(), golden, 'a new id is written into site.ids.txt')
  for (const rule of siteRules) {
    const { id, finds, reason, remedy, source } = rule
    t.match(id, /^site\/[a-z]+(?:-[a-z]+)*$/)
    t.ok(finds.length > 10 && /\.$/.test(reason) && /\.$/.test(remedy), id)
    t.match(source.url, /^https:\/\/[\w.-]+\//, id)
    for (const count of [null, 1, 7]) t.match(messageOf(rule, count), /^[^{}]+\.$/, id)
  }
})

test('Findings beyond the limit are counted', async t => {
  const log = new FindingLog({ ofPages: 5, ofSite: 2 })
  for (let page = 0; page < 4; page++) {
    log.addPage([
      ['a/b', null],
      ['a/c', page * 10_000_000],
    ])
    log.addOfSite({ page, rule: 'site/x', count: 2, related: [1, 2, 3, 4, 5, 6, 7] })
  }
  t.equal(log.isCut, true)
  const totals = { 'a/b': [4, 4], 'a/c': [4, 60_000_000], 'site/x': [4, 8] }
  for (const [rule, [pages, occurrences]] of Object.entries(totals))
    t.strictSame(log.totals.get(rule), { pages, occurrences }, rule)
  const of = (page: number) => log.of(page).map(({ rule, count }) => [rule, count])
  t.strictSame([0, 1, 2, 3].map(of), [
    [
      ['a/b', null],
      ['a/c', 0],
      ['site/x', 2],
    ],
    [
      ['a/b', null],
      ['a/c', 4_194_302],
      ['site/x', 2],
    ],
    [['a/b', null]],
    [],
  ])
  t.strictSame(log.of(0)[2]?.related, [1, 2, 3, 4, 5])
})

test('Similar texts are those that all comparisons find', async t => {
  const ones = (bits: number) => (bits >>> 0).toString(2).replaceAll('0', '').length
  const flips = fc.array(fc.nat(63), { maxLength: 5 })
  const hashes = fc.array(fc.tuple(fc.constantFrom(0, 0x1234_5678_9abcn, 2n ** 64n - 1n), flips), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(hashes, planted => {
      const values = planted.map(([start, flips]) =>
        flips.reduce((bits, at) => bits ^ (1n << BigInt(at)), BigInt(start)),
      )
      const halves = values.map(value => [Number(value >> 32n), Number(value & 0xffff_ffffn)] as const)
      const { clusters, isCut } = similarTexts([...values.keys()], halves.flat())
      t.equal(isCut, false)
      const found = new Map(
        clusters.flatMap(({ pages, nearPages }) => pages.map(page => [page, pages.length - 1 + nearPages])),
      )
      for (const [page, [high, low]] of halves.entries()) {
        const near = halves.filter(([a, b], n) => n !== page && ones(a ^ high) + ones(b ^ low) <= maxDistance)
        t.equal(found.get(page), near.length)
      }
    }),
    { numRuns: 60 },
  )
  const alike = Array.from({ length: 2_000 }, (_, n) => [n, 7]).flat()
  t.equal(similarTexts([...Array(1_000).keys()], alike, 10_000).isCut, true, 'comparisons are bounded')
})

test('A page without an audit in one run is neither fixed nor worse', async t => {
  const site = (
    pages: PlantedSite['pages'],
    findings: string[][],
    more: object = {},
    log = new FindingLog(),
  ) => {
    const planted = { ...siteOf({ pages, start: null, ...more }), log }
    for (const rules of findings) log.addPage(rules.map(rule => [rule, null]))
    return planted
  }
  const unread = { isAudited: false } as const
  const compared = (now: ReturnType<typeof site>, earlier: ReturnType<typeof site>) =>
    Comparison.of(now, earlier, async () => {})
  const full = () => site({ '/a': {}, '/b': {} }, [['x/1'], ['x/1', 'x/2']])
  const part = () => site({ '/a': {}, '/b': unread }, [['x/1'], []])
  const later = await compared(part(), full())
  t.strictSame([later.totals, later.notCompared], [{ new: 0, same: 1, gone: 0 }, 2])
  t.strictSame(
    [0, 1].flatMap(page => [...later.missingAt(page)]),
    [],
    'and no line lists them',
  )
  const earlier = await compared(full(), part())
  t.strictSame([earlier.totals, earlier.notCompared], [{ new: 0, same: 1, gone: 0 }, 2])
  t.strictSame([earlier.changeOf(0, 'x/1'), earlier.changeOf(1, 'x/1')], ['same', null])

  const beginning = () => site({ '/a': {} }, [['x/1']], { isCut: true })
  for (const [now, before] of [
    [beginning(), full()],
    [full(), beginning()],
  ] as const) {
    const { totals, missingWithPage, notCompared } = await compared(now, before)
    const zero = { new: 0, same: 1, gone: 0 }
    t.strictSame([totals, missingWithPage, notCompared], [zero, 0, 2], 'beyond the pages of an audit')
  }
  const counted = () =>
    site({ '/a': {}, '/b': {} }, [['x/1'], ['x/1', 'x/2']], {}, new FindingLog({ ofPages: 2, ofSite: 0 }))
  const limited = await compared(counted(), full())
  t.strictSame([limited.totals, limited.notCompared], [{ new: 0, same: 2, gone: 0 }, 1], 'beyond the limit')
  const [cut, whole] = [counted(), full()]
  for (const { log } of [cut, whole]) log.addOfSite({ page: 0, rule: 'site/x', count: 1, related: [] })
  t.equal((await compared(whole, cut)).changeOf(0, 'site/x'), null)
})

test('A rule that does not apply to one of two runs, or cannot find everything there, is not compared', async t => {
  const audited = async (more: Omit<PlantedSite, 'pages'>, findings: string[] = []) => {
    const site = siteOf({
      pages: {
        '/': { links: ['/a', '/old'], isNoindex: true },
        '/a': { links: ['/'] },
        '/alone': { nofollow: ['/lost'] },
        '/lost': {},
      },
      redirects: { '/old': '/a' },
      ...more,
    })
    for (const _ of site.pages.ids) site.log.addPage(findings.map(rule => [rule, null]))
    await applySiteRules(site, async () => {})
    return site
  }
  const complete = await audited({}, ['x/timed'])
  const cases: [name: string, other: Site, rules: string[]][] = [
    ['a sitemap replaces links', await audited({ hasSitemaps: true }, ['x/timed']), ['site/orphan']],
    ['no response times', await audited({ lacksTimes: true }), ['x/timed']],
    [
      'too many links',
      await audited({ cutLinks: ['isCut'] }, ['x/timed']),
      ['site/noindex-linked', 'site/unreachable'],
    ],
  ]
  const changesOf = async (now: Site, earlier: Site) =>
    new Map((await Comparison.of(now, earlier, async () => {})).byRule)
  for (const [name, other, rules] of cases)
    for (const rule of rules) {
      t.ok(complete.log.totals.has(rule), `${rule} is planted`)
      t.equal((await changesOf(complete, other)).get(rule), undefined, `${name}: ${rule} is not new`)
      t.equal((await changesOf(other, complete)).get(rule), undefined, `${name}: ${rule} is not gone`)
    }

  const partial = await audited({ cutLinks: ['isWatchedCut'], redirects: {} }, ['x/timed'])
  const changes = (await changesOf(partial, complete)).get('site/redirected-link')
  t.equal(changes, undefined, 'links that were left out are not gone')
  const same = await audited({ cutLinks: ['isWatchedCut'] }, ['x/timed'])
  t.strictSame((await changesOf(same, complete)).get('site/redirected-link'), { new: 0, same: 1, gone: 0 })
})

test('A comparison puts every finding into exactly one class', async t => {
  const findings = fc.dictionary(
    fc.constantFrom('/a', '/b', '/c', '/d'),
    fc.uniqueArray(fc.constantFrom('x/1', 'x/2', 'x/3')),
  )
  await fc.assert(
    fc.asyncProperty(findings, findings, async (now, earlier) => {
      const [one, other] = [now, earlier].map(found => {
        const site = siteOf({
          pages: Object.fromEntries(Object.keys(found).map(path => [path, {}])),
          start: null,
        })
        for (const rules of Object.values(found)) site.log.addPage(rules.map(rule => [rule, null]))
        return site
      })
      if (one === undefined || other === undefined) return
      const compared = await Comparison.of(one, other, async () => {})
      const pairs = (found: typeof now) =>
        Object.entries(found).flatMap(([path, rules]) => rules.map(rule => `${path} ${rule}`))
      const [after, before] = [pairs(now), pairs(earlier)]
      const missing = before.filter(pair => !after.includes(pair))
      t.strictSame(compared.totals, {
        new: after.filter(pair => !before.includes(pair)).length,
        same: after.filter(pair => before.includes(pair)).length,
        gone: missing.length,
      })
      t.equal(
        compared.missingWithPage,
        missing.filter(pair => !Object.keys(now).includes(pair.split(' ')[0] ?? '')).length,
      )
      const missingAt = [...other.pages.ids.keys()].flatMap(page => [...compared.missingAt(page)])
      t.equal(missingAt.length, missing.length)
    }),
    { numRuns: 100 },
  )
})
