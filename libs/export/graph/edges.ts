/** The links between the pages of an export. */
import type { AddressIndex } from '../address-index.ts'
import type { ExportedPage, ExportSource } from '../page.ts'

/** Ids of two pages, and the number of links from the first to the second. */
export type Edge = { source: number; target: number; weight: number }

/** Yields the pages without content, and adds their addresses to the index. */
export async function* nodesOf(source: ExportSource, pages: AddressIndex): AsyncGenerator<ExportedPage> {
  for await (const page of source.pages([])) {
    pages.add(page, page.id)
    yield page
  }
}

/**
 * Yields the edges by page, in the order of the first link to each target. A link to an address that redirects to a
 * page leads to that page. Links to addresses outside of the index are left out.
 */
export async function* edgesOf(source: ExportSource, pages: AddressIndex): AsyncGenerator<Edge> {
  for await (const { id, links } of source.pages(['links'])) {
    const weights = new Map<number, number>()
    for (const { href } of links) {
      const target = pages.find(href)
      if (target !== undefined) weights.set(target, (weights.get(target) ?? 0) + 1)
    }
    for (const [target, weight] of weights) yield { source: id, target, weight }
  }
}
