/** `/v1/crawls`: responses and lists (specification, Crawls). The body of a new crawl is in `crawl-request.ts`. */
import { type Static, Type } from 'typebox'
import { described, Id, oneOf, orNull, Timestamp } from '../primitives.ts'
import { warnings } from './lists.ts'

/** Absent if the service that responds has an earlier version. */
export const errorReason = Type.Optional(
  orNull(
    Type.String({
      description:
        'The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns, connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address, blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null: the crawl did not fail.',
    }),
  ),
)

export const RunStatus = oneOf(['queued', 'running', 'done', 'failed', 'cancelled'], {
  description:
    'queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back to running.',
})
export type RunStatus = Static<typeof RunStatus>

const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'Settings of the request that were ignored, and the reason.' }),
)

export const CrawlAccepted = Type.Object(
  {
    id: described(Id, 'The id of the crawl: read it at /v1/crawls/{id}.'),
    status: RunStatus,
    url: Type.String({ description: 'The seed URL.' }),
    enqueued_at: described(Timestamp, 'Time at which the crawl was accepted.'),
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
    id: described(Id, 'The crawl.'),
    url: Type.String({ description: 'The seed URL.' }),
    status: RunStatus,
    page_count: Type.Integer({ description: 'Pages of the crawl, whatever their HTTP status.' }),
    error_count: Type.Integer({
      description: 'Failed URLs, such as DNS, TLS or a timeout. A 404 never counts.',
    }),
    enqueued_at: described(Timestamp, 'Time at which the crawl was accepted.'),
    started_at: orNull(described(Timestamp, 'Time of the order for its first URL; null: not ordered yet.')),
    /** Absent from services of earlier versions. */
    paused_at: Type.Optional(
      orNull(
        described(
          Timestamp,
          'Time at which the client paused it; null: not paused. The status stays running.',
        ),
      ),
    ),
    finished_at: orNull(described(Timestamp, 'Time of its end; null: not ended yet.')),
    error_message: orNull(Type.String({ description: 'Why it failed; null: it did not fail.' })),
    error_reason: errorReason,
    stop_reason: orNull(
      Type.String({
        description:
          'Reason for the end: exhausted, max_pages, depth, max_cost_usd, max_bytes, quota, time_limit, pattern_time (its patterns took too long), cancelled or failed; null: not ended yet.',
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
          'pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match; null: no webhook, or the crawl has not ended.',
      }),
    ),
    webhook_attempts: Type.Integer({ description: 'Number of attempts to deliver the webhook.' }),
    webhook_last_error: orNull(
      Type.String({ description: 'Reason why its last attempt failed; null: it did not fail.' }),
    ),
    previous_run_id: orNull(described(Id, 'For a monitor: the previous crawl; null: none.')),
    /** These are absent from services of earlier versions. */
    forked_from: Type.Optional(
      orNull(
        described(Id, 'The crawl that this one forks, and whose pages it takes from the store; null: none.'),
      ),
    ),
    pages_reused: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Pages that were taken from the forked crawl. They are not fetched and cost nothing.',
      }),
    ),
    warnings,
  },
  { $id: 'Run' },
)
export type RunView = Static<typeof RunView>

export const RetriedRun = Type.Object(
  {
    ...RunView.properties,
    retried_urls: Type.Integer({ description: 'Number of failed URLs and sitemaps that are fetched again.' }),
  },
  { $id: 'RetriedRun' },
)

export const RunParams = Type.Object({ id: Type.Integer({ description: 'The crawl.', examples: [42] }) })
