/**
 * The internal link graph of a run, ordered by page and position in it. Pages before the window are only counted,
 * so that a deep offset costs hardly more than the first.
 */
import { edgesWithin, extentOf } from '@tidemark/content/edges'
import { type Links, openLinks } from '@tidemark/content/links'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import { type CrawledPage, crawledPages, type OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { LinkSource } from '../../read-model/adapters/scan-links.ts'
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

/** Pages counted in one query, and read in one. */
const countedAtOnce = 2_000
const readAtOnce = 50

export const openLinkReads = (source: LinkSource): LinkReads => ({
  keepsBodies: ({ projectId, runId }) => openLinks(source.reads(projectId)).keepsBodies(runId),
  from: (run, pageId) => linksFrom(source.reads, run, pageId),
  to: (run, search) => findLinks(source, run, search),
})

function linksFrom(reads: OfProject, run: OfRun, pageId: number | undefined): LinkRange {
  const links = openLinks(reads(run.projectId))
  const range: LinkRange = {
    async *pieces({ limit, offset }) {
      const left = { skip: offset, take: limit }
      const wideScope = await wideScopeOf(reads, run)
      for await (const pages of crawledPages(reads, run, countedAtOnce, pageId)) {
        const counts = await links.count(run.runId, pages, wideScope)
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
