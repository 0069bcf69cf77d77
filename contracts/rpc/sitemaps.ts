/**
 * Requests to the extractor for the audit of a site's sitemaps, which the gateway drives: which there are, what each of
 * them lists, and what becomes of each page.
 */
import { type Static, Type } from 'typebox'
import { Bucket } from '../http/actors/sitemap-audit.ts'
import { orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** As in `FetchNow`: all requests of an audit keep one face and one pace at a host. */
const work = {
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  delayMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
  concurrency: Type.Integer({ minimum: 1, maximum: 1024 }),
  /** For the fetch; what is done with it has limits of its own. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
}

const count = Type.Integer({ minimum: 0 })

export const ListSitemaps = Type.Object({ ...work, url: Type.String() })
export type ListSitemaps = Static<typeof ListSitemaps>

/** Refused with 502 `fetch_failed` where the site does not answer, 400 for an address inward. */
export const ListedSitemaps = Type.Object({
  /** Of robots.txt. */
  status: Type.Integer(),
  /** Sitemaps that robots.txt names, in normal form and in its order, each once. */
  named: Type.Array(Type.String()),
})
export type ListedSitemaps = Static<typeof ListedSitemaps>

export const ReadSitemap = Type.Object({
  ...work,
  url: Type.String(),
  /** Most entries that are wanted, from this one on. A sitemap is fetched anew for each part of them. */
  wanted: count,
  from: count,
})
export type ReadSitemap = Static<typeof ReadSitemap>

/**
 * A page as a sitemap lists it: its address as it stands there, absolute and without fragment; when it was changed, as
 * it stands there; and its normal form, where that is another.
 */
export const SitemapEntry = Type.Union([
  Type.Tuple([Type.String(), orNull(Type.String())]),
  Type.Tuple([Type.String(), orNull(Type.String()), Type.String()]),
])
export type SitemapEntry = Static<typeof SitemapEntry>

export const SitemapRead = Type.Object({
  /** Where it was found in the end. */
  url: Type.String(),
  /** Null where there was no answer. */
  status: orNull(Type.Integer()),
  /** A code of `SitemapReport`. */
  error: orNull(Type.String()),
  /** In words. */
  message: orNull(Type.String()),
  isSitemap: Type.Boolean(),
  /** Pages that it lists, whether they are wanted or not. */
  urls: count,
  /**
   * Of these, what is no address that could be fetched, what is of another host than the sitemap, and what it had listed
   * before.
   */
  unusable: count,
  foreign: count,
  repeated: count,
  images: count,
  videos: count,
  alternates: count,
  /** Dates of change that lie ahead, and that cannot be read. */
  lastmod: Type.Object({ future: count, unreadable: count }),
  /** Further sitemaps that it names, in normal form; the first thousand of them. */
  sitemaps: Type.Array(Type.String()),
  /** Each once. */
  entries: Type.Array(SitemapEntry),
  /** Where the next part begins; null where nothing follows. */
  next: orNull(count),
})
export type SitemapRead = Static<typeof SitemapRead>

export const ProbePage = Type.Object({ ...work, url: Type.String() })
export type ProbePage = Static<typeof ProbePage>

/** What a page answered, without following it anywhere. Refused only with `unavailable`. */
export const PageProbed = Type.Object({
  status: orNull(Type.Integer()),
  bucket: Bucket,
  /** A stable code; null where it was read. */
  error: orNull(Type.String()),
  /** Its turn at the host did not come: nothing was asked. */
  isUnasked: Type.Boolean(),
  /** Whose challenge was shown in its place. */
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
