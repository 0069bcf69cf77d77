/** What an outcome weighs: about the bytes that it adds to the commit in which it is settled. */
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'

/** Around a URL in the event that admits it: its key, its depth, where it was found. */
const aroundLink = 120
const aroundOutcome = 500

export function weightOf(outcome: Outcome): number {
  if (outcome.type === 'robots') return aroundOutcome + outcome.body.length
  const links = 'links' in outcome ? outcome.links : []
  const sitemaps = 'sitemaps' in outcome ? outcome.sitemaps : []
  return aroundOutcome + weightOfLinks(links) + weightOfLinks(sitemaps)
}

const weightOfLinks = (links: readonly FoundLink[]): number =>
  links.reduce((sum, [, url]) => sum + url.length + aroundLink, 0)
