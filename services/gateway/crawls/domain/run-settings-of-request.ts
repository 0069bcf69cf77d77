/** Converts a crawl request to the settings of a run, and to the texts by which equal requests are recognised. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { microDollarsOf } from '@tidemark/contracts/prices'
import type { MonitorIntent, RunSettings, WebhookTarget } from '@tidemark/contracts/run-settings'
import { productTokenOf } from '@tidemark/robots/token'
import { normalForm } from '@tidemark/url/normal-form'
import { eventsOf } from '../../http/domain/webhook-events.ts'
import { maxConcurrency } from './concurrency.ts'
import { loginOf } from './login.ts'
import { agentAmongHeaders } from './own-headers.ts'

/**
 * Returns the settings for a validated request.
 * @param seal encrypts values for the fetcher only
 * @param shownProxy the client's proxy without its password, if it has one
 */
export const settingsOf = (
  request: CrawlRequest,
  seal: (text: string) => string,
  shownProxy: string | null,
): RunSettings => ({
  ...plainSettingsOf(request),
  ...(request.headers && { headers: seal(JSON.stringify(request.headers)) }),
  ...(request.cookies && { cookies: seal(request.cookies) }),
  ...(request.login && { login: loginOf(request.login, request.url, seal) }),
  ...(request.proxy_url && shownProxy && { proxy: { sealed: seal(request.proxy_url), shown: shownProxy } }),
  ...(request.webhook_url && { webhook: webhookOf(request, request.webhook_url) }),
})

export const webhookOf = (request: CrawlRequest, url: string): WebhookTarget => ({
  url,
  ...eventsOf(request.webhook_events),
  onlyChanged: request.return_only_changed,
})

/**
 * Returns the settings without secrets and webhooks. Omits defaults of newer fields: a field that is always present would
 * change the fingerprint of earlier requests.
 */
export const plainSettingsOf = (request: CrawlRequest): RunSettings => ({
  maxPages: request.max_pages,
  ...(request.max_cost_usd !== undefined && { maxCost: microDollarsOf(request.max_cost_usd) }),
  ...(request.max_bytes !== undefined && { maxBytes: request.max_bytes }),
  depth: request.depth,
  concurrency: request.concurrency === undefined ? null : Math.min(request.concurrency, maxConcurrency),
  delayMs: request.delay_ms,
  subdomains: request.subdomains,
  respectRobots: request.respect_robots,
  storeHtml: request.store_html,
  ...(request.user_agent && { userAgent: request.user_agent }),
  ...robotsTokenOf(request),
  ...(request.proxy_pool && {
    proxyPool: { pool: request.proxy_pool, country: request.proxy_country ?? null },
  }),
  ...(request.seed_kind === 'sitemap' && { seedKind: request.seed_kind }),
  ...(request.urls?.length && { urls: request.urls }),
  ...(request.follow_links ? {} : { followLinks: false as const }),
  ...(request.include_paths?.length && { includePaths: request.include_paths }),
  ...(request.exclude_paths?.length && { excludePaths: request.exclude_paths }),
  ...comparisonOf(request),
  ...(request.trap_guards ? {} : { trapGuards: false }),
  ...(request.conditional ? {} : { conditional: false as const }),
  ...(request.render === 'none' ? {} : { render: request.render }),
  ...(request.intent !== undefined && { intent: intentOf(request.intent, request.only_matching) }),
  ...(request.screenshots ? { screenshots: true as const } : {}),
})

/** The headers are sealed, but robots.txt is judged by the name in them. */
function robotsTokenOf(request: CrawlRequest): Pick<RunSettings, 'robotsToken'> {
  const robotsToken = productTokenOf(agentAmongHeaders(request) ?? '')
  return robotsToken === '' ? {} : { robotsToken }
}

const intentOf = (text: string, onlyMatching: boolean): MonitorIntent => ({
  text,
  ...(onlyMatching && { onlyMatching }),
})

/** Omits the rules that a request does not have. */
function comparisonOf(request: CrawlRequest): Pick<RunSettings, 'comparison' | 'minChangedWords'> {
  const { ignore_selectors, only_selectors, ignore_text, min_changed_words: minChangedWords } = request
  const comparison = {
    ...(ignore_selectors?.length && { ignoreSelectors: ignore_selectors }),
    ...(only_selectors?.length && { onlySelectors: only_selectors }),
    ...(ignore_text?.length && { ignoreText: ignore_text }),
  }
  return {
    ...(Object.keys(comparison).length > 0 && { comparison }),
    ...(minChangedWords !== undefined && { minChangedWords }),
  }
}

/**
 * Returns the fields of a request in a fixed order, with defaults and without unknown fields. Two bodies with the same
 * canonical text request the same crawl.
 */
export function canonical(request: CrawlRequest): string {
  const { url, headers, cookies, webhook_url, webhook_events, return_only_changed, cron } = request
  const own = Object.entries(headers ?? {}).sort()
  const { proxy_url, max_age_seconds, aggressive, timezone, login } = request
  return JSON.stringify([
    [url, plainSettingsOf(request)],
    [own, cookies, webhook_url, webhook_events, return_only_changed, cron],
    ...(proxy_url || max_age_seconds || aggressive ? [[proxy_url, max_age_seconds, aggressive]] : []),
    ...(timezone === undefined ? [] : [{ timezone }]),
    ...(login === undefined ? [] : [{ login }]),
  ])
}

/**
 * Settings that `resultKeyOf` leaves out. Most of them do not affect the pages. `resultKeyOf` compares the path
 * patterns separately, whatever their order.
 */
const notCompared: ReadonlySet<string> = new Set<keyof RunSettings>([
  'delayMs',
  'concurrency',
  'intent',
  'conditional',
  'includePaths',
  'excludePaths',
])

/**
 * Returns the fields that determine the result of a crawl. Two requests with the same text fetch the same pages as the
 * same client, at any speed and with any notifications.
 */
function resultKeyOf(request: CrawlRequest): string {
  const { url, headers, cookies, proxy_url, include_paths, exclude_paths, login } = request
  const own = Object.entries(headers ?? {}).sort()
  const patterns = [include_paths, exclude_paths].map((list = []) => [...new Set(list)].sort())
  const settings = Object.entries(plainSettingsOf(request)).filter(([name]) => !notCompared.has(name))
  const logins = login === undefined ? [] : [login]
  return JSON.stringify([
    ...[normalForm(url), Object.fromEntries(settings), patterns],
    ...[own, cookies, proxy_url, ...logins],
  ])
}

/** Returns the keyed hashes by which a repeated request, and a crawl with the same result, are found again. */
export const hashesOf = (
  { request, effective }: { request: CrawlRequest; effective: CrawlRequest },
  fingerprint: (text: string) => string,
) => ({ fingerprint: fingerprint(canonical(request)), likeness: fingerprint(resultKeyOf(effective)) })
