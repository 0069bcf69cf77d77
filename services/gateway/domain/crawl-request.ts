/** A crawl request in the words of the coordinator, and what tells a replay from a new request. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawls'
import type { RunSettings } from '@tidemark/contracts/run'
import { normalForm } from '@tidemark/url/normal-form'

/** More requests in flight than any host or fetcher would bear; beyond it the number means nothing. */
const mostConcurrency = 10_000

/** `seal` hides what only the fetcher may read. */
export const settingsOf = (request: CrawlRequest, seal: (text: string) => string): RunSettings => ({
  ...plainSettingsOf(request),
  ...(request.headers && { headers: seal(JSON.stringify(request.headers)) }),
  ...(request.cookies && { cookies: seal(request.cookies) }),
  ...(request.webhook_url && { webhook: webhookOf(request, request.webhook_url) }),
})

const webhookOf = (request: CrawlRequest, url: string) => ({
  url,
  events: request.webhook_events,
  onlyChanged: request.return_only_changed,
})

const plainSettingsOf = (request: CrawlRequest): RunSettings => ({
  maxPages: request.max_pages,
  depth: request.depth,
  concurrency: request.concurrency === undefined ? null : Math.min(request.concurrency, mostConcurrency),
  delayMs: request.delay_ms,
  subdomains: request.subdomains,
  respectRobots: request.respect_robots,
  storeHtml: request.store_html,
})

/**
 * What was asked for in one order, with defaults filled in and unknown fields left out: two bodies with the
 * same canonical text ask for the same crawl.
 */
export function canonical(request: CrawlRequest): string {
  const { url, headers, cookies, webhook_url, webhook_events, return_only_changed, cron } = request
  const own = Object.entries(headers ?? {}).sort()
  return JSON.stringify([
    [url, plainSettingsOf(request)],
    [own, cookies, webhook_url, webhook_events, return_only_changed, cron],
  ])
}

/** Why an address cannot be crawled whatever stands behind it, or null. It is stored as it was given. */
export function unusable(url: string): string | null {
  if (!url.isWellFormed()) return 'it is not valid Unicode'
  if (/\p{Cc}/u.test(url)) return 'it contains a control character'
  if (!/^https?:\/\//i.test(url)) return 'it must begin with http:// or https://'
  if (normalForm(url) === null) return 'it cannot be read, or is too long'
  return null
}
