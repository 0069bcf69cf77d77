/**
 * A page fetched by one backend after the other. The extractor tries them, because it can distinguish a challenge
 * from a page.
 */
import { type Static, Type } from 'typebox'
import { maxPageActions, PageAction } from '../http/cloud/page-action.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'
import { BackendChoice, BackendName, Try } from './backends.ts'
import { Content, Wanted } from './content.ts'
import { WaitFor } from './fetch.ts'
import { rpc } from './rpc.ts'

export const GetPage = Type.Object({
  /** As in `FetchNow`. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  url: Type.String(),
  means: BackendChoice,
  /** Used by the browser of the installation and by that of the vendor. */
  waitFor: WaitFor,
  /** Add a PNG of the page, which only a browser can take. */
  picture: Type.Boolean(),
  /** Actions on the page before it is read, which only the browser of the installation can do. */
  actions: Type.Optional(Type.Array(PageAction, { maxItems: maxPageActions })),
  wanted: Wanted,
  /** Limit for all attempts together. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
  delayMs: Type.Integer({ minimum: 0 }),
  concurrency: Type.Integer({ minimum: 1 }),
  userAgent: Type.Optional(Type.String()),
  /** Whether to check robots.txt first. A page that it forbids is rejected with `robots`. */
  respectRobots: Type.Boolean(),
})
export type GetPage = Static<typeof GetPage>

/** Rejected with 502 `fetch_failed` if no backend got a response. */
export const GotPage = Type.Object({
  /** URL of the page, after redirects. */
  url: Type.String(),
  status: Type.Integer(),
  fetchedAt: Timestamp,
  /** The backend of this page: the first without a challenge, otherwise the last that got one. */
  backend: BackendName,
  pool: orNull(ProxyPool),
  country: orNull(Type.String()),
  tried: Type.Array(Try),
  content: Content,
  /** Bytes transferred in both directions by the attempt that counts; null: not measured. */
  moved: orNull(Type.Integer({ minimum: 0 })),
  /** Cost of all attempts together. */
  costUsd: Type.Number({ minimum: 0 }),
  /** PNG, base64-encoded. */
  picture: orNull(Type.String()),
  /** Reason why the requested screenshot is missing, as a stable code. The warnings contain it as a sentence. */
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
