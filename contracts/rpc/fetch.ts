/**
 * A page that the fetcher fetches at once, through the same guard, rate limit and egress as the orders of crawls. The
 * first blob of the response is the body, and the second one a picture.
 */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'
import { rpc } from './rpc.ts'

/** When a rendered page counts as loaded. */
export const WaitFor = Type.Union([
  Type.Literal('load'),
  Type.Literal('domcontentloaded'),
  Type.Literal('networkidle'),
])
export type WaitFor = Static<typeof WaitFor>

/** By which means a page is got; each is a backend of the fetcher. */
export const By = Type.Union([
  /** A client that greets like a current browser, down to TLS. */
  Type.Object({ backend: Type.Literal('faithful') }),
  /** Asked on `renderNow`: the body is the document as it stands after its scripts have run, in UTF-8. */
  Type.Object({
    backend: Type.Literal('browser'),
    waitFor: WaitFor,
    /** A PNG of the whole page besides. */
    picture: Type.Boolean(),
    /**
     * Others were shown a challenge in place of the page, so also what only resembles one is given time to let the
     * browser through. What is known as a challenge is given it in any case.
     */
    isChecked: Type.Optional(Type.Literal(true)),
  }),
  /** Plain HTTP by one of the installation's proxies; a host keeps its proxy for a while. */
  Type.Object({ backend: Type.Literal('proxy'), pool: ProxyPool, country: orNull(Type.String()) }),
  /** Somebody else's network of browsers and proxies. */
  Type.Object({ backend: Type.Literal('vendor'), country: orNull(Type.String()), waitFor: orNull(WaitFor) }),
])
export type By = Static<typeof By>

/** By which an answer is packed, cached and made safe; told besides `toldHeaders` where they are asked for. */
export const deliveryHeaders = [
  'cache-control',
  'content-encoding',
  'content-security-policy',
  'etag',
  'expires',
  'last-modified',
  'link',
  'referrer-policy',
  'strict-transport-security',
  'vary',
  'x-content-type-options',
  'x-frame-options',
] as const

export const FetchNow = Type.Object({
  /**
   * Names the piece of work that this belongs to, which keeps one face and one pace at a host. Below zero, for
   * runs count from one.
   */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  url: Type.String(),
  /** Of plain HTTP; without it GET. */
  method: Type.Optional(Type.Union([Type.Literal('GET'), Type.Literal('HEAD')])),
  /** Most redirects that are followed. With 0 a redirect is an answer like others. */
  maxHops: Type.Integer({ minimum: 0, maximum: 20 }),
  /** Of the body as it comes over the wire; the fetcher has its own limit besides. */
  maxBytes: Type.Integer({ minimum: 1 }),
  /** A longer body is cut there and is no error. */
  cuts: Type.Boolean(),
  /** For everything together, the turn at the host included. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
  /** Between two requests of this piece of work to a host; without it a tenth of a second. */
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  /** Requests of this piece of work under way at once; without it four. */
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024 })),
  /** Of the answer's fields `deliveryHeaders` are told too. */
  tellsDelivery: Type.Optional(Type.Literal(true)),
  /** The client's own; without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
  /** Without it plain HTTP, directly. */
  by: Type.Optional(By),
})
export type FetchNow = Static<typeof FetchNow>

const Hops = Type.Array(Type.Object({ url: Type.String(), status: Type.Integer() }))

export const FetchedNow = Type.Union([
  Type.Object({
    is: Type.Literal('fetched'),
    /** Where the answer came from. */
    url: Type.String(),
    status: Type.Integer(),
    /** The redirects that led there, in order. */
    hops: Hops,
    /** Where a redirect leads that was not followed; left out too where that is nowhere. */
    location: Type.Optional(Type.String()),
    /** Bytes of body that a GET would have, as the answer to HEAD says it; left out where it does not. */
    announced: Type.Optional(Type.Integer({ minimum: 0 })),
    /** The host asked to be left alone for this long, and is. */
    backOffMs: Type.Optional(Type.Integer({ minimum: 0 })),
    contentType: orNull(Type.String()),
    robotsHeader: orNull(Type.String()),
    /** Of `toldHeaders`, and of `deliveryHeaders` where they are asked for, by name in lower case. */
    headers: Type.Record(Type.String(), Type.String()),
    /** `Content-Encoding` tokens in the order applied; the body is still so encoded. */
    encodings: Type.Array(Type.String()),
    /** Where the body lies when it is too large for a message; who reads it there removes it. */
    bulkyKey: orNull(Type.String()),
    elapsedMs: Type.Number(),
    /** The same of the picture; left out where there is none. */
    picture: Type.Optional(Type.Object({ bulkyKey: orNull(Type.String()) })),
    /** Bytes that went over the wire for it, both ways; left out where nobody counted. */
    moved: Type.Optional(Type.Integer({ minimum: 0 })),
    /** What somebody else asks for it. */
    costUsd: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  Type.Object({
    is: Type.Literal('failed'),
    /** Why there is no answer: a stable code; `not_configured` where there is no such backend here. */
    reason: Type.String(),
    message: Type.String(),
    hops: Hops,
    /** Its turn at the host did not come: nothing was asked. */
    isUnasked: Type.Optional(Type.Literal(true)),
  }),
])
export type FetchedNow = Static<typeof FetchedNow>

export const fetchNow = rpc({
  subject: 'ask.fetch.now',
  request: FetchNow,
  response: FetchedNow,
  codec: 'frame',
  callers: ['extractor'],
  server: 'fetcher',
})

export const renderNow = rpc({
  subject: 'ask.fetch.render',
  request: FetchNow,
  response: FetchedNow,
  codec: 'frame',
  callers: ['extractor'],
  server: 'fetcher',
})
