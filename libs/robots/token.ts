/** Extracts product tokens: the part of a crawler's name that robots.txt uses (RFC 9309, 2.2.1). */

/** Letters, digits, `-` and `_`. The RFC has no digits, but real crawlers use them in their names. */
const token = /^[a-z0-9_-]*/

/** Returns the product token at the start of a name, in lower case: `ExampleBot/1.0 (…)` is `examplebot`. */
export function tokenOf(name: string): string {
  return token.exec(name.trim().toLowerCase())?.[0] ?? ''
}

/** Returns the name in a `User-agent` line: `*` for all crawlers, or a product token. */
export function agentOf(value: string): string {
  return /^\*(?:\s|$)/.test(value) ? '*' : tokenOf(value)
}

/**
 * Returns the product token of the crawler in a whole User-Agent, or the empty string if it names only a browser:
 * `Mozilla/5.0 (compatible; ExampleBot/2.1; +https://…)` is `examplebot`.
 */
export function productTokenOf(userAgent: string): string {
  const first = tokenOf(userAgent)
  if (first !== 'mozilla') return first
  const within = /\(\s*compatible\s*;\s*([^;/)\s]+)/i.exec(userAgent)
  return tokenOf(within?.[1] ?? '')
}
