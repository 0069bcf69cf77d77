/** Pages that the extractor fetches over plain HTTP and reads for an actor. */
import { type Static, Type } from 'typebox'
import { articleFormats } from '../http/actors/extract-article.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** The data that the extractor computes from a page. */
export const Reading = Type.Union([
  Type.Object({ as: Type.Literal('structured') }),
  Type.Object({ as: Type.Literal('audit') }),
  Type.Object({
    as: Type.Literal('article'),
    format: articleFormats,
    comments: Type.Boolean(),
    /** Words per minute; null: the default of the engine. */
    wpm: orNull(Type.Integer({ minimum: 1 })),
  }),
  /** The data by which two versions of one page are compared. */
  Type.Object({ as: Type.Literal('outline') }),
  /** The result is `PageLinks`. */
  Type.Object({ as: Type.Literal('links'), most: Type.Integer({ minimum: 1 }) }),
])
export type Reading = Static<typeof Reading>

export const ReadPageAs = Type.Object({
  /** As in `FetchNow`. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  url: Type.String(),
  /** Limit for the fetch. The reading has its own limit. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
  reading: Reading,
})
export type ReadPageAs = Static<typeof ReadPageAs>

/** Rejected with 502 `fetch_failed` if there was no response, and 400 for a private address. */
export const PageRead = Type.Object({
  /** URL of the page, after redirects. */
  url: Type.String(),
  status: Type.Integer(),
  fetchedAt: Timestamp,
  /** Vendor of the challenge that replaced the page. */
  challenge: orNull(Type.String()),
  /** The `data` of the actor of `reading.as`. */
  data: Type.Unknown(),
  warnings: Type.Array(Type.String()),
})
export type PageRead = Static<typeof PageRead>

/** Fetches the page over plain HTTP and with a browser. The response is `PageRead` with the data of `render-diff`. */
export const RenderDiff = Type.Object({
  workId: ReadPageAs.properties.workId,
  projectId: Id,
  url: Type.String(),
  /** Limit for both fetches. Each reading has its own limit. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
})
export type RenderDiff = Static<typeof RenderDiff>

export const readPageAs = rpc({
  subject: 'ask.actors.page',
  request: ReadPageAs,
  response: PageRead,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const renderDiff = rpc({
  subject: 'ask.actors.render-diff',
  request: RenderDiff,
  response: PageRead,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
