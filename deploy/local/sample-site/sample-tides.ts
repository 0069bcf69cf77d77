/**
 * Computes the tide tables of the sample site from the two strongest tides, those of moon and sun, so that heights vary
 * over a month. Not for navigation.
 */
const year = 2026
const hourMs = 3_600_000
const halfDayOfTheMoon = 12.4206 * hourMs
const halfMonthOfTheMoon = 14.765 * 24 * hourMs
const firstHighWater = Date.UTC(year, 0, 1, 1, 40)
const firstSpring = Date.UTC(year, 0, 4, 12)
const meanLevel = 2.9

type Tide = { at: number; metres: number }

/** Returns the table of a month (0: January) as HTML: one row per day, with high and low waters in order of time. */
export function tideTable(month: number): string {
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const rows = Array.from({ length: days }, (_, index) => {
    const begin = Date.UTC(year, month, index + 1)
    const cells = tidesBetween(begin, begin + 24 * hourMs).map(
      ({ at, metres }) => `${clock(at)} ${metres.toFixed(1)} m`,
    )
    return `<tr><th scope="row">${index + 1}</th><td>${cells.join('</td><td>')}</td></tr>`
  })
  return `<table>\n<thead><tr><th>Day</th><th colspan="4">Time (UTC) and height</th></tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
}

function tidesBetween(begin: number, end: number): Tide[] {
  const first = Math.ceil((2 * (begin - firstHighWater)) / halfDayOfTheMoon)
  const tides: Tide[] = []
  for (let half = first; ; half++) {
    const at = firstHighWater + (half * halfDayOfTheMoon) / 2
    if (at >= end) return tides
    const swing = 1.85 + 0.7 * Math.cos((2 * Math.PI * (at - firstSpring)) / halfMonthOfTheMoon)
    tides.push({ at, metres: half % 2 === 0 ? meanLevel + swing : meanLevel - swing })
  }
}

const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
