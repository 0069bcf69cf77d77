/**
 * Time zones of the IANA database, from the tables of the runtime: the UTC offset of a zone and the instants at which it
 * changes.
 */

/** A time without a change of the UTC offset. Instants and offsets are in ms. */
export type Period = {
  /** First instant, which is the change of the clock; -Infinity if the last change is over a year ago. */
  from: number
  /**
   * First instant after the period: the next change of the clock. Without a change before the end of the next year it
   * is that end, and the offset may be the same afterwards.
   */
  until: number
  offset: number
  /** Offset before the change at `from`. */
  before: number
}

type Change = { at: number; before: number; after: number }

export const utc = 'UTC'

const minuteMs = 60_000
const dayMs = 86_400_000
/** No zone has two changes within this time. The shortest periods are some weeks of summer time around a Ramadan. */
const probeMs = 4 * dayMs
/**
 * Maximum numbers of cached entries. A formatter takes some kilobytes, and the changes of a year take some hundred
 * bytes.
 */
const maxCached = { zones: 100, years: 5_000 }

const formats = new Map<string, Intl.DateTimeFormat>()
const years = new Map<string, Change[]>()

/** Returns whether the name is one of the IANA database. Offsets such as `+01:00` are refused, because they have no rules. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the period that contains an instant. */
export function periodAt(zone: string, at: number): Period {
  const year = new Date(at).getUTCFullYear()
  const changes = [year - 1, year, year + 1].flatMap(one => changesIn(zone, one))
  const last = changes.findLast(change => change.at <= at)
  const next = changes.find(change => change.at > at)
  const offset = last?.after ?? offsetAt(zone, at)
  return {
    from: last?.at ?? Number.NEGATIVE_INFINITY,
    until: next?.at ?? Date.UTC(year + 2, 0),
    offset,
    before: last?.before ?? offset,
  }
}

/** Returns the changes of the clock in a year of UTC, in order. */
function changesIn(zone: string, year: number): Change[] {
  const name = `${zone} ${year}`
  const known = years.get(name)
  if (known !== undefined) return known
  const changes: Change[] = []
  const first = Date.UTC(year, 0) - minuteMs
  const last = Date.UTC(year + 1, 0) - minuteMs
  let before = offsetAt(zone, first)
  for (let low = first; low < last; low += probeMs) {
    const high = Math.min(low + probeMs, last)
    const after = offsetAt(zone, high)
    if (after !== before) changes.push({ at: changeBetween(zone, low, high, before), before, after })
    before = after
  }
  keep(years, name, changes, maxCached.years)
  return changes
}

/** Returns the first minute whose offset differs from `before`, the offset at `low`. */
function changeBetween(zone: string, low: number, high: number, before: number): number {
  let [same, other] = [low / minuteMs, high / minuteMs]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetAt(zone, middle * minuteMs) === before) same = middle
    else other = middle
  }
  return other * minuteMs
}

/** Returns local time minus UTC. */
function offsetAt(zone: string, at: number): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(formatOf(zone).format(at)) ?? []
  const ms = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs
  return sign === '-' ? -ms : ms
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  keep(formats, zone, format, maxCached.zones)
  return format
}

/** Stores a value. If the cache is full, it deletes the oldest entry first. */
function keep<Value>(cache: Map<string, Value>, key: string, value: Value, max: number): void {
  const [oldest] = cache.keys()
  if (cache.size >= max && oldest !== undefined) cache.delete(oldest)
  cache.set(key, value)
}
