/** `/v1/crawls`: what a client sends and reads (specification, Crawls). */
import { type Static, Type } from 'typebox'
import { Id, orNull, said, Timestamp } from '../primitives.ts'
import { ProxyPool, WebhookEvent } from '../run-settings.ts'
import { nextOffset, windowOf } from './lists.ts'

export const RunStatus = Type.Union(
  [
    Type.Literal('queued'),
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ],
  { description: 'queued → running → done | failed | cancelled; no way back.' },
)
export type RunStatus = Static<typeof RunStatus>

export const CrawlRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'Where to begin; http:// or https://.',
      examples: ['https://example.com/'],
    }),
    max_pages: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 1000,
      description: 'The crawl ends when it has so many pages.',
    }),
    depth: Type.Integer({ minimum: 1, maximum: 50, default: 5, description: 'Clicks from the seed.' }),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Requests in flight; chosen for you when left out. More than 64 are 64.',
      }),
    ),
    delay_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 250,
      description: 'Milliseconds between requests to one host.',
    }),
    subdomains: Type.Boolean({ default: false, description: "Follow subdomains of the seed's host." }),
    respect_robots: Type.Boolean({ default: true, description: 'Obey robots.txt, its Crawl-delay too.' }),
    store_html: Type.Boolean({
      default: true,
      description:
        'Keep bodies; without them pages cannot later be read as markdown or articles, and have no html.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
        maxProperties: 64,
        description: "Sent with every request to the seed's site, never beyond it.",
      }),
    ),
    cookies: Type.Optional(
      Type.String({ maxLength: 65_536, description: 'Cookies for the seed\'s site, as "k=v; k=v".' }),
    ),
    webhook_url: Type.Optional(
      Type.String({ maxLength: 8192, description: 'Told when the run is done or failed.' }),
    ),
    webhook_events: Type.Array(WebhookEvent, {
      maxItems: 100,
      default: ['crawl.done'],
      description: 'Which ends are told.',
    }),
    return_only_changed: Type.Boolean({ default: false, description: 'Monitors only.' }),
    user_agent: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          "How the crawl introduces itself; robots.txt is then judged by its product token. Left out, or beginning with InternalCrawler/, a browser's is chosen.",
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
        description: "A pool of the service's proxies; proxy_url wins over it.",
      }),
    ),
    proxy_country: Type.Optional(
      Type.String({ maxLength: 2, description: 'ISO 3166-1 alpha-2, such as DE; only with proxy_pool.' }),
    ),
    seed_kind: Type.Union([Type.Literal('url'), Type.Literal('sitemap')], {
      default: 'url',
      description:
        'Follow links from url, or crawl what the sitemap there lists (an origin means /sitemap.xml).',
    }),
    include_paths: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 1000,
        description: 'RE2 patterns, searched in path and query: only what matches one is crawled.',
      }),
    ),
    exclude_paths: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 1000,
        description: 'RE2 patterns: what matches one is not crawled. They win.',
      }),
    ),
    max_age_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000,
        description:
          'Return a run of the same URL and settings that ended as done at most so long ago, if there is one. delay_ms, concurrency and what is about webhooks may differ: they do not change what it has. A run that is returned so tells no webhook.',
      }),
    ),
    aggressive: Type.Boolean({
      default: false,
      description: 'Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not with cron.',
    }),
    trap_guards: Type.Boolean({
      default: true,
      description: 'Leave out what looks like one of endlessly many URLs, such as a calendar.',
    }),
    render: Type.Union([Type.Literal('none'), Type.Literal('auto'), Type.Literal('always')], {
      default: 'none',
      description:
        'Run scripts: auto renders pages that show nothing without them in a browser, always renders every page. A rendered page is billed as a cloud page in place of a page. Not with a proxy.',
    }),
    conditional: Type.Boolean({
      default: true,
      description:
        'Monitors only: ask for pages on condition that they have changed since the run before (ETag, Last-Modified). False fetches all of them each time.',
    }),
    cron: Type.Optional(
      Type.String({ maxLength: 255, description: 'Five fields of crontab(5), in UTC: makes a monitor.' }),
    ),
  },
  { $id: 'CrawlRequest' },
)
export type CrawlRequest = Static<typeof CrawlRequest>

const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'What was ignored in the request, and why.' }),
)

export const CrawlAccepted = Type.Object(
  {
    id: said(Id, 'The crawl: its address is /v1/crawls/{id}.'),
    status: RunStatus,
    url: Type.String({ description: 'Where it begins.' }),
    enqueued_at: said(Timestamp, 'When it was accepted.'),
    reused: Type.Optional(
      Type.Boolean({ description: 'True where max_age_seconds found this earlier run; nothing is billed.' }),
    ),
    warnings: Warnings,
  },
  { $id: 'CrawlAccepted' },
)
export type CrawlAccepted = Static<typeof CrawlAccepted>

export const RunView = Type.Object(
  {
    id: said(Id, 'The crawl.'),
    url: Type.String({ description: 'Where it begins.' }),
    status: RunStatus,
    page_count: Type.Integer({ description: 'Pages that it has, whatever their HTTP status.' }),
    error_count: Type.Integer({
      description: 'Failures on the way, such as DNS, TLS or a timeout; never a 404.',
    }),
    enqueued_at: said(Timestamp, 'When it was accepted.'),
    started_at: orNull(said(Timestamp, 'When its first URL was ordered; null before.')),
    finished_at: orNull(said(Timestamp, 'When it ended; null before.')),
    error_message: orNull(Type.String({ description: 'Why it failed; null where it did not.' })),
    stop_reason: orNull(
      Type.String({
        description:
          'Why it ended: exhausted, max_pages, depth, quota, time_limit, cancelled or failed; null before.',
      }),
    ),
    proxy_url: orNull(
      Type.String({ description: 'The proxy that it goes through, without its password; null without one.' }),
    ),
    ai_bot_policy: orNull(
      Type.Record(Type.String(), Type.String(), {
        description:
          'What robots.txt of the seed lets AI bots do: allowed, disallowed, partial or unspecified. Null until it was read.',
      }),
    ),
    llms_txt: orNull(
      Type.String({
        description: 'Of the seed, up to 64 KiB; null where it has none, and in lists of runs.',
      }),
    ),
    llms_full_txt: orNull(Type.String({ description: 'As llms_txt.' })),
    webhook_status: orNull(
      Type.String({
        description:
          'pending, delivered, dead, suppressed_no_change or suppressed_no_baseline; null without a webhook, and before the end.',
      }),
    ),
    webhook_attempts: Type.Integer({ description: 'How often the webhook was tried.' }),
    webhook_last_error: orNull(
      Type.String({ description: 'Why its last attempt failed; null where none did.' }),
    ),
    previous_run_id: orNull(said(Id, 'Of a monitor: the crawl before this one; null without.')),
  },
  { $id: 'Run' },
)
export type RunView = Static<typeof RunView>

export const RunList = Type.Object(
  {
    items: Type.Array(RunView, { description: 'The latest first.' }),
    next_offset: nextOffset,
  },
  { $id: 'RunList' },
)
export type RunList = Static<typeof RunList>

export const RunListQuery = Type.Object({
  ...windowOf(1000),
  status: Type.Optional(
    Type.Union(RunStatus.anyOf, { description: 'Only crawls in this state.', examples: ['done'] }),
  ),
})
export type RunListQuery = Static<typeof RunListQuery>

export const RunParams = Type.Object({ id: Type.Integer({ description: 'The run.', examples: [42] }) })
export type RunParams = Static<typeof RunParams>
