/**
 * Normalizes paths and patterns, which are compared octet by octet (RFC 9309, 2.2.2). Characters that are not ASCII
 * or not allowed in a URL are escaped as UTF-8. Unreserved characters are unescaped, and the remaining escapes are in
 * upper case.
 */

const ordinary = /^[\w./~?=&-]*$/
const unusual = /%[0-9a-fA-F]{2}|[^\w.~!$&'()*+,;=:@/?#[\]%-]/gu

/** Returns a path or pattern in comparable octets, all of them ASCII. */
export function octetsOf(text: string): string {
  if (ordinary.test(text)) return text
  return text.toWellFormed().replace(unusual, found => {
    if (found.length < 3) return encodeURIComponent(found)
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : found.toUpperCase()
  })
}

/**
 * Unescapes `:` and `/` in a query (also of a pattern), because the RFC treats `?u=https://x` and
 * `?u=https%3A%2F%2Fx` as equal.
 */
export function relaxedQuery(octets: string): string {
  const query = octets.indexOf('?')
  if (query === -1 || !octets.includes('%', query)) return octets
  const relaxed = octets.slice(query).replace(/%3A|%2F/g, found => (found === '%3A' ? ':' : '/'))
  return octets.slice(0, query) + relaxed
}

/** Escapes `*` and `$` in an address, because they have a meaning in patterns. */
export const literal = (octets: string): string =>
  octets.replace(/[*$]/g, found => (found === '*' ? '%2A' : '%24'))
