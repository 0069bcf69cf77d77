/** A search of the web, by the engine that the installation has set. */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'
import { Nothing, rpc } from './rpc.ts'

export const SearchWeb = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 2_000 }),
  limit: Type.Integer({ minimum: 1, maximum: 50 }),
})
export type SearchWeb = Static<typeof SearchWeb>

export const SearchHit = Type.Object({
  url: Type.String(),
  title: Type.String(),
  /** What the engine says of the page. */
  snippet: orNull(Type.String()),
})
export type SearchHit = Static<typeof SearchHit>

/** The best first. Refused with `not_configured`, naming the setting, where there is no engine. */
export const SearchWebAnswer = Type.Object({
  hits: Type.Array(SearchHit),
  costUsd: Type.Number({ minimum: 0 }),
})
export type SearchWebAnswer = Static<typeof SearchWebAnswer>

/** Whether a process that has the lane of browsers can run one. */
export const BrowserState = Type.Object({ browser: Type.Boolean() })
export type BrowserState = Static<typeof BrowserState>

/** What this installation can get pages by, beyond plain HTTP. */
export const CloudState = Type.Object({
  /** Of the process that answers; `browserState` covers processes of the browser lane. */
  browser: Type.Boolean(),
  faithful: Type.Boolean(),
  /** Such as `isp (DE, US)`. */
  proxyPools: Type.Array(Type.String()),
  vendor: Type.Boolean(),
  search: Type.Boolean(),
  /** With the vendor; null without one, or where it does not say. */
  balanceUsd: orNull(Type.Number()),
})
export type CloudState = Static<typeof CloudState>

export const searchWeb = rpc({
  subject: 'ask.fetch.search',
  request: SearchWeb,
  response: SearchWebAnswer,
  callers: ['gateway'],
  server: 'fetcher',
})

export const cloudState = rpc({
  subject: 'ask.fetch.cloud-state',
  request: Nothing,
  response: CloudState,
  callers: ['gateway', 'extractor'],
  server: 'fetcher',
})

export const browserState = rpc({
  subject: 'ask.fetch.browser-state',
  request: Nothing,
  response: BrowserState,
  callers: ['gateway'],
  server: 'fetcher',
})
