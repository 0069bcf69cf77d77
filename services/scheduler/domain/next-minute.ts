/** Computes when a schedule is due next: by months, then days, hours and minutes, so that the work is bounded. */
import type { Schedule } from './cron.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Months to search. The longest pause is 40 years: a 29 February on a certain weekday, across 2100. */
const monthsAhead = 41 * 12

/**
 * Returns the first due minute after this time, both in ms since 1970; null for days that never occur: 30 February.
 */
export function nextMinute(schedule: Schedule, afterMs: number): number | null {
  const from = (Math.floor(afterMs / minuteMs) + 1) * minuteMs
  const start = new Date(from)
  for (let ahead = 0; ahead <= monthsAhead; ahead++) {
    const month = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + ahead)
    const due = schedule.month.allowed.has(new Date(month).getUTCMonth() + 1)
      ? inMonth(schedule, month, from)
      : null
    if (due !== null) return due
  }
  return null
}

function inMonth(schedule: Schedule, month: number, from: number): number | null {
  const { hour, minute } = schedule
  const end = Date.UTC(new Date(month).getUTCFullYear(), new Date(month).getUTCMonth() + 1)
  const firstDay = Math.max(month, Math.floor(from / dayMs) * dayMs)
  for (let day = firstDay; day < end; day += dayMs) {
    const due = isDay(schedule, new Date(day)) ? inDay(hour.allowed, minute.allowed, day, from) : null
    if (due !== null) return due
  }
  return null
}

/** Returns whether a day is due by crontab(5): if both fields restrict the day, one of them is enough. */
function isDay({ dayOfMonth, dayOfWeek }: Schedule, day: Date): boolean {
  const weekday = day.getUTCDay()
  const isDate = dayOfMonth.allowed.has(day.getUTCDate())
  const isWeekday = dayOfWeek.allowed.has(weekday) || (weekday === 0 && dayOfWeek.allowed.has(7))
  return dayOfMonth.isStar || dayOfWeek.isStar ? isDate && isWeekday : isDate || isWeekday
}

function inDay(
  hours: ReadonlySet<number>,
  minutes: ReadonlySet<number>,
  day: number,
  from: number,
): number | null {
  const firstHour = Math.max(0, Math.floor((from - day) / hourMs))
  for (let hour = firstHour; hour < 24; hour++) {
    if (!hours.has(hour)) continue
    const start = day + hour * hourMs
    const firstMinute = Math.max(0, (from - start) / minuteMs)
    for (let minute = firstMinute; minute < 60; minute++) {
      if (minutes.has(minute)) return start + minute * minuteMs
    }
  }
  return null
}
