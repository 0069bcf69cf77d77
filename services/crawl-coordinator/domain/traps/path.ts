/** Detects paths that grow by relative links which a server answers at every depth. */
import { type Address, shown } from './address.ts'

const maxSegments = 32
const maxPathLength = 2000
const maxRepetitions = 2
/** Maximum repetitions of numbers, which honest sites repeat too: dates, tiles of maps, editions. */
const maxNumberRepetitions = 7
const maxAppearances = 4
const maxCycle = 8
const minForVariety = 6

/** Returns why a path is deeper or longer than intended paths; null if it is not. */
export function tooDeep({ segments, path }: Address): string | null {
  if (segments.length > maxSegments) {
    return `its path has ${segments.length} segments, more than ${maxSegments}`
  }
  return path.length > maxPathLength
    ? `its path is ${path.length} characters long, more than ${maxPathLength}`
    : null
}

/** Returns how a path repeats segments, in a row or all over the path; null if it does not. */
export function repeatedPath({ segments }: Address): string | null {
  if (segments.length <= maxRepetitions) return null
  return repeatedInARow(segments) ?? (segments.length > maxAppearances ? repeatedAllOver(segments) : null)
}

function repeatedInARow(segments: readonly string[]): string | null {
  for (let length = 1; length <= maxCycle && length * (maxRepetitions + 1) <= segments.length; length++) {
    let equal = 0
    for (let at = length; at < segments.length; at++) {
      equal = segments[at] === segments[at - length] ? equal + 1 : 0
      const repetitions = Math.floor(equal / length) + 1
      if (repetitions <= maxRepetitions) continue
      const cycle = segments.slice(at - length + 1, at + 1)
      if (repetitions <= maxNumberRepetitions && cycle.every(isNumber)) continue
      return `its path repeats “${shown(cycle.join('/'))}” ${repetitions} times in a row`
    }
  }
  return null
}

function repeatedAllOver(segments: readonly string[]): string | null {
  const times = new Map<string, number>()
  let names = 0
  for (const segment of segments) {
    if (isNumber(segment)) continue
    names++
    const count = (times.get(segment) ?? 0) + 1
    if (count > maxAppearances) return `its path contains “${shown(segment)}” ${count} times`
    times.set(segment, count)
  }
  return names >= minForVariety && times.size * 2 <= names
    ? `its path has ${names} segments and only ${times.size} different ones`
    : null
}

const isNumber = (segment: string): boolean => /^[\d.,-]+$/.test(segment)
