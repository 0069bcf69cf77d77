/** What a run was asked to do: the settings that stand in its first event. */
import { type Static, Type } from 'typebox'
import { Caps } from './limits.ts'
import { Id, orNull, Sealed, Timestamp } from './primitives.ts'

export const WebhookEvent = Type.Union([Type.Literal('crawl.done'), Type.Literal('crawl.diff_detected')])
export type WebhookEvent = Static<typeof WebhookEvent>

/** Who is told of the end of a run, and of which ends. */
export const WebhookTarget = Type.Object({
  url: Type.String(),
  events: Type.Array(WebhookEvent),
  /** Monitors only: nothing is told when nothing has changed. */
  onlyChanged: Type.Boolean(),
})
export type WebhookTarget = Static<typeof WebhookTarget>

/** Which tick of which monitor started a run, and the run of the tick before. */
export const MonitorTick = Type.Object({
  monitorId: Id,
  /** The due minute, in UTC; for a run that somebody asked for, when they did. */
  minute: Timestamp,
  previousRunId: orNull(Id),
})
export type MonitorTick = Static<typeof MonitorTick>

/** A proxy of the client's own: sealed, and as it may be shown, without its password. */
export const OwnProxy = Type.Object({ sealed: Sealed, shown: Type.String() })
export type OwnProxy = Static<typeof OwnProxy>

export const ProxyPool = Type.Union([
  Type.Literal('datacenter'),
  Type.Literal('isp'),
  Type.Literal('residential'),
  Type.Literal('mobile'),
])
export type ProxyPool = Static<typeof ProxyPool>

/** A pool of the installation's proxies; the country is an ISO 3166-1 alpha-2 code in upper case. */
export const PoolChoice = Type.Object({ pool: ProxyPool, country: orNull(Type.String()) })
export type PoolChoice = Static<typeof PoolChoice>

/** Which pages a browser renders: those that are nothing without their scripts, or all. */
const Render = Type.Union([Type.Literal('auto'), Type.Literal('always')])
export type Render = Static<typeof Render>

/** What a run was asked to do, with every default filled in. */
export const RunSettings = Type.Object({
  maxPages: Type.Integer({ minimum: 1, maximum: 100_000 }),
  depth: Type.Integer({ minimum: 1, maximum: 50 }),
  /** Requests in flight; null leaves it to the fetcher. */
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
  /** Given by the client; without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
  proxy: Type.Optional(OwnProxy),
  proxyPool: Type.Optional(PoolChoice),
  /** Without it the seed is a page, and its links are followed. */
  seedKind: Type.Optional(Type.Literal('sitemap')),
  /** Patterns over path and query, RE2 syntax: what matches none is not crawled, where there are any. */
  includePaths: Type.Optional(Type.Array(Type.String())),
  /** What matches one is not crawled, whatever else matches. */
  excludePaths: Type.Optional(Type.Array(Type.String())),
  /** False lets the run walk into what looks like a trap. */
  trapGuards: Type.Optional(Type.Boolean()),
  /** Without it a browser renders none. */
  render: Type.Optional(Render),
  /** Monitors only: each run asks for all of each page, also for what has not changed since the run before. */
  conditional: Type.Optional(Type.Literal(false)),
  /** The project has no caps of pages. */
  unlimited: Type.Optional(Type.Literal(true)),
  /** The project's own caps when the run was asked for, and those of the key that asked. */
  caps: Type.Optional(Caps),
  keyCaps: Type.Optional(Caps),
})
export type RunSettings = Static<typeof RunSettings>
