import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { anySchedule, type Part, textOf } from './any-schedule.scene.ts'
import { parseCron } from './cron.ts'
import { nextDue, spreadOf } from './due.ts'
import { nextMinute } from './next-minute.ts'

const next = (schedule: string, after: string): string | null => {
  const minute = nextMinute(parseCron(schedule), Date.parse(after))
  return minute === null ? null : new Date(minute).toISOString().slice(0, 16)
}

test('A schedule', async t => {
  const examples: [schedule: string, after: string, due: string | null][] = [
    ['* * * * *', '2026-01-02T03:04:05Z', '2026-01-02T03:05'],
    ['* * * * *', '2026-12-31T23:59:00Z', '2027-01-01T00:00'],
    ['0 6 * * 1-5', '2026-01-02T06:00:00Z', '2026-01-05T06:00'],
    ['*/15 0 1 1 *', '2026-06-01T00:00:00Z', '2027-01-01T00:00'],
    ['10-20/5,59 * * * *', '2026-01-01T00:20:00Z', '2026-01-01T00:59'],
    ['0 0 * JAN,jul Mon', '2026-02-01T00:00:00Z', '2026-07-06T00:00'],
    ['0 0 * * 0', '2026-01-01T00:00:00Z', '2026-01-04T00:00'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00'],
    ['0 0 * * fri-sun', '2026-01-03T00:00:00Z', '2026-01-04T00:00'],
    ['0 0 * * FRI-SUN', '2026-01-03T00:00:00Z', '2026-01-04T00:00'],
    ['0 0 * * sun-sun', '2026-01-05T00:00:00Z', '2026-01-11T00:00'],
    ['0 0 13 * 5', '2026-02-01T00:00:00Z', '2026-02-06T00:00'],
    ['0 0 13 * 5', '2026-01-10T00:00:00Z', '2026-01-13T00:00'],
    ['0 0 */2 * 5', '2026-02-01T00:00:00Z', '2026-02-13T00:00'],
    ['0 0 31 * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00'],
    ['0 0 29 2 */7', '2088-03-01T00:00:00Z', '2128-02-29T00:00'],
    ['\t0  0 1 1 * ', '2026-01-01T00:00:00Z', '2027-01-01T00:00'],
    ['0 0 30 2 *', '2026-01-01T00:00:00Z', null],
    ['0 0 31 4,6,9,11 *', '2026-01-01T00:00:00Z', null],
  ]
  for (const [schedule, after, due] of examples) {
    t.test(`${schedule} after ${after} is due ${due ?? 'never'}`, async t =>
      t.equal(next(schedule, after), due),
    )
  }

  t.test('that crontab(5) does not know is refused', async t => {
    const wrong = [
      ...['', '* * * *', '* * * * * *', '0 0 * * * 2027', '@daily', '@every 5m', '0 0 L * *', '0 0 * * 5L'],
      ...['0 0 * * 1#2', '0 0 15W * *', '0 0 ? * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *'],
      ...['* * * 0 *', '* * * 13 *', '* * * * 8', '-1 * * * *', '5-1 * * * *', '*/0 * * * *', '5/10 * * * *'],
      ...[
        '1,,2 * * * *',
        ', * * * *',
        '1- * * * *',
        '*/ * * * *',
        '1.5 * * * *',
        'jan * * * *',
        '* * * mon *',
      ],
      ...['* * * january *', '* * * * sat-mon', '**** * * * *', '*-5 * * * *', '0 0\n* * *', '٣ * * * *'],
    ]
    for (const text of wrong) t.throws(() => parseCron(text), { code: 'bad_cron' }, text)
    t.throws(() => parseCron('0 25 * * *'), { message: /hour field is wrong: "25" .* outside 0 to 23/ })
    t.throws(() => parseCron('0 0 0 * * *'), { message: /five fields .*; this one has 6/ })
  })

  t.test('of any text is read or refused, at once', async () => {
    const near = fc.stringMatching(/^[-*/,0-9a-f ]{0,40}$/)
    const about = (text: string) => {
      try {
        nextMinute(parseCron(text), 0)
      } catch (error) {
        return (error as { code?: string }).code === 'bad_cron'
      }
      return true
    }
    fc.assert(fc.property(fc.oneof(fc.string(), near), about))
  })
})

test('The next due minute', async t => {
  t.test('is the first one that a walk through all minutes finds', async () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 0, max: 130 * 365 * 1440 }), (fields, afterMinute) => {
        const due = nextMinute(parseCron(textOf(fields)), afterMinute * minuteMs + 59_999)
        const walked = walk(fields, afterMinute)
        return walked === null
          ? due === null || due > (afterMinute + walkedMinutes) * minuteMs
          : due === walked
      }),
      { numRuns: sized(150, 400) },
    )
  })

  t.test('is due itself, however far away it is', async () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 0, max: 4e12 }), (fields, after) => {
        const due = nextMinute(parseCron(textOf(fields)), after)
        return due === null || (due > after && due % minuteMs === 0 && isDue(fields, due / minuteMs))
      }),
    )
  })

  t.test('of a monitor comes within a minute where each is due, at its own second', async t => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 50 }), fc.integer({ min: 1e9, max: 4e12 }), (id, now) => {
        const timed = { id, schedule: '* * * * *', timezone: 'UTC' }
        const due = nextDue(timed, now)
        const after = nextDue(timed, now, due?.minute)
        if (!due || !after) return false
        const isNext = due.firesAt > now && due.firesAt <= now + minuteMs
        return isNext && due.firesAt - due.minute === spreadOf(id) && after.minute - due.minute === minuteMs
      }),
    )
    const seconds = new Set(Array.from({ length: 600 }, (_, id) => spreadOf(id + 1)))
    t.ok(seconds.size > 50, 'monitors do not fire all at once')
  })
})

const minuteMs = 60_000
const walkedMinutes = 20 * 1440

/** Returns whether a minute since 1970 is due, by the text of crontab(5). */
function isDue(fields: Part[][], minute: number): boolean {
  const at = new Date(minute * minuteMs)
  const has = (n: number, value: number) =>
    fields[n]?.some(({ from, to, step }) => value >= from && value <= to && (value - from) % step === 0) ??
    false
  const beginsWithStar = (n: number) => fields[n]?.[0]?.isStar ?? false
  const isDate = has(2, at.getUTCDate())
  const weekday = at.getUTCDay()
  const isWeekday = has(4, weekday) || (weekday === 0 && has(4, 7))
  const isDay = beginsWithStar(2) || beginsWithStar(4) ? isDate && isWeekday : isDate || isWeekday
  return isDay && has(0, at.getUTCMinutes()) && has(1, at.getUTCHours()) && has(3, at.getUTCMonth() + 1)
}

function walk(fields: Part[][], afterMinute: number): number | null {
  for (let minute = afterMinute + 1; minute <= afterMinute + walkedMinutes; minute++) {
    if (isDue(fields, minute)) return minute * minuteMs
  }
  return null
}
