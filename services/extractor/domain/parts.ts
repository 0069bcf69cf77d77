/**
 * Splits an outcome with very many links into outcomes that fit into a message. The first links travel ahead as
 * separate outcomes, and the page or sitemap comes with the last: it is settled when all links are known.
 */
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'

export type PageOutcome = Extract<Outcome, { type: 'page' }>
export type SitemapOutcome = Extract<Outcome, { type: 'sitemap' }>

/** Size of an outcome besides its links, including its title. */
const frameBytes = 8 * 1024
/** Quotes, brackets, commas and the key of one link in JSON. */
const linkBytes = 19

/** Returns the parts of an outcome in the order of publication. */
export function partsOf(outcome: PageOutcome | SitemapOutcome, maxBytes: number): Outcome[] {
  const capacity = maxBytes - frameBytes
  const [last = [], ...before] = chunksOf(outcome.links, capacity).reverse()
  const whole = withSitemapsThatFit(outcome, capacity)
  const exceedsMessage = last.length > 0 && bytesOf(last) + sitemapBytes(whole) > capacity
  const ahead = (exceedsMessage ? [last, ...before] : before).reverse()
  const { runId, key, attempt } = outcome
  const about = { runId, key, attempt, ...ofSitemap(outcome) }
  return [
    ...ahead.map((links, part): Outcome => ({ type: 'links', ...about, part, links })),
    { ...whole, links: exceedsMessage ? [] : last, ...(ahead.length > 0 && { parts: ahead.length }) },
  ]
}

/** Returns the fields that only the parts of a sitemap have. */
function ofSitemap(outcome: PageOutcome | SitemapOutcome) {
  if (outcome.type !== 'sitemap') return {}
  const { type: kind, movedTo } = outcome
  return { kind, ...(movedTo !== undefined && { movedTo }) }
}

/** Drops the sitemaps that do not fit into one message. A run reads fewer sitemaps than fit. */
function withSitemapsThatFit<Kind extends PageOutcome | SitemapOutcome>(
  outcome: Kind,
  capacity: number,
): Kind {
  if (outcome.type !== 'sitemap') return outcome
  const [first = [], ...others] = chunksOf(outcome.sitemaps, capacity)
  if (others.length === 0) return outcome
  const left = outcome.sitemaps.length - first.length
  return { ...outcome, sitemaps: first, cut: outcome.cut ?? `${left} further sitemaps` }
}

const sitemapBytes = (outcome: PageOutcome | SitemapOutcome): number =>
  outcome.type === 'sitemap' ? bytesOf(outcome.sitemaps) : 0

/** Normal forms are ASCII, so their length is their size in bytes. A quote or backslash would be escaped. */
const bytesOf = (links: FoundLink[]): number =>
  links.reduce((sum, link) => sum + link[1].length + linkBytes, 0)

function chunksOf(links: FoundLink[], maxBytes: number): FoundLink[][] {
  const chunks: FoundLink[][] = []
  let freeBytes = 0
  for (const link of links) {
    const bytes = link[1].length + linkBytes
    if (bytes > freeBytes || chunks.length === 0) {
      chunks.push([])
      freeBytes = maxBytes
    }
    chunks.at(-1)?.push(link)
    freeBytes -= bytes
  }
  return chunks
}
