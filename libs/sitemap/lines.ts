/** Sitemaps that are plain text: one absolute address a line (sitemaps.org, "Text file"). */
import type { Addresses } from './addresses.ts'
import { stepCharacters } from './limits.ts'

const absolute = /^\s*https?:\/\//i

/** Whether a text begins with an address and not with markup. */
export const isList = (text: string): boolean => absolute.test(text.slice(0, 4096))

/** Lines that are no address, such as remarks, are passed over. */
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
