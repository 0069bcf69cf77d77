/** Caches the latest results of a pure function. */
import { keepNewest } from './newest.ts'

export type Memoized = (text: string) => string

/**
 * Returns a function that caches the results of `work`. Errors are not cached. If there are more than `maxResults`
 * results, the oldest is dropped.
 */
export function memoize(work: Memoized, maxResults = 1_000): Memoized {
  const known = new Map<string, string>()
  return text => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = work(text)
    known.set(text, result)
    keepNewest(known, maxResults)
    return result
  }
}
