/** Whether a page forbids following its links, in its robots metas or in the header X-Robots-Tag. */
import { robotsRules } from '@tidemark/html/signals/robots-tag'

const silencing = new Set(['nofollow', 'none'])

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
