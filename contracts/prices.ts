/**
 * The price table: the cost of each operation in units, by how its request ended. All code that bills, counts or
 * reports units reads this table, so that all numbers agree.
 */
import type { UnitKind } from './usage.ts'

/** How one request ended, as far as its price depends on it: the `reason` in `GET /v1/usage/ledger`. */
export const endings = {
  billed: 'it was delivered',
  cached: 'it came from the store, as max_age_seconds allows',
  failed: 'it could not be fetched',
  blocked: 'the site responded with a challenge for bots',
} as const
export type Ending = keyof typeof endings

export type Price = {
  kind: UnitKind
  /** The subject of one unit. */
  per: string
  /** Units for each request that ended in this way. */
  units: Readonly<Record<Ending, 0 | 1>>
  /**
   * The endpoint whose responses report their cost (`X-Pages-Billed`). Null if no response can report it: a crawl
   * continues after the response, and other operations are part of a request that has its own row.
   */
  at: string | readonly string[] | null
}

/** A page from a site. A failed fetch and a challenge cost nothing. */
const ifHad = { billed: 1, cached: 1, failed: 0, blocked: 0 } as const
/** Each attempted URL of a request with many URLs (specification, Bulk scan). */
const ifTried = { billed: 1, cached: 1, failed: 1, blocked: 0 } as const
/** URLs that are only checked for a response. A challenge is a response. */
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
  /** Replaces the page if a browser rendered its content. */
  crawl_rendered: cloudPage('page rendered', ifHad, null),
  scan: page('page', ifHad, 'POST /v1/scan'),
  scan_screenshot: cloudPage('picture', ifHad, null),
  /** Adds to the page of the scan if a cloud backend fetched it. */
  scan_cloud: cloudPage('page fetched by a cloud backend', ifHad, null),
  scan_bulk: page('URL', ifTried, 'POST /v1/scan/bulk'),
  robots_policy: page('site', free, 'GET /v1/robots-policy'),
  /** The pages belong to the crawl that it starts. */
  llms_txt_build: page('file', free, 'POST /v1/llms-txt-build'),
  map: page('site', free, 'POST /v1/map'),
  estimate: page('crawl', free, 'POST /v1/crawls/estimate'),

  extract_article: page('URL', ifHad, 'POST /v1/actors/extract-article'),
  audit_onpage: page('URL', ifHad, 'POST /v1/actors/audit-onpage'),
  structured_data: page('URL', ifHad, 'POST /v1/actors/structured-data'),
  render_diff: page('URL', ifHad, 'POST /v1/actors/render-diff'),
  audit_site: page('crawl', ifHad, 'POST /v1/actors/audit-site'),
  internal_link_graph: page('crawl', ifHad, 'POST /v1/actors/internal-link-graph'),
  check_links: page('URL checked', ifAsked, 'POST /v1/actors/check-links'),
  check_links_retry: cloudPage('URL retried by a cloud backend', ifHad, null),
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

/** The name of an operation in the ledger. */
export type Operation = keyof typeof table

export const prices: Readonly<Record<Operation, Price>> = table

/** Returns the units of one request that ended in this way. */
export const unitsOf = (operation: Operation, ending: Ending): 0 | 1 => prices[operation].units[ending]

/** The number of challenges among the pages of a crawl, and of rendered pages among the others. */
export type CrawlCounts = { fetched: number; blocked: number; rendered: number }

/** Units of a crawl, of each kind. */
export const unitsOfCrawl = ({ fetched, blocked, rendered }: CrawlCounts): Record<UnitKind, number> => ({
  page: (fetched - blocked - rendered) * unitsOf('crawl', 'billed') + blocked * unitsOf('crawl', 'blocked'),
  cloud_page: rendered * unitsOf('crawl_rendered', 'billed'),
})
