/** Predicts the number of pages of a crawl from the site's files, from its settings, and from earlier crawls. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { CrawlEstimate } from '@tidemark/contracts/http/estimate'
import { dollarsOf, type MicroDollars, microDollarsOf, pricesOfPage } from '@tidemark/contracts/prices'
import type { JudgeUrlsResponse } from '@tidemark/contracts/rpc/judge'
import type { MapSiteResponse } from '@tidemark/contracts/rpc/map'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { firstPrice } from './budget.ts'

type Basis = CrawlEstimate['basis']
type PageRange = CrawlEstimate['pages']
type Request = Known['request']
type Known = {
  request: Pick<CrawlRequest, 'url' | 'max_pages' | 'max_cost_usd' | 'seed_kind' | 'follow_links' | 'render'>
  map: Pick<MapSiteResponse, 'truncated' | 'items' | 'warnings'>
  judged: JudgeUrlsResponse
  lastRun: Basis['last_run']
  /** Whether the last run followed the same URLs as the requested crawl would. */
  followedSameLinks: boolean
}

/** Factor for the upper bound. Crawls of sites with a sitemap find up to 50 % more pages than the sitemap lists. */
const beyondSitemap = 1.5

export function estimateOf(known: Known): Omit<CrawlEstimate, 'warnings'> {
  const { request, map, judged, lastRun } = known
  const isListed = request.seed_kind === 'url' && !request.follow_links
  const by = isListed ? 'urls' : basisOf(known)
  const pages = pagesOf(by, known)
  const seconds = (count: number) => Math.round(count * judged.delayMs) / 1000
  return {
    url: request.url,
    pages,
    seconds_at_polite_rate: { low: seconds(pages.low), high: seconds(pages.high) },
    cost: { ...unitsOf(request.render, pages), usd: dollarsFor(request, pages) },
    in: judged.in,
    out: judged.out,
    basis: {
      by,
      listed: judged.judged,
      would_be_crawled: judged.admitted,
      truncated: map.truncated,
      last_run: lastRun,
    },
  }
}

const none = { low: 0, high: 0 }

/** Returns the expected units. With `render: auto` the estimate cannot know which pages a browser renders. */
function unitsOf(render: CrawlRequest['render'], pages: PageRange): Omit<CrawlEstimate['cost'], 'usd'> {
  if (render === 'none') return { pages }
  if (render === 'always') return { pages: none, cloud_pages: pages }
  return { pages: { ...pages, low: 0 }, cloud_pages: { ...pages, low: 0 } }
}

/** Returns the lowest and the highest price of a page. */
function pricesOf(render: CrawlRequest['render']): { minPrice: MicroDollars; maxPrice: MicroDollars } {
  const maxPrice = firstPrice(render)
  return { minPrice: render === 'always' ? maxPrice : pricesOfPage().plain, maxPrice }
}

function dollarsFor({ render, max_cost_usd: max = Number.POSITIVE_INFINITY }: Request, pages: PageRange) {
  const { minPrice, maxPrice } = pricesOf(render)
  const high = Math.min(dollarsOf(pages.high * maxPrice), max)
  return { low: dollarsOf(pages.low * minPrice), high }
}

/**
 * Returns the numbers of pages that the budget pays for: `low` if each costs the highest price, `high` if each costs
 * the lowest one. Before its last page, the budget must still cover the highest price.
 */
function payable({ render, max_cost_usd: max }: Request): PageRange {
  if (max === undefined) return { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY }
  const { minPrice, maxPrice } = pricesOf(render)
  const amount = microDollarsOf(max)
  return { low: Math.floor(amount / maxPrice), high: Math.floor((amount - maxPrice) / minPrice) + 1 }
}

/**
 * Chooses the basis of the estimate. A run that a limit stopped does not show the size of the site, nor does a run that
 * followed other URLs. A crawl of a sitemap has the URLs that the sitemap lists.
 */
function basisOf({ request, map: { items }, lastRun, followedSameLinks }: Known): Basis['by'] {
  if (request.seed_kind === 'sitemap') return 'sitemaps'
  if (lastRun?.stop_reason === 'exhausted' && followedSameLinks) return 'last_run'
  return items.some(({ source }) => source === 'sitemap') ? 'sitemaps' : 'links'
}

/** Returns whether runs of one seed with these settings follow the same URLs, whatever their limits of pages are. */
export const followSameLinks = (one: RunSettings, other: RunSettings): boolean =>
  followedBy(one) === followedBy(other)

function followedBy({ seedKind, followLinks, subdomains, depth, ...settings }: RunSettings): string {
  const { urls, includePaths, excludePaths } = settings
  const lists = [urls, includePaths, excludePaths].map((list = []) => [...new Set(list)].sort())
  return JSON.stringify([seedKind ?? 'url', followLinks ?? true, subdomains, depth, lists])
}

function pagesOf(by: Basis['by'], { request, map, judged, lastRun }: Known): PageRange {
  const { max_pages: max, seed_kind } = request
  const { admitted } = judged
  const before = lastRun?.pages ?? admitted
  if (seed_kind === 'sitemap')
    return limited({ low: admitted, high: map.truncated ? max : admitted }, request)
  const rows = {
    urls: { low: admitted, high: admitted },
    last_run: { low: Math.min(before, admitted), high: Math.max(before, admitted) },
    sitemaps: { low: admitted, high: map.truncated ? max : Math.ceil(admitted * beyondSitemap) },
    links: { low: admitted, high: max },
  }
  return limited(rows[by], request)
}

/** Returns the numbers of pages within the limits of the request. */
function limited({ low, high }: PageRange, request: Request): PageRange {
  const { max_pages: max } = request
  const paid = payable(request)
  return { low: Math.min(low, max, paid.low), high: Math.min(high, max, paid.high) }
}
