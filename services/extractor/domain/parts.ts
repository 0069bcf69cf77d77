/**
 * A page's outcome in messages of bounded size. Where its links are too many, the first of them travel ahead
 * as outcomes of their own, and the page comes with the last: it is settled when all are known.
 */
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'

export type PageOutcome = Extract<Outcome, { type: 'page' }>

/** What an outcome takes beside its links, its title included. */
const frameBytes = 8 * 1024
/** Quotes, brackets, commas and the key of one link in JSON. */
const linkBytes = 19

/** In the order in which they have to be published. */
export function partsOf(page: PageOutcome, maxBytes: number): Outcome[] {
  const [last = [], ...ahead] = chunksOf(page.links, maxBytes - frameBytes).reverse()
  const { runId, key, attempt } = page
  const parts: Outcome[] = ahead.reverse().map(links => ({ type: 'links', runId, key, attempt, links }))
  return [...parts, { ...page, links: last }]
}

/** Normal forms are ASCII, so their length is their bytes; a quote or backslash in one would be escaped. */
function chunksOf(links: FoundLink[], maxBytes: number): FoundLink[][] {
  const chunks: FoundLink[][] = []
  let room = 0
  for (const link of links) {
    const bytes = link[1].length + linkBytes
    if (bytes > room || chunks.length === 0) {
      chunks.push([])
      room = maxBytes
    }
    chunks.at(-1)?.push(link)
    room -= bytes
  }
  return chunks
}
