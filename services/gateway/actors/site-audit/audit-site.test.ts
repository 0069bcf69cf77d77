/** The time of an audit and of its comparison, with a clock that each request to the extractor moves. */
import { refuse } from '@tidemark/bus/refusal'
import type { SiteAudit } from '@tidemark/contracts/http/actors/audit-site'
import type { AuditPages, MapLinks, SiteFacts } from '@tidemark/contracts/rpc/site-audit'
import { numberOfKey, urlKey } from '@tidemark/url/key'
import { type Test, test } from 'tap'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { ActorOrder } from '../actor-routes.ts'
import type { ActorPorts } from '../ports.ts'
import { auditSite } from './audit-site.ts'
import { Comparison } from './domain/comparison.ts'
import { describedRules } from './domain/described-rules.ts'
import { OtherUrls } from './domain/other-urls.ts'
import { siteOf } from './domain/site-rules.scene.ts'
import { findingRows } from './finding-rows.ts'
import type { NameUrls } from './name-urls.ts'

const finding = { rule: 'x/1', severity: 'warning', message: 'The page has a fault.', samples: [] } as const
const rule = { id: 'x/1', severity: 'warning', finds: 'A fault.', reason: 'It is one.' } as const
const rules = [{ ...rule, source: { name: 'A source', url: 'https://a.example/' }, needs: null }]

/** Paths of the pages of two runs in the order of their ids. */
const runs: Record<number, string[]> = {
  1: ['/b', '/c', '/d', '/e', '/f', '/a'],
  2: ['/a', '/b', '/c', '/d', '/e', '/f'],
}

/** Each page is a batch of its own, and has one finding. */
async function audited(
  t: Test,
  against?: number,
  {
    minutesOfPage = 2,
    minutesOfLinks = 0,
    crowded = 0,
    minutesOfRefusal = 0,
    home = '',
    deleted = 0,
    bill = [] as string[],
  } = {},
) {
  let minutes = 0
  let forwards: number[] | undefined
  let refusals = 0
  let isRead = false
  const { now } = performance
  performance.now = () => minutes * 60_000
  t.teardown(() => {
    performance.now = now
  })
  const auditPages = async ({ pages, inDetail }: AuditPages) => {
    isRead = true
    if (refusals++ < crowded) {
      minutes += minutesOfRefusal
      throw refuse('too_many_requests', { reason: 'concurrent_requests' })
    }
    if (inDetail) return { pages: pages.map(() => ({ details: [finding] })) }
    minutes += minutesOfPage
    return {
      pages: pages.map(({ url }) => ({
        findings: [['x/1', null]],
        facts: home === '' ? null : factsOf(url),
      })),
    }
  }
  const bytes = (length: number, byte = 0) => Buffer.alloc(length * 6, byte).toString('base64')
  const links = {
    scores: bytes(8),
    linked: bytes(1, 1),
    inlinks: bytes(4),
    clicks: bytes(4),
    ...{ links: '', isCut: false, isWatchedCut: false },
  }
  const ports = {
    metering: {
      reserve: async () => ({ granted: 1 }),
      served: async () => void bill.push('served'),
      failed: () => void bill.push('failed'),
    },
    hasRun: async (_: number, runId: number) => !(isRead && runId === deleted),
    keepsLinks: async () => true,
    actors: {
      auditRules: async () => ({ rules }),
      auditPages,
      mapLinks: async (request: MapLinks) => {
        minutes += minutesOfLinks
        forwards = request.forwards
        return { ...links, warnings: [] }
      },
    },
    siteReads: {
      facts: async () => ({
        ...{
          pages: 6,
          isCut: false,
          hasEnded: true,
          isComplete: true,
          hasFollowed: true,
          hasSitemaps: false,
        },
        starts: home === '' ? [] : [urlKey(`https://a.example${home}`)],
        others: new OtherUrls(),
      }),
      async *pages({ runId }: OfRun) {
        for (const [n, path] of (runs[runId] ?? []).entries()) yield [pageOf(n + 1, path)]
      },
      named: async (_: OfRun, keys: string[]) =>
        new Map(keys.map((key, n) => [key, { ...pageOf(n, '/'), key }])),
    },
    graphPages: {
      urls: async (_: OfRun, keys: string[]) => new Map(keys.map(key => [key, `https://a.example/${key}`])),
    },
  } as unknown as ActorPorts
  const order = {
    body: { crawl_id: 2, examples: 5, ...(against !== undefined && { against }) },
    ...{ payer: { projectId: 7 }, requestId: 'r', accept: undefined, whenAnswered: () => {} },
  } as unknown as ActorOrder<{ crawl_id: number; against?: number; examples: number }>
  const at = { workId: 1, signal: new AbortController().signal, progress: () => {} }
  const { data, warnings } = await auditSite(ports, order, at)
  return { ...(data as SiteAudit), warnings, forwards }
}

/** Facts of a page that forwards to /d. */
const factsOf = (url: string): SiteFacts => ({
  ...{ isIndexed: true, words: 200, title: 0, titleLike: 0, description: 0, descriptionLike: 0, text: 0 },
  ...{ simhash: [0, 0], canonical: numberOfKey(urlKey(url)), alternates: [] },
  refresh: numberOfKey(urlKey('https://a.example/d')),
})

const pageOf = (id: number, path: string) => {
  const url = `https://a.example${path}`
  return { id, key: urlKey(url), url, status: 200, fetchedAt: '2026-11-20T09:00:00.000Z', isBlocked: false }
}

test('An audit alone has all of the time', async t => {
  const { summary, warnings } = await audited(t)
  t.match(summary, { audited: 6, not_audited: {}, new: null, not_compared: null })
  t.strictSame(warnings, [])
})

test('An audit starts at the page behind a home page that forwards', async t => {
  const { forwards } = await audited(t, undefined, { home: '/a' })
  t.strictSame(forwards, [3], 'the position of /d')
})

test('An audit waits while other audits of the project have all places', async t => {
  const { summary, warnings } = await audited(t, undefined, { minutesOfPage: 0, crowded: 10 })
  t.match(summary, { audited: 6, not_audited: {} })
  t.strictSame(warnings, [])

  const late = await audited(t, undefined, { minutesOfPage: 0, crowded: 10, minutesOfRefusal: 5 })
  t.match(late.summary, { audited: 0, not_audited: { time_limit: 6 } })
  t.strictSame(late.warnings, ['6 pages were not audited within the time limit'])
})

test('An audit of a crawl that is deleted meanwhile is not found, and not billed', async t => {
  for (const deleted of [1, 2]) {
    const bill: string[] = []
    const audit = audited(t, 1, { minutesOfPage: 0, deleted, bill })
    await t.rejects(audit, { code: 'not_found' }, `crawl ${deleted}`)
    t.strictSame(bill, ['failed'])
  }
})

test('A comparison with a newer crawl says so', async t => {
  const { warnings } = await audited(t, 3, { minutesOfPage: 0 })
  t.match(warnings, [/crawl 3 is newer than crawl 2/])
})

test('Each of two crawls has half of the time, and pages beyond it are not compared', async t => {
  const { summary, rules, warnings } = await audited(t, 1)
  t.match(summary, { audited: 3, not_audited: { time_limit: 3 } })
  t.match(summary, { new: 0, same: 2, gone: 0, gone_with_page: 0, not_compared: 2 })
  t.match(rules, [{ rule: 'x/1', count: 3, new: 0, same: 2, gone: 0 }])
  t.strictSame(
    rules[0]?.examples.map(({ change }) => change),
    [null, 'same', 'same'],
  )
  t.strictSame(warnings, [
    '3 pages were not audited within the time limit',
    'crawl 1: 3 pages were not audited within the time limit',
    '2 findings were not compared: the other crawl has no complete audit of their page, or their rule does not apply to it',
  ])
})

test('The earlier crawl has no more than the time that is left', async t => {
  const { summary, warnings } = await audited(t, 1, { minutesOfLinks: 3 })
  t.match(summary, { audited: 3, not_audited: { time_limit: 3 } })
  t.equal(warnings?.[1], 'crawl 1: 5 pages were not audited within the time limit')
})

test('Examples are left out when a reservation would expire', async t => {
  const { rules, warnings } = await audited(t, undefined, { minutesOfPage: 1, minutesOfLinks: 9 })
  t.match(rules, [{ rule: 'x/1', count: 6, examples: { length: 0 } }])
  t.strictSame(warnings, ['the examples on 5 pages are left out: the time limit was reached'])
})

test('A CSV line has the other URLs of its finding in one cell', async t => {
  const pages = { '/a': {}, '/b': {}, '/c,d': {} }
  const [now, earlier] = [siteOf({ pages }), siteOf({ pages })]
  for (const { log } of [now, earlier]) for (const _ of Object.keys(pages)) log.addPage([])
  earlier.log.addOfSite({ page: 0, rule: 'site/title-duplicate', count: 2, related: [1, 2] })
  const names: NameUrls = async () => position => `https://a.example${Object.keys(pages)[position]}`
  const comparison = await Comparison.of(now, earlier, async () => {})
  const parts = { now, earlier, comparison, rules: describedRules({ rules: [] }), names, earlierNames: names }
  const text = async (format: 'csv' | 'ndjson') =>
    (await Array.fromAsync(findingRows(format, parts))).join('')
  t.equal(
    await text('csv'),
    'change,rule,severity,url,page_id,count,samples,pagerank\r\n' +
      'gone,site/title-duplicate,warning,https://a.example/a,100,2,"https://a.example/b https://a.example/c,d",\r\n',
  )
  t.equal(
    await text('ndjson'),
    '{"change":"gone","rule":"site/title-duplicate","severity":"warning","url":"https://a.example/a","page_id":100,' +
      '"count":2,"samples":["https://a.example/b","https://a.example/c,d"],"pagerank":null}\n',
  )
})
