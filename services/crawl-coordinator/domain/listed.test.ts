/** Runs with URLs that the client lists besides the seed. */
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { specify } from '@tidemark/testing/specify'
import { test } from 'tap'
import { unsearched } from './ahead.ts'
import { coverageOf } from './coverage.ts'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { explain } from './explain/explain.ts'
import { addToHistory, emptyHistory } from './explain/history.ts'
import { running } from './limits/budget.scene.ts'
import {
  admitted,
  at,
  circumstances,
  decider,
  dropping,
  failed,
  finished,
  found,
  key,
  lookAfter,
  ordered,
  page,
  queued,
  redirect,
  robotsFailed,
  settle,
  settled,
  started,
  url,
} from './run.examples.ts'
import { type Known, type Run, type Running, unknown } from './run.ts'

const listing = (urls: string[], some: Partial<RunSettings> = {}): RunEvent =>
  queued({ urls: urls.map(url), ...some })
const listed = (...paths: string[]) => ({
  type: 'PagesAdmitted' as const,
  data: { pages: paths.map(path => found(path, { depth: 1, from: null })) },
})
const begunWith = (list: RunEvent, ...more: RunEvent[]): RunEvent[] => [
  list,
  started,
  admitted('/'),
  ordered(1, '/'),
  ...more,
]

const many = Array.from({ length: 10_000 }, (_, n) => `/product/${n}`)

test('A run with listed URLs', async t => {
  const it = specify(t, decider)

  it('begins with its seed alone, whose redirect may move the site', {
    given: [listing(['/a', '/b'])],
    when: lookAfter,
    then: [started, admitted('/'), ordered(1, '/')],
  })
  it('admits the list once the seed is settled, each URL once and not the seed again', {
    given: begunWith(listing(['/a', '/', '/b', '/a'])),
    when: settle(page('/')),
    then: [settled('/', 1), listed('/a', '/b'), ordered(2, '/a', '/b')],
  })
  it('admits the list if the seed fails', {
    given: begunWith(listing(['/a'])),
    when: settle(failed('/', 'dns')),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'dns', attempts: 1 }] } },
      listed('/a'),
      ordered(2, '/a'),
    ],
  })
  it('admits the list if the robots.txt of the seed cannot be fetched', {
    given: [
      listing(['https://b.example/a'], { respectRobots: true }),
      started,
      admitted('/'),
      { type: 'RobotsOrdered', data: { origin: 'https://a.example', attempt: 1 } },
    ],
    when: settle(robotsFailed('dns')),
    then: [
      { type: 'RobotsFailed', data: { origin: 'https://a.example', reason: 'dns' } },
      { type: 'PagesFailed', data: { pages: [{ key: key('/'), reason: 'dns', attempts: 1 }] } },
      listed('https://b.example/a'),
      { type: 'RobotsOrdered', data: { origin: 'https://b.example', attempt: 1 } },
    ],
  })
  t.test('ends although a listed URL has failed as a sitemap before', async t => {
    const failure: RunEvent = {
      type: 'PagesFailed',
      data: { pages: [{ key: key('/map.xml'), reason: 'dns', attempts: 1 }] },
    }
    const run = [...begunWith(listing(['/map.xml'])), failure].reduce<Run>(
      (run, event) => evolve(run, event, at),
      unknown,
    )
    const decided = decide(run, settle(page('/')), circumstances())
    t.match(decided.run, { status: 'done', totals: { discovered: 2, fetched: 1, failed: 1, pending: 0 } })
  })
  it('keeps the list when the seed moves the site to another host', {
    given: begunWith(listing(['/a'])),
    when: settle(redirect('/', 'https://www.a.example/')),
    then: [
      { type: 'ScopeMoved', data: { scope: { host: 'www.a.example', subdomains: false } } },
      { type: 'PagesDuplicated', data: { pages: [{ key: key('/'), of: key('https://www.a.example/') }] } },
      {
        type: 'PagesAdmitted',
        data: {
          pages: [
            found('https://www.a.example/', { depth: 0, from: key('/'), hops: 1, requestedUrl: url('/') }),
          ],
        },
      },
      ordered(2, 'https://www.a.example/'),
    ],
  })
  it('gives the slots of max_pages to the list before the links of its seed', {
    given: begunWith(listing(['/a', '/b'], { maxPages: 3 })),
    when: settle(page('/', ['/link', '/b'])),
    then: [
      settled('/', 1),
      { type: 'PagesDeferred', data: { limit: 'max_pages', pages: [found('/link')] } },
      listed('/a', '/b'),
      ordered(2, '/a', '/b'),
    ],
  })
  it('gives a slot that a failed page returns to the list before the links of its seed', {
    given: begunWith(
      listing(['/a', '/b'], { maxPages: 2 }),
      settled('/', 1),
      { type: 'PagesDeferred', data: { limit: 'max_pages', pages: [found('/link')] } },
      listed('/a'),
      {
        type: 'PagesDeferred',
        data: { limit: 'max_pages', pages: [found('/b', { depth: 1, from: null })] },
      },
      ordered(2, '/a'),
    ),
    when: settle(failed('/a', 'dns')),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/a'), reason: 'dns', attempts: 1 }] } },
      listed('/b'),
      ordered(3, '/b'),
    ],
  })
  it('keeps its list for such a slot after any number of links', {
    given: begunWith(
      listing(['/a', '/b'], { maxPages: 2 }),
      settled('/', 1),
      { type: 'PagesDeferred', data: { limit: 'max_pages', pages: many.map(path => found(path)) } },
      listed('/a'),
      {
        type: 'PagesDeferred',
        data: { limit: 'max_pages', pages: [found('/b', { depth: 1, from: null })] },
      },
      ordered(2, '/a'),
    ),
    when: settle(failed('/a', 'dns')),
    then: [
      { type: 'PagesFailed', data: { pages: [{ key: key('/a'), reason: 'dns', attempts: 1 }] } },
      listed('/b'),
      ordered(3, '/b'),
    ],
  })
  it('follows the links of listed pages', {
    given: begunWith(listing(['/a']), settled('/', 1), listed('/a'), ordered(2, '/a')),
    when: settle(page('/a', ['/c'])),
    then: [
      settled('/a', 1),
      { type: 'PagesAdmitted', data: { pages: [found('/c', { depth: 2, from: key('/a') })] } },
      ordered(3, '/c'),
    ],
  })
  it('follows no links without follow_links', {
    given: begunWith(listing(['/a'], { followLinks: false })),
    when: settle(page('/', ['/link'])),
    then: [settled('/', 1), listed('/a'), ordered(2, '/a')],
  })
  it('applies the patterns to the list, and no trap rule', {
    given: begunWith(listing(['/a', '/x/x/x/x', '/no'], { excludePaths: ['^/no'] })),
    when: settle(page('/')),
    then: [
      settled('/', 1),
      listed('/a', '/x/x/x/x'),
      {
        type: 'PagesFiltered',
        data: { by: 'exclude', pages: [{ key: key('/no'), url: url('/no'), from: null, pattern: '^/no' }] },
      },
      ordered(2, '/a', '/x/x/x/x'),
    ],
  })
  it('counts the whole list as not reached when it is cancelled before it is judged', {
    given: begunWith(listing(['/a', '/b'])),
    when: { type: 'CancelRun' },
    then: [dropping(1, finished('cancelled', { discovered: 3, notReached: 3 }, 'cancelled'))],
  })
})

/** Returns a run whose events are also kept as commits. */
function story(first: RunEvent) {
  const commits: RunCommit[] = [{ at, events: [first] }]
  let run: Run = evolve(unknown, first, at)
  return {
    run: () => run as Known,
    commits,
    send(command: RunCommand, some: Parameters<typeof circumstances>[0] = {}): RunEvent[] {
      const decided = decide(run, command, circumstances(some))
      commits.push({ at, events: structuredClone(decided.events) })
      run = decided.run
      return decided.events
    },
    again: () =>
      commits.flatMap(({ events }) => events).reduce((run, event) => evolve(run, event, at), unknown as Run),
  }
}

test('A list of 10,000 URLs', async t => {
  const it = story(listing(many, { maxPages: 20_000 }))
  it.send(lookAfter)
  it.send(settle(page('/')), { window: 0 })

  await t.test('is judged in decisions of bounded size', async t => {
    for (let n = 0; n < 4; n++) it.send(lookAfter, { window: 0 })
    const sizes = it.commits.map(({ events }) =>
      events.reduce((sum, event) => sum + (event.type === 'PagesAdmitted' ? event.data.pages.length : 0), 0),
    )
    t.strictSame(sizes, [0, 1, 1_999, 2_000, 2_000, 2_000, 2_000])
    t.equal(it.send(lookAfter, { window: 0 }).length, 1, 'the last one')
    t.strictSame(it.send(lookAfter, { window: 0 }), [], 'and no more')
    const bytes = it.commits.map(commit => JSON.stringify(commit).length)
    t.ok(Math.max(...bytes) < 1_000_000, `the largest has ${Math.max(...bytes)} bytes`)
  })
  await t.test('is in the coverage from its start to its end', async t => {
    const then = story(listing(many, { maxPages: 20_000 }))
    then.send(lookAfter)
    t.match(coverageOf(then.run(), 2), { discovered: 10_001, pending: 10_001, holds: true })
    then.send(settle(page('/')), { window: 0 })
    t.match(coverageOf(then.run(), 3), { discovered: 10_001, fetched: 1, pending: 10_000, holds: true })
    then.send({ type: 'CancelRun' })
    const whole = {
      discovered: 10_001,
      fetched: 1,
      not_reached: { by_limit: { cancelled: 10_000 } },
      holds: true,
    }
    t.match(coverageOf(then.run(), 4), whole)
    t.match(coverageOf(then.again() as Known, 4), whole, 'also when it is read again')
  })
  await t.test('continues where it was when the run is read again', async t => {
    const then = story(listing(many, { maxPages: 20_000 }))
    then.send(lookAfter)
    then.send(settle(page('/')), { window: 0 })
    const again = then.again() as Running
    t.equal(again.listed.waiting.size, 8_001)
    const [event] = decide(again, lookAfter, circumstances({ window: 0 })).events
    t.match(event, { type: 'PagesAdmitted', data: { pages: [{ url: url('/product/1999') }] } })
  })
})

test('Patterns are matched before the decision', async t => {
  const it = story(listing(['/a', '/no'], { excludePaths: ['^/no'] }))
  it.send(lookAfter)
  t.strictSame(unsearched(it.run(), [], new Map()), [], 'nothing while the seed is fetched')
  t.match(it.send(settle(page('/')), { verdicts: new Map() }), [{ type: 'PagesSettled' }])
  t.strictSame(unsearched(it.run(), [], new Map()), [url('/a'), url('/no')])
  const verdicts = new Map([
    [url('/a'), null],
    [url('/no'), { by: 'exclude' as const, pattern: '^/no' }],
  ])
  t.strictSame(unsearched(it.run(), [], verdicts), [])
  t.match(it.send(lookAfter, { verdicts }), [{ type: 'PagesAdmitted' }, { type: 'PagesFiltered' }, {}])
})

test('Each listed URL is explained', async t => {
  const it = story(listing(['/a', '/b'], { maxPages: 2, followLinks: false }))
  it.send(lookAfter)
  const explained = (path: string) => {
    const history = emptyHistory()
    for (const [n, commit] of it.commits.entries())
      addToHistory(history, key(path), { sequence: n + 1, commit })
    const judging = { run: it.run() as Running, now: 0, trapsOff: new Set<never>() }
    return explain(judging, { key: key(path), url: url(path) }, history)
  }
  const found = { from_url: null, depth: 1, sequence: 2 }
  t.match(explained('/a'), { verdict: 'pending', found: found, rules: { length: 0 } }, 'before it is judged')
  it.send(settle(page('/', ['/link'])))
  t.match(explained('/a'), {
    verdict: 'pending',
    found: found,
    rules: [
      { rule: 'scope', because: 'urls lists it' },
      {},
      {},
      { because: 'urls lists it, so it is exempt' },
    ],
    attempts: [{ outcome: 'pending' }],
  })
  t.match(explained('/b'), { verdict: 'not_reached', what_would_change: ['max_pages above 2.'] })
  t.match(explained('/link'), { verdict: 'never_seen', what_would_change: ['max_pages above 2.'] })
})

test('A listed URL is fetched although the pages of its kind are all the same', t => {
  const paths = Array.from({ length: 70 }, (_, n) => `/same/${n}`)
  const { look, receive, ended } = running({ urls: paths.map(url) }, { window: 8 })
  for (let orders = look(); orders.length > 0; )
    orders = receive(...orders.map(order => page(order.split(' ')[0] ?? '')))
  t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 71 } })
  t.end()
})
