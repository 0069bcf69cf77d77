/** The extractor checks the links of a page, one link per request. */
import { type Static, Type } from 'typebox'
import { LinkKind, type LinkReason, LinkStatus } from '../http/actors/check-links.ts'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** The `data` of `readPageAs` for the reading `links`. */
export const PageLinks = Type.Object({
  /** Distinct links in document order. A link is absolute, or as written if it is not a URL. */
  links: Type.Array(Type.Object({ url: Type.String(), kind: LinkKind })),
  /** Number of distinct links beyond these. */
  more: Type.Integer({ minimum: 0 }),
})
export type PageLinks = Static<typeof PageLinks>

export const CheckLink = Type.Object({
  /** As in `FetchNow`: the links of one request share a rate limit per host. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  /** http or https, without its fragment. */
  url: Type.String(),
  /** Names of anchors to look for in the page, spelled as in fragments. */
  places: Type.Array(Type.String()),
  /** Milliseconds between two requests of this work to a host. */
  delayMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
  /** Concurrent requests of this work to all hosts. */
  concurrency: Type.Integer({ minimum: 1, maximum: 1024 }),
  /** Limit for all requests together. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
})
export type CheckLink = Static<typeof CheckLink>

export const LinkChecked = Type.Object({
  status: LinkStatus,
  /** Null: the link is ok. */
  reason: orNull(Type.Unsafe<LinkReason>(Type.String())),
  error: orNull(Type.String()),
  statusCode: orNull(Type.Integer()),
  /** URL after all redirects; for a failure, the URL that failed. */
  url: Type.String(),
  hops: Type.Array(Type.Object({ url: Type.String(), status: Type.Integer() })),
  /** The anchors of `places` that the page has. Both lists are empty if the page could not be searched. */
  found: Type.Array(Type.String()),
  missing: Type.Array(Type.String()),
  /** Whether any request was sent. */
  isAsked: Type.Boolean(),
  /** Milliseconds for which the host of `url` requested a pause. */
  leaveAloneMs: orNull(Type.Integer({ minimum: 0 })),
})
export type LinkChecked = Static<typeof LinkChecked>

export const checkLink = rpc({
  subject: 'ask.actors.check-link',
  request: CheckLink,
  response: LinkChecked,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
