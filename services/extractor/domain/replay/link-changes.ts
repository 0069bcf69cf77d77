/** Compares the links of a page that a crawl stored with the links that today's extractor finds, in any order. */
import {
  maxReplayedLinks,
  maxReplayedValue,
  type ReplayLink,
  type ReplayLinks,
} from '@tidemark/contracts/http/replay'
import type { PageLink } from '@tidemark/html/page-facts'

/**
 * Returns the links that one list has and the other lacks; null: both lists have the same links. A link that occurs
 * several times is returned once for each occurrence that the other list lacks.
 */
export function linkChangesOf(stored: readonly PageLink[], now: readonly PageLink[]): ReplayLinks | null {
  const added = onlyIn(now, stored)
  const removed = onlyIn(stored, now)
  if (added.length === 0 && removed.length === 0) return null
  return {
    added_total: added.length,
    added: added.slice(0, maxReplayedLinks).map(shown),
    removed_total: removed.length,
    removed: removed.slice(0, maxReplayedLinks).map(shown),
  }
}

function onlyIn(links: readonly PageLink[], others: readonly PageLink[]): PageLink[] {
  const left = new Map<string, number>()
  for (const link of others) left.set(nameOf(link), (left.get(nameOf(link)) ?? 0) + 1)
  return links.filter(link => {
    const name = nameOf(link)
    const count = left.get(name) ?? 0
    if (count > 0) left.set(name, count - 1)
    return count === 0
  })
}

const nameOf = ({ href, anchor, rel, nofollow }: PageLink): string =>
  JSON.stringify([href, anchor, rel, nofollow])

const shown = ({ href, anchor, rel, nofollow }: PageLink): ReplayLink => ({
  to_url: href,
  anchor,
  rel: rel?.slice(0, maxReplayedValue).toWellFormed() ?? null,
  nofollow,
})
