/** Detects calendars that have a page for every month of the future. */
import type { Address } from './address.ts'
import { type Dated, dateOf } from './dates.ts'
import { getOrCreate, maxCalendars, type TrapMemory } from './memory.ts'

const maxYearsAhead = 2
/** Number of known pages of a calendar above which it is followed at most a year ahead. */
const longCalendar = 60
/** Maximum pages of a calendar: a century by months, or more than half of one by days. */
const maxMonths = 1200
const maxDays = 20_000

/**
 * Returns why a URL is a trap, or null: its date is too far ahead, or its calendar has too many pages.
 * @param now Epoch milliseconds.
 */
export function endlessCalendar(memory: TrapMemory, address: Address, now: number): string | null {
  const date = dateOf(address)
  if (date === null) return null
  const ahead = monthsAhead(date, now)
  if (ahead > 12 * maxYearsAhead) {
    return `it is the page of ${written(date)}, more than ${maxYearsAhead} years ahead`
  }
  const known = memory.dates.get(date.calendar) ?? 0
  if (ahead > 12 && known > longCalendar) {
    return `it is the page of ${written(date)}, more than a year ahead in a calendar with ${known} known pages`
  }
  const maxPages = date.day === null ? maxMonths : maxDays
  return known >= maxPages ? `its calendar has more than ${maxPages} pages` : null
}

export function noteDate(memory: TrapMemory, address: Address): void {
  const date = dateOf(address)
  if (date === null || !memory.seen.add(`date ${date.calendar} ${written(date)}`)) return
  const known = getOrCreate(memory.dates, date.calendar, maxCalendars, () => 0)
  if (known !== null) memory.dates.set(date.calendar, known + 1)
}

function monthsAhead({ year, month }: Dated, now: number): number {
  const today = new Date(now)
  return (year - today.getUTCFullYear()) * 12 + month - 1 - today.getUTCMonth()
}

const written = ({ year, month, day }: Dated): string =>
  [year, month, ...(day === null ? [] : [day])].map(part => String(part).padStart(2, '0')).join('-')
