/** A pure function whose latest results are kept, so that what comes again and again is worked out once. */
import { keepNewest } from './newest.ts'

export type Remembered = (text: string) => string

/** Nothing is kept of what throws. The longest known is forgotten first. */
export function remembered(work: Remembered, most = 1_000): Remembered {
  const known = new Map<string, string>()
  return text => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = work(text)
    known.set(text, result)
    keepNewest(known, most)
    return result
  }
}
