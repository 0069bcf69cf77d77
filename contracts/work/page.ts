/** PAGES: what the fetcher brought home. One frame carries several pages; bodies ride behind as the origin sent them. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp, UrlKey } from '../primitives.ts'
import { Scope } from '../run.ts'
import { Validators } from './revisit.ts'

/** Headers that tell a challenge from a page: the fetcher passes on those of them that came. */
export const markHeaders = ['cf-mitigated', 'x-amzn-waf-action', 'x-vercel-mitigated', 'x-dd-b'] as const

/**
 * What an answer tells of itself besides: whether it is a challenge, where else the page is, and what AI bots may do
 * with it.
 */
export const toldHeaders = [
  ...markHeaders,
  'link',
  'x-robots-tag',
  'content-signal',
  'content-usage',
  'tdm-reservation',
  'tdm-policy',
] as const

export const FetchedPage = Type.Object({
  /** Without it a page of the run. */
  kind: Type.Optional(Type.Literal('sitemap')),
  runId: Id,
  key: UrlKey,
  attempt: Type.Integer(),
  url: Type.String(),
  scope: Scope,
  storeHtml: Type.Boolean(),
  status: Type.Integer(),
  contentType: orNull(Type.String()),
  /** `Content-Encoding` tokens in the order applied; the blob is still so encoded. */
  encodings: Type.Array(Type.String()),
  robotsHeader: orNull(Type.String()),
  /** Of `markHeaders`, by name in lower case. */
  marks: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** The body is the document after its scripts have run, in UTF-8. */
  rendered: Type.Optional(Type.Literal(true)),
  fetchedAt: Timestamp,
  elapsedMs: Type.Number(),
  /** Where the body lies when it is too large for a message; its blob is then empty. */
  bulkyKey: orNull(Type.String()),
  trace: Type.Optional(Type.String()),
  /** What a later run may ask with, and how many bytes of body the origin sent. */
  revisit: Type.Optional(Type.Object({ ...Validators.properties, sent: Type.Integer({ minimum: 0 }) })),
  /** The origin said that the page is still what this run has; it sent no body. */
  notModifiedSince: Type.Optional(Id),
})
export type FetchedPage = Static<typeof FetchedPage>

/** The frame's header; blob n is the body of page n. */
export const FetchedPages = Type.Object({ pages: Type.Array(FetchedPage) })
export type FetchedPages = Static<typeof FetchedPages>
