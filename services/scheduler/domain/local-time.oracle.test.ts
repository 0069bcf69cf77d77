/**
 * Due times in time zones, in the days around changes of the clock. A model lists each local minute with the instants
 * that have it, straight from `Intl`, and `croner` is compared where its rules are the same. YEARS is the number of
 * simulated local years.
 */
import { isDeepStrictEqual } from 'node:util'
import { sized } from '@tidemark/testing/tier'
import { Cron } from 'croner'
import fc from 'fast-check'
import { test } from 'tap'
import { parseCron } from './cron.ts'
import { nextLocalMinute } from './next-local-minute.ts'
import { nextMinute } from './next-minute.ts'

const years = Number(process.env.YEARS ?? sized(12, 1_000))
const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** The days before and after a change that are simulated. */
const around = 2 * dayMs
const formats = new Map<string, Intl.DateTimeFormat>()

/** Zones whose clocks change at midnight, by half an hour, in the southern hemisphere, around Ramadan, or never. */
const zones = [
  'America/New_York',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kathmandu',
]

const minutes = fc.constantFrom('0', '30', '15,45', '*/20', '59', '*', '7-9')
const hours = fc.constantFrom('*', '0', '1', '2', '3', '0-3', '*/2', '1,2', '23', '2,14', '0-23')
const days = fc.constantFrom(['*', '*'], ['*', '0'], ['*', '6,0,1'], ['1-31/2', '*'], ['8-14', '*'])
const schedules = fc
  .tuple(minutes, hours, days)
  .map(([minute, hour, [day, weekday]]) => `${minute} ${hour} ${day} * ${weekday}`)
const localYears = fc.record({
  zone: fc.constantFrom(...zones),
  year: fc.integer({ min: 1990, max: 2060 }),
  schedule: schedules,
})

test(`In ${years} local years no due time is left out, and none is due twice`, {
  timeout: 3_000_000,
}, async t => {
  let changes = 0
  let same = 0
  const isRight = ({ zone, year, schedule }: { zone: string; year: number; schedule: string }) =>
    changesIn(zone, year).every(change => {
      changes++
      const expected = dueBy(schedule, zone, change)
      const found = dueFrom(schedule, zone, change - around, change + around)
      if (isDeepStrictEqual(found, croner(schedule, zone, change))) same++
      return isDeepStrictEqual(found, expected)
    })
  fc.assert(fc.property(localYears, isRight), { numRuns: years })
  t.comment(`${changes} changes of the clock; croner agrees around ${same} of them`)
  t.ok(changes > years, 'most years have two changes')
})

test('Far from changes of the clock croner says the same', async () => {
  fc.assert(
    fc.property(localYears, ({ zone, year, schedule }) => {
      const [change] = changesIn(zone, year)
      if (change === undefined) return true
      const from = change + around
      if (changesIn(zone, year).some(other => Math.abs(other - from - around) < around)) return true
      const theirs = new Cron(schedule, { timezone: zone, mode: '5-part' }).nextRuns(5, new Date(from))
      const ours = dueFrom(schedule, zone, from, Number.POSITIVE_INFINITY, 5)
      return isDeepStrictEqual(
        ours,
        theirs.map(date => date.getTime()),
      )
    }),
    { numRuns: years },
  )
})

test('Where croner differs, it leaves due times out or repeats them', async t => {
  const next = (schedule: string, from: string) =>
    dueFrom(schedule, 'America/New_York', Date.parse(from), Number.POSITIVE_INFINITY, 4).map(at =>
      new Date(at).toISOString().slice(5, 16),
    )
  const theirs = (schedule: string, from: string) =>
    new Cron(schedule, { timezone: 'America/New_York', mode: '5-part' })
      .nextRuns(4, new Date(from))
      .map(date => date.toISOString().slice(5, 16))
  const [spring, autumn] = ['2026-03-08T05:00Z', '2026-11-01T03:30Z']

  const skipped = ['03-08T07:00', '03-08T07:30', '03-09T06:00', '03-09T06:30']
  t.strictSame(next('0,30 2 * * *', spring), skipped, 'both skipped times are due an hour later')
  t.strictSame(theirs('0,30 2 * * *', spring)[0], '03-09T06:00', 'croner leaves them out')
  t.strictSame(next('30 2 * * *', spring)[0], '03-08T07:30', 'as if the clock had not changed (RFC 5545)')
  t.strictSame(theirs('30 2 * * *', spring)[0], '03-08T07:00', 'croner: when the clock changes')

  const repeated = ['11-01T05:00', '11-01T05:30', '11-02T06:00', '11-02T06:30']
  t.strictSame(next('0,30 1 * * *', autumn), repeated, 'each repeated time is due once')
  t.strictSame(theirs('0,30 1 * * *', autumn)[2], '11-01T06:00', 'croner repeats them')
  t.strictSame(next('0 1 * * *', autumn), theirs('0 1 * * *', autumn), 'a single time is due once for both')
  const hourly = ['11-01T04:30', '11-01T05:30', '11-01T06:30', '11-01T07:30']
  t.strictSame(next('30 * * * *', autumn), hourly, 'every hour that passes is an hour')
  t.strictSame(theirs('30 * * * *', autumn), hourly)
})

test('Schedules of local time', async t => {
  const next = (schedule: string, zone: string, from: string) => {
    const at = nextLocalMinute(parseCron(schedule), zone, Date.parse(from))
    return at === null ? null : new Date(at).toISOString().slice(0, 16)
  }
  t.equal(next('0 6 * * *', 'Europe/Berlin', '2026-01-01T00:00Z'), '2026-01-01T05:00')
  t.equal(next('0 6 * * *', 'Europe/Berlin', '2026-07-01T00:00Z'), '2026-07-01T04:00')
  t.equal(
    next('0 0 1 1 *', 'Pacific/Kiritimati', '2026-06-01T00:00Z'),
    '2026-12-31T10:00',
    'the local day counts',
  )
  t.equal(next('0 0 * * *', 'America/Santiago', '2026-09-05T12:00Z'), '2026-09-06T04:00', 'no such midnight')
  t.equal(next('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T14:00Z'), '2026-10-03T15:45', 'half an hour')
  t.equal(
    next('15,40 2 * * *', 'Australia/Lord_Howe', '2026-10-03T14:00Z'),
    '2026-10-03T15:40',
    'a time after the change comes before a later one that the clock skips',
  )
  const newYork = 'America/New_York'
  t.equal(next('0 3 * * *', newYork, '2026-03-08T07:00Z'), '2026-03-09T07:00', 'the end of a skipped hour')
  t.equal(next('0 2 * * *', newYork, '2026-11-01T00:00Z'), '2026-11-01T07:00', 'the end of a repeated hour')
  t.equal(
    next('0 * * * 1', 'Asia/Beirut', '1990-10-15T20:00Z'),
    '1990-10-15T21:00',
    'an hour that a clock put back at midnight repeats, though the next due day is far',
  )
  t.equal(next('0 12 29 2 1', 'Europe/Berlin', '2026-01-01T00:00Z'), '2026-02-02T11:00', 'either day field')
  t.equal(
    next('0 12 29 2 */7', 'Europe/Berlin', '2088-03-01T00:00Z'),
    '2128-02-29T11:00',
    'forty years ahead',
  )
  t.equal(next('0 0 30 2 *', 'Europe/Berlin', '2026-01-01T00:00Z'), null)
})

/** Returns the first minutes of new offsets, by bisection. */
function changesIn(zone: string, year: number): number[] {
  const changes: number[] = []
  const offset = offsetOf(zone)
  for (let low = Date.UTC(year, 0); low < Date.UTC(year + 1, 0); low += dayMs) {
    if (offset(low) === offset(low + dayMs)) continue
    let [same, other] = [low, low + dayMs]
    while (other - same > minuteMs) {
      const middle = Math.floor((same + other) / 2 / minuteMs) * minuteMs
      if (offset(middle) === offset(low)) same = middle
      else other = middle
    }
    changes.push(other)
  }
  return changes
}

/** Returns when it is due: reads the wall clock of every minute, and takes the schedule of UTC for local times. */
function dueBy(schedule: string, zone: string, change: number): number[] {
  const offset = offsetOf(zone)
  const parsed = parseCron(schedule)
  const isEveryHour = parsed.hour.allowed.size === 24
  const [before, after] = [offset(change - minuteMs), offset(change)]
  const seen = new Set<number>()
  const due = new Set<number>()
  const isDue = (local: number) => nextMinute(parsed, local - 1) === local
  for (let at = change - around - dayMs; at <= change + around; at += minuteMs) {
    const local = at + (at < change ? before : after)
    if (isDue(local) && (isEveryHour || !seen.has(local))) due.add(at)
    seen.add(local)
  }
  for (let local = change + before; local < change + after; local += minuteMs)
    if (isDue(local)) due.add(local - before)
  return [...due].filter(at => at > change - around && at <= change + around).sort((a, b) => a - b)
}

function dueFrom(
  schedule: string,
  zone: string,
  from: number,
  to: number,
  max = Number.POSITIVE_INFINITY,
): number[] {
  const parsed = parseCron(schedule)
  const due: number[] = []
  for (let at: number | null = from; due.length < max; due.push(at)) {
    at = nextLocalMinute(parsed, zone, at)
    if (at === null || at > to) break
  }
  return due
}

function croner(schedule: string, zone: string, change: number): number[] {
  const cron = new Cron(schedule, { timezone: zone, mode: '5-part' })
  const due: number[] = []
  for (let at = cron.nextRun(new Date(change - around)); at !== null; at = cron.nextRun(at)) {
    if (at.getTime() > change + around || due.length > 2 * around) break
    due.push(at.getTime())
  }
  return due
}

/** Returns a function for local time minus UTC, from the parts of the local date. */
function offsetOf(zone: string): (at: number) => number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    })
  formats.set(zone, format)
  return at => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / minuteMs) * minuteMs
  }
}
