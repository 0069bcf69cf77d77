/** Built-in scrapers of well-known sites. */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'
import { BackendName, Try } from './backends.ts'
import { rpc } from './rpc.ts'

export const ScrapeSite = Type.Object({
  /** As in `FetchNow`. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  /** A domain of the list. */
  domain: Type.String({ minLength: 1, maxLength: 253 }),
  /** Path below the domain, without its first slash; null: the first page of the scraper. */
  path: orNull(Type.String({ maxLength: 2_048 })),
  params: Type.Record(Type.String(), Type.Unknown()),
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
})
export type ScrapeSite = Static<typeof ScrapeSite>

/** Rejected with 422 for a domain or path that no scraper reads. */
export const ScrapeSiteResponse = Type.Object({
  data: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  url: Type.String(),
  status: Type.Integer(),
  /** Vendor of the challenge that replaced the page. */
  challenge: orNull(Type.String()),
  backend: BackendName,
  tried: Type.Array(Try),
  costUsd: Type.Number({ minimum: 0 }),
  warnings: Type.Array(Type.String()),
})
export type ScrapeSiteResponse = Static<typeof ScrapeSiteResponse>

export const ListScrapers = Type.Object({
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 200 }),
})
export type ListScrapers = Static<typeof ListScrapers>

export const Scraper = Type.Object({
  domain: Type.String(),
  /** Patterns of the paths that the scraper reads, such as `package/{name}`. */
  paths: Type.Array(Type.String()),
  /** Field → description, for each entry of `data`. */
  dataShape: Type.Record(Type.String(), Type.String()),
})

export const ListScrapersResponse = Type.Object({ scrapers: Type.Array(Scraper), total: Type.Integer() })
export type ListScrapersResponse = Static<typeof ListScrapersResponse>

export const scrapeSite = rpc({
  subject: 'ask.cloud.scrape-site',
  request: ScrapeSite,
  response: ScrapeSiteResponse,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const listScrapers = rpc({
  subject: 'ask.cloud.scrapers',
  request: ListScrapers,
  response: ListScrapersResponse,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
