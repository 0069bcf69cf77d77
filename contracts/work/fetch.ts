/** FETCH: what the coordinator orders. Up to eight URLs of one host travel in one message. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Sealed, UrlKey } from '../primitives.ts'
import { Scope } from '../run.ts'
import { PoolChoice } from '../run-settings.ts'
import { Validators } from './revisit.ts'

export const ordersPerMessage = 8

export const FetchOrder = Type.Object({
  kind: Type.Union([Type.Literal('page'), Type.Literal('robots'), Type.Literal('sitemap')]),
  key: UrlKey,
  url: Type.String(),
  attempt: Type.Integer({ minimum: 1 }),
  /** Of the page as the run `revisits.since` has it: only what differs from that need be sent. */
  validators: Type.Optional(Validators),
})
export type FetchOrder = Static<typeof FetchOrder>

export const FetchOrders = Type.Object({
  runId: Id,
  projectId: Id,
  scope: Scope,
  /** At least this long between two requests of a host, robots' Crawl-delay included. */
  delayMs: Type.Integer({ minimum: 0 }),
  /** Requests of this run in flight at once; null leaves it to the fetcher. */
  concurrency: orNull(Type.Integer({ minimum: 1 })),
  storeHtml: Type.Boolean(),
  /** The run's own headers and cookies, still sealed; for URLs of its scope only. */
  headers: Type.Optional(Sealed),
  cookies: Type.Optional(Sealed),
  /** The client's own; without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
  /** The client's own proxy, sealed; it wins over a pool. */
  proxy: Type.Optional(Sealed),
  proxyPool: Type.Optional(PoolChoice),
  /** Of a monitor's run: how its pages are known again is to be told, and those are that an earlier run had. */
  revisits: Type.Optional(Type.Object({ since: orNull(Id) })),
  orders: Type.Array(FetchOrder, { minItems: 1, maxItems: ordersPerMessage }),
})
export type FetchOrders = Static<typeof FetchOrders>
