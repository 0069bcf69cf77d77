/** Runs that the client pauses and resumes. */
import type { RunEvent } from '@tidemark/contracts/run'
import { specify } from '@tidemark/testing/specify'
import { test } from 'tap'
import { coverageOf } from './coverage.ts'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { neededUnits } from './needed-units.ts'
import { nextCheck } from './orders.ts'
import {
  admitted,
  at,
  begun,
  circumstances,
  decider,
  dropping,
  failed,
  finished,
  key,
  later,
  lookAfter,
  ordered,
  page,
  queued,
  settle,
  settled,
  started,
} from './run.examples.ts'
import { type Known, type Run, type Running, unknown } from './run.ts'
import { viewOf } from './view.ts'

const pause: RunCommand = { type: 'PauseRun' }
const resume: RunCommand = { type: 'ResumeRun' }
const paused: RunEvent = { type: 'RunPaused', data: {} }
const resumed: RunEvent = { type: 'RunResumed', data: {} }
const over = finished('exhausted', { discovered: 1, fetched: 1 })

test('A paused run', async t => {
  const it = specify(t, decider)

  it('is paused on request', { given: begun(), when: pause, then: [paused] })
  it('is paused once', { given: begun(paused), when: pause, then: [] })
  it('begins, and orders nothing, if it was queued', {
    given: [queued()],
    when: pause,
    then: [started, paused, admitted('/')],
  })
  it('stores a page in flight, judges its links, and orders none', {
    given: begun(paused),
    when: settle(page('/', ['/a'])),
    then: [settled('/', 1), admitted('/a')],
  })
  it('retries nothing', {
    given: begun(paused),
    when: settle(failed('/', 'timeout', true)),
    then: [
      {
        type: 'PagesRetried',
        data: { pages: [{ key: key('/'), reason: 'timeout', attempt: 2, notBefore: later(1) }] },
      },
    ],
  })
  it('requests no robots.txt', {
    given: [queued({ respectRobots: true }), started, paused, admitted('/')],
    when: lookAfter,
    then: [],
  })
  it('does not end by itself', { given: begun(paused), when: settle(page('/')), then: [settled('/', 1)] })
  it('resumes on request', { given: begun(paused), when: resume, then: [resumed] })
  it('resumes once', { given: begun(paused, resumed), when: resume, then: [] })
  it('orders again after that', {
    given: begun(settled('/', 1), paused, admitted('/a'), resumed),
    when: lookAfter,
    then: [ordered(2, '/a')],
  })
  it('ends after that if nothing is left', {
    given: begun(paused, settled('/', 1), resumed),
    when: lookAfter,
    then: [over],
  })
  it('can be cancelled', {
    given: begun(paused),
    when: { type: 'CancelRun' },
    then: [dropping(1, finished('cancelled', { discovered: 1, notReached: 1 }, 'cancelled'))],
  })
  for (const [when, name] of [
    [pause, 'paused'],
    [resume, 'resumed'],
  ] as const) {
    it(`cannot be ${name} after its end`, { given: begun(settled('/', 1), over), when, then: [] })
  }
})

test('The time of a pause', async t => {
  const runLimitMs = 60_000
  const changed = (run: Run, event: RunEvent, seconds: number) => evolve(run, event, later(seconds))
  const fresh = () =>
    begun(settled('/', 1), admitted('/a')).reduce((run, event) => evolve(run, event, at), unknown as Run)

  t.test('does not count for the time limit of a run', async t => {
    const run = [
      [paused, 10],
      [resumed, 100],
    ].reduce((run, [event, seconds]) => changed(run, event as RunEvent, seconds as number), fresh())
    const decided = (seconds: number) =>
      decide(structuredClone(run), lookAfter, circumstances({ at: later(seconds), runLimitMs })).events
    t.match(decided(149), [{ type: 'PagesOrdered' }])
    t.match(decided(150), [{ type: 'RunFinished', data: { stopReason: 'time_limit' } }])
    const endless = changed(fresh(), paused, 10)
    const look = decide(endless, lookAfter, circumstances({ at: later(1_000_000), runLimitMs }))
    t.strictSame(look.events, [], 'a paused run has no limit')
    t.equal(nextCheck(look.run as Running, runLimitMs), Number.POSITIVE_INFINITY, 'and is not checked')
  })
  t.test('is shown until the run resumes or ends', async t => {
    const run = changed(fresh(), paused, 10)
    t.match(viewOf(run), { status: 'running', paused_at: later(10), finished_at: null })
    t.match(coverageOf(run as Known, 1), { status: 'running', paused_at: later(10), pending: 1, holds: true })
    t.equal(viewOf(changed(fresh(), paused, 20))?.paused_at, later(20))
    t.equal(viewOf(changed(changed(run, paused, 20), resumed, 30))?.paused_at, null)
    const { run: ended } = decide(changed(fresh(), paused, 10), { type: 'CancelRun' }, circumstances())
    t.match(viewOf(ended), { status: 'cancelled', paused_at: null })
  })
  t.test('reserves only what is spent and in flight', async t => {
    const run = changed(fresh(), paused, 10) as Running
    t.strictSame(neededUnits(run, { window: 0, outcomes: [] }), { page: 1, cloud_page: 0 })
  })
  t.test('resuming is followed by a check at once', async t => {
    const { run } = decide(changed(fresh(), paused, 10), resume, circumstances({ at: later(20) }))
    t.equal(nextCheck(run as Running, runLimitMs), 0)
  })
})
