/** The facts of a sitemap for its run: URLs in scope, and further sitemaps of the site. */
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { faults } from '@tidemark/sitemap/faults'
import { sitemapSteps } from '@tidemark/sitemap/sitemap'
import { createLinkCache } from '@tidemark/url/link-cache'
import { createResolver } from '@tidemark/url/resolver'
import { inScope, isOnSiteOf } from '@tidemark/url/scope'
import { DistinctLinks, LinksInScope } from './links.ts'

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
  const resolve = createResolver(url, createLinkCache(1))
  const links = new LinksInScope(scope)
  // The sitemaps of a site may be at a separate host, which a crawl of the site's host does not include.
  const further = new DistinctLinks(href => inScope(scope, href) || isOnSiteOf(scope, href))
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
    cut: what === 'unknown' ? faults.kind : (left ?? cut ?? othersOf(further)),
  }
}

/** Returns the words for the sitemaps of other sites, which are left out, or null. */
function othersOf({ excluded }: DistinctLinks): string | null {
  if (excluded === 0) return null
  return excluded === 1 ? '1 sitemap of another site' : `${excluded} sitemaps of other sites`
}
