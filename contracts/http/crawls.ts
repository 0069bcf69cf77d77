/** `/v1/crawls`: requests and responses (specification, Crawls). */
import { type Static, Type } from 'typebox'
import { Id, orNull, said, Timestamp } from '../primitives.ts'
import { ProxyPool, WebhookEvent } from '../run-settings.ts'
import { warnings } from './lists.ts'

/** Absent if the service that responds has an earlier version. */
export const errorReason = Type.Optional(
  orNull(
    Type.String({
      description:
        'The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns, connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address, blocked_domain, sitemap, empty_sitemap, time_limit and others. Null: the crawl did not fail.',
    }),
  ),
)

export const RunStatus = Type.Union(
  [
    Type.Literal('queued'),
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ],
  { description: 'queued → running → done | failed | cancelled. The status never goes back.' },
)
export type RunStatus = Static<typeof RunStatus>

export const CrawlRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The URL where the crawl starts; http:// or https://.',
      examples: ['https://example.com/'],
    }),
    max_pages: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 1000,
      description: 'Maximum number of pages. The crawl ends when it has that many.',
    }),
    depth: Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 5,
      description: 'Number of links from the seed to the page.',
    }),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Concurrent requests; automatic by default. Values above 64 are capped at 64.',
      }),
    ),
    delay_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 250,
      description: 'Milliseconds between requests to one host.',
    }),
    subdomains: Type.Boolean({ default: false, description: "Follow subdomains of the seed's host." }),
    respect_robots: Type.Boolean({ default: true, description: 'Obey robots.txt, including Crawl-delay.' }),
    store_html: Type.Boolean({
      default: true,
      description: 'Store bodies. Without them, pages have no html, markdown or articles.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
        maxProperties: 64,
        description: "Headers of every request to the seed's site. They are never sent to other sites.",
      }),
    ),
    cookies: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'Cookies for the seed\'s site, as "k=v; k=v".' }),
    ),
    webhook_url: Type.Optional(
      Type.String({ maxLength: 8192, description: 'Receives a webhook when the crawl is done or failed.' }),
    ),
    webhook_events: Type.Array(WebhookEvent, {
      maxItems: 100,
      default: ['crawl.done'],
      description: 'The events to send.',
    }),
    return_only_changed: Type.Boolean({ default: false, description: 'Monitors: no webhook if no changes.' }),
    user_agent: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          'User-Agent of the crawl; robots.txt is then matched by its product token. If it is left out or begins with InternalCrawler/, the crawl uses the User-Agent of a browser.',
      }),
    ),
    proxy_url: Type.Optional(
      Type.String({
        maxLength: 8192,
        description: 'http://, https:// or socks5://, with user:password@ if needed.',
      }),
    ),
    proxy_pool: Type.Optional(
      Type.Unsafe<ProxyPool>({
        ...ProxyPool,
        description: 'A proxy pool of the service. proxy_url takes precedence.',
      }),
    ),
    proxy_country: Type.Optional(
      Type.String({ maxLength: 2, description: 'ISO 3166-1 alpha-2, such as DE; only with proxy_pool.' }),
    ),
    seed_kind: Type.Union([Type.Literal('url'), Type.Literal('sitemap')], {
      default: 'url',
      description: 'Follow links from url, or crawl the URLs of its sitemap (an origin means /sitemap.xml).',
    }),
    include_paths: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 1000,
        description:
          'RE2 patterns, searched in path and query: only URLs that match one are crawled. They share one complexity budget with exclude_paths: patterns that exceed it together are rejected (bad_regex), and a crawl that spends too much time on them ends with stop_reason pattern_time.',
      }),
    ),
    exclude_paths: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 1000,
        description: 'RE2 patterns: URLs that match one are skipped, even if include_paths matches.',
      }),
    ),
    max_age_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000,
        description:
          'Return an earlier crawl of the same URL and settings if it ended as done within this number of seconds. delay_ms, concurrency and the webhook fields may differ, as they do not affect the result. An earlier crawl that is returned sends no webhook.',
      }),
    ),
    aggressive: Type.Boolean({
      default: false,
      description: 'Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not with cron.',
    }),
    trap_guards: Type.Boolean({
      default: true,
      description: 'Skip URLs that look like part of an endless series, such as a calendar.',
    }),
    render: Type.Union([Type.Literal('none'), Type.Literal('auto'), Type.Literal('always')], {
      default: 'none',
      description:
        'Run scripts: auto renders pages that are empty without scripts, always renders every page. A rendered page is billed as a cloud page instead of a page. Not with a proxy.',
    }),
    conditional: Type.Boolean({
      default: true,
      description:
        'Monitors only: send conditional requests (ETag, Last-Modified) based on the previous crawl. False fetches all pages each time.',
    }),
    cron: Type.Optional(
      Type.String({ maxLength: 255, description: 'Creates a monitor: five fields of crontab(5), in UTC.' }),
    ),
  },
  { $id: 'CrawlRequest' },
)
export type CrawlRequest = Static<typeof CrawlRequest>

const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'Settings of the request that were ignored, and the reason.' }),
)

export const CrawlAccepted = Type.Object(
  {
    id: said(Id, 'The id of the crawl: read it at /v1/crawls/{id}.'),
    status: RunStatus,
    url: Type.String({ description: 'The seed URL.' }),
    enqueued_at: said(Timestamp, 'Time at which the crawl was accepted.'),
    reused: Type.Optional(
      Type.Boolean({ description: 'True: max_age_seconds found this earlier crawl, and nothing is billed.' }),
    ),
    warnings: Warnings,
  },
  { $id: 'CrawlAccepted' },
)
export type CrawlAccepted = Static<typeof CrawlAccepted>

export const RunView = Type.Object(
  {
    id: said(Id, 'The crawl.'),
    url: Type.String({ description: 'The seed URL.' }),
    status: RunStatus,
    page_count: Type.Integer({ description: 'Pages of the crawl, whatever their HTTP status.' }),
    error_count: Type.Integer({
      description: 'Failed URLs, such as DNS, TLS or a timeout. A 404 never counts.',
    }),
    enqueued_at: said(Timestamp, 'Time at which the crawl was accepted.'),
    started_at: orNull(said(Timestamp, 'Time of the order for its first URL; null: not ordered yet.')),
    finished_at: orNull(said(Timestamp, 'Time of its end; null: not ended yet.')),
    error_message: orNull(Type.String({ description: 'Why it failed; null: it did not fail.' })),
    error_reason: errorReason,
    stop_reason: orNull(
      Type.String({
        description:
          'Reason for the end: exhausted, max_pages, depth, quota, time_limit, pattern_time (its patterns took too long), cancelled or failed; null: not ended yet.',
      }),
    ),
    proxy_url: orNull(
      Type.String({ description: 'The proxy of the crawl, without its password; null: no proxy.' }),
    ),
    ai_bot_policy: orNull(
      Type.Record(Type.String(), Type.String(), {
        description:
          'The rules for AI bots in the robots.txt of the seed: allowed, disallowed, partial or unspecified. Null until it is read, and in lists of crawls without `fields=ai_bot_policy`.',
      }),
    ),
    llms_txt: orNull(
      Type.String({
        description: 'The llms.txt of the site, up to 64 KiB; null: it has none, or in lists of crawls.',
      }),
    ),
    llms_full_txt: orNull(Type.String({ description: 'Like llms_txt.' })),
    webhook_status: orNull(
      Type.String({
        description:
          'pending, delivered, dead, suppressed_no_change or suppressed_no_baseline; null: no webhook, or the crawl has not ended.',
      }),
    ),
    webhook_attempts: Type.Integer({ description: 'Number of attempts to deliver the webhook.' }),
    webhook_last_error: orNull(
      Type.String({ description: 'Reason why its last attempt failed; null: it did not fail.' }),
    ),
    previous_run_id: orNull(said(Id, 'For a monitor: the previous crawl; null: none.')),
    warnings,
  },
  { $id: 'Run' },
)
export type RunView = Static<typeof RunView>

export const RunParams = Type.Object({ id: Type.Integer({ description: 'The crawl.', examples: [42] }) })
export type RunParams = Static<typeof RunParams>
