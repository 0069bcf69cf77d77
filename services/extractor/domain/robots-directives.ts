/** Whether a page forbids following its links, in its robots metas or in the header X-Robots-Tag. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { robotsRules } from '@tidemark/html/signals/robots-tag'

const silencing = new Set(['nofollow', 'none'])

/**
 * Returns the directives of metas that address this crawler: those for all, and those for its name.
 * @param token the product token
 */
export function directivesFor(token: string, { robotsMeta, metas }: Pick<PageFacts, 'robotsMeta' | 'metas'>) {
  const own = metas.filter(([name]) => name === token.toLowerCase())
  return own.length === 0
    ? robotsMeta
    : [...robotsMeta, ...(robotsRules(own.map(([, text]) => text))['*'] ?? [])]
}

/**
 * @param directives of the page's robots metas, in lower case
 * @param header X-Robots-Tag with repeated fields joined by commas, or null
 * @param token the product token by which the header may address this crawler
 */
export function forbidsFollowing(
  directives: readonly string[],
  header: string | null,
  token: string,
): boolean {
  const byCrawler = header === null ? {} : robotsRules([header])
  const { '*': forAll = [], [token.toLowerCase()]: forThis = [] } = byCrawler
  return [...directives, ...forAll, ...forThis].some(directive => silencing.has(directive))
}
