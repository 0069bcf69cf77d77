/** FETCH: the orders of the coordinator. One message has up to eight URLs of one host. */
import { type Static, Type } from 'typebox'
import { Id, oneOf, orNull, Sealed, UrlKey } from '../primitives.ts'
import { Scope } from '../run.ts'
import { CompareRules, PoolChoice } from '../run-settings.ts'
import { StoredAnswer, Validators } from './revisit.ts'

export const ordersPerMessage = 8

/**
 * Maximum number of attempts at a page that fails, or whose host requests to wait. The coordinator has one wait between
 * two attempts (`waits` in its retry.ts), so both must be changed together.
 */
export const maxPageAttempts = 3

/** Maximum milliseconds before the next request to a host that requests a delay, and before a retry. */
export const maxBackOffMs = 120_000

/** Maximum bytes of a body by default. No order of a run with a maximum of bytes reserves more. */
export const maxBodyBytes = 20 * 1024 ** 2

export const FetchOrder = Type.Object({
  kind: oneOf(['page', 'robots', 'sitemap', 'login']),
  key: UrlKey,
  url: Type.String(),
  attempt: Type.Integer({ minimum: 1 }),
  /** Number of attempts that do not count, such as those before the run was reopened; absent: all count. */
  earlier: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The page has a stored response, a server error, which counts unless the next one is accepted. */
  isRecheck: Type.Optional(Type.Literal(true)),
  /** Validators of the page in the run `revisits.since`. The origin sends the body only if it differs. */
  validators: Type.Optional(Validators),
  /** The page is taken from this run, and its origin is not requested. */
  stored: Type.Optional(Type.Object({ runId: Id, ...StoredAnswer.properties })),
})
export type FetchOrder = Static<typeof FetchOrder>

export const FetchOrders = Type.Object({
  runId: Id,
  projectId: Id,
  scope: Scope,
  /** Minimum milliseconds between two requests to a host, including the Crawl-delay of robots.txt. */
  delayMs: Type.Integer({ minimum: 0 }),
  /** Concurrent requests of this run; null: the fetcher decides. */
  concurrency: orNull(Type.Integer({ minimum: 1 })),
  storeHtml: Type.Boolean(),
  /** Pages that a browser renders are sent with a screenshot. */
  screenshots: Type.Optional(Type.Literal(true)),
  /** Headers and cookies of the run, still sealed, for URLs of its scope only. */
  headers: Type.Optional(Sealed),
  cookies: Type.Optional(Sealed),
  /** Sealed JSON list of the steps of an order of kind `login`. */
  login: Type.Optional(Sealed),
  /** Sealed cookies of the run's login, for pages of its scope only (`contracts/login/session.ts`). */
  session: Type.Optional(Sealed),
  /** CSS selector of the run's sign of having been logged out. Passed on with the pages. */
  loggedOut: Type.Optional(Type.String()),
  /** User-Agent of the client. Without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
  /** Proxy of the client, sealed. It takes precedence over a pool. */
  proxy: Type.Optional(Sealed),
  proxyPool: Type.Optional(PoolChoice),
  /** Sends validators with the requests of a monitor's run. `since` is the previous run, or null. */
  revisits: Type.Optional(Type.Object({ since: orNull(Id) })),
  /** Maximum bytes of each body on the wire, if it is below that of the fetcher. A longer body fails as `max_bytes`. */
  maxBytes: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Passed on with the pages. */
  comparison: Type.Optional(CompareRules),
  orders: Type.Array(FetchOrder, { minItems: 1, maxItems: ordersPerMessage }),
})
export type FetchOrders = Static<typeof FetchOrders>
