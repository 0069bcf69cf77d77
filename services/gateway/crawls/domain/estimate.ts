/** Predicts the number of pages of a crawl from the site's files, from its settings, and from earlier crawls. */

import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { CrawlEstimate } from '@tidemark/contracts/http/estimate'
import type { JudgeUrlsAnswer } from '@tidemark/contracts/rpc/judge'
import type { MapSiteAnswer } from '@tidemark/contracts/rpc/map'

type Basis = CrawlEstimate['basis']
type Known = {
  request: Pick<CrawlRequest, 'url' | 'max_pages' | 'seed_kind' | 'follow_links' | 'render'>
  map: Pick<MapSiteAnswer, 'truncated' | 'items' | 'warnings'>
  judged: JudgeUrlsAnswer
  lastRun: Basis['last_run']
}

/** Factor for the upper bound. Crawls of sites with a sitemap find up to half as many pages again. */
const beyondSitemap = 1.5

export function estimateOf({ request, map, judged, lastRun }: Known): Omit<CrawlEstimate, 'warnings'> {
  const isListed = request.seed_kind === 'url' && !request.follow_links
  const by = isListed ? 'urls' : basisOf(map.items, lastRun)
  const pages = pagesOf(by, { request, map, judged, lastRun })
  const seconds = (count: number) => Math.round(count * judged.delayMs) / 1000
  return {
    url: request.url,
    pages,
    seconds_at_polite_rate: { low: seconds(pages.low), high: seconds(pages.high) },
    cost: costOf(request.render, pages),
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
function costOf(render: CrawlRequest['render'], pages: CrawlEstimate['pages']): CrawlEstimate['cost'] {
  if (render === 'none') return { pages }
  if (render === 'always') return { pages: none, cloud_pages: pages }
  return { pages: { ...pages, low: 0 }, cloud_pages: { ...pages, low: 0 } }
}

/** Chooses the basis of the estimate. A run that a limit stopped does not show the size of the site. */
function basisOf(items: MapSiteAnswer['items'], lastRun: Basis['last_run']): Basis['by'] {
  if (lastRun?.stop_reason === 'exhausted') return 'last_run'
  return items.some(({ source }) => source === 'sitemap') ? 'sitemaps' : 'links'
}

function pagesOf(by: Basis['by'], { request, map, judged, lastRun }: Known): CrawlEstimate['pages'] {
  const { max_pages: max, seed_kind } = request
  const { admitted } = judged
  const before = lastRun?.pages ?? admitted
  if (seed_kind === 'sitemap') return { low: admitted, high: map.truncated ? max : admitted }
  const rows = {
    urls: { low: admitted, high: admitted },
    last_run: { low: Math.min(before, admitted), high: Math.max(before, admitted) },
    sitemaps: { low: admitted, high: map.truncated ? max : Math.ceil(admitted * beyondSitemap) },
    links: { low: admitted, high: max },
  }
  const { low, high } = rows[by]
  return { low: Math.min(low, max), high: Math.min(high, max) }
}
