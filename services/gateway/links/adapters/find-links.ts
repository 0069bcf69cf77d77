/**
 * Finds the links of a run to one URL. No index shows which pages have them, so every link up to the end of the window
 * is read. Memory holds only the pages that have such links. The links are read again when they are sent.
 */
import { type Edge, edgesWithin, extentOf } from '@tidemark/content/edges'
import { openLinks } from '@tidemark/content/links'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import type { Window } from '../../http/domain/window.ts'
import type { CrawledPage, OfRun } from '../../read-model/adapters/crawled-pages.ts'
import { type LinkSource, scanLinks } from '../../read-model/adapters/scan-links.ts'
import { slicesOf } from '../domain/link-slices.ts'
import { type LinkRange, linkOf } from './link-range.ts'
import { wideScopeOf } from './wide-scope.ts'

export type LinkSearch = {
  /** In normal form. */
  toUrl: string
  /** Only links of this page. */
  fromPageId?: number | undefined
  window: Window
  /** When it aborts, the search rejects with its reason. */
  signal: AbortSignal
}

/** The links `from` to `to` - 1 of a page, counted among its links to the URL. */
type Found = { page: CrawledPage; from: number; to: number }

const readAtOnce = 50

/** Returns the links of the window of the search, and one more. */
export async function findLinks(source: LinkSource, run: OfRun, search: LinkSearch): Promise<LinkRange> {
  const { toUrl, fromPageId, window, signal } = search
  const found: Found[] = []
  const wideScope = await wideScopeOf(source.reads, run)
  // One more link than the window has, to find out whether the list continues.
  const left = { skip: window.offset, take: window.limit + 1 }
  await scanLinks(source, run, {
    ...{ signal, onlyId: fromPageId },
    visit(page, edges) {
      const count = edgesWithin(edgesTo(toUrl, edges), extentOf(page.url, wideScope)).length
      for (const { from, to } of slicesOf([count], left)) found.push({ page, from, to })
      return left.take > 0
    },
  })
  return {
    async *pieces({ limit }) {
      let rest = limit
      for (let at = 0; at < found.length && rest > 0; at += readAtOnce) {
        const links = await read(source, run, toUrl, found.slice(at, at + readAtOnce))
        yield links.slice(0, rest)
        rest -= links.length
      }
    },
    nextOffset: async ({ limit, offset }) => (left.take === 0 ? offset + limit : null),
  }
}

async function read({ reads }: LinkSource, run: OfRun, toUrl: string, found: Found[]): Promise<LinkEdge[]> {
  const links: LinkEdge[] = []
  const pages = found.map(({ page }) => page)
  let n = 0
  for (const edges of await openLinks(reads(run.projectId)).read(run.runId, pages)) {
    const { page, from, to } = found[n++] as Found
    for (const edge of edgesTo(toUrl, edges).slice(from, to)) links.push(linkOf(page.id, edge))
  }
  return links
}

const edgesTo = (toUrl: string, edges: Edge[]) => edges.filter(({ href }) => href === toUrl)
