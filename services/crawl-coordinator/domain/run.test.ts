import type { RunEvent } from '@tidemark/contracts/run'
import { maxBackOffMs, maxPageAttempts } from '@tidemark/contracts/work/fetch'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { specify } from '@tidemark/testing/specify'
import { test } from 'tap'
import { messagesFor } from '../policies/order-fetching.ts'
import { decide, type RunCommand } from './decide.ts'
import { nextCheck } from './orders.ts'
import { attemptsOf, earlierThan } from './retry.ts'
import {
  admitted,
  at,
  begun,
  circumstances,
  decider,
  dropping,
  failed,
  finished,
  found,
  key,
  later,
  lookAfter,
  ordered,
  page,
  queued,
  redirect,
  robots,
  robotsFailed,
  settle,
  settled,
  site,
  started,
  url,
} from './run.examples.ts'
import { type Run, type Running, unknown } from './run.ts'

test('A crawl run', async t => {
  const it = specify(t, decider)

  it('begins with its seed, once', {
    given: [queued()],
    when: lookAfter,
    then: [started, admitted('/'), ordered(1, '/')],
  })
  it('begins only once', { given: begun(), when: lookAfter, then: [] })
  it('admits what a page links to, each URL once', {
    given: begun(),
    when: settle(page('/', ['/', '/a', '/a', '/b'])),
    then: [settled('/', 1), admitted('/a', '/b'), ordered(2, '/a', '/b')],
  })
  it('ignores an unexpected page', {
    given: begun(settled('/', 1), admitted('/a'), ordered(2, '/a')),
    when: settle(page('/', ['/b'])),
    then: [],
  })
  it('is done when nothing is left', {
    given: begun(),
    when: settle(page('/')),
    then: [settled('/', 1), finished('exhausted', { discovered: 1, fetched: 1 })],
  })
  it('counts a 404 of the seed as a page', {
    given: begun(),
    when: settle(page('/', [], 404)),
    then: [settled('/', 1, { status: 404 }), finished('exhausted', { discovered: 1, fetched: 1 })],
  })
  it('leaves other hosts alone', {
    given: begun(),
    when: settle(page('/', ['https://b.example/'])),
    then: [settled('/', 1), finished('exhausted', { discovered: 1, fetched: 1 })],
  })
  it('fails when its seed cannot be fetched', {
    given: begun(),
    when: settle(failed('/', 'dns')),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'dns', attempts: 1 }] } },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The host name could not be resolved.',
        'dns',
      ),
    ],
  })
  it('ends when it is cancelled, and keeps its pages', {
    given: begun(),
    when: { type: 'CancelRun' },
    then: [dropping(1, finished('cancelled', { discovered: 1, notReached: 1 }, 'cancelled'))],
  })
  it('stays ended', {
    given: begun(finished('cancelled', { discovered: 1, notReached: 1 }, 'cancelled')),
    when: settle(page('/', ['/a'])),
    then: [],
  })
})

test('Another attempt of a page', async t => {
  const it = specify(t, decider)
  const retried = (attempt: number, seconds: number): RunEvent => ({
    type: 'PagesRetried',
    data: {
      pages: [
        {
          key: key('/'),
          reason: 'timeout',
          attempt,
          notBefore: new Date(Date.parse(at) + seconds * 1000).toISOString(),
        },
      ],
    },
  })

  const because = 'it refused CONNECT to port 80 (403)'
  it('carries the words of a proxy that refuses', {
    given: begun(),
    when: settle({ ...failed('/', 'proxy'), because } as Outcome),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'proxy', attempts: 1, because }] } },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The proxy could not be used: it refused CONNECT to port 80 (403).',
        'proxy',
      ),
    ],
  })
  it('is ordered after a transient failure', {
    given: begun(),
    when: settle(failed('/', 'timeout', true)),
    then: [retried(2, 1)],
  })
  it('waits longer the second time', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle(failed('/', 'timeout', true, 2)),
    then: [retried(3, 5)],
  })
  const busy = (retryAfterMs: number) => ({ ...failed('/', 'timeout', true), retryAfterMs }) as Outcome
  it('waits as long as the site demands', {
    given: begun(),
    when: settle(busy(30_000)),
    then: [retried(2, 30)],
  })
  it('waits no shorter than usual if the site demands less', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle({ ...failed('/', 'timeout', true, 2), retryAfterMs: 2_000 } as Outcome),
    then: [retried(3, 5)],
  })
  it('waits two minutes at most', { given: begun(), when: settle(busy(3_600_000)), then: [retried(2, 120)] })
  it('is the last when it is the third', {
    given: begun(retried(2, 0), ordered(2, '/'), retried(3, 0), ordered(3, '/')),
    when: settle(failed('/', 'timeout', true, 3)),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'timeout', attempts: 3 }] } },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The host did not respond in time.',
        'timeout',
      ),
    ],
  })
  it('is not ordered by a late failure of an earlier one', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle(failed('/', 'timeout', true, 1)),
    then: [],
  })
  it('is superfluous after a late success of an earlier one', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle(page('/')),
    then: [settled('/', 1), finished('exhausted', { discovered: 1, fetched: 1 })],
  })
  it('is recorded with its page', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle({ ...page('/'), attempt: 2 }),
    then: [settled('/', 1, { attempt: 2 }), finished('exhausted', { discovered: 1, fetched: 1 })],
  })
})

test('Silence', async t => {
  const fold = (...events: RunEvent[]) => events.reduce(decider.evolve, unknown as Run)
  const lookAt = (run: Run, seconds: number) => {
    const decided = decide(run, lookAfter, circumstances({ at: later(seconds) }))
    return { ...decided, types: decided.events.map(({ type }) => type) }
  }
  const again = (times: number, number = 1, ...paths: string[]): RunEvent => ({
    type: 'PagesOrdered',
    data: { messages: [{ number, keys: (paths.length > 0 ? paths : ['/']).map(key), again: times }] },
  })
  const { runLimitMs } = circumstances()

  t.test('does not delay a page for longer than any delay if the clock was set back', t => {
    const retried = { key: key('/'), reason: 'timeout', attempt: 2, notBefore: later(86_400) }
    const run = fold(...begun({ type: 'PagesRetried', data: { pages: [retried] } }))
    t.equal(nextCheck(run as Running, runLimitMs), Date.parse(at) + maxBackOffMs)
    t.match(lookAt(run, 120).types, ['PagesOrdered'])
    t.end()
  })

  t.test('is no failure: outstanding orders are sent again, each time later', async t => {
    let run = fold(...begun())
    let seconds = 0
    for (const [times, wait] of [120, 490, 1_800, 1_800].entries()) {
      for (const early of [1, wait / 2, wait - 1]) {
        t.strictSame(lookAt(run, seconds + early).events, [], `not before ${wait} s`)
      }
      seconds += wait
      t.equal(nextCheck(run as Running, runLimitMs), Date.parse(later(seconds)), 'and is due then')
      const { events, run: after } = lookAt(run, seconds)
      t.strictSame(events, [again(times + 1)])
      const [message] = messagesFor(after as Running, events)
      t.match(message, { id: '1.1', orders: { orders: [{ attempt: 1 }] } }, 'under the same id')
      run = after
    }
    const { events } = decide(run, settle(page('/')), circumstances())
    t.match(events, [{ type: 'PagesSettled' }, { type: 'RunFinished', data: { totals: { failed: 0 } } }])
  })
  t.test('ends with any answer, also a bad one', async t => {
    const silent = fold(...begun(admitted('/a'), ordered(2, '/a'), again(3), again(3, 2, '/a')))
    const { run } = decide(silent, settle(failed('/', 'timeout', true)), circumstances())
    const { events } = lookAt(run, 121)
    t.same(
      events.flatMap(({ type, data }) => (type === 'PagesOrdered' ? data.messages : [])).map(m => m.again),
      [1, undefined],
      'the next wait is the first one again, and a retry after the failure does not count',
    )
  })
  t.test('applies to robots.txt and sitemaps too', async t => {
    const robotsOrdered: RunEvent = {
      type: 'RobotsOrdered',
      data: { origin: 'https://a.example', attempt: 2 },
    }
    const waiting = fold(queued({ respectRobots: true }), started, admitted('/'), robotsOrdered)
    t.match(lookAt(waiting, 120).events, [{ type: 'RobotsOrdered', data: { attempt: 2, again: 1 } }])
    const seeded = decide(fold(queued({ seedKind: 'sitemap' })), lookAfter, circumstances()).run
    t.match(lookAt(seeded, 120).events, [{ type: 'SitemapOrdered', data: { attempt: 1, again: 1 } }])
  })
  t.test('gives a page up after many hours', async t => {
    const given = lookAt(fold(...begun(again(24))), 1800)
    t.match(given.events, [
      { type: 'PagesFailed', data: { pages: [{ reason: 'given_up', attempts: 1 }] } },
      { type: 'RunFinished', data: { errorMessage: /crawler itself/ } },
    ])
  })
  t.test('is not affected by a clock that goes back', async t => {
    const hourAgo = -3_600
    const { run } = decide(fold(...begun()), settle(failed('/', 'timeout', true)), circumstances())
    t.same(lookAt(run, 0.5).types, [], 'the wait is kept')
    t.same(lookAt(run, hourAgo).types, ['PagesOrdered'], 'but no wait exceeds the maximum')
    t.same(
      lookAt(fold(...begun()), hourAgo).events,
      [again(1)],
      'and outstanding orders do not wait for an hour',
    )
  })
})

test('The limits of a run', async t => {
  const it = specify(t, decider)
  const deferred = (limit: 'max_pages' | 'depth', ...paths: string[]): RunEvent => ({
    type: 'PagesDeferred',
    data: { limit, pages: paths.map(path => found(path)) },
  })
  const of = (maxPages: number, ...more: RunEvent[]) => [
    queued({ maxPages }),
    started,
    admitted('/'),
    ordered(1, '/'),
    ...more,
  ]

  it('admit no page beyond max_pages', {
    given: of(2),
    when: settle(page('/', ['/a', '/b'])),
    then: [settled('/', 1), deferred('max_pages', '/b'), admitted('/a'), ordered(2, '/a')],
  })
  it('are recorded as the reason to stop', {
    given: of(2, settled('/', 1), deferred('max_pages', '/b'), admitted('/a'), ordered(2, '/a')),
    when: settle(page('/a')),
    then: [settled('/a', 1), finished('max_pages', { discovered: 3, fetched: 2, notReached: 1 })],
  })
  const listed = Array.from({ length: 10_001 }, (_, n) => `/listed/${n}`)
  const forbidden = listed
    .slice(0, 10_000)
    .map(path => ({ key: key(path), url: url(path), from: key('/'), rule: '/listed' }))
  it('are the reason to stop even if no URL that was kept behind them may be fetched', {
    given: of(2, settled('/', 1), deferred('max_pages', ...listed), admitted('/a'), ordered(2, '/a'), {
      type: 'PagesSkipped',
      data: { reason: 'robots', pages: forbidden },
    }),
    when: settle(page('/a')),
    then: [
      settled('/a', 1),
      finished('max_pages', { discovered: 10_003, fetched: 2, skipped: 10_000, notReached: 1 }),
    ],
  })
  it('give a slot back when the crawler itself failed', {
    given: of(2, settled('/', 1), deferred('max_pages', '/b'), admitted('/a'), ordered(2, '/a')),
    when: settle(failed('/a', 'dns')),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/a'), reason: 'dns', attempts: 1 }] } },
      admitted('/b'),
      ordered(3, '/b'),
    ],
  })
  it('stop at depth, and admit pages that are found again at a lower depth', {
    given: [
      queued({ depth: 1 }),
      started,
      admitted('/', '/a'),
      ordered(1, '/', '/a'),
      { type: 'PagesDeferred', data: { limit: 'depth', pages: [found('/b', { depth: 2 })] } },
    ],
    when: settle(page('/', ['/b'])),
    then: [settled('/', 1), admitted('/b'), ordered(2, '/b')],
  })
})

test('A redirect', async t => {
  const it = specify(t, decider)
  const duplicate = (path: string, of: string): RunEvent => ({
    type: 'PagesDuplicated',
    data: { pages: [{ key: key(path), of: key(of) }] },
  })
  const some = begun(settled('/', 1), admitted('/a', '/b'), ordered(2, '/a', '/b'))

  it('leads to its target, which is stored under its own URL', {
    given: some,
    when: settle(redirect('/a', '/c')),
    then: [
      duplicate('/a', '/c'),
      {
        type: 'PagesAdmitted',
        data: { pages: [found('/c', { from: key('/a'), hops: 1, requestedUrl: url('/a') })] },
      },
      ordered(3, '/c'),
    ],
  })
  it('onto a known page is a duplicate', {
    given: some,
    when: settle(redirect('/a', '/b')),
    then: [duplicate('/a', '/b')],
  })
  it('onto itself is a failure', {
    given: some,
    when: settle(redirect('/a', '/a')),
    then: [
      {
        type: 'PagesFailed',
        data: { pages: [{ key: key('/a'), reason: 'too_many_redirects', attempts: 1 }] },
      },
    ],
  })
  it('in a circle is a failure', {
    given: [...some, duplicate('/a', '/b')],
    when: settle(redirect('/b', '/a')),
    then: [
      {
        type: 'PagesFailed',
        data: { pages: [{ key: key('/b'), reason: 'too_many_redirects', attempts: 1 }] },
      },
      finished('exhausted', { discovered: 3, fetched: 1, failed: 1, duplicate: 1 }),
    ],
  })
  const after = (hops: number): RunEvent[] => [
    ...some,
    { type: 'PagesAdmitted', data: { pages: [found('/x', { hops })] } },
    ordered(3, '/x'),
  ]
  it('is followed after nine others', {
    given: after(9),
    when: settle(redirect('/x', '/y')),
    then: [
      duplicate('/x', '/y'),
      {
        type: 'PagesAdmitted',
        data: { pages: [found('/y', { from: key('/x'), hops: 10, requestedUrl: url('/x') })] },
      },
      ordered(4, '/y'),
    ],
  })
  it('is a failure after ten others', {
    given: after(10),
    when: settle(redirect('/x', '/y')),
    then: [
      {
        type: 'PagesFailed',
        data: { pages: [{ key: key('/x'), reason: 'too_many_redirects', attempts: 1 }] },
      },
    ],
  })
  it('out of scope is skipped', {
    given: some,
    when: settle(redirect('/a', 'https://b.example/')),
    then: [
      {
        type: 'PagesSkipped',
        data: {
          reason: 'redirect_out_of_scope',
          pages: [
            { key: key('/a'), url: url('/a'), from: key('/'), rule: 'redirects to https://b.example/' },
          ],
        },
      },
    ],
  })
  it('of the seed moves the scope', {
    given: begun(),
    when: settle(redirect('/', 'https://b.example/')),
    then: [
      { type: 'ScopeMoved', data: { scope: { host: 'b.example', subdomains: false } } },
      duplicate('/', 'https://b.example/'),
      {
        type: 'PagesAdmitted',
        data: {
          pages: [found('https://b.example/', { depth: 0, from: key('/'), hops: 1, requestedUrl: url('/') })],
        },
      },
      ordered(2, 'https://b.example/'),
    ],
  })
})

test('robots.txt', async t => {
  const it = specify(t, decider)
  const polite = queued({ respectRobots: true })
  const requested: RunEvent = { type: 'RobotsOrdered', data: { origin: 'https://a.example', attempt: 1 } }
  const waiting = [polite, started, admitted('/'), requested]
  const skipped = (reason: 'robots' | 'robots_unreachable', rule: string): RunEvent => ({
    type: 'PagesSkipped',
    data: { reason, pages: [{ key: key('/'), url: url('/'), from: null, rule }] },
  })

  it('is requested before the first page', {
    given: [polite],
    when: lookAfter,
    then: [started, admitted('/'), requested],
  })

  t.test('allows the pages that match no rule', async t => {
    const { events } = decide(
      waiting.reduce(decider.evolve, unknown as Run),
      settle(robots('User-agent: *\nDisallow: /x')),
      circumstances(),
    )
    t.strictSame(
      events.map(({ type }) => type),
      ['RobotsRead', 'PagesOrdered'],
    )
  })
  t.test('skips the pages that it disallows, and names the rule', async t => {
    const { events } = decide(
      waiting.reduce(decider.evolve, unknown as Run),
      settle(robots('User-agent: *\nDisallow: /')),
      circumstances(),
    )
    t.strictSame(events.slice(1), [
      skipped('robots', '/'),
      finished(
        'failed',
        { discovered: 1, skipped: 1 },
        'failed',
        'robots.txt does not allow the seed https://a.example/: "Disallow: /" for "User-agent: *" in https://a.example/robots.txt. Remedy: a line in robots.txt that allows it, or respect_robots: false.',
        'robots_disallowed',
      ),
    ])
  })
  t.test('names the group that forbids the seed for the user agent of the client', async t => {
    const named = queued({ respectRobots: true, userAgent: 'ExampleBot/2.0' })
    const { events } = decide(
      [named, started, admitted('/'), requested].reduce(decider.evolve, unknown as Run),
      settle(robots('User-agent: *\nAllow: /\nUser-agent: Other\nUser-agent: EXAMPLEbot\nDisallow: /*')),
      circumstances(),
    )
    t.match(events.at(-1), {
      type: 'RunFinished',
      data: {
        errorReason: 'robots_disallowed',
        errorMessage: /"Disallow: \/\*" for "User-agent: examplebot"/,
      },
    })
  })
  const read: RunEvent = {
    type: 'RobotsRead',
    data: {
      origin: 'https://a.example',
      status: 200,
      verdict: 'rules',
      group: { agent: '*', rules: [{ allow: false, pattern: '/login' }], crawlDelay: null },
      bodyHash: null,
    },
  }
  const leftSeed: RunEvent = {
    type: 'PagesDuplicated',
    data: { pages: [{ key: key('/'), of: key('/login') }] },
  }
  const target = found('/login', { depth: 0, from: key('/'), hops: 1, requestedUrl: url('/') })
  it('fails a seed that redirects to a page that it disallows', {
    given: [...waiting, read, ordered(1, '/')],
    when: settle(redirect('/', '/login')),
    then: [
      leftSeed,
      { type: 'PagesAdmitted', data: { pages: [target] } },
      {
        type: 'PagesSkipped',
        data: {
          reason: 'robots',
          pages: [{ key: key('/login'), url: url('/login'), from: key('/'), rule: '/login' }],
        },
      },
      finished(
        'failed',
        { discovered: 2, skipped: 1, duplicate: 1 },
        'failed',
        'robots.txt does not allow the seed https://a.example/login: "Disallow: /login" for "User-agent: *" in https://a.example/robots.txt. Remedy: a line in robots.txt that allows it, or respect_robots: false.',
        'robots_disallowed',
      ),
    ],
  })
  t.test('fails it also if the run is rebuilt from its events', async t => {
    const ordering = [...waiting, read, ordered(1, '/')]
    const rebuild = (events: RunEvent[]) => events.reduce(decider.evolve, unknown as Run)
    const { run, events } = decide(rebuild(ordering), settle(redirect('/', '/login')), circumstances())
    t.match(run, { status: 'failed', errorReason: 'robots_disallowed' })
    t.strictSame(rebuild([...ordering, ...events]), run)
    const unended = rebuild([...ordering, ...events.slice(0, -1)])
    t.match(unended, { seedFailure: { reason: 'robots', because: '/login', url: url('/login') } })
    const again = decide(unended, settle(redirect('/', '/login')), circumstances())
    t.strictSame(again.events, events.slice(-1), 'a redirect that is delivered again only ends it')
  })
  t.test('with an error status forbids the seed, and is named with its status', async t => {
    const last: RunEvent = { type: 'RobotsOrdered', data: { origin: 'https://a.example', attempt: 3 } }
    const { events } = decide(
      [polite, started, admitted('/'), last].reduce(decider.evolve, unknown as Run),
      settle(robots('', 503, site, 3)),
      circumstances(),
    )
    t.strictSame(events.slice(1), [
      skipped('robots_unreachable', 'robots.txt answered 503'),
      finished(
        'failed',
        { discovered: 1, skipped: 1 },
        'failed',
        'The seed https://a.example/ may not be fetched: robots.txt answered 503. Remedy: a robots.txt that answers with 200 or 404, or respect_robots: false.',
        'robots_unreachable',
      ),
    ])
  })
  t.test('allows everything if it does not exist', async t => {
    const { events } = decide(
      waiting.reduce(decider.evolve, unknown as Run),
      settle(robots('', 404)),
      circumstances(),
    )
    t.strictSame(events[1], ordered(1, '/'))
  })
  it('that cannot be read is requested again', {
    given: waiting,
    when: settle(robots('', 503)),
    then: [
      {
        type: 'RobotsRetried',
        data: {
          origin: 'https://a.example',
          attempt: 2,
          notBefore: new Date(Date.parse(at) + 1000).toISOString(),
        },
      },
    ],
  })
  it('of an unreachable host fails the seed', {
    given: waiting,
    when: settle(robotsFailed('dns')),
    then: [
      { type: 'RobotsFailed', data: { origin: 'https://a.example', reason: 'dns' } },
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'dns', attempts: 1 }] } },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The host name could not be resolved.',
        'dns',
      ),
    ],
  })
  it('whose redirects form a loop fails the seed, and the message names the file', {
    given: waiting,
    when: settle(robotsFailed('too_many_redirects')),
    then: [
      { type: 'RobotsFailed', data: { origin: 'https://a.example', reason: 'too_many_redirects' } },
      {
        type: 'PagesFailed',
        data: { pages: [{ key: key('/'), reason: 'too_many_redirects', attempts: 1 }] },
      },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'https://a.example/robots.txt could not be read, so the seed was not requested. ' +
          'The redirects form a loop, or there are too many. ' +
          'Remedy: a robots.txt that answers with 200 or 404, or respect_robots: false.',
        'too_many_redirects',
      ),
    ],
  })
  t.test('of a host that is unreachable for a while fails the seed after all attempts', async t => {
    const last: RunEvent = { type: 'RobotsOrdered', data: { origin: 'https://a.example', attempt: 3 } }
    const { events } = decide(
      [polite, started, admitted('/'), last].reduce(decider.evolve, unknown as Run),
      settle(robotsFailed('dns', true, 3)),
      circumstances(),
    )
    t.match(events[1], { type: 'PagesFailed', data: { pages: [{ reason: 'dns', attempts: 3 }] } })
  })

  const origin = 'https://a.example'
  const retried: RunEvent[] = [
    ...waiting,
    { type: 'RobotsRetried', data: { origin, attempt: 2, notBefore: at } },
    { type: 'RobotsOrdered', data: { origin, attempt: 2 } },
  ]
  for (const [name, outcome] of [
    ['failure', robotsFailed('timeout', true)],
    ['final failure', robotsFailed('given_up')],
    ['server error', robots('', 503)],
    ['429', robots('', 429)],
  ] as const) {
    it(`ignores a ${name} of an earlier attempt that is delivered again`, {
      given: retried,
      when: settle(outcome),
      then: [],
    })
  }
  t.test('counts if it was read, whatever the attempt', async t => {
    const run = retried.reduce(decider.evolve, unknown as Run)
    const { events } = decide(run, settle(robots('User-agent: *\nDisallow: /x')), circumstances())
    t.strictSame(
      events.map(({ type }) => type),
      ['RobotsRead', 'PagesOrdered'],
    )
  })
})

test('A URL that is a sitemap and a page', async t => {
  const kind = 'sitemap' as const
  const linksTo = (paths: string[]): [string, string][] => paths.map(path => [key(path), url(path)])
  const ofOrder = (path: string) => ({ runId: 1, key: key(path), attempt: 1 })
  const read = (path: string, links: string[], some: { sitemaps?: string[]; parts?: number }): Outcome => {
    const { sitemaps = [], ...rest } = some
    const lists = { links: linksTo(links), sitemaps: linksTo(sitemaps) }
    return { type: 'sitemap', ...ofOrder(path), status: 200, cut: null, ...lists, ...rest }
  }
  const starting = () => {
    let run = [queued({ seedKind: 'sitemap' })].reduce(decider.evolve, unknown as Run)
    const send = (command: RunCommand) => {
      const decided = decide(run, command, circumstances())
      run = decided.run
      return decided.events
    }
    send(lookAfter)
    return { send: send, run: () => run }
  }

  t.test('has all its parts judged while the page is in flight', async t => {
    const { send, run } = starting()
    const part = (part: number, ...paths: string[]): Outcome => ({
      ...{ type: 'links', ...ofOrder('/sitemap.xml'), part, links: linksTo(paths), kind },
    })
    send(settle(part(0, '/sitemap.xml')))
    t.match(send(settle(part(1, '/b', '/c'))), [
      { type: 'LinksFollowed' },
      { type: 'PagesAdmitted', data: { pages: [{ url: url('/b') }, { url: url('/c') }] } },
      { type: 'PagesOrdered' },
    ])
    send(settle(read('/sitemap.xml', [], { parts: 2 })))
    send(settle(page('/sitemap.xml'), page('/b'), page('/c')))
    t.match(run(), { status: 'done', stopReason: 'exhausted', totals: { discovered: 3, fetched: 3 } })
  })

  /** Returns a run whose seed names a sitemap and lists it as a page. Both are in flight. */
  const withBoth = () => {
    const started = starting()
    started.send(settle(read('/sitemap.xml', ['/c.xml'], { sitemaps: ['/c.xml'] })))
    return started
  }
  t.test('has the page although the sitemap failed', async t => {
    const { send, run } = withBoth()
    const failure = { ...failed('/c.xml', 'too_large'), kind } as Outcome
    t.match(send(settle(failure)), [{ type: 'SitemapFailed', data: { key: key('/c.xml') } }])
    t.strictSame(send(settle(failure)), [], 'also if the failure is delivered again')
    send(settle(page('/c.xml')))
    t.match(run(), { status: 'done', totals: { discovered: 1, fetched: 1, failed: 0 } })
  })
  t.test('has the sitemap although the page failed', async t => {
    const { send, run } = withBoth()
    t.match(send(settle(failed('/c.xml', 'dns'))), [{ type: 'PagesFailed' }])
    send(settle(read('/c.xml', ['/d'], {})))
    send(settle(page('/d')))
    t.match(run(), { status: 'done', totals: { discovered: 2, fetched: 1, failed: 1 } })
  })
})

test('A page and a sitemap have as many attempts as the fetcher counts', async t => {
  t.equal(attemptsOf('page'), maxPageAttempts)
  t.equal(attemptsOf('sitemap'), maxPageAttempts)
  const earlier = [1, 3, 4, 6, 7].map(attempt => earlierThan('sitemap', attempt))
  t.strictSame(earlier, [0, 0, 3, 3, 6], 'those before a reopening do not count')
})
