/** OUTCOMES: what became of an order. The run's coordinator turns each into a decision. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Sha256, Timestamp, UrlKey } from '../primitives.ts'
import { NotModified } from './revisit.ts'

/** Where a list of links would make a message larger than this, the first of them travel ahead in `links`. */
export const outcomeBytes = 256 * 1024

/** A link in scope: its key, and its normal form. */
export const FoundLink = Type.Tuple([UrlKey, Type.String()])
export type FoundLink = Static<typeof FoundLink>

const ofOrder = { runId: Id, key: UrlKey, attempt: Type.Integer() }

export const Outcome = Type.Union([
  Type.Object({
    type: Type.Literal('page'),
    ...ofOrder,
    status: Type.Integer(),
    bytes: Type.Integer(),
    fetchedAt: Timestamp,
    contentType: orNull(Type.String()),
    title: orNull(Type.String()),
    contentHash: Sha256,
    rawHash: Sha256,
    links: Type.Array(FoundLink),
    /** 16 hexadecimal digits; see the event. */
    likeness: Type.Optional(Type.String()),
    /** The origin showed a challenge instead of its page. */
    blocked: Type.Optional(Type.Literal(true)),
    /** It is what a browser made of it. */
    rendered: Type.Optional(Type.Literal(true)),
    /** Its content only scripts can make, and nobody has run them. */
    isScriptOnly: Type.Optional(Type.Literal(true)),
    /** All else is what it was then. */
    notModified: Type.Optional(NotModified),
    /** How many messages of links came ahead. */
    parts: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  /**
   * Links of a page or sitemap whose outcome follows. They may be admitted at once: the page itself is still pending.
   * `part` counts from 0.
   */
  Type.Object({
    type: Type.Literal('links'),
    ...ofOrder,
    part: Type.Optional(Type.Integer({ minimum: 0 })),
    links: Type.Array(FoundLink),
  }),
  /** A sitemap or an index of sitemaps that was read. */
  Type.Object({
    type: Type.Literal('sitemap'),
    ...ofOrder,
    status: Type.Integer(),
    /** The addresses in scope; the first of them ahead in `links`, where they are too many. */
    links: Type.Array(FoundLink),
    parts: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Sitemaps that an index names. */
    sitemaps: Type.Array(FoundLink),
    /** What was left out, such as `more than 50000 addresses`; null where it was read whole. */
    cut: orNull(Type.String()),
  }),
  Type.Object({ type: Type.Literal('redirect'), ...ofOrder, to: FoundLink }),
  Type.Object({
    type: Type.Literal('failed'),
    ...ofOrder,
    reason: Type.String(),
    transient: Type.Boolean(),
    retryAfterMs: Type.Integer({ minimum: 0 }),
  }),
  Type.Object({
    type: Type.Literal('robots'),
    ...ofOrder,
    origin: Type.String(),
    status: Type.Integer(),
    body: Type.String(),
    bodyHash: orNull(Sha256),
  }),
  Type.Object({
    type: Type.Literal('robots_failed'),
    ...ofOrder,
    origin: Type.String(),
    reason: Type.String(),
    transient: Type.Boolean(),
  }),
])
export type Outcome = Static<typeof Outcome>

export const Outcomes = Type.Object({ outcomes: Type.Array(Outcome) })
export type Outcomes = Static<typeof Outcomes>
