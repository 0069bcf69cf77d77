/** Patterns with `*` and `$` (RFC 9309, 2.2.3), matched in time linear in path and pattern. */
import { literal } from './octets.ts'
import { fallbacksOf, indexFrom } from './search.ts'

export type Pattern = {
  /** Stands at the start of the path. */
  head: string
  /** Follow in this order, each anywhere after the one before. */
  middles: string[]
  /** Prepared searches of the middles, by their position; created on the first search. */
  known: (ReturnType<typeof fallbacksOf> | undefined)[]
  /** The part at the end of the path; null if the path may continue. */
  end: string | null
  /** Whether the head is all of the path. */
  whole: boolean
}

/** Steps that may be taken before it is given up. One takes some nanoseconds. */
export type Steps = { left: number }

/** Takes a pattern in comparable octets apart. */
export function patternOf(octets: string): Pattern {
  const anchored = octets.endsWith('$')
  const [head = '', ...rest] = (anchored ? octets.slice(0, -1) : octets).split('*').map(literal)
  const end = anchored ? (rest.pop() ?? null) : null
  return { head, middles: rest.filter(part => part !== ''), known: [], end, whole: anchored && end === null }
}

/** Whether the pattern is nothing but the start of a path. */
export const isPrefix = (octets: string): boolean => !octets.includes('*') && !octets.endsWith('$')

/** In steps: taking up a pattern; and for how many characters one is counted where they are compared or searched natively. */
const stepsOfPattern = 8
const compared = 16
const searched = 2

/**
 * Whether the pattern matches a path; both in comparable octets, the path's own `*` and `$` escaped. Undefined where the
 * steps ran out before that was known.
 */
export function matches(
  { head, middles, known, end, whole }: Pattern,
  path: string,
  steps: Steps,
): boolean | undefined {
  steps.left -= stepsOfPattern + (head.length + (end?.length ?? 0)) / compared
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
    steps.left -= 1 + ((found === -1 ? path.length : found) - at) / (fallbacks === null ? searched : 1)
    if (found === -1) return false
    at = found + part.length
  }
  return end === null || (path.endsWith(end) && path.length - end.length >= at)
}
