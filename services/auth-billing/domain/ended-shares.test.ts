import { changedEnds, isShareEnded, type SharesEnded } from '@tidemark/contracts/account'
import { test } from 'tap'
import { endSharesOf, maxEnded } from './ended-shares.ts'

const by = 'tmk_12345678'
const key = { prefix: by, caps: {}, expiresAt: null, revokedAt: null }
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString()
const end = (sharesEnded: SharesEnded, runId: number, minute: number): SharesEnded => {
  const events = endSharesOf({ projectId: 7, keys: [key], sharesEnded }, { runId, by, at: at(minute) })
  const [event] = events === 'unauthorized' ? [] : events
  if (event?.type !== 'CrawlSharesEnded') return {}
  const [removed, added] = changedEnds(event.data)
  const kept = Object.entries(sharesEnded).filter(([run]) => !removed.includes(run))
  return { ...Object.fromEntries(kept), ...added }
}

test('The end of shares is for one run, and for those made before', async t => {
  const ended = end(end({}, 1, 10), 2, 20)
  const isEnded = (run: number, minute: number) => isShareEnded(ended, run, Date.parse(at(minute)))
  t.strictSame([isEnded(1, 9), isEnded(1, 10), isEnded(1, 11)], [true, true, false])
  t.strictSame([isEnded(2, 19), isEnded(2, 21), isEnded(3, 0)], [true, false, false])
  t.equal(isShareEnded(undefined, 1, 0), false)
  t.strictSame(
    [1, 3].map(run => isShareEnded(ended, run, undefined)),
    [true, false],
    'or by earlier versions',
  )
  t.strictSame(end(ended, 1, 30), { 1: at(30), 2: at(20) }, 'a repetition moves the time')
})

test('Only a valid key ends shares', async t => {
  const request = { runId: 1, by, at: at(1) }
  const ring = (held: object[]) => ({ projectId: 7, keys: held as (typeof key)[], sharesEnded: {} })
  t.equal(endSharesOf(ring([]), request), 'unauthorized')
  t.equal(endSharesOf(ring([{ ...key, revokedAt: at(0) }]), request), 'unauthorized')
})

test('Ends are kept as long as a share can live, and their number is limited without losing one', async t => {
  const monthLater = 31 * 24 * 60
  t.strictSame(end({ 1: at(0), 2: at(monthLater - 60) }, 3, monthLater), {
    2: at(monthLater - 60),
    3: at(monthLater),
  })
  let ended: SharesEnded = {}
  const runs = maxEnded + 50
  for (let run = 1; run <= runs; run++) {
    ended = end(ended, run, run)
    for (const earlier of [1, Math.ceil(run / 2), run])
      t.ok(isShareEnded(ended, earlier, Date.parse(at(earlier))), `run ${earlier} after ${run}`)
  }
  t.ok(Object.keys(ended).length <= maxEnded + 1)
  t.equal(isShareEnded(ended, 1, Date.parse(at(runs))), false, 'later shares of all runs are open')
})

// An event with all ends has 7 KB: a loop of one project could have filled the stream of accounts in hours.
test('An event holds only what changes', async t => {
  let sharesEnded: SharesEnded = {}
  for (let run = 1; run <= maxEnded + 50; run++) {
    const ring = { projectId: 7, keys: [key], sharesEnded }
    const events = endSharesOf(ring, { runId: run, by, at: at(run) })
    t.ok(JSON.stringify(events).length < 250)
    sharesEnded = end(sharesEnded, run, run)
  }
})
