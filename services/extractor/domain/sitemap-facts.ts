/** The facts of a sitemap for its run: URLs in scope, and further sitemaps. */
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { faults } from '@tidemark/sitemap/faults'
import { sitemapSteps } from '@tidemark/sitemap/sitemap'
import { createMemory } from '@tidemark/url/memory'
import { createResolver } from '@tidemark/url/resolver'
import { LinksInScope } from './links.ts'

export type SitemapFacts = { links: FoundLink[]; sitemaps: FoundLink[]; cut: string | null }

export const noFacts: SitemapFacts = { links: [], sitemaps: [], cut: null }

/** URLs resolved per step. */
const perStep = 500

/** Reads a sitemap in steps of a few milliseconds. Relative URLs are resolved against its own URL. */
export function* sitemapFactsSteps(
  { url, scope }: Pick<FetchedPage, 'url' | 'scope'>,
  text: string,
): Generator<void, SitemapFacts> {
  const { what, urls, sitemaps, cut } = yield* sitemapSteps(text)
  // URLs of sitemaps occur once, so they must not evict the repeated URLs of pages from the shared cache.
  const resolve = createResolver(url, createMemory(1))
  const links = new LinksInScope(scope)
  const further = new LinksInScope(scope)
  for (const [hrefs, into] of [[urls, links] as const, [sitemaps, further] as const]) {
    for (const [n, href] of hrefs.entries()) {
      into.add(resolve(href))
      if (n % perStep === perStep - 1) yield
    }
  }
  const left = links.isFull || further.isFull ? 'addresses beyond 50 MB of them' : null
  return {
    links: links.found,
    sitemaps: further.found,
    cut: what === 'unknown' ? faults.kind : (left ?? cut),
  }
}
