/** Makes the addresses in a page absolute. */
import type { Resolve } from './kept-tree.ts'

/** Answers null for what is no address of the web, of mail or of a telephone. */
export function resolver(url: string, base: string | null): Resolve {
  const from = (base === null ? null : URL.parse(base, url))?.href ?? url
  let left = mostCharacters
  return address => {
    if (address.length > longestAddress || left < 0) return null
    const found = URL.parse(address.trim(), from)
    if (found === null || !schemes.has(found.protocol) || found.href.length > longestAddress) return null
    left -= found.href.length
    return found.href
  }
}

const schemes = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const longestAddress = 8192
/** Of all addresses together: where the base is long, few bytes of a page stand for a hundred times as many. */
const mostCharacters = 8 * 1024 ** 2
