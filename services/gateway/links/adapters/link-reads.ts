/**
 * The internal link graph of a run, ordered by page and position in it. Pages before the window are only counted, so
 * that a large offset costs hardly more than a small one.
 */
import { edgesWithin, extentOf } from '@tidemark/content/edges'
import { type Links, openLinks } from '@tidemark/content/links'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import { type CrawledPage, crawledPages, type OfRun } from '../../read-model/adapters/crawled-pages.ts'
import { type LinkSource, readAtOnce, visitLinks } from '../../read-model/adapters/scan-links.ts'
import { type Slice, slicesOf } from '../domain/link-slices.ts'
import { findLinks, type LinkSearch } from './find-links.ts'
import { type LinkRange, linkOf } from './link-range.ts'
import { wideScopeOf } from './wide-scope.ts'

export type LinkReads = {
  /** Whether the run keeps the bodies, from which links are read. */
  keepsBodies(run: OfRun): Promise<boolean>
  /** All links, or those of one page. */
  from(run: OfRun, pageId?: number): LinkRange
  /** Finds the links to one URL, by reading every link. */
  to(run: OfRun, search: LinkSearch): Promise<LinkRange>
}

/** Pages counted in one query. */
const countedAtOnce = 2_000

export const openLinkReads = (source: LinkSource): LinkReads => ({
  keepsBodies: ({ projectId, runId }) => openLinks(source.reads(projectId)).keepsBodies(runId),
  from: (run, pageId) => linksFrom(source, run, pageId),
  to: (run, search) => findLinks(source, run, search),
})

function linksFrom(source: LinkSource, run: OfRun, pageId: number | undefined): LinkRange {
  const { reads } = source
  const links = openLinks(reads(run.projectId))
  const range: LinkRange = {
    async *pieces({ limit, offset }) {
      const left = { skip: offset, take: limit }
      const wideScope = await wideScopeOf(reads, run)
      for await (const { pages, counts } of countedPages(source, run, { wideScope, pageId })) {
        const slices = slicesOf(counts, left)
        for (let at = 0; at < slices.length; at += readAtOnce) {
          const some = slices.slice(at, at + readAtOnce)
          yield await read(links, run, { pages, slices: some, wideScope })
        }
        if (left.take === 0) return
      }
    },

    async nextOffset({ limit, offset }) {
      const next = offset + limit
      if (!Number.isSafeInteger(next)) return null
      for await (const links of range.pieces({ limit: 1, offset: next })) {
        if (links.length > 0) return next
      }
      return null
    },
  }
  return range
}

type Counted = { pages: CrawledPage[]; counts: number[] }

/** Returns the pages of the run in order with their numbers of links. */
async function* countedPages(
  source: LinkSource,
  run: OfRun,
  { wideScope, pageId }: { wideScope: string | null; pageId: number | undefined },
): AsyncGenerator<Counted> {
  const links = openLinks(source.reads(run.projectId))
  for await (const pages of crawledPages(source.reads, run, countedAtOnce, pageId)) {
    const counts = await links.count(run.runId, pages, wideScope)
    // Pages without a count are read one part after the other, so that a window at the start of the list reads few.
    const atOnce = counts.includes(null) ? readAtOnce : countedAtOnce
    for (let at = 0; at < pages.length; at += atOnce) {
      const some = pages.slice(at, at + atOnce)
      yield {
        pages: some,
        counts: await countRest(source, run, some, counts.slice(at, at + atOnce), wideScope),
      }
    }
  }
}

/** Returns the counts of the pages. Those without one are read. */
async function countRest(
  source: LinkSource,
  run: OfRun,
  pages: CrawledPage[],
  counts: (number | null)[],
  wideScope: string | null,
): Promise<number[]> {
  const rest = new Map<CrawledPage | undefined, number>()
  const uncounted = pages.filter((_, n) => counts[n] === null)
  if (uncounted.length > 0)
    await visitLinks(source, run, uncounted, {
      visit: (page, edges) => {
        rest.set(page, edgesWithin(edges, extentOf(page.url, wideScope)).length)
        return true
      },
    })
  return counts.map((count, n) => count ?? rest.get(pages[n]) ?? 0)
}

async function read(
  links: Links,
  { runId }: OfRun,
  { pages, slices, wideScope }: { pages: CrawledPage[]; slices: Slice[]; wideScope: string | null },
): Promise<LinkEdge[]> {
  const wanted = slices.map(({ page }) => pages[page] as CrawledPage)
  const found: LinkEdge[] = []
  let n = 0
  for (const edges of await links.read(runId, wanted)) {
    const { id, url } = wanted[n] as CrawledPage
    const { from, to } = slices[n++] as Slice
    for (const edge of edgesWithin(edges, extentOf(url, wideScope)).slice(from, to))
      found.push(linkOf(id, edge))
  }
  return found
}
