/**
 * The internal link graph of a run, ordered by page and position in it. Pages before the window are only counted,
 * so that a deep offset costs hardly more than the first.
 */
import { siteOf } from '@tidemark/content/edge-counts'
import { type Edge, edgesWithin } from '@tidemark/content/edges'
import { openLinks } from '@tidemark/content/links'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import type { Window } from '../../http/domain/window.ts'
import { type CrawledPage, crawledPages, type OfRun } from '../../read-model/adapters/crawled-pages.ts'
import { type Left, type Slice, slicesOf, taken } from '../domain/link-slices.ts'

export type LinkReads = {
  /** Whether the run keeps the bodies, from which links are read. */
  keepsBodies(run: OfRun): Promise<boolean>
  /** The window's links in pieces. */
  pieces(run: OfRun, window: Window, choice?: LinkChoice): AsyncGenerator<LinkEdge[]>
  /** Where the links continue after the window, or null at their end. */
  nextOffset(run: OfRun, window: Window, choice?: LinkChoice): Promise<number | null>
}

/** Selects the links of one page, or those to one URL in normal form. */
export type LinkChoice = { fromPageId?: number | undefined; toUrl?: string | undefined }

/** Pages counted in one query, and read in one. */
const countedAtOnce = 2_000
const readAtOnce = 50

export function openLinkReads(reads: OfProject): LinkReads {
  const linksOf = ({ projectId }: OfRun) => openLinks(reads(projectId))
  const linkReads: LinkReads = {
    keepsBodies: run => linksOf(run).keepsBodies(run.runId),

    async *pieces(run, { limit, offset }, { fromPageId, toUrl } = {}) {
      const left = { skip: offset, take: limit }
      if (toUrl !== undefined) {
        yield* linksTo(run, toUrl, left, fromPageId)
        return
      }
      for await (const pages of crawledPages(reads, run, countedAtOnce, fromPageId)) {
        const counts = await linksOf(run).count(run.runId, pages)
        const slices = slicesOf(counts, left)
        for (let at = 0; at < slices.length; at += readAtOnce) {
          yield await read(run, pages, slices.slice(at, at + readAtOnce))
        }
        if (left.take === 0) return
      }
    },

    async nextOffset(run, { limit, offset }, choice) {
      const next = offset + limit
      if (!Number.isSafeInteger(next)) return null
      for await (const links of linkReads.pieces(run, { limit: 1, offset: next }, choice)) {
        if (links.length > 0) return next
      }
      return null
    },
  }
  return linkReads

  /** No count shows which links lead to a URL, so each link is read, except those after the window. */
  async function* linksTo(run: OfRun, toUrl: string, left: Left, fromPageId?: number) {
    for await (const pages of crawledPages(reads, run, readAtOnce, fromPageId)) {
      const found: LinkEdge[] = []
      let n = 0
      for (const edges of await linksOf(run).read(run.runId, pages)) {
        const { id, url } = pages[n++] as CrawledPage
        if (siteOf(url) !== siteOf(toUrl)) continue
        for (const edge of edges) if (edge.href === toUrl) found.push(linkOf(id, edge))
      }
      yield taken(found, left)
      if (left.take === 0) return
    }
  }

  async function read(run: OfRun, pages: CrawledPage[], slices: Slice[]): Promise<LinkEdge[]> {
    const wanted = slices.map(({ page }) => pages[page] as CrawledPage)
    const found: LinkEdge[] = []
    let n = 0
    for (const edges of await linksOf(run).read(run.runId, wanted)) {
      const { id, url } = wanted[n] as CrawledPage
      const { from, to } = slices[n++] as Slice
      for (const edge of edgesWithin(edges, url).slice(from, to)) found.push(linkOf(id, edge))
    }
    return found
  }
}

const linkOf = (id: number, { href, anchor, rel, nofollow }: Edge): LinkEdge => ({
  from_page_id: id,
  to_url: href,
  anchor,
  rel,
  nofollow,
})
