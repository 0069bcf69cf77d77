import type { RunEvent } from '@tidemark/contracts/run'
import { specify } from '@tidemark/testing/specify'
import { test } from 'tap'
import { decide } from './decide.ts'
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
  lookAfter,
  ordered,
  page,
  queued,
  redirect,
  robots,
  robotsFailed,
  settle,
  settled,
  started,
  url,
} from './examples.ts'
import { type Run, unknown } from './run.ts'

test('A crawl run', async t => {
  const it = specify(t, decider)

  it('begins with its seed, once', {
    given: [queued()],
    when: lookAfter,
    then: [started, admitted('/'), ordered(1, '/')],
  })
  it('has nothing more to begin when it runs', { given: begun(), when: lookAfter, then: [] })
  it('admits what a page links to, each URL once', {
    given: begun(),
    when: settle(page('/', ['/', '/a', '/a', '/b'])),
    then: [settled('/', 1), admitted('/a', '/b'), ordered(2, '/a', '/b')],
  })
  it('ignores a page that it does not wait for', {
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
  it('fails when its seed cannot be had', {
    given: begun(),
    when: settle(failed('/', 'dns')),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'dns', attempts: 1 }] } },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The name of the host could not be resolved.',
      ),
    ],
  })
  it('ends when it is cancelled, and keeps what it has', {
    given: begun(),
    when: { type: 'CancelRun' },
    then: [finished('cancelled', { discovered: 1, notReached: 1 }, 'cancelled')],
  })
  it('never leaves its end', {
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

  it('is ordered after a failure that may pass', {
    given: begun(),
    when: settle(failed('/', 'timeout', true)),
    then: [retried(2, 1)],
  })
  it('waits longer the second time', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle(failed('/', 'timeout', true, 2)),
    then: [retried(3, 5)],
  })
  it('is the last when it is the third', {
    given: begun(retried(2, 0), ordered(2, '/'), retried(3, 0), ordered(3, '/')),
    when: settle(failed('/', 'timeout', true, 3)),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'timeout', attempts: 3 }] } },
      finished('failed', { discovered: 1, failed: 1 }, 'failed', 'The host did not answer in time.'),
    ],
  })
  it('is not asked for by a late failure of an earlier one', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle(failed('/', 'timeout', true, 1)),
    then: [],
  })
  it('is saved by a late success of an earlier one', {
    given: begun(retried(2, 0), ordered(2, '/')),
    when: settle(page('/')),
    then: [settled('/', 1), finished('exhausted', { discovered: 1, fetched: 1 })],
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
  it('are told as the reason to stop', {
    given: of(2, settled('/', 1), deferred('max_pages', '/b'), admitted('/a'), ordered(2, '/a')),
    when: settle(page('/a')),
    then: [settled('/a', 1), finished('max_pages', { discovered: 3, fetched: 2, notReached: 1 })],
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
  it('stop at depth, and let in what is found again by a shorter way', {
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
  const asked: RunEvent = { type: 'RobotsOrdered', data: { origin: 'https://a.example', attempt: 1 } }
  const waiting = [polite, started, admitted('/'), asked]
  const skipped = (reason: 'robots' | 'robots_unreachable', rule: string): RunEvent => ({
    type: 'PagesSkipped',
    data: { reason, pages: [{ key: key('/'), url: url('/'), from: null, rule }] },
  })

  it('is asked for before the first page', {
    given: [polite],
    when: lookAfter,
    then: [started, admitted('/'), asked],
  })

  t.test('lets the pages go that it allows', async t => {
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
  t.test('keeps the pages that it disallows, and names the rule', async t => {
    const { events } = decide(
      waiting.reduce(decider.evolve, unknown as Run),
      settle(robots('User-agent: *\nDisallow: /')),
      circumstances(),
    )
    t.strictSame(events.slice(1), [
      skipped('robots', '/'),
      finished('failed', { discovered: 1, skipped: 1 }, 'failed', 'The seed could not be crawled: /.'),
    ])
  })
  t.test('allows all when it is not there', async t => {
    const { events } = decide(
      waiting.reduce(decider.evolve, unknown as Run),
      settle(robots('', 404)),
      circumstances(),
    )
    t.strictSame(events[1], ordered(1, '/'))
  })
  it('that cannot be read is asked for again', {
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
  it('of a host that cannot be reached fails the seed', {
    given: waiting,
    when: settle(robotsFailed('dns')),
    then: [
      { type: 'RobotsFailed', data: { origin: 'https://a.example', reason: 'dns' } },
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'dns', attempts: 3 }] } },
      finished(
        'failed',
        { discovered: 1, failed: 1 },
        'failed',
        'The name of the host could not be resolved.',
      ),
    ],
  })
})
