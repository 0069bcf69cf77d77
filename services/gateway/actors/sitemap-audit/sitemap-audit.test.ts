/** How the gateway drives a sitemap audit: in parts that are reserved and billed, until it must stop. */

import { Refusal } from '@tidemark/bus/refusal'
import type { ActorProgress } from '@tidemark/contracts/http/actors/actor'
import type { SitemapAuditAnswer, SitemapAuditItem } from '@tidemark/contracts/http/actors/sitemap-audit'
import type {
  ListSitemaps,
  PageProbed,
  ProbePage,
  ReadSitemap,
  SitemapRead,
} from '@tidemark/contracts/rpc/sitemaps'
import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import fastify from 'fastify'
import { test } from 'tap'
import type { App } from '../../app.ts'
import { ApiProblem } from '../../http/domain/problem.ts'
import { TextBudget } from '../../http/domain/text-budget.ts'
import type { Granted, Metering } from '../../metering/adapters/metering.ts'
import { installBilled } from '../../metering/billed.ts'
import type { Served } from '../../metering/domain/metering.ts'
import { actorRoutes } from '../actor-routes.ts'
import { actorsOf } from '../actor-table.ts'
import { objectText } from '../domain/json-text.ts'
import type { ActorPorts } from '../ports.ts'
import { auditWarnings } from './domain/audit-warnings.ts'
import { AuditedPages } from './domain/audited-pages.ts'
import { PackedItems } from './domain/packed-items.ts'
import { SitemapListing } from './domain/sitemap-listing.ts'
import { findSitemaps } from './find-sitemaps.ts'
import { probeListed } from './probe-listed.ts'

const fine: PageProbed = {
  ...{ status: 200, bucket: 'ok', error: null, isUnasked: false, challenge: null, redirectedTo: null },
  ...{ canonical: null, robotsTag: null, metaRobots: null },
}
const silent: PageProbed = { ...fine, status: null, bucket: 'network_error', error: 'timeout' }
const away = new Refusal({ status: 503, code: 'unavailable', message: 'away' })
const site = 'https://site.test'
const itemsOf = ({ items }: AuditedPages): SitemapAuditItem[] =>
  JSON.parse(Buffer.concat([...items.pieces()]).toString())
const roomy = () => new TextBudget({ each: 2 ** 20, all: 2 ** 20 }).open()
const work = { workId: -1, delayMs: 0, concurrency: 8 }
const pagesOf = (count: number, host = site) =>
  Array.from({ length: count }, (_, index) => ({
    index,
    url: `${host}/${index}`,
    lastmod: null,
    foundIn: site,
  }))

function stage(probe: (request: ProbePage) => Promise<PageProbed>, caps: number[] = []) {
  const reported = {
    reserved: [] as number[],
    served: [] as Served[],
    released: [] as string[],
    progress: [] as ActorProgress[],
    probed: [] as string[],
    reports: [] as unknown[],
    maxAtOnce: 0,
    /** Errors that the reservation of each further part throws, in turn; undefined: it succeeds. */
    reserveThrows: [] as unknown[],
    servedThrows: [] as unknown[],
  }
  const disconnect = new AbortController()
  const audited = new AuditedPages(roomy())
  let atOnce = 0
  const metering = {
    async reserve(_payer: unknown, { units }: { units: number }): Promise<Granted> {
      const error = reported.reserved.length > 0 ? reported.reserveThrows.shift() : undefined
      if (error !== undefined) throw error
      const granted = Math.min(units, caps.shift() ?? units)
      reported.reserved.push(granted)
      return { granted, reason: granted < units ? 'monthly_pages' : null }
    },
    async served(_payer: unknown, done: Served) {
      const error = reported.servedThrows.shift()
      if (error !== undefined) throw error
      reported.served.push(done)
    },
    release: (_payer: unknown, name: string) => void reported.released.push(name),
  }
  const sitemaps = {
    async probe(request: ProbePage) {
      reported.probed.push(request.url)
      reported.maxAtOnce = Math.max(reported.maxAtOnce, ++atOnce)
      await new Promise(setImmediate)
      return probe(request).finally(() => atOnce--)
    },
  }
  const payer = { projectId: 1, tier: 'free', unlimited: false } as const
  const probing = {
    ...{ sitemaps, metering, payer, requestId: 'r', work, perHost: 4, signal: disconnect.signal },
    progress: (progress: ActorProgress) => void reported.progress.push(progress),
    report: (error: unknown) => void reported.reports.push(error),
  }
  const run = async (count: number, pages = pagesOf(count)) => {
    const first = await metering.reserve(payer, { units: Math.min(count, 500) })
    return probeListed(probing, pages, audited, first)
  }
  return { ...reported, reported, disconnect, audited, run }
}

test('Pages are probed and billed in parts', async t => {
  const { reported, audited, run } = stage(async ({ url }) =>
    url.endsWith('/7')
      ? { ...silent, error: 'dns' }
      : url.endsWith('/8')
        ? { ...fine, challenge: 'X' }
        : fine,
  )
  t.equal(await run(1_100), null)
  t.same(reported.reserved, [500, 500, 100])
  t.same(
    reported.served.map(({ requestId, part, operation, tried }) => [
      requestId,
      part,
      operation,
      tried.length,
    ]),
    [
      ['r', 1, 'sitemap_audit', 500],
      ['r', 2, 'sitemap_audit', 500],
      ['r', 3, 'sitemap_audit', 100],
    ],
  )
  t.same(
    reported.served[0]?.tried.slice(6, 10).map(({ what, ending }) => [what, ending]),
    [
      [`${site}/6`, 'billed'],
      [`${site}/7`, 'failed'],
      [`${site}/8`, 'blocked'],
      [`${site}/9`, 'billed'],
    ],
    'each by its result',
  )
  t.same(
    itemsOf(audited).map(({ url }) => url),
    pagesOf(1_100).map(({ url }) => url),
    'in the order of the listing',
  )
  t.match(audited, { count: 1_100, challenges: 1, summary: { ok: 1_099, network_error: 1 } })
  t.equal(reported.maxAtOnce, 4, 'few at one host')
  t.match(reported.progress.at(-1), { stage: 'probing', done: 1_100, total: 1_100 })
  t.ok(reported.progress.length < 100)
})

test('An audit ends at a cap, and returns the pages so far', async t => {
  const { reported, audited, run } = stage(async () => fine, [500, 20, 0])
  t.equal(await run(1_100), 'monthly_pages')
  t.equal(audited.count, 520)
  t.same(
    reported.served.map(({ tried }) => tried.length),
    [500, 20],
  )
  t.equal(reported.probed.length, 520)
})

test('A host that does not answer is skipped, and no other', async t => {
  const { reported, audited, run } = stage(async ({ url }) =>
    url.startsWith('https://dead') ? silent : fine,
  )
  const pages = [...pagesOf(300, 'https://dead.test'), ...pagesOf(300)].map((page, index) => ({
    ...page,
    index,
  }))
  t.equal(await run(600, pages), null)
  t.same(audited.silent, ['dead.test'])
  t.equal(audited.summary.ok, 300)
  t.ok(audited.summary.network_error >= 20 && audited.summary.network_error < 30)
  t.equal(
    reported.served.reduce((sum, { tried }) => sum + tried.length, 0),
    audited.count,
  )
})

test('A page that must not be requested is listed, costs nothing, and says nothing of its host', async t => {
  for (const error of ['private_address', 'blocked_domain', 'bad_url']) {
    const refused = stage(async ({ url }) => (url.endsWith('9') ? fine : { ...silent, error }))
    t.equal(await refused.run(100), null)
    t.match(refused.audited, { count: 10, refused: 90, summary: { ok: 10, network_error: 90 } }, error)
    t.match(itemsOf(refused.audited)[0], { bucket: 'network_error', error, status_code: null })
    t.equal(refused.reported.served[0]?.tried.length, 10, 'only requested pages are billed')
    t.match(refused.reported.progress.at(-1), { done: 100, total: 100 })
  }
  const all = stage(async () => ({ ...silent, error: 'private_address' }))
  t.equal(await all.run(100), null)
  t.same([all.reported.served, all.reported.released], [[], ['r']], 'its reservation is released')

  const short = stage(
    async ({ url }) => (/[1-3]$/.test(url) ? fine : { ...silent, error: 'private_address' }),
    [3],
  )
  t.equal(await short.run(5), null, 'and leaves its share of the cap to the other pages')
  t.match(short.audited, { count: 3, refused: 2 })
})

test('A host without free slots is left out, and is not reported as dead', async t => {
  const withoutSlot = { ...silent, isUnasked: true }
  const late = stage(async () => withoutSlot)
  t.equal(await late.run(100), null)
  t.equal(late.audited.count, 0, 'a page without a host slot was not probed')
  t.same([late.reported.served, late.reported.released], [[], ['r']])
  t.same([late.audited.silent, late.audited.withheld], [[], ['site.test']])
  const listing = new SitemapListing(100, roomy())
  listing.add(
    site,
    pagesOf(100).map(({ url }) => [url, null]),
  )
  t.match(
    [...auditWarnings(listing, late.audited, null)].at(-1),
    /^site\.test repeatedly had no free slot.* 100 pages/,
  )

  let requested = 0
  const patient = stage(async () => (requested++ % 20 === 0 ? { ...fine, status: 429 } : withoutSlot))
  t.equal(await patient.run(60), null)
  t.same([patient.audited.silent, patient.audited.withheld], [[], []], 'one host slot, and requests continue')
  t.equal(patient.audited.count, 60)
})

test('An audit ends when its client leaves', async t => {
  const { reported, disconnect, audited, run } = stage(async ({ url }) => {
    if (url.endsWith('/50')) disconnect.abort()
    return disconnect.signal.aborted ? { ...silent, error: 'aborted' } : fine
  })
  t.equal(await run(1_100), 'disconnected')
  t.ok(audited.count >= 45 && audited.count <= 50)
  t.equal(audited.summary.network_error, 0)
  t.same(
    reported.served.map(({ tried }) => tried.length),
    [audited.count],
    'and the probed pages are billed',
  )
})

test('A service that is unavailable', async t => {
  let refusals = 2
  const back = stage(async () => {
    if (refusals-- > 0) throw away
    return fine
  })
  t.equal(await back.run(5), null, 'the audit waits for a short outage')
  t.equal(back.audited.count, 5)
})

test('Billed pages are answered, whatever comes later', async t => {
  const partsOf = ({ reported }: ReturnType<typeof stage>) => reported.served.map(({ tried }) => tried.length)

  const hiccup = stage(async () => fine)
  hiccup.reported.reserveThrows.push(undefined, new ApiProblem('unavailable'), away)
  t.equal(await hiccup.run(1_100), null)
  t.same(partsOf(hiccup), [500, 500, 100], 'the audit waits for a short outage of the ledger')

  const refused = stage(async () => fine)
  refused.reported.reserveThrows.push(undefined, new Refusal({ status: 500, code: 'internal', message: '' }))
  t.equal(await refused.run(1_100), 'unavailable')
  t.same(partsOf(refused), [500, 500])
  t.equal(itemsOf(refused.audited).length, 1_000)

  const unbilled = stage(async ({ url }) => (url.endsWith('9') ? { ...fine, challenge: 'X' } : fine))
  unbilled.reported.servedThrows.push(undefined, undefined, new ApiProblem('unavailable'))
  t.equal(await unbilled.run(1_100), 'unavailable')
  t.same(partsOf(unbilled), [500, 500])
  t.match(unbilled.audited, { count: 1_000, challenges: 100, summary: { ok: 1_000 } })
  t.equal(itemsOf(unbilled.audited).length, 1_000, 'unbilled pages are not answered')

  const first = stage(async () => fine)
  first.reported.servedThrows.push(new ApiProblem('unavailable'))
  await t.rejects(first.run(1_100), { code: 'unavailable' }, 'without a bill there is no answer')

  const fault = new Refusal({ status: 500, code: 'internal', message: 'a fault' })
  const broken = stage(async ({ url }) => {
    if (url.endsWith('/1050')) throw fault
    return fine
  })
  t.equal(await broken.run(1_100), null)
  t.same(partsOf(broken), [500, 500, 99], 'and not billed')
  t.match(itemsOf(broken.audited)[1_050], { bucket: 'network_error', error: 'internal', status_code: null })
  t.same(broken.reported.reports, [fault], 'an unexpected error affects one page, and is reported')

  const hopeless = stage(async () => {
    throw fault
  })
  t.equal(await hopeless.run(1_100), 'unavailable')
  t.ok(
    hopeless.reported.reports.length >= 20 && hopeless.reported.reports.length < 30,
    'the audit stops before all pages fail',
  )
})

test('The stored amount is bounded', async t => {
  const audited = new AuditedPages(new TextBudget({ each: 1_000, all: 1_000 }).open())
  const fits: boolean[] = []
  for (const page of pagesOf(6)) {
    audited.put(page, fine)
    fits.push(!audited.isFull)
  }
  const [item] = itemsOf(audited)
  const max = Math.floor(1_000 / JSON.stringify(item).length)
  t.same(
    fits,
    fits.map((_, n) => n < max),
    'also the results, in their JSON form',
  )
  t.equal(itemsOf(audited).length, 6)

  const room = new TextBudget({ each: 100, all: 150 })
  const [one, other] = [room.open(), room.open()]
  t.same([one.take(100), one.take(1), other.take(50), other.take(1)], [true, false, true, false])
  one[Symbol.dispose]()
  t.equal(one.take(1), false, 'a released share has no capacity')
  t.equal(other.take(50), true)
  const listing = new SitemapListing(10, other)
  listing.add(site, [[`${site}/a`, null]])
  t.match(listing, { isCut: true, isFull: true, wanted: 0, pages: { length: 0 } })
})

const nothing: SitemapRead = {
  ...{ url: '', status: 200, error: null, message: null, isSitemap: true, urls: 0, unusable: 0, foreign: 0 },
  repeated: 0,
  ...{ images: 0, videos: 0, alternates: 0, lastmod: { future: 0, unreadable: 0 } },
  ...{ sitemaps: [], entries: [], next: null },
}

const noRobots = new Refusal({ status: 502, code: 'fetch_failed', reason: 'timeout', message: 'No answer.' })

/** @param named by robots.txt, or the status of its error, or why it cannot be fetched */
function finding(
  named: string[] | number | Refusal,
  reads: Record<string, Partial<SitemapRead>>,
  url = `${site}/`,
) {
  const time = new AbortController()
  const requested: ReadSitemap[] = []
  const none = { status: 404, isSitemap: false, error: 'http_status' }
  const sitemaps = {
    async list() {
      if (named instanceof Refusal) throw named
      return typeof named === 'number' ? { status: named, named: [] } : { status: 200, named }
    },
    async read(request: ReadSitemap) {
      requested.push(request)
      if (request.url.endsWith('/slow.xml') && request.from > 0) time.abort()
      return {
        ...nothing,
        url: request.url,
        ...(reads[`${request.url} ${request.from}`] ?? reads[request.url] ?? none),
      }
    },
  }
  const { signal } = new AbortController()
  const listing = new SitemapListing(3, roomy())
  const pending = { sitemaps, work, url, signal, late: time.signal, progress: () => {} }
  const found = findSitemaps(pending, listing)
  return { requested, listing, found }
}

test('Sitemaps are found', async t => {
  const { requested, listing, found } = finding([`${site}/i.xml`, `${site}/b.xml`], {
    [`${site}/i.xml`]: {
      sitemaps: [`${site}/i.xml`, `${site}/n.xml`, 'https://else.test/s.xml', `${site}/b.xml`],
    },
    [`${site}/n.xml`]: { sitemaps: [`${site}/deep.xml`], urls: 1, entries: [[`${site}/1`, null]] },
    [`${site}/b.xml 0`]: { urls: 4, entries: [[`${site}/1`, null]], next: 1 },
    [`${site}/b.xml 1`]: {
      urls: 4,
      entries: [
        [`${site}/2`, '2026'],
        [`${site}/3?utm_id=1`, null, `${site}/3`],
        [`${site}/4`, null],
      ],
    },
  })
  await found
  t.same(
    requested.map(({ url, from, wanted }) => [url, from, wanted]),
    [
      [`${site}/i.xml`, 0, 3],
      [`${site}/n.xml`, 0, 3],
      [`${site}/b.xml`, 0, 3],
      [`${site}/b.xml`, 1, 3],
    ],
    'each once, one level of an index, a long one in parts',
  )
  t.same(
    listing.pages.map(({ url, foundIn }) => [url, foundIn]),
    [
      [`${site}/1`, `${site}/n.xml`],
      [`${site}/2`, `${site}/b.xml`],
      [`${site}/3?utm_id=1`, `${site}/b.xml`],
    ],
  )
  t.match(listing, { urls: 5, duplicates: 1, found: [`${site}/i.xml`, `${site}/n.xml`, `${site}/b.xml`] })
  t.match(Object.fromEntries(listing.reports.map(({ url, error }) => [url, error])), {
    [`${site}/n.xml`]: 'index_in_index',
    'https://else.test/s.xml': 'other_site',
    [`${site}/b.xml`]: null,
  })

  const many = finding([`${site}/i.xml`], {
    [`${site}/i.xml`]: { sitemaps: Array.from({ length: 1_500 }, (_, n) => `${site}/${n}.xml`) },
  })
  await many.found
  t.equal(many.requested.length, 1_000)
  t.equal(many.listing.unread, 501, 'and at most a thousand')

  const page = finding([], { [`${site}/sitemap.xml`]: {} }, `${site}/blog`)
  await page.found
  t.same(
    page.requested.map(({ url }) => url),
    [`${site}/blog`, `${site}/sitemap.xml`],
  )
  const feed = finding([], { [`${site}/feed?a`]: { entries: [[`${site}/1`, null]] } }, `${site}/feed?a`)
  await feed.found
  t.same([feed.requested.length, feed.listing.pages.length], [1, 1], 'an address may be a sitemap itself')
  for (const [error, code, reason] of [
    ['connect', 'fetch_failed', 'connect'],
    ['no_room', 'fetch_failed', 'protocol'],
    ['private_address', 'invalid_input', 'private_address'],
  ])
    await t.rejects(
      finding([], { [`${site}/s.xml.gz`]: { status: null, error } as SitemapRead }, `${site}/s.xml.gz`).found,
      { code, reason },
    )
})

test('A site whose robots.txt cannot be fetched is audited by its /sitemap.xml, with a warning', async t => {
  const usual = `${site}/sitemap.xml`
  const there: Record<string, Partial<SitemapRead>> = {
    [usual]: { urls: 1, entries: [[`${site}/1`, null]] },
  }
  for (const [robots, why] of [
    [noRobots, 'No answer.'],
    [503, 'it answered 503'],
    [429, 'it answered 429'],
  ] as const) {
    const { requested, listing, found } = finding(robots, there)
    await found
    t.same([requested.length, listing.found, listing.pages.length], [1, [usual], 1])
    t.strictSame(
      [...auditWarnings(listing, new AuditedPages(roomy()), null)],
      [`robots.txt could not be fetched, so the sitemaps that it names are not known: ${why}`],
    )
  }
  const absent = finding(404, there)
  await absent.found
  t.equal(absent.listing.withoutRobots, null, 'a missing robots.txt is an answer')

  const dead = { [usual]: { status: null, error: 'timeout' } }
  await t.rejects(finding(noRobots, dead).found, noRobots, 'a site that does not answer at all is an error')
  const inward = new Refusal({ status: 400, code: 'invalid_input', reason: 'private_address', message: '' })
  const refused = finding(inward, there)
  await t.rejects(refused.found, inward)
  t.equal(refused.requested.length, 0)
})

test('Pages that are listed more than once are counted', async t => {
  const [a, b] = [`${site}/a.xml`, `${site}/b.xml`]
  const { listing, found } = finding([a, b], {
    [a]: {
      urls: 5,
      repeated: 3,
      entries: [
        [`${site}/1`, null],
        [`${site}/2`, null],
      ],
    },
    [b]: { urls: 1, entries: [[`${site}/1`, null]] },
  })
  await found
  t.match(listing.reports, [
    { url: a, urls: 5, repeated: 3 },
    { url: b, repeated: 0 },
  ])
  t.strictSame(
    [...auditWarnings(listing, new AuditedPages(roomy()), null)],
    ['4 pages are listed more than once; each is probed once'],
  )
})

test('The reading of sitemaps has a time limit, also within one sitemap', async t => {
  const { requested, listing, found } = finding([`${site}/slow.xml`, `${site}/b.xml`], {
    [`${site}/slow.xml 0`]: { urls: 9, entries: [[`${site}/1`, null]], next: 1 },
    [`${site}/slow.xml 1`]: { urls: 9, entries: [[`${site}/2`, null]], next: 2 },
  })
  await found
  t.same(
    requested.map(({ url, from }) => [url, from]),
    [
      [`${site}/slow.xml`, 0],
      [`${site}/slow.xml`, 1],
    ],
  )
  t.match(listing, { unread: 2, pages: [{ url: `${site}/1` }, { url: `${site}/2` }] })
  t.match(
    [...auditWarnings(listing, new AuditedPages(roomy()), null)],
    [/^2 named sitemaps were not read completely/],
  )
})

test('The cost of a request in parts is reported as one sum', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let isAway = false
  const served = async (_payer: unknown, { part }: Served) => {
    if (isAway && part === 2) throw new Error('SERVED is away')
  }
  const metering = installBilled(app as unknown as App, { served } as unknown as Metering)
  const path = '/v1/actors/sitemap-audit'
  const payer = { projectId: 1, tier: 'free', unlimited: false } as const
  app.post(path, async ({ id: requestId }) => {
    for (const part of [1, 2, 3]) {
      const tried = [{ what: site, ending: 'billed' as const, n: part * 10 }]
      await metering.served(payer, { requestId, part, operation: 'sitemap_audit', tried }).catch(() => {})
    }
    return {}
  })
  const billed = async () => (await app.inject({ method: 'POST', url: path })).headers['x-pages-billed']
  t.same([await billed(), await billed()], ['60', '60'])
  isAway = true
  t.equal(await billed(), undefined, 'and not at all if it is uncertain')
})

test('Items of a long answer are kept as their JSON, in the order of their positions', async t => {
  const item = fc.record({ text: fc.string({ unit: codePoint, maxLength: 300 }), of: fc.nat() })
  const deed = fc.record({ index: fc.nat(40), item, isTaken: fc.boolean() })
  const property = fc.property(fc.array(deed), deeds => {
    const packed = new PackedItems<object>()
    const plain: object[] = []
    for (const { index, item, isTaken } of deeds) {
      if (plain[index] === undefined) {
        plain[index] = item
        packed.put(index, item)
      } else if (isTaken) {
        const taken = packed.take(index)
        if (JSON.stringify(taken) !== JSON.stringify(plain[index])) return false
        delete plain[index]
      }
    }
    const text = objectText({ a: 1, b: undefined, items: packed.json(), c: ['ü'] })
    const bytes = Buffer.concat([...text.pieces()])
    const expected = { a: 1, items: plain.filter(() => true), c: ['ü'] }
    return bytes.length === text.bytes && bytes.toString() === JSON.stringify(expected)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: sized(100, 300) }))

  const packed = new PackedItems<object>()
  const sizes = [100_000, 100_000, 100_000, 400_000, 5, 262_000, 300_000]
  const long = sizes.map((size, n) => ({ text: String(n).repeat(size) }))
  for (const [index, item] of [...long.entries()].reverse()) packed.put(index, item)
  const pieces = [...packed.json().pieces()]
  t.equal(Buffer.concat(pieces).toString(), JSON.stringify(long))
  t.ok(pieces.length > 3, 'and are sent in pieces')
  t.equal(packed.take(7), null)
  t.strictSame(packed.take(4), long[4])
  t.equal(Buffer.concat([...packed.json().pieces()]).length, packed.json().bytes)
  t.equal(Buffer.concat([...new PackedItems().json().pieces()]).toString(), '[]')
})

test('The memory of an audit is released when its answer is sent, or its client leaves', async t => {
  const app = fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  app.setValidatorCompiler(() => () => true)
  app.addHook('onRequest', async request => {
    Object.assign(request, { caller: { projectId: 1, tier: 'free', unlimited: false }, warnings: [] })
  })
  const length = 1024 ** 2
  const entries = Array.from({ length: 30 }, (_, n) => [`${site}/${n}/${'x'.repeat(length)}`, null] as const)
  const held = { isHeld: false, dropped: 0, free: Promise.withResolvers<void>() }
  const drop = () => {
    held.dropped += 1
    held.free.resolve()
  }
  const ports = {
    findBlocked: () => null,
    judgeTarget: async () => {},
    metering: {
      reserve: async (_: unknown, { units }: { units: number }) => ({ granted: units, reason: null }),
      served: async () => {},
      release: () => {},
    },
    sitemaps: {
      async list({ projectId }: ListSitemaps) {
        t.equal(projectId, 1)
        return { status: 200, named: [] }
      },
      read: async ({ url }: ReadSitemap) => ({ ...nothing, url, urls: entries.length, entries }),
      async probe({ projectId }: ProbePage) {
        t.equal(projectId, 1)
        if (held.isHeld) await held.free.promise
        return fine
      },
    },
    contents: { drop },
    probes: { delayMs: 0, perHost: 4, blockedAs: 'excluded' },
    report: (error: unknown) => t.error(error as Error),
  } as unknown as ActorPorts
  actorRoutes(
    app as unknown as App,
    ports,
    actorsOf(ports).filter(({ name }) => name === 'sitemap-audit'),
  )
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/v1/actors/sitemap-audit`
  const send = (signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${site}/`, max_urls: 50, dry_run: false }),
      ...(signal && { signal }),
    })

  const audited = async () => {
    const { data, warnings } = (await (await send()).json()) as SitemapAuditAnswer
    return [data.total_urls_probed, data.items.length, warnings]
  }

  // Together they list and return more than the memory limits allow; those that are abandoned list more.
  for (let n = 0; n < 10; n++) t.strictSame(await audited(), [30, 30, undefined])
  held.isHeld = true
  for (let n = 0; n < 5; n++) {
    held.free = Promise.withResolvers()
    const disconnect = new AbortController()
    const pending = send(disconnect.signal)
    setTimeout(() => disconnect.abort(), 20)
    await t.rejects(pending)
    await until(() => held.dropped > n)
  }
  held.isHeld = false
  t.strictSame(await audited(), [30, 30, undefined])
})
