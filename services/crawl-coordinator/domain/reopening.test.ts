/** Runs whose failed URLs the client retries after their end. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { specify } from '@tidemark/testing/specify'
import { test } from 'tap'
import { messagesFor, messagesOut } from '../policies/order-fetching.ts'
import { coverageOf } from './coverage.ts'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { collectFailures } from './explain/failures.ts'
import { addToHistory, emptyHistory } from './explain/history.ts'
import { retriableOf } from './reopening.ts'
import {
  admitted,
  at,
  begun,
  circumstances,
  decider,
  failed,
  finished,
  found,
  key,
  later,
  lookAfter,
  ordered,
  page,
  queued,
  robots,
  robotsFailed,
  settle,
  settled,
  started,
  url,
} from './run.examples.ts'
import { type Known, type Run, type Running, unknown } from './run.ts'
import { viewOf } from './view.ts'

const reopen: RunCommand = { type: 'ReopenRun' }
const reopened = (retried: number, nth = 1): RunEvent => ({ type: 'RunReopened', data: { nth, retried } })
/** Returns an end after a reopening. */
const finishedAgain = (some: Parameters<typeof finished>[1]): RunEvent => {
  const end = finished('exhausted', some)
  return { ...end, data: { ...end.data, reopenings: 1 } } as RunEvent
}
const fails = (path: string, reason = 'timeout', attempts = 1): RunEvent => ({
  type: 'PagesFailed',
  data: { pages: [{ key: key(path), reason, attempts }] },
})
const pagesOf = ({ data }: RunEvent) => ('pages' in data ? data.pages : []) as never[]
const folded = (events: RunEvent[]): Run =>
  events.reduce((run, event) => evolve(run, event, at), unknown as Run)

/** Returns a run of three pages, of which two failed. */
const withFailures = (...more: RunEvent[]): RunEvent[] =>
  begun(
    settled('/', 1),
    admitted('/a', '/b'),
    ordered(2, '/a', '/b'),
    fails('/a', 'timeout', 3),
    fails('/b', 'dns'),
    finished('exhausted', { discovered: 3, fetched: 1, failed: 2 }),
    ...more,
  )

test('A retried page whose late answer is a server error waits in one queue', async t => {
  const answer = { status: 500, bytes: 4, fetchedAt: at, contentType: null, title: null }
  const retried = { key: key('/'), reason: 'http_500', attempt: 3, notBefore: at }
  const hashes = { contentHash: '0'.repeat(64), rawHash: '0'.repeat(64) }
  const run = folded([
    queued({ respectRobots: true }),
    started,
    admitted('/'),
    fails('/'),
    finished('failed', { discovered: 1, failed: 1 }, 'failed'),
    reopened(1),
    { type: 'PagesRetried', data: { pages: [{ ...retried, answer: { ...answer, ...hashes } }] } },
    { type: 'RobotsFailed', data: { origin: 'https://a.example', reason: 'timeout' } },
  ]) as Running
  t.strictSame([...run.rechecks.waiting], [key('/')])
  t.equal(run.ready.size, 0, 'it does not join the queue of its origin when robots.txt is known')
})

test('Retrying the failed URLs of a run', async t => {
  const it = specify(t, decider)

  it('reopens a run that has ended', { given: withFailures(), when: reopen, then: [reopened(2)] })
  it('orders the failed URLs again, as attempts with new numbers', {
    given: withFailures(reopened(2)),
    when: lookAfter,
    then: [ordered(3, '/a', '/b')],
  })
  it('ends the run again, with the pages that were fetched now', {
    given: withFailures(reopened(2), ordered(3, '/a', '/b')),
    when: settle(page('/a'), page('/b')),
    then: [
      { type: 'PagesSettled', data: { pages: [settled('/a', 1), settled('/b', 2)].flatMap(pagesOf) } },
      finishedAgain({ discovered: 3, fetched: 3 }),
    ],
  })
  it('follows the links of the pages', {
    given: withFailures(reopened(2), ordered(3, '/a', '/b')),
    when: settle(page('/a', ['/new'])),
    then: [
      settled('/a', 1),
      { type: 'PagesAdmitted', data: { pages: [found('/new', { depth: 2, from: key('/a') })] } },
      ordered(4, '/new'),
    ],
  })
  it('retries a passing failure as often as at first', {
    given: withFailures(reopened(2), ordered(3, '/a', '/b')),
    when: settle(failed('/a', 'timeout', true, 2)),
    then: [
      {
        type: 'PagesRetried',
        data: { pages: [{ key: key('/a'), reason: 'timeout', attempt: 3, notBefore: later(1) }] },
      },
    ],
  })
  it('counts a URL that fails again', {
    given: withFailures(reopened(2), ordered(3, '/a', '/b')),
    when: settle(page('/a'), failed('/b', 'dns', false, 2)),
    then: [settled('/a', 1), fails('/b', 'dns', 2), finishedAgain({ discovered: 3, fetched: 2, failed: 1 })],
  })
  it('can be repeated after the next end', {
    given: withFailures(
      reopened(2),
      ordered(3, '/a', '/b'),
      settled('/a', 2),
      fails('/b', 'dns', 2),
      finishedAgain({ discovered: 3, fetched: 2, failed: 1 }),
    ),
    when: reopen,
    then: [reopened(1, 2)],
  })
  it('retries a seed that failed', {
    given: begun(
      fails('/', 'dns'),
      finished('failed', { discovered: 1, failed: 1 }, 'failed', 'The host name did not resolve.', 'dns'),
      reopened(1),
      ordered(2, '/'),
    ),
    when: settle(page('/')),
    then: [settled('/', 1), finishedAgain({ discovered: 1, fetched: 1 })],
  })
  it('retries only as many URLs as max_pages has slots', {
    given: [
      queued({ maxPages: 2 }),
      ...withFailures().slice(1, -1),
      finished('exhausted', { discovered: 3, fetched: 1, failed: 2 }),
    ],
    when: reopen,
    then: [reopened(1)],
  })
  for (const [state, given] of [
    ['is running', begun(settled('/', 1), admitted('/a'), fails('/a'))],
    ['has no failures', begun(settled('/', 1), finished('exhausted', { discovered: 1, fetched: 1 }))],
    ['was cancelled', begun(fails('/'), finished('cancelled', { discovered: 1, failed: 1 }, 'cancelled'))],
    ['was deleted', withFailures({ type: 'RunDeleted', data: { projectId: 7, billedPages: 1 } })],
  ] as const) {
    it(`changes nothing in a run that ${state}`, { given: [...given], when: reopen, then: [] })
  }
})

test('A reopened run', async t => {
  t.test('keeps coverage that adds up', async t => {
    const run = folded(withFailures())
    const counts = (run: Run) => {
      const { status, discovered, fetched, failed, pending, holds } = coverageOf(run as Known, 1)
      return [status, discovered, fetched, failed.by_reason, pending, holds]
    }
    t.strictSame(counts(run), ['done', 3, 1, { timeout: 1, dns: 1 }, 0, true])
    const again = evolve(run, reopened(1), later(60))
    t.strictSame(counts(again), ['running', 3, 1, { dns: 1 }, 1, true])
    t.match(viewOf(again), { status: 'running', finished_at: null, error_count: 1, started_at: at })
  })

  t.test('leaves URLs that an earlier end did not reach, and repeats its reason', async t => {
    const given = begun(settled('/', 1), admitted('/a', '/b'), ordered(2, '/a', '/b'), fails('/a'))
    const cut = finished('time_limit', { discovered: 3, fetched: 1, failed: 1, notReached: 1 })
    const run = folded([...given, cut, reopened(1), ordered(3, '/a')])
    const late = decide(run, settle(page('/b')), circumstances())
    t.strictSame(late.events, [], 'an outcome of an order before that end is ignored')
    const { events, run: ended } = decide(run, settle(page('/a')), circumstances())
    t.match(events.at(-1), { type: 'RunFinished', data: { stopReason: 'time_limit' } })
    t.match(coverageOf(ended as Known, 1), { not_reached: { by_limit: { time_limit: 1 } }, holds: true })
  })

  t.test('has its whole time limit from the reopening', async t => {
    const runLimitMs = 60_000
    const run = evolve(folded(withFailures()), reopened(2), later(1_000))
    const look = (seconds: number) =>
      decide(structuredClone(run), lookAfter, circumstances({ at: later(seconds), runLimitMs })).events
    t.match(look(1_059), [{ type: 'PagesOrdered' }])
    t.match(look(1_060), [{ type: 'RunFinished', data: { stopReason: 'time_limit' } }])
  })

  const origin = 'https://a.example'
  const robotsOrdered = (attempt: number): RunEvent => ({ type: 'RobotsOrdered', data: { origin, attempt } })
  const group = { rules: [], crawlDelay: null }
  /** A run that read robots.txt, failed at its seed, and was reopened. */
  const givenWithRobots: RunEvent[] = [
    queued({ respectRobots: true }),
    started,
    admitted('/'),
    robotsOrdered(1),
    { type: 'RobotsRead', data: { origin, status: 200, verdict: 'rules', group, bodyHash: null } },
    ordered(1, '/'),
    fails('/'),
    finished('failed', { discovered: 1, failed: 1 }, 'failed', 'No response.', 'timeout'),
    reopened(1),
  ]

  t.test('reads robots.txt again, under a new number', async t => {
    const run = folded(givenWithRobots) as Running
    t.equal(run.rulesText, 0)
    const { events } = decide(run, lookAfter, circumstances())
    t.strictSame(events, [robotsOrdered(4)])
  })

  t.test('requests a page of a late answer again only after robots.txt is read', async t => {
    const answers = { render: { ...page('/'), isScriptOnly: true } as Outcome, recheck: page('/', [], 503) }
    for (const [name, answer] of Object.entries(answers)) {
      const [, ...rest] = givenWithRobots
      const run = folded([queued({ respectRobots: true, render: 'auto' }), ...rest])
      const first = decide(run, settle(answer), circumstances())
      t.match(first.events, [{ type: 'PagesRetried' }, robotsOrdered(4)], name)
      const wait = decide(first.run, lookAfter, circumstances({ at: later(2) }))
      t.strictSame(wait.events, [], `${name} waits`)
      const read = decide(wait.run, settle(robots('', 200, origin, 4)), circumstances({ at: later(3) }))
      t.match(read.events, [{ type: 'RobotsRead' }, ordered(2, '/')], name)
      t.equal(read.events.length, 2)
    }
  })

  t.test('counts each request for a seed once if its robots.txt fails after the reopening', async t => {
    const run = folded([...givenWithRobots, robotsOrdered(4)])
    const { events } = decide(run, settle(robotsFailed('dns', false, 4)), circumstances())
    t.match(events, [{ type: 'RobotsFailed' }, fails('/', 'dns', 3), { type: 'RunFinished' }])
  })

  t.test('reads a failed sitemap again', async t => {
    const data = { key: key('/sitemap.xml'), url: 'https://a.example/sitemap.xml' }
    const given: RunEvent[] = [
      queued({ seedKind: 'sitemap' }),
      started,
      { type: 'SitemapOrdered', data: { ...data, depth: 0, attempt: 1 } },
      { type: 'SitemapFailed', data: { ...data, reason: 'its sitemap answered HTTP 404' } },
      finished('failed', {}, 'failed', 'The seed could not be crawled.', 'sitemap'),
    ]
    t.strictSame(decide(folded(given), reopen, circumstances()).events, [reopened(0)])
    const { events } = decide(folded([...given, reopened(0)]), lookAfter, circumstances())
    t.strictSame(events, [{ type: 'SitemapOrdered', data: { ...data, depth: 0, attempt: 4 } }])
    const [message] = messagesFor(folded([...given, reopened(0)]) as Running, events)
    t.match(message?.orders.orders, [{ attempt: 4, earlier: 3 }], 'without counting its earlier attempts')
    const [first] = messagesFor(folded(given.slice(0, 2)) as Running, given.slice(2, 3))
    t.notOk('earlier' in (first?.orders.orders[0] ?? {}))
  })

  t.test('sends with its orders the number of attempts that do not count', async t => {
    const given = withFailures(reopened(2))
    const { run, events } = decide(folded(given), lookAfter, circumstances())
    const orders = messagesFor(run as Running, events).flatMap(({ orders }) => orders.orders)
    t.match(orders, [
      { url: url('/a'), attempt: 2, earlier: 1 },
      { url: url('/b'), attempt: 2, earlier: 1 },
    ])
    const rebuilt = messagesOut(folded([...given, ...events]) as Running)
    t.strictSame(
      rebuilt.flatMap(({ orders }) => orders.orders),
      orders,
      'also when they are rebuilt',
    )
    const [first] = messagesOut(folded(begun()) as Running)
    t.notOk('earlier' in (first?.orders.orders[0] ?? {}), 'and none before a reopening')
  })

  t.test('is explained: its failures are those of now, and a URL has all its attempts', async t => {
    const failures = collectFailures()
    const history = emptyHistory()
    const events = withFailures(reopened(2), ordered(3, '/a', '/b'), settled('/a', 2), fails('/b', 'tls', 2))
    for (const event of events) {
      const stored = { sequence: 1, commit: { at, events: [event] } }
      failures.add(stored)
      addToHistory(history, key('/a'), stored)
    }
    t.match(failures.found, [{ url: 'https://a.example/b', reason: 'tls', attempts: 2 }])
    t.match(history, { verdict: 'fetched', attempts: [{ outcome: 'failed' }, { outcome: 'fetched' }] })
  })

  t.test('says why nothing can be retried', async t => {
    const full = withFailures().map(event => (event.type === 'RunQueued' ? queued({ maxPages: 1 }) : event))
    t.strictSame(retriableOf(folded(full)), { refused: 'max_pages_reached' })
    t.strictSame(retriableOf(folded(begun())), { refused: 'run_active' })
    t.strictSame(retriableOf(folded(withFailures())), { nth: 1, retried: 2 })
  })
})

/** Returns a run with a sitemap as seed, which receives outcomes ten seconds apart. */
function fromSitemap(some: Partial<RunSettings> = {}) {
  const crawl = crawlOf([queued({ seedKind: 'sitemap', ...some })])
  crawl.look()
  return crawl
}

/** Returns a run that receives outcomes ten seconds apart. */
function crawlOf(given: RunEvent[]) {
  let run = folded(given)
  let seconds = 0
  let id = 0
  const send = (command: RunCommand): RunEvent[] => {
    seconds += 10
    const decided = decide(run, command, circumstances({ at: later(seconds), takeId: () => ++id }))
    run = decided.run
    return decided.events
  }
  return {
    receive: (...outcomes: Outcome[]) => send(settle(...outcomes)),
    look: () => send(lookAfter),
    /** Ends the run at its maximum duration. */
    expire: () => {
      seconds += circumstances().runLimitMs / 1000
      return send(lookAfter)
    },
    /** Reopens the run, and returns the event and the orders that follow. */
    reopen: () => [...send(reopen), ...send(lookAfter)],
    run: () => run as Known,
  }
}

const sitemap = (
  path: string,
  links: string[],
  some: Partial<Extract<Outcome, { type: 'sitemap' }>> = {},
) => ({
  ...{ type: 'sitemap' as const, runId: 1, key: key(path), attempt: 1, status: 200, sitemaps: [], cut: null },
  links: links.map((link): [string, string] => [key(link), url(link)]),
  ...some,
})
const index = (...paths: string[]) =>
  sitemap('/sitemap.xml', [], { sitemaps: paths.map(path => [key(path), url(path)]) })
const orderOf = (path: string, attempt: number): object => ({
  type: 'SitemapOrdered',
  data: { key: key(path), attempt },
})
const again = (path: string, attempt: number, links: string[] = []): Outcome => ({
  ...page(path, links),
  attempt,
})

/** Returns the number of orders when each attempt fails, and the attempts of the failure that follows. */
function countsOf(
  crawl: ReturnType<typeof crawlOf>,
  orders: readonly RunEvent[],
  failure: (attempt: number) => Outcome,
): (number | undefined)[] {
  let made = 0
  const attempts: (number | undefined)[] = []
  for (let ordered = orders; ; ) {
    const order = ordered.find(event => event.type === 'RobotsOrdered' || event.type === 'SitemapOrdered')
    if (order === undefined) return [made, ...attempts]
    made++
    for (const event of crawl.receive(failure(order.data.attempt)))
      if (event.type === 'PagesFailed') attempts.push(event.data.pages[0]?.attempts)
    ordered = crawl.look()
  }
}
const rounds = [
  [true, 3],
  [false, 1],
] as const

test('A seed whose robots.txt cannot be fetched', async t => {
  for (const [transient, attempts] of rounds)
    t.test(`fails after ${attempts} attempts a round, and all of them count`, async t => {
      const failure = (attempt: number) => robotsFailed('connect', transient, attempt)
      // Given a run whose seed waits for robots.txt.
      const crawl = crawlOf([queued({ respectRobots: true }), started, admitted('/')])
      t.strictSame(countsOf(crawl, crawl.look(), failure), [attempts, attempts])
      // When the client retries it, then the attempts of all rounds are its number, and no more.
      for (const round of [2, 3])
        t.strictSame(countsOf(crawl, crawl.reopen(), failure), [attempts, round * attempts])
    })
})

test('A sitemap that cannot be fetched', async t => {
  for (const [transient, attempts] of rounds)
    t.test(`fails after ${attempts} attempts a round, and all of them count`, async t => {
      const failure = (attempt: number) => failed('/sitemap.xml', 'connect', transient, attempt)
      // Given a run whose seed is a sitemap.
      const crawl = crawlOf([queued({ seedKind: 'sitemap' })])
      t.strictSame(countsOf(crawl, crawl.look(), failure), [attempts, attempts])
      // When the client retries it, then the attempts of all rounds are its number, and no more.
      for (const round of [2, 3])
        t.strictSame(countsOf(crawl, crawl.reopen(), failure), [attempts, round * attempts])
    })
  t.test('has no attempt for a retry that the end of its run dropped', async t => {
    // Given a sitemap that waits for its second attempt when the time of its run is over.
    const crawl = fromSitemap()
    crawl.receive(index('/a.xml', '/b.xml'))
    crawl.receive(sitemap('/a.xml', ['/1']))
    crawl.receive(failed('/1', 'dns'), failed('/b.xml', 'connect', true))
    crawl.expire()
    // When the client retries the failed page, then the sitemap has one attempt of each round.
    t.match(crawl.reopen(), [reopened(1), orderOf('/b.xml', 4), { type: 'PagesOrdered' }])
    t.match(crawl.receive(failed('/b.xml', 'connect', false, 4)), [
      { type: 'SitemapFailed' },
      fails('/b.xml', 'connect', 2),
    ])
  })
})

test('A failed sitemap of a run that has all its pages', async t => {
  /** Two pages of three URLs, and a sitemap that is too large. */
  const full = () => {
    const crawl = fromSitemap({ maxPages: 2 })
    crawl.receive(index('/a.xml', '/b.xml'))
    crawl.receive(failed('/b.xml', 'too_large'))
    crawl.receive(sitemap('/a.xml', ['/1', '/2', '/3']))
    crawl.receive(page('/1'), page('/2'))
    return crawl
  }

  t.test('is read again, and its URLs are not reached', async t => {
    const crawl = full()
    t.match(crawl.run(), { status: 'done', stopReason: 'max_pages', totals: { failed: 1 } })
    t.match(crawl.reopen(), [reopened(1), orderOf('/b.xml', 4)])
    crawl.receive(sitemap('/b.xml', ['/4'], { attempt: 4 }))
    t.match(crawl.run(), {
      status: 'done',
      stopReason: 'max_pages',
      totals: { discovered: 4, fetched: 2, failed: 0, notReached: 2 },
    })
  })
  t.test('is awaited until its last attempt', async t => {
    const crawl = full()
    crawl.reopen()
    crawl.receive(failed('/b.xml', 'timeout', true, 4))
    t.match(crawl.look(), [orderOf('/b.xml', 5)])
    crawl.receive(failed('/b.xml', 'timeout', true, 5))
    t.match(crawl.look(), [orderOf('/b.xml', 6)])
    crawl.receive(failed('/b.xml', 'timeout', true, 6))
    t.match(crawl.run(), { status: 'done', stopReason: 'max_pages', totals: { failed: 1 } })
  })
  t.test('is awaited after another reopened page has taken the only slot', async t => {
    const crawl = fromSitemap({ maxPages: 2 })
    crawl.receive(sitemap('/sitemap.xml', ['/1', '/2'], { sitemaps: [[key('/b.xml'), url('/b.xml')]] }))
    crawl.receive(failed('/2', 'dns'))
    crawl.receive(failed('/b.xml', 'too_large'))
    crawl.receive(page('/1'))
    t.match(crawl.run(), { status: 'done', totals: { failed: 2 } })
    t.match(crawl.reopen(), [reopened(2), orderOf('/b.xml', 4), { type: 'PagesOrdered' }])
    crawl.receive(again('/2', 2))
    t.equal(crawl.run().status, 'running')
    crawl.receive(failed('/b.xml', 'too_large', false, 4))
    t.match(crawl.run(), { status: 'done', totals: { fetched: 2, failed: 1 } })
  })
})

test('A failed sitemap behind a failed page that has no slot', async t => {
  const crawl = fromSitemap({ maxPages: 2 })
  crawl.receive(sitemap('/sitemap.xml', ['/1', '/2', '/3'], { sitemaps: [[key('/b.xml'), url('/b.xml')]] }))
  crawl.receive(failed('/1', 'dns'), failed('/2', 'dns'))
  crawl.receive(failed('/b.xml', 'too_large'))
  crawl.receive(page('/3'))
  t.match(crawl.run(), { status: 'done', totals: { fetched: 1, failed: 3 } })
  t.strictSame(
    crawl.reopen().map(({ type }) => type),
    ['RunReopened', 'PagesOrdered'],
    'is not read, because it stays among the failures',
  )
  t.match(coverageOf(crawl.run(), 1), { failed: { total: 2 }, sitemaps: { failed: 1 } })
  crawl.receive(again('/1', 2))
  t.match(crawl.run(), { status: 'done', totals: { fetched: 2, failed: 2 } })
  t.strictSame(retriableOf(crawl.run()), { refused: 'max_pages_reached' })
})

test('A failed sitemap whose failure is delivered again', async t => {
  const timeout = (attempt: number) => failed('/sitemap.xml', 'timeout', true, attempt)
  const answers = (status: number, attempt: number) => sitemap('/sitemap.xml', [], { status, attempt })

  t.test('keeps its attempt in flight', async t => {
    const crawl = fromSitemap()
    crawl.receive(timeout(1))
    t.match(crawl.look(), [orderOf('/sitemap.xml', 2)])
    const late = [timeout(1), failed('/sitemap.xml', 'given_up'), ...[503, 429, 404].map(s => answers(s, 1))]
    for (const outcome of late) t.strictSame(crawl.receive(outcome), [], JSON.stringify(outcome))
    t.match(crawl.receive(answers(503, 2)), [{ type: 'SitemapRetried', data: { attempt: 3 } }])
  })
  t.test('is read if an earlier attempt succeeds late', async t => {
    const crawl = fromSitemap()
    crawl.receive(timeout(1))
    crawl.look()
    t.match(crawl.receive(sitemap('/sitemap.xml', ['/1'])), [
      { type: 'SitemapRead' },
      { type: 'PagesAdmitted' },
      { type: 'PagesOrdered' },
    ])
  })
  t.test('is retried in spite of a late failure from before the reopening', async t => {
    const crawl = fromSitemap()
    for (const attempt of [1, 2, 3]) {
      crawl.receive(timeout(attempt))
      crawl.look()
    }
    t.match(crawl.run(), { status: 'failed', totals: { failed: 1 } })
    t.match(crawl.reopen(), [reopened(1), orderOf('/sitemap.xml', 4)])
    t.strictSame(crawl.receive(timeout(3)), [])
    t.strictSame(crawl.receive(failed('/sitemap.xml', 'given_up', false, 3)), [])
    t.match(crawl.receive(timeout(4)), [{ type: 'SitemapRetried', data: { attempt: 5 } }])
  })
})
