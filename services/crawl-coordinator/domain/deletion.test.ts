/** The deletion of a run: its events, and that no event follows. */
import type { RunEvent, Totals } from '@tidemark/contracts/run'
import { specify } from '@tidemark/testing/specify'
import fc from 'fast-check'
import { test } from 'tap'
import type { RunCommand } from './decide.ts'
import { durationPattern, secondsIn } from './duration.ts'
import {
  admitted,
  decider,
  dropping,
  failed,
  finished,
  ordered,
  page,
  queued,
  redirect,
  robots,
  settle,
  settled,
  started,
} from './run.examples.ts'
import { type Run, unknown } from './run.ts'

const remove: RunCommand = { type: 'DeleteRun' }
const cancel: RunCommand = { type: 'CancelRun' }
const cancelled = (totals: Partial<Totals>) => finished('cancelled', totals, 'cancelled')
const done = (totals: Partial<Totals>) => finished('exhausted', totals)
const deleted = (billedPages: number): RunEvent => ({
  type: 'RunDeleted',
  data: { projectId: 7, billedPages },
})
const halfWay = [
  queued(),
  started,
  admitted('/'),
  ordered(1, '/'),
  settled('/', 1),
  admitted('/a'),
  ordered(2, '/a'),
]

test('A run that is deleted', async t => {
  const it = specify(t, decider)

  it('is cancelled by the same decision while it is queued', {
    given: [queued()],
    when: remove,
    then: [cancelled({}), deleted(0)],
  })
  it('is cancelled by the same decision while it runs, with the pages billed until then', {
    given: halfWay,
    when: remove,
    then: [dropping(1, cancelled({ discovered: 2, fetched: 1, notReached: 1 })), deleted(1)],
  })
  it('gets only the event of its deletion after its end', {
    given: [...halfWay, settled('/a', 2), done({ discovered: 2, fetched: 2 })],
    when: remove,
    then: [deleted(2)],
  })
  it('is not deleted if it never existed', { given: [], when: remove, then: [] })
  it('is not deleted twice', { given: [...halfWay, cancelled({}), deleted(1)], when: remove, then: [] })
  it('accepts no late page', {
    given: [...halfWay, cancelled({}), deleted(1)],
    when: settle(page('/a'), failed('/a', 'dns'), redirect('/a', '/b'), robots('')),
    then: [],
  })
  it('cannot be cancelled', {
    given: [...halfWay, cancelled({}), deleted(1)],
    when: cancel,
    then: [],
  })
  it('accepts nothing if only the event of its deletion is left', {
    given: [deleted(1)],
    when: { type: 'LookAfterRun' },
    then: [],
  })

  t.test('stays deleted for all later events', async t => {
    const late = [queued(), started, admitted('/'), ordered(1, '/'), settled('/', 1), cancelled({}), done({})]
    const staysDeleted = (events: RunEvent[]) =>
      [deleted(1), ...events].reduce(decider.evolve, unknown as Run).status === 'deleted'
    fc.assert(fc.property(fc.array(fc.constantFrom(...late)), staysDeleted), { numRuns: 100 })
    t.pass()
  })
})

test('A duration', async t => {
  for (const [text, seconds] of [
    ['P7D', 604_800],
    ['P1W', 604_800],
    ['PT1H30M', 5_400],
    ['P1DT12H', 129_600],
    ['PT5S', 5],
    ['90', 90],
    ['0', 0],
  ] as const) {
    t.equal(secondsIn(text), seconds, text)
    t.match(text, new RegExp(durationPattern))
  }
  for (const text of ['', 'P', 'PT', 'P1DT', '7D', 'P1H', '-1', '1.5', 'P1Y']) {
    t.notMatch(text, new RegExp(durationPattern), `"${text}" is not a duration`)
  }
})
