/**
 * A page that the fetcher fetches at once, with the same address guard, rate limit and egress as the orders of
 * crawls. The first blob of the response is the body, and the second one a screenshot.
 */
import { type Static, Type } from 'typebox'
import { maxPageActions, PageAction } from '../http/cloud/page-action.ts'
import { Id, oneOf, orNull, Sealed } from '../primitives.ts'
import { PoolChoice, ProxyPool } from '../run-settings.ts'
import { rpc } from './rpc.ts'

/** Default milliseconds between two requests of one piece of work to a host, for requests outside crawls. */
export const defaultDelayMs = 100

/** The event that ends the loading of a rendered page. */
export const WaitFor = oneOf(['load', 'domcontentloaded', 'networkidle'])
export type WaitFor = Static<typeof WaitFor>

/** The means of a fetch. Each is a backend of the fetcher. */
export const By = Type.Union([
  /** A client with the TLS fingerprint and the headers of a current browser. */
  Type.Object({ backend: Type.Literal('faithful') }),
  /** A browser, only in `renderNow`. The body is the document after its scripts have run, in UTF-8. */
  Type.Object({
    backend: Type.Literal('browser'),
    waitFor: WaitFor,
    /** Add a PNG of the whole page, up to the maximum height. */
    picture: Type.Boolean(),
    /**
     * Another backend got a challenge instead of the page. The browser then also waits on pages that only resemble a
     * challenge. On known challenges it always waits.
     */
    isChecked: Type.Optional(Type.Literal(true)),
    /** Actions on the loaded page before it is read. */
    actions: Type.Optional(Type.Array(PageAction, { maxItems: maxPageActions })),
  }),
  /** Plain HTTP through a proxy of the installation. A host keeps its proxy for a while. */
  Type.Object({ backend: Type.Literal('proxy'), pool: ProxyPool, country: orNull(Type.String()) }),
  /** A vendor's network of browsers and proxies. */
  Type.Object({ backend: Type.Literal('vendor'), country: orNull(Type.String()), waitFor: orNull(WaitFor) }),
])
export type By = Static<typeof By>

/** Headers for encoding, caching and security of a response. They are added to `reportedHeaders` on request. */
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

/** The fields of a crawl that its client set for all requests. Sealed values stay sealed until the fetcher opens them. */
export const ClientRequestSettings = Type.Object({
  headers: Type.Optional(Sealed),
  cookies: Type.Optional(Sealed),
  /** It takes precedence over a pool. */
  proxy: Type.Optional(Sealed),
  proxyPool: Type.Optional(PoolChoice),
  userAgent: Type.Optional(Type.String()),
})
export type ClientRequestSettings = Static<typeof ClientRequestSettings>

export const FetchNow = Type.Object({
  /**
   * Id of the piece of work, which has one client identity and one rate limit per host. Negative, because run ids
   * start at 1.
   */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  /**
   * The run for which the request is sent: it has the run's client identity, and shares the run's back-offs. Default:
   * the piece of work.
   */
  runId: Type.Optional(Id),
  /** The project that the request counts for. Without it each piece of work is a tenant of its own. */
  projectId: Type.Optional(Id),
  url: Type.String(),
  /** Method of plain HTTP. Default: GET. */
  method: Type.Optional(oneOf(['GET', 'HEAD'])),
  /** Maximum number of redirects to follow. With 0 a redirect is a response like others. */
  maxHops: Type.Integer({ minimum: 0, maximum: 20 }),
  /** Maximum size of the encoded body in bytes. The fetcher has its own limit as well. */
  maxBytes: Type.Integer({ minimum: 1 }),
  /** Cut longer bodies instead of rejecting them. */
  cuts: Type.Boolean(),
  /** Limit for everything together, including the wait for the host. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
  /** Milliseconds between two requests of this piece of work to a host. Default: 100. */
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  /** Concurrent requests of this piece of work. Default: 4. */
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024 })),
  /** Add `deliveryHeaders` to the headers of the response. */
  tellsDelivery: Type.Optional(Type.Literal(true)),
  /** User-Agent of the client. Without it the fetcher chooses one. */
  userAgent: Type.Optional(Type.String()),
  /** Sends the request like those of a crawl with these fields. Ignored if `by` is present. */
  asRun: Type.Optional(ClientRequestSettings),
  /** Default: direct plain HTTP. */
  by: Type.Optional(By),
})
export type FetchNow = Static<typeof FetchNow>

const Hops = Type.Array(Type.Object({ url: Type.String(), status: Type.Integer() }))

export const FetchedNow = Type.Union([
  Type.Object({
    is: Type.Literal('fetched'),
    /** URL of the response. */
    url: Type.String(),
    status: Type.Integer(),
    /** The redirects to `url`, in order. A browser omits those from addresses of more than 8,192 characters. */
    hops: Hops,
    /** Target of a redirect that was not followed; absent if it is invalid. */
    location: Type.Optional(Type.String()),
    /** Size of the body of a GET, as stated by the response to HEAD; absent: not stated. */
    announced: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Milliseconds for which the host requested a pause, which the fetcher keeps. */
    backOffMs: Type.Optional(Type.Integer({ minimum: 0 })),
    contentType: orNull(Type.String()),
    robotsHeader: orNull(Type.String()),
    /** `reportedHeaders`, and `deliveryHeaders` on request, by name in lower case. */
    headers: Type.Record(Type.String(), Type.String()),
    /** `Content-Encoding` tokens in the order applied; the body still has these encodings. */
    encodings: Type.Array(Type.String()),
    /** Key of a body that is too large for a message. The reader removes the object. */
    bulkyKey: orNull(Type.String()),
    elapsedMs: Type.Number(),
    /** The screenshot, with the key of one that is too large for a message; absent: there is no screenshot. */
    picture: Type.Optional(Type.Object({ bulkyKey: orNull(Type.String()) })),
    /** The body was cut at a maximum of the fetcher or of the request. Absent: it is whole, or the fetcher is of an earlier version. */
    isCut: Type.Optional(Type.Literal(true)),
    /** Why the screenshot does not show the whole page, as a sentence for the client. */
    pictureWarning: Type.Optional(Type.String()),
    /** Why the body may lack parts of the page, as sentences for the client; absent: it lacks none. */
    warnings: Type.Optional(Type.Array(Type.String())),
    /** Bytes transferred in both directions; absent: not measured. */
    moved: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Price of the vendor in US dollars. */
    costUsd: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  Type.Object({
    is: Type.Literal('failed'),
    /** Reason why there is no response, as a stable code. `not_configured`: the installation has no such backend. */
    reason: Type.String(),
    message: Type.String(),
    hops: Hops,
    /** No request was sent, because the host had no free slot in time. */
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
