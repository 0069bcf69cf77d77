/** The body of `POST /v1/crawls` (specification, Crawls). Defaults of the specification are defaults of the schema. */

import { type Static, Type } from 'typebox'
import { amountText, dollarsOf, pricesOfPage } from '../prices.ts'
import { oneOf } from '../primitives.ts'
import { ProxyPool, SelectableEvent } from '../run-settings.ts'
import { CrawlLogin } from './crawl-login.ts'

const ofPage = pricesOfPage()

/** Largest accepted `max_cost_usd` and `max_bytes`: more than any crawl can reach. */
const maxDollars = 10_000
const maxBytes = 1024 ** 4

/** Keeps a value, which may hold a password, out of the messages that reject it. */
const secret = { writeOnly: true }

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
    max_cost_usd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: maxDollars,
        description: `Maximum cost in US dollars: the crawl never bills more. It must cover at least one page: a page costs ${dollarsOf(ofPage.plain)}, a rendered page ${dollarsOf(ofPage.rendered)}. Each page in flight reserves its price, with render its highest one. When the remaining amount does not cover another page, the crawl ends with stop_reason max_cost_usd.`,
        examples: [0.5],
      }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxBytes,
        description:
          'Maximum bytes of all pages together, each with the size of its decoded body. Pages that the site did not send again (304) count nothing, nor do robots.txt, sitemaps and failed requests. Each page in flight reserves bytes. When a page does not fit into the rest, the crawl ends with stop_reason max_bytes.',
        examples: [100_000_000],
      }),
    ),
    depth: Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 5,
      description: 'Maximum number of links from the seed to a page.',
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
      Type.Record(Type.String(), Type.String({ maxLength: 8192, ...secret }), {
        ...secret,
        maxProperties: 64,
        description:
          "Headers of every request to the seed's site. They are never sent to other sites. The product token of a User-Agent among them is public: robots.txt of the seed's site is matched by it, and GET /v1/crawls/{id}/policy returns it.",
      }),
    ),
    cookies: Type.Optional(
      Type.String({
        ...secret,
        maxLength: 65_536,
        description: 'Cookies for the seed\'s site, as "k=v; k=v".',
      }),
    ),
    webhook_url: Type.Optional(
      Type.String({
        maxLength: 8192,
        description: 'Receives a webhook when the crawl ends as done or failed.',
      }),
    ),
    webhook_events: Type.Array(SelectableEvent, {
      maxItems: 100,
      default: ['crawl.done'],
      description:
        'The events to send. crawl.started, page.fetched (in batches of at most 100 pages) and crawl.failed are sent beside the webhook of the end.',
    }),
    return_only_changed: Type.Boolean({
      default: false,
      description: 'Monitors only: send no webhook if no page has changed.',
    }),
    user_agent: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          'User-Agent of the crawl; robots.txt is then matched by its product token. If it is left out or begins with InternalCrawler/, the crawl uses the User-Agent of a browser.',
      }),
    ),
    proxy_url: Type.Optional(
      Type.String({
        ...secret,
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
    seed_kind: oneOf(['url', 'sitemap'], {
      default: 'url',
      description: 'Follow links from url, or crawl the URLs of its sitemap (an origin means /sitemap.xml).',
    }),
    urls: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 8192 }), {
        maxItems: 10_000,
        description:
          'Further URLs to crawl besides url, each of the same site as url, together at most 2,000,000 characters. They come before URLs that pages link to, and trap guards do not exclude them. Not with seed_kind sitemap.',
      }),
    ),
    follow_links: Type.Boolean({
      default: true,
      description: 'False: crawl only url and urls, and follow no links. Redirects are followed.',
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
    ignore_selectors: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        maxItems: 20,
        description:
          'CSS selectors of elements that do not count when pages are compared: clocks, advertisements, counters. They apply to the comparison of crawls, to monitors and to the comparison by lines. Stored pages and content_hash stay as they are.',
      }),
    ),
    only_selectors: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        maxItems: 20,
        description:
          'CSS selectors: if there are any, only these elements count when pages are compared, without title and metadata.',
      }),
    ),
    ignore_text: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        maxItems: 20,
        description:
          'RE2 patterns: the parts of each line of text, link and statement that match do not count when pages are compared. They share the complexity budget of include_paths and exclude_paths (bad_regex).',
      }),
    ),
    min_changed_words: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          'A page counts as changed only if at least this many words of its text were added or removed; a replaced word counts once. Needs stored bodies. A different status always counts.',
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
    render: oneOf(['none', 'auto', 'always'], {
      default: 'none',
      description: `Run scripts: auto renders pages that are empty without scripts, always renders every page. A rendered page costs ${amountText('crawl_rendered')} instead of ${amountText('crawl')}. Not with a proxy.`,
    }),
    screenshots: Type.Boolean({
      default: false,
      description:
        'Store a screenshot of each rendered page, for GET /v1/pages/{id}/screenshot. It needs render, and adds nothing to the price of a rendered page.',
    }),
    login: Type.Optional(CrawlLogin),
    conditional: Type.Boolean({
      default: true,
      description:
        'Monitors only: send conditional requests (ETag, Last-Modified) based on the previous crawl. False fetches all pages each time.',
    }),
    cron: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Creates a monitor: five fields of crontab(5), in the local time of timezone.',
      }),
    ),
    intent: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        pattern: '[^\\t\\n\\r ]',
        description:
          'Monitors only: the change to wait for. The language model of this installation judges the changes of each crawl by it, and the webhook has the judgement as `intent`. Requires the consent of the project (`PUT /v1/model-consent`).',
        examples: ['The price falls.'],
      }),
    ),
    only_matching: Type.Boolean({
      default: false,
      description:
        'Monitors with intent: no webhook if nothing has changed, or if the changes do not match. It is still sent if that is unknown.',
    }),
    timezone: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Monitors only: IANA time zone of cron, such as Europe/Berlin; UTC by default. When the clock changes, no due time is left out and none is due twice: a skipped time is due one hour later, a repeated one the first time.',
      }),
    ),
  },
  { $id: 'CrawlRequest' },
)
export type CrawlRequest = Static<typeof CrawlRequest>
