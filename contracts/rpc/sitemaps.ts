/**
 * Requests to the extractor for the audit of a site's sitemaps, which the gateway drives: to list the sitemaps, to
 * read each one, and to probe each page.
 */
import { type Static, Type } from 'typebox'
import { Bucket } from '../http/actors/sitemap-audit.ts'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** As in `FetchNow`: all requests of an audit share a client identity and a rate limit per host. */
const work = {
  /** The project that the request counts for. Gateways of earlier versions send none. */
  projectId: Type.Optional(Id),
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  delayMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
  concurrency: Type.Integer({ minimum: 1, maximum: 1024 }),
  /** Limit for the fetch. The processing has its own limits. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
}

const count = Type.Integer({ minimum: 0 })

export const ListSitemaps = Type.Object({ ...work, url: Type.String() })
export type ListSitemaps = Static<typeof ListSitemaps>

/** Rejected with 502 `fetch_failed` if the site does not respond, and 400 for a private address. */
export const ListedSitemaps = Type.Object({
  /** HTTP status of robots.txt. */
  status: Type.Integer(),
  /** Sitemaps that robots.txt lists, in normal form and in its order, without duplicates. */
  named: Type.Array(Type.String()),
})
export type ListedSitemaps = Static<typeof ListedSitemaps>

export const ReadSitemap = Type.Object({
  ...work,
  url: Type.String(),
  /** Maximum number of entries to return, starting at `from`. Each part fetches the sitemap again. */
  wanted: count,
  from: count,
})
export type ReadSitemap = Static<typeof ReadSitemap>

/**
 * A page in a sitemap: its URL as written, absolute and without fragment; its modification date as written; and its
 * normal form, if it differs.
 */
export const SitemapEntry = Type.Union([
  Type.Tuple([Type.String(), orNull(Type.String())]),
  Type.Tuple([Type.String(), orNull(Type.String()), Type.String()]),
])
export type SitemapEntry = Static<typeof SitemapEntry>

export const SitemapRead = Type.Object({
  /** URL of the sitemap, after redirects. */
  url: Type.String(),
  /** Null: no response. */
  status: orNull(Type.Integer()),
  /** A code of `SitemapReport`. */
  error: orNull(Type.String()),
  /** The error in words. */
  message: orNull(Type.String()),
  isSitemap: Type.Boolean(),
  /** Number of pages that it lists, returned here or not. */
  urls: count,
  /**
   * Numbers among `urls`: entries without a URL that can be fetched, entries of another host than the sitemap, and
   * duplicates within the sitemap.
   */
  unusable: count,
  foreign: count,
  repeated: count,
  images: count,
  videos: count,
  alternates: count,
  /** Number of modification dates in the future, and of unreadable ones. */
  lastmod: Type.Object({ future: count, unreadable: count }),
  /** The first thousand further sitemaps that it lists, in normal form. */
  sitemaps: Type.Array(Type.String()),
  /** Distinct entries of this part. */
  entries: Type.Array(SitemapEntry),
  /** Start of the next part; null: this is the last part. */
  next: orNull(count),
})
export type SitemapRead = Static<typeof SitemapRead>

export const ProbePage = Type.Object({ ...work, url: Type.String() })
export type ProbePage = Static<typeof ProbePage>

/** The response of a page, without following redirects. Rejected only with `unavailable`. */
export const PageProbed = Type.Object({
  status: orNull(Type.Integer()),
  bucket: Bucket,
  /** A stable code; null: the page was read. */
  error: orNull(Type.String()),
  /** No request was sent, because the host had no free slot in time. */
  isUnasked: Type.Boolean(),
  /** Vendor of the challenge that replaced the page. */
  challenge: orNull(Type.String()),
  redirectedTo: orNull(Type.String()),
  canonical: orNull(Type.String()),
  robotsTag: orNull(Type.String()),
  metaRobots: orNull(Type.String()),
})
export type PageProbed = Static<typeof PageProbed>

export const listSitemaps = rpc({
  subject: 'ask.actors.sitemaps',
  request: ListSitemaps,
  response: ListedSitemaps,
  callers: ['gateway'],
  server: 'extractor',
})

export const readSitemap = rpc({
  subject: 'ask.actors.sitemap',
  request: ReadSitemap,
  response: SitemapRead,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const probePage = rpc({
  subject: 'ask.actors.probe',
  request: ProbePage,
  response: PageProbed,
  callers: ['gateway'],
  server: 'extractor',
})
