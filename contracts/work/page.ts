/**
 * PAGES: pages that the fetcher received. One frame has several pages, with the bodies as the origin sent them as
 * blobs.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp, UrlKey } from '../primitives.ts'
import { Scope } from '../run.ts'
import { CompareRules } from '../run-settings.ts'
import { Peer } from './peer.ts'
import { Validators } from './revisit.ts'

/** Headers by which a challenge is detected. The fetcher passes them on if the response has them. */
export const markHeaders = ['cf-mitigated', 'x-amzn-waf-action', 'x-vercel-mitigated', 'x-dd-b'] as const

/**
 * Response headers about the page itself: whether it is a challenge, its other URLs, and the permissions of AI bots.
 */
export const reportedHeaders = [
  ...markHeaders,
  'link',
  'x-robots-tag',
  'content-signal',
  'content-usage',
  'tdm-reservation',
  'tdm-policy',
] as const

export const FetchedPage = Type.Object({
  /** Default: a page of the run. */
  kind: Type.Optional(Type.Literal('sitemap')),
  runId: Id,
  key: UrlKey,
  attempt: Type.Integer(),
  url: Type.String(),
  scope: Scope,
  storeHtml: Type.Boolean(),
  status: Type.Integer(),
  contentType: orNull(Type.String()),
  /** `Content-Encoding` tokens in the order applied; the blob still has these encodings. */
  encodings: Type.Array(Type.String()),
  robotsHeader: orNull(Type.String()),
  /** The headers of `markHeaders`, by name in lower case. */
  marks: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Header fields of the response for web archives, a line `name: value` each, if the run stores bodies. */
  headers: Type.Optional(Type.String()),
  /** The body is the document after its scripts have run, in UTF-8. */
  rendered: Type.Optional(Type.Literal(true)),
  /** Key of its screenshot in the object store, a PNG. */
  pictureKey: Type.Optional(Type.String()),
  fetchedAt: Timestamp,
  peer: Type.Optional(Peer),
  elapsedMs: Type.Number(),
  /** Key of a body that is too large for a message. Its blob is then empty. */
  bulkyKey: orNull(Type.String()),
  trace: Type.Optional(Type.String()),
  /** Validators for conditional requests of a later run, and the number of body bytes that the origin sent. */
  revisit: Type.Optional(Type.Object({ ...Validators.properties, sent: Type.Integer({ minimum: 0 }) })),
  /** Rules of its comparison hash. Without rules it has none. */
  comparison: Type.Optional(CompareRules),
  /**
   * Maximum decoded bytes of a page with a stored response: its body stays stored unless this one fits. A larger one
   * fails as `max_bytes`.
   */
  maxBytes: Type.Optional(Type.Integer({ minimum: 1 })),
  /** CSS selector of an element that shows that the run was logged out. */
  loggedOut: Type.Optional(Type.String()),
  /** The origin confirmed that the page is unchanged since this run, and sent no body. */
  notModifiedSince: Type.Optional(Id),
  /** The body and all fields about the response but `status`, `fetchedAt` and `rendered` are those stored for this run. */
  storedIn: Type.Optional(Id),
})
export type FetchedPage = Static<typeof FetchedPage>

/** The frame's header; blob n is the body of page n. */
export const FetchedPages = Type.Object({ pages: Type.Array(FetchedPage) })
export type FetchedPages = Static<typeof FetchedPages>
