/** Reads sitemaps in plain text: one absolute address per line (sitemaps.org, "Text file"). */
import type { Addresses } from './addresses.ts'
import { stepCharacters } from './limits.ts'

const absolute = /^\s*https?:\/\//i

/** Returns whether a text starts with an address instead of markup. */
export const isList = (text: string): boolean => absolute.test(text.slice(0, 4096))

/** Adds each line with an address. Other lines, such as remarks, are skipped. */
export function* readLines(text: string, addresses: Addresses): Generator<void, 'text'> {
  let since = 0
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    if (absolute.test(line)) addresses.add('urls', line)
    if (addresses.isFull) break
    if (index - since < stepCharacters) continue
    since = index
    yield
  }
  return 'text'
}
