/** Bounds of one decision, one robots.txt and one run, for any site. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { openPatternThread, type PatternThread } from '@tidemark/url/pattern-thread'
import { test } from 'tap'
import { judgeUrls } from '../handlers/judge-urls.ts'
import { coverageOf } from './coverage.ts'
import { decide, type RunCommand } from './decide.ts'
import { nextCheck } from './orders.ts'
import {
  begun,
  circumstances,
  decider,
  found,
  key,
  later,
  lookAfter,
  page,
  queued,
  redirect,
  robots,
  settings,
  settle,
  site,
  url,
} from './run.examples.ts'
import { type Run, type Running, unknown } from './run.ts'

const fold = (...events: RunEvent[]): Run => events.reduce(decider.evolve, unknown as Run)
const typesOf = (events: RunEvent[]): string[] => events.map(({ type }) => type)
const bytesOf = (events: RunEvent[]): number => Buffer.byteLength(JSON.stringify(events))

/** Parts of a sitemap that the extractor sends in advance. */
function parts(paths: string[], size = 2_000): Outcome[] {
  const about = { runId: 1, key: key('/sitemap.xml'), attempt: 1 }
  return Array.from({ length: Math.ceil(paths.length / size) }, (_, part) => ({
    type: 'links',
    ...about,
    part,
    links: paths.slice(part * size, (part + 1) * size).map(path => [key(path), url(path)]),
  }))
}

/** Returns a run that gets one command after the other, with a check of its coverage after each. */
function crawling(t: { fail: (message: string) => unknown }, first: RunEvent) {
  let run = fold(first)
  const largest = { bytes: 0 }
  return {
    largest,
    run: () => run as Running,
    send(command: RunCommand, seconds = 0, window = 512): RunEvent[] {
      const decided = decide(run, command, circumstances({ at: later(seconds), window }))
      run = decided.run
      largest.bytes = Math.max(largest.bytes, bytesOf(decided.events))
      if (run.status === 'running' && !coverageOf(run, 1).holds) t.fail('the coverage does not add up')
      return decided.events
    },
  }
}

test('A decision is one message for any number of waiting pages', async t => {
  const paths = Array.from({ length: 50_000 }, (_, n) => `/${'long-names-of-products-'.repeat(2)}${n}`)
  const requested = queued({ seedKind: 'sitemap', respectRobots: true, maxPages: 40_000 })

  t.test('if a robots.txt forbids all of them', async t => {
    const { send, run, largest } = crawling(t, requested)
    send(lookAfter)
    for (const part of parts(paths)) send(settle(part))
    t.equal(run().pending.size, 40_000)
    for (const [n, seconds] of [0, 1, 3].entries()) {
      send(settle(robots('', 503, site, n + 1)), seconds)
      t.equal(run().robots.size, 1, `answer ${n}`)
      send(lookAfter, seconds + 2)
    }
    send(
      settle({
        type: 'failed',
        runId: 1,
        key: key('/sitemap.xml'),
        attempt: 1,
        reason: 'x',
        transient: false,
        retryAfterMs: 0,
      }),
      6,
    )
    let decisions = 0
    for (; run().status === 'running' && decisions < 100; decisions++) {
      t.equal(nextCheck(run(), 1e9), 0, 'the next is due at once')
      send(lookAfter, 6)
    }
    t.ok(decisions > 20, `${decisions} decisions`)
    t.ok(largest.bytes < 1_500_000, `the largest of them has ${largest.bytes} bytes`)
    t.match(run(), {
      status: 'failed',
      totals: { discovered: 50_001, skipped: 50_000, failed: 1, pending: 0 },
    })
  })

  t.test('if the waiting pages turn out to be a trap', async t => {
    const { send, run, largest } = crawling(t, queued({ seedKind: 'sitemap', maxPages: 8_000 }))
    send(lookAfter)
    for (const part of parts(paths.slice(0, 10_000))) send(settle(part), 0, 60)
    const out = [...run().pending.values()].filter(({ order }) => order).map(({ found }) => found.url)
    send(settle(...out.map(at => page(at))), 0, 60)
    for (let looks = 0; run().isUnfinished && looks < 100; looks++) send(lookAfter)
    t.ok(largest.bytes < 1_500_000, `the largest has ${largest.bytes} bytes`)
    t.equal(run().counts.skipped, 10_000 - 60, 'all of them are skipped')
    t.equal(run().deferred.count, 0)
  })

  t.test('and a page that is skipped at its order frees its slot for a waiting page', async t => {
    const { send } = crawling(t, queued({ seedKind: 'sitemap', maxPages: 61 }))
    const news = Array.from({ length: 61 }, (_, n) => `/news/${n}`)
    send(lookAfter)
    send(settle(...parts([...news, '/shop/x'])), 0, 60)
    const events = send(settle(...news.slice(0, 60).map(path => page(path))), 0, 60)
    t.same(typesOf(events), ['PagesSettled', 'PagesAdmitted', 'PagesPruned', 'PagesOrdered'])
    t.match(events[3], { data: { messages: [{ keys: [key('/shop/x')] }] } })
  })
})

test('The rules of a robots.txt', async t => {
  const of = (body: string, origin = 'https://a.example') => {
    const requested: RunEvent = { type: 'RobotsOrdered', data: { origin, attempt: 1 } }
    const waiting = begun(requested)
    return decide(fold(...waiting), settle(robots(`User-agent: *\n${body}`, 200, origin)), circumstances())
      .events
  }
  const many = (line: (n: number) => string) => Array.from({ length: 30_000 }, (_, n) => line(n)).join('\n')

  t.ok(bytesOf(of('allow:\n'.repeat(73_000))) < 1_000, 'without effect are not kept')
  t.ok(bytesOf(of('Disallow: /same\n'.repeat(30_000))) < 1_000, 'nor are repetitions')
  t.ok(bytesOf(of(many(n => `Disallow: /${n}`))) < 500_000, 'are kept up to the capacity of a run')
  t.ok(bytesOf(of(`Disallow: /${'\u0001'.repeat(7_000)}\n`.repeat(72))) < 500_000, 'in any encoding')
  const kept = of(`${many(n => `Allow: /a${n}`)}\nDisallow: /private`)[0]
  t.ok(
    kept?.type === 'RobotsRead' && kept.data.group.rules.some(({ allow }) => !allow),
    'rules that forbid come first',
  )

  const lines = Array.from({ length: 31 }, (_, n) => `Disallow: /${n}${'x'.repeat(8_000)}`).join('\n')
  let run = fold(...begun())
  const answers = new Set<string>()
  for (let n = 0; n < 150; n++) {
    const origin = `https://h${n}.a.example`
    run = decider.evolve(run, { type: 'RobotsOrdered', data: { origin, attempt: 1 } })
    const answer = robots(`User-agent: *\n${lines}`, 200, origin)
    const decided = decide(run, settle(answer), circumstances())
    for (const { type, data } of decided.events) answers.add(`${type} ${'reason' in data ? data.reason : ''}`)
    run = decided.run
  }
  t.same([...answers], ['RobotsRead ', 'RobotsFailed too_many_rules'], 'of all origins are bounded together')
})

test('The deciding line is named with each URL, and truncated', async t => {
  const rule = `/${'*'.repeat(3_000)}`
  const run = fold(...begun({ type: 'RobotsOrdered', data: { origin: 'https://a.example', attempt: 1 } }))
  const polite = { ...run, settings: { ...(run as Running).settings, respectRobots: true } } as Run
  const known = decide(polite, settle(robots(`User-agent: *\nDisallow: ${rule}`)), circumstances()).run
  const { events } = decide(known, settle(page('/', ['/a'])), circumstances())
  const skipped = events.find(event => event.type === 'PagesSkipped')
  t.equal(skipped?.data.pages[0]?.rule?.length, 200)
})

test('The target of a redirect out of the site is named, and truncated', async t => {
  const target = `https://b.example/?${'x'.repeat(8_000)}`
  const run = decide(fold(...begun()), settle(page('/', ['/a'])), circumstances()).run
  const { events } = decide(run, settle(redirect('/a', target)), circumstances())
  const skipped = events.find(event => event.type === 'PagesSkipped')
  t.equal(skipped?.data.pages[0]?.rule, `redirects to ${target.slice(0, 199)}…`)
})

test('A frontier is full when its URLs are too long together', async t => {
  const long = Array.from({ length: 8_000 }, (_, n) => found(`/?${n}${'x'.repeat(8_000)}`))
  const requested = begun({ type: 'PagesAdmitted', data: { pages: long } })
  const full = fold(queued({ trapGuards: false, maxPages: 100_000 }), ...requested.slice(1))
  const { events } = decide(full, settle(page('/', ['/new'])), circumstances({ window: 0 }))
  t.same(typesOf(events), ['PagesSettled', 'FrontierFilled'])
})

test('A frontier holds as many characters as the pages of the run allow', async t => {
  const fill = (count: number, some: Parameters<typeof settings>[0]) => {
    const long = Array.from({ length: count }, (_, n) => found(`/?${n}${'x'.repeat(8_000)}`))
    const admitted = begun({ type: 'PagesAdmitted', data: { pages: long } })
    const full = fold(queued({ trapGuards: false, unlimited: true, ...some }), ...admitted.slice(1))
    return typesOf(decide(full, settle(page('/', ['/new'])), circumstances({ window: 0 })).events)
  }
  const [one, day] = [4_000_000 / 8_000, 10_000]
  const filled = ['PagesSettled', 'FrontierFilled']
  t.same(fill(one, { maxPages: 1 }), filled, 'four million for a few pages')
  t.same(fill(one - 2, { maxPages: 1 }), ['PagesSettled', 'PagesDeferred'])
  t.not(fill(one, { maxPages: 1_000 }).at(-1), 'FrontierFilled', 'more for more pages')
  t.same(fill(1_000, { maxPages: 1_000 }), filled)
  t.same(fill(one, { maxPages: day, caps: { pagesPerDay: 20 } }), filled, 'but not beyond the cap of the day')
  t.not(fill(one, { maxPages: day, caps: { pagesPerDay: day } }).at(-1), 'FrontierFilled')
})

test('A forecast with slow patterns judges URLs until its time ends', async t => {
  const patterns = openPatternThread()
  t.teardown(() => patterns[Symbol.asyncDispose]())
  /** A thread whose clock runs five times as fast. */
  const slow: Pick<PatternThread, 'judge'> = {
    async judge(lists, urls, { budgetMs, ...about }) {
      const judged = await patterns.judge(lists, urls, { ...about, budgetMs: budgetMs / 5 })
      return { ...judged, spentMs: judged.spentMs * 5 }
    },
  }
  const judge = judgeUrls({ ...circumstances(), patterns: slow })
  const excludePaths = Array.from({ length: 60 }, (_, n) => `[ab]*a[ab]{20}[^ab]${n}`)
  const urls = Array.from({ length: 2_000 }, (_, n) => {
    let odd = n
    const letters = Array.from({ length: 2_000 }, () => {
      odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
      return odd > 0x7fffffff ? 'a' : 'b'
    })
    return url(`/${letters.join('')}`)
  })
  const requested = {
    projectId: 7,
    url: url('/'),
    settings: settings({ trapGuards: false }),
    robots: [],
    urls,
  }
  t.match(await judge(requested), { judged: 2_001, isCut: undefined }, 'all of them without patterns')
  const usual = { ...requested.settings, excludePaths: ['^/0', '^/x'] }
  const some = [url('/0'), url('/1'), url('/x'), url('/1')]
  const answer = await judge({ ...requested, settings: usual, urls: some })
  t.match(answer, {
    judged: 4,
    admitted: 2,
    isCut: undefined,
    out: [{ rule: 'exclude', because: '^/0' }, {}],
  })
  const costly = { ...requested, settings: { ...requested.settings, excludePaths } }
  const began = performance.now()
  const { judged, isCut } = await judge(costly)
  const ms = Math.round(performance.now() - began)
  t.ok(isCut && judged > 1 && judged < 2_000 && ms < 9_000, `${judged} URLs in ${ms} ms`)
})

test('The end of a run names the sitemaps that it read in part because of a fault', async t => {
  const crawl = crawling(t, queued({ seedKind: 'sitemap' }))
  crawl.send(lookAfter)
  const sitemap = (path: string, sitemaps: string[], cut: string | null): Outcome => ({
    ...{ type: 'sitemap', runId: 1, key: key(path), attempt: 1, status: 200, cut },
    ...{ links: [], sitemaps: sitemaps.map(each => [key(each), url(each)]) },
  })
  crawl.send(settle(sitemap('/sitemap.xml', ['/a.xml', '/b.xml'], null)))
  crawl.send(settle(sitemap('/a.xml', [], 'it is not a sitemap')))
  crawl.send(settle(sitemap('/b.xml', [], 'more than 50000 addresses')))
  t.match(crawl.run(), { status: 'done', stopReason: 'exhausted', faultySitemaps: [key('/a.xml')] })
})

test('A run ends at max_pages if it leaves sitemaps unread', async t => {
  const sitemap = (path: string, links: string[], sitemaps: string[] = [], status = 200): Outcome => ({
    ...{ type: 'sitemap', runId: 1, key: key(path), attempt: 1, status, cut: null },
    links: links.map(link => [key(link), url(link)]),
    sitemaps: sitemaps.map(each => [key(each), url(each)]),
  })
  /** Returns an index, and one sitemap with exactly as many URLs as the run has slots. */
  const filled = (paths: string[]) => {
    const crawl = crawling(t, queued({ seedKind: 'sitemap', maxPages: 2 }))
    crawl.send(lookAfter)
    crawl.send(settle(sitemap('/sitemap.xml', [], paths)))
    return crawl
  }
  const pages = settle(page('/1'), page('/2'))

  const waiting = filled(['/a.xml', '/b.xml'])
  waiting.send(settle(sitemap('/b.xml', [], [], 503)))
  waiting.send(settle(sitemap('/a.xml', ['/1', '/2'])))
  waiting.send(pages)
  const left = (...paths: string[]) => ({
    ...{ status: 'done', stopReason: 'max_pages', unreadSitemaps: paths.map(path => key(path)) },
  })
  t.match(waiting.run(), left('/b.xml'), 'one that waits for its next attempt')

  const many = ['/a.xml', '/b.xml', '/c.xml', '/d.xml', '/e.xml']
  const named = filled(many)
  named.send(settle(sitemap('/a.xml', ['/1', '/2'])))
  named.send(settle(...many.slice(1, 4).map(path => sitemap(path, []))))
  named.send(pages)
  t.match(named.run(), left('/e.xml'), 'one that is never ordered')

  const full = filled(['/a.xml'])
  full.send(settle(sitemap('/a.xml', ['/1', '/2', '/3'])))
  full.send(pages)
  t.match(full.run(), left(), 'and names none if only URLs are beyond the limit')

  const read = filled(['/a.xml', '/b.xml'])
  read.send(settle(sitemap('/b.xml', [])))
  read.send(settle(sitemap('/a.xml', ['/1', '/2'])))
  read.send(pages)
  t.match(
    read.run(),
    { status: 'done', stopReason: 'exhausted', unreadSitemaps: undefined },
    'but not if all are read',
  )

  const late = filled(['/a.xml', '/b.xml'])
  late.send(settle(sitemap('/b.xml', [], [], 503)))
  late.send(settle(sitemap('/a.xml', ['/1', '/2'])))
  late.send(settle(page('/1')))
  late.send(lookAfter, 8 * 86_400)
  t.match(late.run(), { status: 'done', stopReason: 'time_limit' }, 'and another limit keeps its reason')
})
