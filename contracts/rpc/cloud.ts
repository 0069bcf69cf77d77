/**
 * A page fetched by one backend after the other. The extractor tries them, as it can tell a challenge from a page.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'
import { Content, Wanted } from './content.ts'
import { WaitFor } from './fetch.ts'
import { BackendName, Means, Try } from './means.ts'
import { rpc } from './rpc.ts'

export const GetPage = Type.Object({
  /** As in `FetchNow`. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  url: Type.String(),
  means: Means,
  /** Of the browser, and of a vendor's. */
  waitFor: WaitFor,
  /** A PNG of the page; only a browser can. */
  picture: Type.Boolean(),
  wanted: Wanted,
  /** For all tries together. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
  delayMs: Type.Integer({ minimum: 0 }),
  concurrency: Type.Integer({ minimum: 1 }),
  userAgent: Type.Optional(Type.String()),
  /** Whether the site's robots.txt is asked first; a page that it forbids is refused as `robots`. */
  respectRobots: Type.Boolean(),
})
export type GetPage = Static<typeof GetPage>

/** Refused with 502 `fetch_failed` where no backend had any answer at all. */
export const GotPage = Type.Object({
  /** Where it was found. */
  url: Type.String(),
  status: Type.Integer(),
  fetchedAt: Timestamp,
  /** Who had the page that is told here: the first that was no challenge, else the last challenge. */
  backend: BackendName,
  pool: orNull(ProxyPool),
  country: orNull(Type.String()),
  tried: Type.Array(Try),
  content: Content,
  /** Bytes over the wire, both ways, of the try that counts; null where nobody counted. */
  moved: orNull(Type.Integer({ minimum: 0 })),
  /** Of all tries together. */
  costUsd: Type.Number({ minimum: 0 }),
  /** PNG in base64. */
  picture: orNull(Type.String()),
  /** Why there is none, where one was wanted: a stable code. It stands in a sentence of the warnings too. */
  pictureError: Type.Optional(Type.String()),
})
export type GotPage = Static<typeof GotPage>

export const getPage = rpc({
  subject: 'ask.cloud.page',
  request: GetPage,
  response: GotPage,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
