/** A web search with the search engine of the installation. */
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
  /** The snippet of the search engine. */
  snippet: orNull(Type.String()),
})
export type SearchHit = Static<typeof SearchHit>

/** Best first. Rejected with `not_configured` and the name of the setting if there is no search engine. */
export const SearchWebResponse = Type.Object({
  hits: Type.Array(SearchHit),
  costUsd: Type.Number({ minimum: 0 }),
})
export type SearchWebResponse = Static<typeof SearchWebResponse>

/** Whether a process of the browser lane can run a browser. */
export const BrowserState = Type.Object({ browser: Type.Boolean() })
export type BrowserState = Static<typeof BrowserState>

/** The backends of this installation beyond plain HTTP. */
export const CloudState = Type.Object({
  /** Whether the responding process has a browser. `browserState` covers processes of the browser lane. */
  browser: Type.Boolean(),
  faithful: Type.Boolean(),
  /** Each pool with its countries, such as `isp (DE, US)`. */
  proxyPools: Type.Array(Type.String()),
  vendor: Type.Boolean(),
  search: Type.Boolean(),
  /** Balance at the vendor; null: no vendor, or the vendor does not state it. */
  balanceUsd: orNull(Type.Number()),
})
export type CloudState = Static<typeof CloudState>

export const searchWeb = rpc({
  subject: 'ask.fetch.search',
  request: SearchWeb,
  response: SearchWebResponse,
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
