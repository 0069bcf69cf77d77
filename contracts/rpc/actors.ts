/** Pages that the extractor fetches plainly and reads for an actor. */
import { type Static, Type } from 'typebox'
import { articleFormats } from '../http/actors/extract-article.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** How the page is read. */
export const Reading = Type.Union([
  Type.Object({ as: Type.Literal('structured') }),
  Type.Object({ as: Type.Literal('audit') }),
  Type.Object({
    as: Type.Literal('article'),
    format: articleFormats,
    comments: Type.Boolean(),
    /** Words a minute; null: as the engine counts. */
    wpm: orNull(Type.Integer({ minimum: 1 })),
  }),
  /** What two readings of one page are compared by. */
  Type.Object({ as: Type.Literal('outline') }),
  /** `PageLinks`. */
  Type.Object({ as: Type.Literal('links'), most: Type.Integer({ minimum: 1 }) }),
])
export type Reading = Static<typeof Reading>

export const ReadPageAs = Type.Object({
  /** As in `FetchNow`. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  url: Type.String(),
  /** For the page; its reading has its own limit. */
  timeoutMs: Type.Integer({ minimum: 1, maximum: 120_000 }),
  reading: Reading,
})
export type ReadPageAs = Static<typeof ReadPageAs>

/** Refused with 502 `fetch_failed` where there was no answer, 400 for an address inward. */
export const PageRead = Type.Object({
  /** Where it was found. */
  url: Type.String(),
  status: Type.Integer(),
  fetchedAt: Timestamp,
  /** Whose challenge was shown instead of the page. */
  challenge: orNull(Type.String()),
  /** As `reading.as` has it: the `data` of its actor. */
  data: Type.Unknown(),
  warnings: Type.Array(Type.String()),
})
export type PageRead = Static<typeof PageRead>

/** The page fetched plainly and by a browser. Answered with `PageRead`, whose data are those of `render-diff`. */
export const RenderDiff = Type.Object({
  workId: ReadPageAs.properties.workId,
  projectId: Id,
  url: Type.String(),
  /** For both fetches; each reading has its own limit. */
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
