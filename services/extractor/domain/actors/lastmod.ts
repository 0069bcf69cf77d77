/**
 * Dates of change in sitemaps: validates the W3C profile of ISO 8601 (NOTE-datetime) and the plausibility of the date.
 */

const dated =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?)?)?$/

/** A day begins in the earliest time zone fourteen hours before it does in UTC. */
const earliestZoneMs = 14 * 3_600_000
/** Tolerance for inaccurate clocks. */
const skewMs = 5 * 60_000

/** Returns the fault of the date, or null. @param now milliseconds since 1970 */
export function lastmodFault(text: string, now: number): 'future' | 'unreadable' | null {
  const [whole, year, month = '01', day = '01', time] = dated.exec(text.trim()) ?? []
  if (whole === undefined || !isDay(Number(year), Number(month), Number(day))) return 'unreadable'
  const begins = Date.parse(`${year}-${month}-${day}${time ?? 'T00:00:00Z'}`)
  if (Number.isNaN(begins)) return 'unreadable'
  return begins > now + (time === undefined ? earliestZoneMs : skewMs) ? 'future' : null
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
