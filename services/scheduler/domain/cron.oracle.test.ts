/**
 * Compares our parser of schedules with `croner` on random schedules. EXPRESSIONS is their number. Where the two differ,
 * crontab(5) decides, and this file lists the differences.
 */
import { isDeepStrictEqual } from 'node:util'
import { Cron } from 'croner'
import fc from 'fast-check'
import { test } from 'tap'
import { anySchedule, type Part, rareSchedule, textOf } from './any-schedule.scene.ts'
import { parseCron } from './cron.ts'
import { nextMinute } from './next-minute.ts'

const expressions = Number(process.env.EXPRESSIONS ?? 700)
const compared = 3
/** The largest step that croner accepts in each field. */
const maxSteps = [60, 24, 31, 12, 7]

test(`${expressions} schedules are due when croner says so`, async t => {
  let never = 0
  const isAsTheirs = (fields: Part[][], second: number) => {
    const after = second * 1000
    const theirs = croner(fields).nextRuns(compared, new Date(after))
    if (theirs.length === 0) never++
    return isDeepStrictEqual(
      ours(textOf(fields), after),
      theirs.map(date => date.getTime()),
    )
  }
  const schedules = fc.oneof({ weight: 4, arbitrary: anySchedule }, { weight: 1, arbitrary: rareSchedule })
  const anySecond = fc.integer({ min: 0, max: 4e9 })
  fc.assert(fc.property(schedules, anySecond, isAsTheirs), { numRuns: expressions })
  t.comment(`${never} of them are never due`)
})

test('Where croner and crontab(5) differ, crontab(5) is right', async t => {
  const from = Date.parse('2026-02-01T00:00:00Z')
  const next = (text: string) => new Date(ours(text, from)[0] ?? 0).toISOString().slice(0, 10)
  const theirs = (text: string) => oracle(text).nextRun(new Date(from))?.toISOString().slice(0, 10)

  t.equal(next('0 0 */2 * 5'), '2026-02-13', 'a day that begins with * does not restrict: both must hold')
  t.equal(theirs('0 0 */2 * 5'), '2026-02-03')
  t.equal(next('*/70 * * * *'), '2026-02-01', 'a step may be longer than its range')
  t.throws(() => theirs('*/70 * * * *'))
  t.equal(next('0 0 * * sun-sun'), '2026-02-08', 'a range from a day to itself is that day')
  t.equal(theirs('0 0 * * sun-sun'), '2026-02-02')
})

function ours(text: string, after: number): number[] {
  const schedule = parseCron(text)
  const due: number[] = []
  for (let at: number | null = after; due.length < compared; due.push(at)) {
    at = nextMinute(schedule, at)
    if (at === null) break
  }
  return due
}

function oracle(text: string, domAndDow = false): Cron {
  return new Cron(text, { timezone: 'UTC', mode: '5-part', domAndDow })
}

/** Returns croner's schedule: with the rule for days that applies, and in an equivalent text that croner accepts. */
function croner(fields: Part[][]): Cron {
  const [, , dayOfMonth, , dayOfWeek] = fields
  const bothMustHold = [dayOfMonth, dayOfWeek].some(parts => parts?.[0]?.isStar)
  const accepted = fields.map((parts, n) => parts.map(part => withStepBelow(maxSteps[n] ?? 0, part)))
  return oracle(textOf(accepted), bothMustHold)
}

function withStepBelow(max: number, part: Part): Part {
  return { ...part, step: part.from === part.to ? 1 : Math.min(part.step, max) }
}
