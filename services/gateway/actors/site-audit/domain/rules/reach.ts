/** Rules for pages that links do not reach, or only by many clicks. */
import type { Site } from '../site.ts'
import { type AddFinding, eachPage, google, lacksLinks, type SiteRule } from './rule.ts'

const crawlable = google('crawlable links', 'crawling-indexing/links-crawlable')
const sitemaps = google('sitemaps', 'crawling-indexing/sitemaps/overview')
const maxClicks = 5

/** Finds the pages, except the seed, for which the condition is true. */
const findWhere =
  (holds: (site: Site, page: number) => boolean) =>
  (site: Site, add: AddFinding): undefined => {
    for (const page of eachPage(site)) {
      if (site.pages.isFound(page) && page !== site.start && holds(site, page)) add(page, null)
    }
  }

const isUnlinked = ({ links }: Site, page: number): boolean => links.linked[page] === 0

const lacksSitemap = ({ hasSitemaps }: Site): string | null =>
  hasSitemaps ? null : 'the crawl read no sitemap (seed_kind: sitemap)'
/** Pages that the run did not read may link to those that it read. */
const lacksPages = (site: Site): string | null =>
  lacksSitemap(site) ?? (site.isComplete ? null : 'the crawl has not read all URLs of the sitemap')
const lacksFollowing = ({ hasFollowed }: Site): string | null =>
  hasFollowed ? null : 'the crawl found no page by a link'
function lacksClicks(site: Site): string | null {
  if (site.hasSitemaps) return 'the crawl read a sitemap and followed no links'
  if (!site.hasFollowed) return lacksFollowing(site)
  if (site.start < 0) return 'neither the seed nor the root of its host is a page of the crawl'
  return lacksLinks(site)
}

export const reachRules: readonly SiteRule[] = [
  {
    id: 'site/orphan',
    severity: 'warning',
    finds: 'A page that no other page links to; the crawl found it by a canonical URL or a refresh',
    reason: 'Visitors cannot find it, and search engines consider it unimportant.',
    message: 'No page links to this page.',
    remedy: 'Link to it from a related page, or remove it.',
    source: crawlable,
    lacks: site =>
      site.hasSitemaps
        ? 'the crawl read a sitemap: site/sitemap-not-linked replaces it'
        : lacksFollowing(site),
    find: findWhere(isUnlinked),
  },
  {
    id: 'site/sitemap-not-linked',
    severity: 'warning',
    finds:
      'A page in the sitemap that no other page of the crawl links to; links from pages outside the sitemap are unknown',
    reason:
      'Without links from other pages visitors cannot find it, and search engines consider it unimportant.',
    message: 'The page is in the sitemap, but no page of this crawl links to it.',
    remedy: 'Link to it from a related page.',
    source: sitemaps,
    lacks: lacksPages,
    find: findWhere(isUnlinked),
  },
  {
    id: 'site/sitemap-not-indexed',
    severity: 'warning',
    finds: 'A page in the sitemap with noindex, or with another canonical URL',
    reason: 'A sitemap lists the URLs that should appear in results, so the two contradict each other.',
    message: 'The page is in the sitemap, but search engines may not show it.',
    remedy: 'Remove it from the sitemap, or correct noindex and the canonical URL.',
    source: sitemaps,
    lacks: lacksSitemap,
    find: findWhere(({ pages }, page) => pages.isRead(page) && !pages.isShown(page)),
  },
  {
    id: 'site/unreachable',
    severity: 'warning',
    finds: 'A page with links to it that followed links do not reach from the first page',
    reason: 'Only pages that are unreachable themselves link to it, or only links with nofollow.',
    message: 'No followed links lead from the first page to this page.',
    remedy: 'Link to it from a page that visitors reach.',
    source: crawlable,
    lacks: lacksClicks,
    find: findWhere((site, page) => !isUnlinked(site, page) && site.links.clicks[page] === -1),
  },
  {
    id: 'site/deep',
    severity: 'info',
    finds: `A page that is more than ${maxClicks} clicks from the first page`,
    reason: 'Few visitors get there, and crawlers visit it rarely.',
    message: `The page is more than ${maxClicks} clicks from the first page.`,
    remedy: 'Link to it from a page that is nearer to the first page.',
    source: crawlable,
    lacks: lacksClicks,
    find: findWhere(({ links }, page) => (links.clicks[page] as number) > maxClicks),
  },
]
