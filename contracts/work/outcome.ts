/** OUTCOMES: the results of orders. The run's coordinator turns each into a decision. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Sealed, Sha256, Timestamp, UrlKey } from '../primitives.ts'
import { FailedPage } from './failed-page.ts'
import { Peer } from './peer.ts'
import { Carried, NotModified } from './revisit.ts'

/** Maximum bytes of a message. Larger lists of links are sent ahead in parts (`links`). */
export const outcomeBytes = 256 * 1024

/** A link in scope: its key and its normal form. */
export const FoundLink = Type.Tuple([UrlKey, Type.String()])
export type FoundLink = Static<typeof FoundLink>

/** Address of a sitemap to which a redirect led out of the scope, and which lists only URLs of that site. */
const movedTo = Type.Optional(Type.String())
/** The order is that of a sitemap, whose URL may be a page too. Absent: of a page, or of a process of an earlier version. */
const kind = Type.Optional(Type.Literal('sitemap'))
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
    /** Hash of the parts that count by the run's rules of comparison; absent without rules, and for other types than HTML. */
    comparisonHash: Type.Optional(Sha256),
    links: Type.Array(FoundLink),
    /** 16 hexadecimal digits, as in the event. */
    likeness: Type.Optional(Type.String()),
    /** The origin returned a challenge instead of its page. */
    blocked: Type.Optional(Type.Literal(true)),
    /** A browser rendered the page. */
    rendered: Type.Optional(Type.Literal(true)),
    /** The page is empty without scripts, and no browser has run them. */
    isScriptOnly: Type.Optional(Type.Literal(true)),
    /** The page has the sign of having been logged out. */
    isLoggedOut: Type.Optional(Type.Literal(true)),
    /** All other fields are those of the earlier response. */
    notModified: Type.Optional(NotModified),
    /** The page was read from the store, in which an earlier run has put it. */
    carried: Type.Optional(Carried),
    peer: Type.Optional(Peer),
    /** Number of messages with links that were sent ahead. */
    parts: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  /**
   * Links of a page or sitemap whose outcome follows. They may be admitted at once: the page itself is still pending.
   * `part` counts from 0.
   */
  Type.Object({
    type: Type.Literal('links'),
    ...ofOrder,
    kind,
    part: Type.Optional(Type.Integer({ minimum: 0 })),
    links: Type.Array(FoundLink),
    movedTo,
  }),
  /** A sitemap, or an index of sitemaps, that was read. */
  Type.Object({
    type: Type.Literal('sitemap'),
    ...ofOrder,
    status: Type.Integer(),
    /** The URLs in scope. The first ones are sent ahead in `links` if there are too many. */
    links: Type.Array(FoundLink),
    parts: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Sitemaps that an index lists. */
    sitemaps: Type.Array(FoundLink),
    movedTo,
    /** The part that was left out, such as `more than 50000 addresses`; null: all of it was read. */
    cut: orNull(Type.String()),
  }),
  Type.Object({ type: Type.Literal('redirect'), ...ofOrder, to: FoundLink }),
  Type.Object({
    type: Type.Literal('failed'),
    ...ofOrder,
    kind,
    reason: Type.String(),
    transient: Type.Boolean(),
    retryAfterMs: Type.Integer({ minimum: 0 }),
    because: FailedPage.properties.because,
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
  /** The steps of a login succeeded. The coordinator stores the session before the decision, which never contains it. */
  Type.Object({ type: Type.Literal('logged_in'), ...ofOrder, session: Sealed }),
  /** A step of a login failed. `because`: the step and the page that the browser showed, without values of fields. */
  Type.Object({ type: Type.Literal('login_failed'), ...ofOrder, because: Type.String() }),
])
export type Outcome = Static<typeof Outcome>

export const Outcomes = Type.Object({ outcomes: Type.Array(Outcome) })
export type Outcomes = Static<typeof Outcomes>
