/** Patterns with `*` and `$` (RFC 9309, 2.2.3), matched in time linear in path and pattern. */
import { literal } from './octets.ts'
import { indexFrom } from './search.ts'

export type Pattern = {
  /** Stands at the start of the path. */
  head: string
  /** Follow in this order, each anywhere after the one before. */
  middles: string[]
  /** Stands at the end of the path; null when the path may go on. */
  end: string | null
  /** Whether the head is all of the path. */
  whole: boolean
}

/** Takes a pattern in comparable octets apart. */
export function patternOf(octets: string): Pattern {
  const anchored = octets.endsWith('$')
  const [head = '', ...rest] = (anchored ? octets.slice(0, -1) : octets).split('*').map(literal)
  const end = anchored ? (rest.pop() ?? null) : null
  return { head, middles: rest.filter(part => part !== ''), end, whole: anchored && end === null }
}

/** Whether the pattern is nothing but the start of a path. */
export const isPrefix = (octets: string): boolean => !octets.includes('*') && !octets.endsWith('$')

/** Whether the pattern matches a path; both in comparable octets, the path's own `*` and `$` escaped. */
export function matches({ head, middles, end, whole }: Pattern, path: string): boolean {
  if (whole) return path === head
  if (!path.startsWith(head)) return false
  let at = head.length
  for (const part of middles) {
    const found = indexFrom(path, part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return end === null || (path.endsWith(end) && path.length - end.length >= at)
}
