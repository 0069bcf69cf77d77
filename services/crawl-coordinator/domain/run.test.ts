import type { RunEvent } from '@tidemark/contracts/run'
import { specify } from '@tidemark/testing/specify'
import fc from 'fast-check'
import { test } from 'tap'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve.ts'
import {
  admitted,
  at,
  circumstances,
  failed,
  found,
  key,
  ordered,
  page,
  queued,
  redirect,
  robots,
  robotsFailed,
  settled,
  started,
  url,
} from './examples.ts'
import { type Run, type Running, totals, unknown } from './run.ts'

const decider = {
  initial: () => unknown,
  evolve: (run: Run, event: RunEvent) => evolve(run, event, at),
  decide: (run: Run, command: RunCommand) => decide(run, command, circumstances()).events,
}
const lookAfter: RunCommand = { type: 'LookAfterRun' }
const settle = (
  ...outcomes: Parameters<typeof page> extends never ? never : ReturnType<typeof page>[]
): RunCommand => ({
  type: 'SettlePages',
  outcomes,
})
const begun = (...more: RunEvent[]): RunEvent[] => [
  queued(),
  started,
  admitted('/'),
  ordered(1, '/'),
  ...more,
]
const none = { discovered: 0, fetched: 0, failed: 0, skipped: 0, duplicate: 0, notReached: 0, pending: 0 }
const finished = (stopReason: string, some: object, status = 'done', errorMessage: string | null = null) =>
  ({
    type: 'RunFinished',
    data: { status, stopReason, errorMessage, totals: { ...none, ...some } },
  }) as RunEvent

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

test('Whatever comes back, in any order and any number of times', async t => {
  const paths = ['/', ...Array.from({ length: 12 }, (_, n) => `/p${n}`)]
  const path = fc.constantFrom(...paths)
  const attempt = fc.integer({ min: 1, max: 3 })
  const outcome = fc.oneof(
    fc.tuple(path, fc.array(path, { maxLength: 6 })).map(([p, links]) => page(p, links)),
    fc.tuple(path, path).map(([p, to]) => redirect(p, to)),
    fc.tuple(path, fc.boolean(), attempt).map(([p, transient, n]) => failed(p, 'timeout', transient, n)),
    fc
      .tuple(fc.constantFrom('', 'User-agent: *\nDisallow: /p1'), fc.constantFrom(200, 404, 503))
      .map(([body, status]) => robots(body, status)),
  )
  const command: fc.Arbitrary<{ command: RunCommand; afterMs: number }> = fc.record({
    command: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.array(outcome, { minLength: 1, maxLength: 4 }).map(outcomes => settle(...outcomes)),
      },
      { weight: 2, arbitrary: fc.constant(lookAfter) },
    ),
    afterMs: fc.constantFrom(0, 10, 1_000, 130_000),
  })

  t.test('a run keeps its promises, ends, and reads back from its events as it was', async t => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 40 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (commands, maxPages, depth, respectRobots) => {
          const journal: { event: RunEvent; at: string }[] = []
          let now = Date.parse(at)
          let id = 0
          let run: Run = evolve(unknown, queued({ maxPages, depth, respectRobots }), at)
          const ask = (command: RunCommand) => {
            const time = new Date(now).toISOString()
            const decided = decide(run, command, circumstances({ at: time, takeId: () => ++id }))
            journal.push(...decided.events.map(event => ({ event: structuredClone(event), at: time })))
            run = decided.run
            promises(run, maxPages)
          }
          ask(lookAfter)
          for (const { command, afterMs } of commands) {
            now += afterMs
            ask(command)
          }
          const again = journal.reduce<Run>(
            (run, { event, at }) => evolve(run, event, at),
            evolve(unknown, queued({ maxPages, depth, respectRobots }), at),
          )
          if (JSON.stringify(comparable(again)) !== JSON.stringify(comparable(run)))
            throw new Error('reads back differently')
          for (let look = 0; look < 60 && run.status === 'running'; look++) {
            now += 130_000
            ask(lookAfter)
          }
          if (run.status === 'running') throw new Error('never ends')
        },
      ),
      { numRuns: 3000 },
    )
    t.pass('3,000 generated runs')
  })
})

function promises(run: Run, maxPages: number): void {
  if (run.status !== 'running') return
  const { discovered, pending, notReached, ...ends } = totals(run)
  const sum = Object.values(ends).reduce((a, b) => a + b, pending + notReached)
  if (discovered !== sum) throw new Error(`discovered ${discovered}, accounted for ${sum}`)
  if (run.counts.fetched + pending > maxPages) throw new Error('more pages than max_pages')
  const out = [...run.pending.values()].filter(({ order }) => order !== null).length
  if (run.out !== out) throw new Error(`${run.out} counted as out, ${out} are`)
}

function comparable(run: Run): unknown {
  if (run.status !== 'running') return run
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const { places, pending, ready, later, robots, redirects, awaitingRobots, deferred, ...rest } =
    run as Running
  return {
    ...rest,
    places: sorted(places),
    pending: sorted(pending),
    ready: [...ready].sort(),
    later: [...later].sort(),
    robots: sorted(robots),
    redirects: sorted(redirects),
    awaiting: sorted(
      [...awaitingRobots].filter(([, keys]) => keys.size > 0).map(([o, keys]) => [o, [...keys].sort()]),
    ),
    deferred: [sorted(deferred.max_pages), sorted(deferred.depth)],
  }
}
