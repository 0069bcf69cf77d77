/**
 * Recognizes paths that the URL parser would not change: unreserved characters and slashes, and no segment that
 * starts with a dot. Doubtful paths are not plain.
 */
import { isUnreserved } from './escapes.ts'

const dot = 0x2e
const slash = 0x2f
const hash = 0x23

/** Returns the end of the plain path that starts at `start`, without its fragment, or -1 if it is not plain. */
export function plainEnd(href: string, start: number): number {
  let previous = slash
  for (let at = start; at < href.length; at++) {
    const code = href.charCodeAt(at)
    if (code === hash) return at
    if (code !== slash && (!isUnreserved(code) || (code === dot && previous === slash))) return -1
    previous = code
  }
  return href.length
}
