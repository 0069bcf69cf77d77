/**
 * Defines the price of every operation in units (pages or cloud pages), by the outcome of a request. The bill, the
 * response headers and the texts of the API reference read this table, so they agree.
 */
import type { UnitKind } from './usage.ts'

/** Outcomes of a request that have their own price. `GET /v1/usage/ledger` returns them as `reason`. */
export const endings = {
  billed: 'it was delivered',
  cached: 'it came from the store, as max_age_seconds allows',
  failed: 'it could not be fetched',
  blocked: 'the site responded with a challenge for bots',
} as const
export type Ending = keyof typeof endings

export type Price = {
  kind: UnitKind
  /** Noun for what is billed once, such as `URL`. */
  per: string
  /** Units for each outcome. */
  units: Readonly<Record<Ending, 0 | 1>>
  /**
   * Endpoints whose responses report the units in `X-Pages-Billed`. Null if none does: a crawl continues after its
   * response, and other operations are part of a request that has its own row.
   */
  at: string | readonly string[] | null
}

/** Price of a result. A failed fetch and a challenge cost nothing. */
const perResult = { billed: 1, cached: 1, failed: 0, blocked: 0 } as const
/** Price of an attempt, even if it fails (specification, Bulk scan). A challenge costs nothing. */
const perAttempt = { billed: 1, cached: 1, failed: 1, blocked: 0 } as const
/** Price of a URL that is only checked for a response. A missing response and a challenge are results too. */
const perRequest = { billed: 1, cached: 1, failed: 1, blocked: 1 } as const
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

/** `cloud_screenshot` is an old name of `cloud_render`, so both have this price. */
const rendered = cloudPage('URL', perResult, 'POST /v1/cloud/render')

const table = {
  crawl: page('crawled page', perResult, null),
  /** A rendered page costs this instead of `crawl`. */
  crawl_rendered: cloudPage('rendered page', perResult, null),
  scan: page('scanned page', perResult, 'POST /v1/scan'),
  scan_screenshot: cloudPage('screenshot', perResult, null),
  /** A page that a cloud backend fetched costs this in addition to `scan`. */
  scan_cloud: cloudPage('page fetched by a cloud backend', perResult, null),
  scan_bulk: page('URL', perAttempt, 'POST /v1/scan/bulk'),
  /** No response reports it: a batch is billed page by page after its response. */
  scan_batch: page('scanned page', perResult, null),
  robots_policy: page('site', free, 'GET /v1/robots-policy'),
  /** Bills no pages of its own: its pages are billed to the crawl that it starts. */
  llms_txt_build: page('file', free, 'POST /v1/llms-txt-build'),
  /** A page of two crawls. The tokens of a language model are rows of their own. */
  page_diff: page('comparison', free, null),
  /** The judgement of a monitor's changes by a language model, whose tokens are rows of their own. */
  monitor_intent: page('crawl', free, null),
  /** Embeddings of the chunks of an export. The tokens of the model are rows of their own. */
  export_embeddings: page('export', free, null),
  /** Values of a stored page. The tokens of a language model are rows of their own. */
  page_extract: page('stored page', free, 'POST /v1/pages/:id/extract'),
  map: page('site', free, 'POST /v1/map'),
  estimate: page('crawl', free, 'POST /v1/crawls/estimate'),

  extract_article: page('URL', perResult, 'POST /v1/actors/extract-article'),
  audit_onpage: page('URL', perResult, 'POST /v1/actors/audit-onpage'),
  structured_data: page('URL', perResult, 'POST /v1/actors/structured-data'),
  render_diff: page('URL', perResult, 'POST /v1/actors/render-diff'),
  audit_site: page('call', perResult, 'POST /v1/actors/audit-site'),
  internal_link_graph: page('call', perResult, 'POST /v1/actors/internal-link-graph'),
  check_links: page('requested URL', perRequest, 'POST /v1/actors/check-links'),
  check_links_retry: cloudPage('URL retried by a cloud backend', perResult, null),
  sitemap_audit: page('requested URL', perRequest, 'POST /v1/actors/sitemap-audit'),

  cloud_scrape: cloudPage('URL', perResult, 'POST /v1/cloud/scrape'),
  cloud_crawl: cloudPage('crawled page', perResult, 'POST /v1/cloud/crawl'),
  cloud_search: cloudPage('result', perResult, 'POST /v1/cloud/search'),
  cloud_links: cloudPage('URL', perResult, 'POST /v1/cloud/links'),
  cloud_unblock: cloudPage('URL', perResult, 'POST /v1/cloud/unblock'),
  cloud_render: rendered,
  /** Deprecated name of `cloud_render`, with its price. */
  cloud_screenshot: { ...rendered, at: 'POST /v1/cloud/screenshot' },
  cloud_proxy_fetch: cloudPage('URL', perResult, 'POST /v1/cloud/proxy-fetch'),
  cloud_fetch: cloudPage('URL', perResult, [
    'POST /v1/cloud/fetch/:domain',
    'POST /v1/cloud/fetch/:domain/*',
  ]),
  /** Converts a document of the client, and fetches nothing. */
  cloud_transform: cloudPage('document', free, 'POST /v1/cloud/transform'),
} as const satisfies Record<string, Price>

/**
 * The name of an operation with a price. Rows of the ledger have the operation of their request: `scan` for `scan_cloud` and
 * `scan_screenshot`, `check_links` for `check_links_retry`.
 */
export type Operation = keyof typeof table

export const prices: Readonly<Record<Operation, Price>> = table

/** Returns the units of one request with this outcome. */
export const unitsOf = (operation: Operation, ending: Ending): 0 | 1 => prices[operation].units[ending]

/** Returns the units as words, such as "one cloud page", or "nothing". */
export const amountText = (operation: Operation, ending: Ending = 'billed'): string =>
  unitsOf(operation, ending) === 0 ? 'nothing' : amounts[prices[operation].kind]

const amounts: Record<UnitKind, string> = { page: 'one page', cloud_page: 'one cloud page' }

/**
 * Returns the price as a sentence for descriptions: "Costs one cloud page per URL." It lists the failures that are
 * billed too.
 */
export function priceText(operation: Operation): string {
  if (unitsOf(operation, 'billed') === 0) return 'Nothing is billed.'
  const also = failures.filter(ending => unitsOf(operation, ending) > 0).map(ending => endings[ending])
  const addition = also.length === 0 ? '' : `, even if ${also.join(' or ')}`
  return `Costs ${amountText(operation)} per ${prices[operation].per}${addition}.`
}

const failures = ['failed', 'blocked'] as const

/** Millionths of a US dollar. Prices and budgets are integers of them, so sums are exact. */
export type MicroDollars = number

/** List price of one unit, by kind. `max_cost_usd` of a crawl is counted in it. A run keeps the prices of its start. */
export const unitPrices: Readonly<Record<UnitKind, MicroDollars>> = { page: 1_000, cloud_page: 10_000 }

/** Returns the price of these units. */
export const costOf = (
  units: Readonly<Record<UnitKind, number>>,
  prices: Readonly<Record<UnitKind, MicroDollars>>,
): MicroDollars => units.page * prices.page + units.cloud_page * prices.cloud_page

/** Converts US dollars, rounded down. An error of the decimal fraction, such as 0.29 * 1e6, does not count. */
export function microDollarsOf(usd: number): MicroDollars {
  const nearest = Math.round(usd * 1e6)
  return dollarsOf(nearest) > usd ? nearest - 1 : nearest
}

/** Converts to US dollars. */
export const dollarsOf = (amount: MicroDollars): number => amount / 1e6

/**
 * `fetched` is the number of all pages of a crawl. Of them, `blocked` are challenges, `rendered` others are rendered, and
 * `carried` others are taken from the crawl that it forks.
 */
export type CrawlCounts = { fetched: number; blocked: number; rendered: number; carried: number }

/** Returns the units of a crawl, by kind. */
export function unitsOfCrawl({ fetched, blocked, rendered, carried }: CrawlCounts): Record<UnitKind, number> {
  const units = { page: 0, cloud_page: 0 }
  units[prices.crawl.kind] +=
    (fetched - blocked - rendered - carried) * unitsOf('crawl', 'billed') +
    blocked * unitsOf('crawl', 'blocked')
  units[prices.crawl_rendered.kind] += rendered * unitsOf('crawl_rendered', 'billed')
  return units
}

/** Returns the prices of one page of a crawl, plain and rendered, at these prices of a unit. */
export const pricesOfPage = (ofUnit: Readonly<Record<UnitKind, MicroDollars>> = unitPrices) => {
  const price = (rendered: number) =>
    costOf(unitsOfCrawl({ fetched: 1, blocked: 0, rendered, carried: 0 }), ofUnit)
  return { plain: price(0), rendered: price(1) }
}
