/**
 * Converts the settings of a forked crawl and the changes of its fork to one crawl request, so that all rules for crawls
 * apply to their combination. Secrets stay sealed and are never changed.
 */
import { ForkRequest } from '@tidemark/contracts/http/crawl-fork'
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { dollarsOf } from '@tidemark/contracts/prices'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { withDefaults } from '../../http/domain/input.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { plainSettingsOf, webhookOf } from './run-settings-of-request.ts'

/** The forked crawl: its seed, its settings, and the number of pages that a fork can take from the store. */
export type Base = { id: number; url: string; settings: RunSettings; pages: number }

/**
 * Returns the request of the fork.
 * @param sentFields the fields that the client sent
 * @throws ApiProblem `invalid_input` for a field of a crawl that a fork cannot change
 */
export function forkedRequest(
  base: Base,
  changes: ForkRequest,
  sentFields: ReadonlySet<string>,
): CrawlRequest {
  for (const field of sentFields)
    if (isFixed(field)) throw refusal(field, 'conflicting_fields', cannotChange(field))
  const request: Record<string, unknown> = { ...requestOf(base) }
  for (const [field, value] of Object.entries(changes)) {
    if (value === null) delete request[field]
    else if (Object.hasOwn(ForkRequest.properties, field)) request[field] = value
  }
  return request as CrawlRequest
}

/** Returns whether it is a field of a crawl that a fork cannot change. */
export const isFixed = (field: string): boolean =>
  Object.hasOwn(CrawlRequest.properties, field) && !Object.hasOwn(ForkRequest.properties, field)

const cannotChange = (field: string): string =>
  `${field} cannot be changed by a fork, because pages of the forked crawl are reused as they are. Leave it out, or start another crawl with POST /v1/crawls.`

/** Returns the request without secrets, and without fields that only monitors have. */
function requestOf({ url, settings }: Base): CrawlRequest {
  const { webhook, comparison = {}, proxyPool } = settings
  const plain = {
    url,
    max_pages: settings.maxPages,
    max_cost_usd: settings.maxCost === undefined ? undefined : dollarsOf(settings.maxCost),
    max_bytes: settings.maxBytes,
    depth: settings.depth,
    concurrency: settings.concurrency ?? undefined,
    delay_ms: settings.delayMs,
    subdomains: settings.subdomains,
    respect_robots: settings.respectRobots,
    store_html: settings.storeHtml,
    user_agent: settings.userAgent,
    proxy_pool: proxyPool?.pool,
    proxy_country: proxyPool?.country ?? undefined,
    seed_kind: settings.seedKind,
    urls: settings.urls,
    follow_links: settings.followLinks,
    include_paths: settings.includePaths,
    exclude_paths: settings.excludePaths,
    ignore_selectors: comparison.ignoreSelectors,
    only_selectors: comparison.onlySelectors,
    ignore_text: comparison.ignoreText,
    min_changed_words: settings.minChangedWords,
    trap_guards: settings.trapGuards,
    render: settings.render,
    screenshots: settings.screenshots,
    webhook_url: webhook?.url,
    webhook_events: webhook && [...webhook.events, ...(webhook.notices ?? [])],
  }
  const set = Object.entries(plain).filter(([, value]) => value !== undefined)
  return withDefaults(CrawlRequest, Object.fromEntries(set)) as CrawlRequest
}

/** Returns the settings of a fork. `request` is its checked request. */
export function forkSettings({ id, settings, pages }: Base, request: CrawlRequest): RunSettings {
  const { headers, robotsToken, cookies, login, proxy } = settings
  return {
    ...plainSettingsOf(request),
    ...(robotsToken && { robotsToken }),
    ...(headers && { headers }),
    ...(cookies && { cookies }),
    ...(login && { login }),
    ...(proxy && { proxy }),
    ...(request.webhook_url && { webhook: webhookOf(request, request.webhook_url) }),
    fork: { runId: id, pages },
  }
}

/** Returns the fields of a request in a fixed order. Two requests with the same canonical text start the same fork. */
export const canonicalFork = (id: number, changes: ForkRequest): string => {
  const known = Object.entries(changes).filter(([field]) => Object.hasOwn(ForkRequest.properties, field))
  return JSON.stringify(['fork', id, known.sort(([a], [b]) => (a < b ? -1 : 1))])
}
