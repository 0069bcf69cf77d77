/**
 * The one price table: what each operation costs, in units, and how what it was asked for may end. Whoever bills, counts
 * or tells units asks here, so that no two of them ever disagree.
 */
import type { UnitKind } from './usage.ts'

/** How one thing that was asked for ended, as far as its price goes: the `reason` in `GET /v1/usage/ledger`. */
export const endings = {
  billed: 'it was had',
  cached: 'it was had from the store, as max_age_seconds allows',
  failed: 'it could not be had',
  blocked: 'the site showed a challenge for bots in its place',
} as const
export type Ending = keyof typeof endings

export type Price = {
  kind: UnitKind
  /** What one unit is for. */
  per: string
  /** Units of each that ended so. */
  units: Readonly<Record<Ending, 0 | 1>>
  /**
   * The endpoint whose answers say what they cost (`X-Pages-Billed`). Null for what no answer could say: a crawl goes on
   * behind it, and others are a part of a request that has its own row.
   */
  at: string | readonly string[] | null
}

/** A page as a site gives it: what could not be had, or was but a challenge, costs nothing. */
const ifHad = { billed: 1, cached: 1, failed: 0, blocked: 0 } as const
/** Of many that one request names, each that was tried (specification, Bulk scan). */
const ifTried = { billed: 1, cached: 1, failed: 1, blocked: 0 } as const
/** Of many that are only asked whether they answer: a challenge is an answer. */
const ifAsked = { billed: 1, cached: 1, failed: 1, blocked: 1 } as const
const free = { billed: 0, cached: 0, failed: 0, blocked: 0 } as const

const page = (per: string, units: Price['units'], at: string | null): Price => ({
  kind: 'page',
  per,
  units,
  at,
})

const cloudPage = (per: string, units: Price['units'], at: Price['at']): Price => ({
  kind: 'cloud_page',
  per,
  units,
  at,
})

const table = {
  crawl: page('page crawled', ifHad, null),
  /** In place of the page, where a browser had to make its content. */
  crawl_rendered: cloudPage('page rendered', ifHad, null),
  scan: page('page', ifHad, 'POST /v1/scan'),
  scan_screenshot: cloudPage('picture', ifHad, null),
  /** Beside the page of the scan, where a cloud backend had to get it. */
  scan_cloud: cloudPage('page got by a cloud backend', ifHad, null),
  scan_bulk: page('URL', ifTried, 'POST /v1/scan/bulk'),
  robots_policy: page('site', free, 'GET /v1/robots-policy'),
  /** Its pages are those of the crawl that it starts. */
  llms_txt_build: page('file', free, 'POST /v1/llms-txt-build'),
  map: page('site', free, 'POST /v1/map'),
  estimate: page('crawl', free, 'POST /v1/crawls/estimate'),

  extract_article: page('URL', ifHad, 'POST /v1/actors/extract-article'),
  audit_onpage: page('URL', ifHad, 'POST /v1/actors/audit-onpage'),
  structured_data: page('URL', ifHad, 'POST /v1/actors/structured-data'),
  render_diff: page('URL', ifHad, 'POST /v1/actors/render-diff'),
  internal_link_graph: page('crawl', ifHad, 'POST /v1/actors/internal-link-graph'),
  check_links: page('URL checked', ifAsked, 'POST /v1/actors/check-links'),
  check_links_retry: cloudPage('URL tried again by the cloud', ifHad, null),
  sitemap_audit: page('URL probed', ifAsked, 'POST /v1/actors/sitemap-audit'),

  cloud_scrape: cloudPage('URL', ifHad, 'POST /v1/cloud/scrape'),
  cloud_crawl: cloudPage('page crawled', ifHad, 'POST /v1/cloud/crawl'),
  cloud_search: cloudPage('result', ifHad, 'POST /v1/cloud/search'),
  cloud_links: cloudPage('URL', ifHad, 'POST /v1/cloud/links'),
  cloud_unblock: cloudPage('URL', ifHad, 'POST /v1/cloud/unblock'),
  cloud_render: cloudPage('URL', ifHad, 'POST /v1/cloud/render'),
  cloud_screenshot: cloudPage('URL', ifHad, 'POST /v1/cloud/screenshot'),
  cloud_proxy_fetch: cloudPage('URL', ifHad, 'POST /v1/cloud/proxy-fetch'),
  cloud_fetch: cloudPage('URL', ifHad, ['POST /v1/cloud/fetch/:domain', 'POST /v1/cloud/fetch/:domain/*']),
  /** It fetches nothing. */
  cloud_transform: cloudPage('document', free, 'POST /v1/cloud/transform'),
} as const satisfies Record<string, Price>

/** As the ledger names it. */
export type Operation = keyof typeof table

export const prices: Readonly<Record<Operation, Price>> = table

/** Units of one thing that ended so. */
export const unitsOf = (operation: Operation, ending: Ending): 0 | 1 => prices[operation].units[ending]

/** Of the pages that a crawl had, how many were challenges; and of all others, how many a browser rendered. */
export type CrawlCounts = { fetched: number; blocked: number; rendered: number }

/** Units of a crawl, of each kind. */
export const unitsOfCrawl = ({ fetched, blocked, rendered }: CrawlCounts): Record<UnitKind, number> => ({
  page: (fetched - blocked - rendered) * unitsOf('crawl', 'billed') + blocked * unitsOf('crawl', 'blocked'),
  cloud_page: rendered * unitsOf('crawl_rendered', 'billed'),
})
