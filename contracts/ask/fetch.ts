/**
 * A page fetched at once, for somebody who waits: through the same guard, pace and egress as what crawls order.
 * The answer is a frame: `FetchedNow` as its header, the body as its only blob.
 */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'

export const FetchNow = Type.Object({
  /**
   * Names the piece of work that this belongs to, which keeps one face and one pace at a host. Below zero, for
   * runs count from one.
   */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  url: Type.String(),
  /** Most redirects that are followed. */
  maxHops: Type.Integer({ minimum: 0, maximum: 20 }),
  /** Of the body as it comes over the wire; the fetcher has its own limit besides. */
  maxBytes: Type.Integer({ minimum: 1 }),
  /** A longer body is cut there and is no error. */
  cuts: Type.Boolean(),
  /** For everything together, the turn at the host included. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 60_000 }),
  /** Between two requests of this piece of work to a host; without it a tenth of a second. */
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  /** Requests of this piece of work under way at once; without it four. */
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024 })),
  /** The client's own; without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
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
    contentType: orNull(Type.String()),
    robotsHeader: orNull(Type.String()),
    /** Of `toldHeaders`, by name in lower case. */
    headers: Type.Record(Type.String(), Type.String()),
    /** `Content-Encoding` tokens in the order applied; the body is still so encoded. */
    encodings: Type.Array(Type.String()),
    /** Where the body lies when it is too large for a message; who reads it there removes it. */
    bulkyKey: orNull(Type.String()),
    elapsedMs: Type.Number(),
  }),
  Type.Object({
    is: Type.Literal('failed'),
    /** Why there is no answer: a stable code. */
    reason: Type.String(),
    message: Type.String(),
    hops: Hops,
  }),
])
export type FetchedNow = Static<typeof FetchedNow>
