/** Makes the addresses in a page absolute. */
import type { Resolve } from './kept-tree.ts'

/** Answers null for what is no address of the web, of mail or of a telephone. */
export function resolver(url: string, base: string | null): Resolve {
  const from = (base === null ? null : URL.parse(base, url))?.href ?? url
  return address => {
    if (address.length > longestAddress) return null
    const found = URL.parse(address.trim(), from)
    return found !== null && schemes.has(found.protocol) ? found.href : null
  }
}

const schemes = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const longestAddress = 8192
