/** Matches patterns with `*` and `$` (RFC 9309, 2.2.3) in time linear in path and pattern. */
import { literal } from './octets.ts'
import { fallbacksOf, indexFrom } from './search.ts'

export type Pattern = {
  /** Literal at the start of the path. */
  head: string
  /** Literals that follow in this order, each anywhere after the previous one. */
  middles: string[]
  /** Search tables of the middles, by position. Each is computed when its middle is first searched. */
  known: (ReturnType<typeof fallbacksOf> | undefined)[]
  /** Literal at the end of the path, or null if the path may continue. */
  end: string | null
  /** Whether the head must equal the whole path. */
  whole: boolean
}

/** Remaining steps before the search stops. One step takes some nanoseconds. */
export type Steps = { left: number }

/** Parses a pattern in comparable octets (`octetsOf`). */
export function patternOf(octets: string): Pattern {
  const anchored = octets.endsWith('$')
  const [head = '', ...rest] = (anchored ? octets.slice(0, -1) : octets).split('*').map(literal)
  const end = anchored ? (rest.pop() ?? null) : null
  return { head, middles: rest.filter(part => part !== ''), known: [], end, whole: anchored && end === null }
}

/** Returns whether the pattern is only a prefix. */
export const isPrefix = (octets: string): boolean => !octets.includes('*') && !octets.endsWith('$')

/** Cost model: steps per pattern, and the number of characters per step for comparisons and for native searches. */
const stepsOfPattern = 8
const charactersComparedPerStep = 16
const charactersSearchedPerStep = 2

/**
 * Returns whether the pattern matches a path, or undefined if the steps ran out. Both are in comparable octets, and
 * the path's own `*` and `$` are escaped.
 */
export function matches(
  { head, middles, known, end, whole }: Pattern,
  path: string,
  steps: Steps,
): boolean | undefined {
  steps.left -= stepsOfPattern + (head.length + (end?.length ?? 0)) / charactersComparedPerStep
  if (whole) return path === head
  if (!path.startsWith(head)) return false
  let at = head.length
  for (const [n, part] of middles.entries()) {
    if (part.length > path.length - at) return false
    if (steps.left < 0) return undefined
    if (known[n] === undefined) steps.left -= part.length
    const fallbacks = known[n] === undefined ? fallbacksOf(part) : known[n]
    known[n] = fallbacks
    const found = indexFrom(path, part, at, fallbacks)
    steps.left -=
      1 + ((found === -1 ? path.length : found) - at) / (fallbacks === null ? charactersSearchedPerStep : 1)
    if (found === -1) return false
    at = found + part.length
  }
  return end === null || (path.endsWith(end) && path.length - end.length >= at)
}
