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

const namedBot = /[(;]\s*compatible\s*;\s*([^;/)\s]+)/i
const lastBot = /\(\s*([\w-]*bot)\/[^()]*\)\s*$/i

/**
 * Returns the product token of the crawler in a whole User-Agent, or the empty string if it names only a browser:
 * `Mozilla/5.0 (compatible; ExampleBot/2.1; +https://…)` is `examplebot`, and so are `(KHTML, like Gecko; compatible; ExampleBot/1.2)`
 * and `Safari/605.1.15 (ExampleBot/0.1; +https://…)`.
 */
export function productTokenOf(userAgent: string): string {
  const first = tokenOf(userAgent)
  if (first !== 'mozilla') return first
  const [, within] = namedBot.exec(userAgent) ?? lastBot.exec(userAgent) ?? []
  return tokenOf(within ?? '')
}
