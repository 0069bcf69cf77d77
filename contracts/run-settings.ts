/** The settings of a run, which its first event contains. */
import { type Static, Type } from 'typebox'
import { Caps } from './limits.ts'
import { Id, oneOf, orNull, Sealed, Timestamp } from './primitives.ts'

/** The events that announce the end of a run. */
export const WebhookEvent = oneOf(['crawl.done', 'crawl.diff_detected'])
export type WebhookEvent = Static<typeof WebhookEvent>

/** Further events of a run. Each is sent as a notice, beside the webhook of the end. */
export const NoticeEvent = oneOf(['crawl.started', 'page.fetched', 'crawl.failed'])
export type NoticeEvent = Static<typeof NoticeEvent>

/** All events that a client can select. */
export const SelectableEvent = Type.Union([...WebhookEvent.anyOf, ...NoticeEvent.anyOf])
export type SelectableEvent = Static<typeof SelectableEvent>

/** The receiver of a run's webhooks, and the events to send. */
export const WebhookTarget = Type.Object({
  url: Type.String(),
  events: Type.Array(WebhookEvent),
  /** A field of its own, because earlier versions reject unknown names in `events`. */
  notices: Type.Optional(Type.Array(NoticeEvent)),
  /** Monitors only: send no webhook if no page has changed. */
  onlyChanged: Type.Boolean(),
})
export type WebhookTarget = Static<typeof WebhookTarget>

/** The events that the receiver gets, without its address. */
export const WebhookChoice = Type.Omit(WebhookTarget, ['url'])
export type WebhookChoice = Static<typeof WebhookChoice>

/** The change that the client of a monitor waits for. */
export const MonitorIntent = Type.Object({
  text: Type.String(),
  /** Changes that do not match send no webhook. */
  onlyMatching: Type.Optional(Type.Literal(true)),
})
export type MonitorIntent = Static<typeof MonitorIntent>

/** The monitor and its tick that started a run, and the run of the tick before. */
export const MonitorTick = Type.Object({
  monitorId: Id,
  /** The scheduled minute in UTC; for a manual run, the time of the request. */
  minute: Timestamp,
  previousRunId: orNull(Id),
})
export type MonitorTick = Static<typeof MonitorTick>

/** A proxy of the client: sealed, and in a form without its password that may be shown. */
export const OwnProxy = Type.Object({ sealed: Sealed, shown: Type.String() })
export type OwnProxy = Static<typeof OwnProxy>

export const ProxyPool = oneOf(['datacenter', 'isp', 'residential', 'mobile'])
export type ProxyPool = Static<typeof ProxyPool>

/** A pool of the installation's proxies. The country is an ISO 3166-1 alpha-2 code in upper case. */
export const PoolChoice = Type.Object({ pool: ProxyPool, country: orNull(Type.String()) })
export type PoolChoice = Static<typeof PoolChoice>

/**
 * Rules for the parts of a page that count when it is compared. They apply to the comparison hash and to the comparison
 * by lines alike. Stored bodies, texts and the other hashes do not depend on them.
 */
export const CompareRules = Type.Object({
  /** CSS selectors of elements that do not count. */
  ignoreSelectors: Type.Optional(Type.Array(Type.String())),
  /** CSS selectors: if there are any, only these elements count. */
  onlySelectors: Type.Optional(Type.Array(Type.String())),
  /** RE2 patterns: the parts of the text that match do not count. */
  ignoreText: Type.Optional(Type.Array(Type.String())),
})
export type CompareRules = Static<typeof CompareRules>

/** A login before the first page, and the signs by which the run detects that it was lost. */
export const RunLogin = Type.Object({
  /** Sealed JSON list of the steps in the browser, because they contain passwords. */
  steps: Sealed,
  /** At least one. A page with a sign ends the run. */
  loggedOut: Type.Object({
    selector: Type.Optional(Type.String()),
    /** Absolute URL without query and fragment. */
    redirect: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer()),
  }),
})
export type RunLogin = Static<typeof RunLogin>

/** The pages that a browser renders: those that are empty without their scripts, or all. */
const RenderMode = oneOf(['auto', 'always'])

/** Concurrent requests of a run that sets no number, unless the installation has another default. */
export const usualConcurrency = 8

/**
 * The settings of a run, stored in its first event and in monitors. Stored settings lack fields that were added later,
 * so each new field is optional, and its absence means the default.
 */
export const RunSettings = Type.Object({
  maxPages: Type.Integer({ minimum: 1, maximum: 100_000 }),
  depth: Type.Integer({ minimum: 1, maximum: 50 }),
  /** Concurrent requests; null: `usualConcurrency`, or the default of the installation. */
  concurrency: orNull(Type.Integer({ minimum: 1 })),
  delayMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
  subdomains: Type.Boolean(),
  respectRobots: Type.Boolean(),
  storeHtml: Type.Boolean(),
  /** Sealed JSON object of header names to values, for every request to the seed's site. */
  headers: Type.Optional(Sealed),
  /** Sealed cookie string, for every request to the seed's site. */
  cookies: Type.Optional(Sealed),
  webhook: Type.Optional(WebhookTarget),
  /** User-Agent of the client. Without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
  /** Product token of the User-Agent among `headers`, for robots.txt of the seed's site (RFC 9309, 2.2.1). */
  robotsToken: Type.Optional(Type.String()),
  proxy: Type.Optional(OwnProxy),
  proxyPool: Type.Optional(PoolChoice),
  /** Kind of the seed. Default: a page whose links are followed. */
  seedKind: Type.Optional(Type.Literal('sitemap')),
  /** URLs in normal form that are crawled besides the seed, all of its site. Each is there once. */
  urls: Type.Optional(Type.Array(Type.String())),
  /** False: links of pages are not followed. */
  followLinks: Type.Optional(Type.Literal(false)),
  /** RE2 patterns, searched in path and query. If there are any, only URLs that match one are crawled. */
  includePaths: Type.Optional(Type.Array(Type.String())),
  /** URLs that match one are not crawled, even if another pattern includes them. */
  excludePaths: Type.Optional(Type.Array(Type.String())),
  /** False: crawl URLs that look like a trap. */
  trapGuards: Type.Optional(Type.Boolean()),
  /** Default: no page is rendered. */
  render: Type.Optional(RenderMode),
  /** Rendered pages are stored with a screenshot. */
  screenshots: Type.Optional(Type.Literal(true)),
  login: Type.Optional(RunLogin),
  /**
   * Monitors only: each run fetches all pages in full, including those that have not changed since the previous run.
   */
  conditional: Type.Optional(Type.Literal(false)),
  /** The parts of its pages that count when they are compared. Default: all. */
  comparison: Type.Optional(CompareRules),
  /** Pages with fewer changed words count as unchanged. Default: every change counts. */
  minChangedWords: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Monitors only: judged on the changes of each run, and reported in its webhook. */
  intent: Type.Optional(MonitorIntent),
  /** Maximum cost of the run in millionths of a US dollar, at the unit prices of its first event. */
  maxCost: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Maximum bytes of all pages of the run, each with the size of its decoded body. */
  maxBytes: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Pages of this run are taken from the store, `pages` of them at most. Default: all pages are fetched. */
  fork: Type.Optional(Type.Object({ runId: Id, pages: Type.Optional(Type.Integer({ minimum: 0 })) })),
  /** The project has no page caps. */
  unlimited: Type.Optional(Type.Literal(true)),
  /** Caps of the project at the time of the request, and those of the calling key. */
  caps: Type.Optional(Caps),
  keyCaps: Type.Optional(Caps),
})
export type RunSettings = Static<typeof RunSettings>
