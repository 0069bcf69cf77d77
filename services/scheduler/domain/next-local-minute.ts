/**
 * Computes when a schedule is due in a time zone. No due time is left out and none is due twice, even when the clock
 * changes:
 *
 * - A local time that the clock skips is due as if the clock had not changed yet: 02:30 becomes 03:30 (RFC 5545, 3.3.5).
 * - A local time that occurs twice is due the first time.
 * - A schedule with all hours names minutes of every hour that passes, so it is due in both of two equal hours.
 *
 * If two due times become the same minute, the schedule is due once.
 */
import type { Schedule } from './cron.ts'
import { nextMinute } from './next-minute.ts'
import { type Period, periodAt, utc } from './zone.ts'

const minuteMs = 60_000
/**
 * Margin before a far due time to which the search jumps: more than the clock can move, so that no change is missed. The
 * search does not jump for a schedule with all hours, because a clock that is put back repeats an hour of a due day.
 */
const marginMs = 3 * 86_400_000
const hoursOfDay = 24

/**
 * Returns the first due minute of a zone after this time, both in ms since 1970; null for days that never occur.
 */
export function nextLocalMinute(schedule: Schedule, zone: string, afterMs: number): number | null {
  if (zone === utc) return nextMinute(schedule, afterMs)
  for (let after = afterMs; ; ) {
    const period = periodAt(zone, (Math.floor(after / minuteMs) + 1) * minuteMs)
    const regular = regularMinute(schedule, period, after)
    const skipped = skippedMinute(schedule, period, after)
    if (regular === null) return skipped
    if (skipped !== null && skipped < regular) return skipped
    if (regular < period.until) return regular
    after = period.until - minuteMs
    if (!isEveryHour(schedule)) after = Math.max(after, regular - marginMs)
  }
}

const isEveryHour = ({ hour }: Schedule): boolean => hour.allowed.size === hoursOfDay

/** Returns the next due local time at the offset of the period, which may lie beyond its end. */
function regularMinute(schedule: Schedule, period: Period, after: number): number | null {
  const { from, offset, before } = period
  const repeated = isEveryHour(schedule) ? 0 : Math.max(0, before - offset)
  const local = nextMinute(schedule, Math.max(after, from + repeated - minuteMs) + offset)
  return local === null ? null : local - offset
}

/** Returns the next due local time that the change of the clock at the start of the period skips, at its old offset. */
function skippedMinute(schedule: Schedule, { from, offset, before }: Period, after: number): number | null {
  const end = from + offset - before
  if (offset <= before) return null
  const local = nextMinute(schedule, Math.max(after, from - minuteMs) + before)
  return local !== null && local - before < end ? local - before : null
}
