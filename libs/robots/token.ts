/** Product tokens: the part of a crawler's name that robots.txt addresses it by (RFC 9309, 2.2.1). */

/** Letters, digits, `-` and `_`: digits are beyond the RFC, but real crawlers have them in their names. */
const token = /^[a-z0-9_-]*/

/** The product token that begins a name, in lower case: `ExampleBot/1.0 (…)` is `examplebot`. */
export function tokenOf(name: string): string {
  return token.exec(name.trim().toLowerCase())?.[0] ?? ''
}

/** The crawlers that a `User-agent` line names: `*` for all, or a product token. */
export function agentOf(value: string): string {
  return /^\*(?:\s|$)/.test(value) ? '*' : tokenOf(value)
}

/**
 * The product token of the crawler that a whole User-Agent names, or the empty string where it names none but a
 * browser: `Mozilla/5.0 (compatible; ExampleBot/2.1; +https://…)` is `examplebot`.
 */
export function productTokenOf(userAgent: string): string {
  const first = tokenOf(userAgent)
  if (first !== 'mozilla') return first
  const within = /\(\s*compatible\s*;\s*([^;/)\s]+)/i.exec(userAgent)
  return tokenOf(within?.[1] ?? '')
}
