/** The extractor checks the links of a page, one link a request. */
import { type Static, Type } from 'typebox'
import { LinkKind, type LinkReason, LinkStatus } from '../http/actors/check-links.ts'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** `data` of `readPageAs`, read as `links`. */
export const PageLinks = Type.Object({
  /** Each once, in the order of the page: absolute, or as it stands there where it is no address. */
  links: Type.Array(Type.Object({ url: Type.String(), kind: LinkKind })),
  /** Distinct links beyond those. */
  more: Type.Integer({ minimum: 0 }),
})
export type PageLinks = Static<typeof PageLinks>

export const CheckLink = Type.Object({
  /** As in `FetchNow`: the links of one request keep one pace at a host. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  /** http or https, without its fragment. */
  url: Type.String(),
  /** Names of places that are looked for in the page, as fragments spell them. */
  places: Type.Array(Type.String()),
  /** Between two requests of this work to a host. */
  delayMs: Type.Integer({ minimum: 0, maximum: 60_000 }),
  /** Of this work, over all hosts. */
  concurrency: Type.Integer({ minimum: 1, maximum: 1024 }),
  /** For all its requests together. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
})
export type CheckLink = Static<typeof CheckLink>

export const LinkChecked = Type.Object({
  status: LinkStatus,
  /** Null of what is ok. */
  reason: orNull(Type.Unsafe<LinkReason>(Type.String())),
  error: orNull(Type.String()),
  statusCode: orNull(Type.Integer()),
  /** Behind all redirects; where it failed, what failed. */
  url: Type.String(),
  hops: Type.Array(Type.Object({ url: Type.String(), status: Type.Integer() })),
  /** Of `places`; in neither where nobody could look. */
  found: Type.Array(Type.String()),
  missing: Type.Array(Type.String()),
  /** Whether any request for it went out. */
  isAsked: Type.Boolean(),
  /** For so long the host of `url` asked to be left alone. */
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
