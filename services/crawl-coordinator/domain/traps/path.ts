/** Paths that grow by themselves, as relative links do that a server answers at every depth. */
import { type Address, shown } from './address.ts'

const mostSegments = 32
const longestPath = 2000
const mostTurns = 2
/** Numbers repeat on honest sites: dates, tiles of maps, editions. */
const mostNumberTurns = 7
const mostAppearances = 4
const longestCycle = 8
const fewestForVariety = 6

/** Deeper or longer than what people or programs write on purpose. */
export function tooDeep({ segments, path }: Address): string | null {
  if (segments.length > mostSegments) {
    return `its path has ${segments.length} segments, more than ${mostSegments}`
  }
  return path.length > longestPath
    ? `its path is ${path.length} characters long, more than ${longestPath}`
    : null
}

/** The same segments again and again: in a row, or all over the path. */
export function repeatedPath({ segments }: Address): string | null {
  if (segments.length <= mostTurns) return null
  return repeatedInARow(segments) ?? (segments.length > mostAppearances ? repeatedAllOver(segments) : null)
}

function repeatedInARow(segments: readonly string[]): string | null {
  for (let length = 1; length <= longestCycle && length * (mostTurns + 1) <= segments.length; length++) {
    let equal = 0
    for (let at = length; at < segments.length; at++) {
      equal = segments[at] === segments[at - length] ? equal + 1 : 0
      const turns = Math.floor(equal / length) + 1
      if (turns <= mostTurns) continue
      const cycle = segments.slice(at - length + 1, at + 1)
      if (turns <= mostNumberTurns && cycle.every(isNumber)) continue
      return `its path repeats “${shown(cycle.join('/'))}” ${turns} times in a row`
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
    if (count > mostAppearances) return `its path names “${shown(segment)}” ${count} times`
    times.set(segment, count)
  }
  return names >= fewestForVariety && times.size * 2 <= names
    ? `its path has ${names} segments and only ${times.size} different ones`
    : null
}

const isNumber = (segment: string): boolean => /^[\d.,-]+$/.test(segment)
