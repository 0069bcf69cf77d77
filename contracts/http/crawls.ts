/** `/v1/crawls`: what a client sends and reads (specification, Crawls). */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { WebhookEvent } from '../run.ts'

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
    max_pages: Type.Integer({ minimum: 1, maximum: 100_000, default: 1000 }),
    depth: Type.Integer({ minimum: 1, maximum: 50, default: 5, description: 'Clicks from the seed.' }),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Requests in flight; chosen for you when left out.' }),
    ),
    delay_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 250,
      description: 'Milliseconds between requests to one host.',
    }),
    subdomains: Type.Boolean({ default: false, description: "Follow subdomains of the seed's host." }),
    respect_robots: Type.Boolean({ default: true }),
    store_html: Type.Boolean({
      default: true,
      description: 'Keep bodies; without them pages cannot later be read as html or markdown.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
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
      default: ['crawl.done'],
      description: 'Which ends are told.',
    }),
    return_only_changed: Type.Boolean({ default: false, description: 'Monitors only.' }),
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
    id: Id,
    status: RunStatus,
    url: Type.String(),
    enqueued_at: Timestamp,
    warnings: Warnings,
  },
  { $id: 'CrawlAccepted' },
)
export type CrawlAccepted = Static<typeof CrawlAccepted>

export const RunView = Type.Object(
  {
    id: Id,
    url: Type.String(),
    status: RunStatus,
    page_count: Type.Integer(),
    error_count: Type.Integer({
      description: 'Failures on the way, such as DNS, TLS or a timeout; never a 404.',
    }),
    enqueued_at: Timestamp,
    started_at: orNull(Timestamp),
    finished_at: orNull(Timestamp),
    error_message: orNull(Type.String()),
    stop_reason: orNull(Type.String()),
    proxy_url: orNull(Type.String()),
    ai_bot_policy: orNull(Type.Record(Type.String(), Type.String())),
    llms_txt: orNull(Type.String()),
    llms_full_txt: orNull(Type.String()),
    webhook_status: orNull(Type.String()),
    webhook_attempts: Type.Integer(),
    webhook_last_error: orNull(Type.String()),
    previous_run_id: orNull(Id),
  },
  { $id: 'Run' },
)
export type RunView = Static<typeof RunView>

export const RunList = Type.Object(
  { items: Type.Array(RunView), next_offset: orNull(Type.Integer()) },
  { $id: 'RunList' },
)
export type RunList = Static<typeof RunList>

export const RunListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
  status: Type.Optional(RunStatus),
})
export type RunListQuery = Static<typeof RunListQuery>

export const RunParams = Type.Object({ id: Type.Integer({ description: 'The run.' }) })
export type RunParams = Static<typeof RunParams>
