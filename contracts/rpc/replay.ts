/** The request to the extractor to read stored pages of a run again, and to compare the result with the stored values. */
import { type Static, Type } from 'typebox'
import { ReplayChange, ReplayLinks } from '../http/replay.ts'
import { Id, orNull, Timestamp, UrlKey } from '../primitives.ts'
import { CompareRules } from '../run-settings.ts'
import { ReadPageAs } from './actors.ts'
import { rpc } from './rpc.ts'

/** Maximum number of pages in one request. */
export const maxPagesOfBatch = 20

/** A page with the stored values that the read model has and the content store lacks. */
export const StoredPage = Type.Object({
  key: UrlKey,
  url: Type.String(),
  status: Type.Integer(),
  fetchedAt: Timestamp,
  rendered: Type.Boolean(),
  title: orNull(Type.String()),
  contentHash: Type.String(),
  rawHash: Type.String(),
  comparisonHash: orNull(Type.String()),
})
export type StoredPage = Static<typeof StoredPage>

export const ReplayPages = Type.Object({
  workId: ReadPageAs.properties.workId,
  projectId: Id,
  runId: Id,
  /** The rules of comparison of the run. */
  comparison: Type.Optional(CompareRules),
  pages: Type.Array(StoredPage, { minItems: 1, maxItems: maxPagesOfBatch }),
})
export type ReplayPages = Static<typeof ReplayPages>

export const Replayed = Type.Union([
  /** If it has no changes and no links, the page is the same. */
  Type.Object({ changes: Type.Array(ReplayChange), links: orNull(ReplayLinks) }),
  /** `not_stored`, `other_body`, or the reason why the page cannot be read. */
  Type.Object({ unread: Type.String() }),
])
export type Replayed = Static<typeof Replayed>

/**
 * The first pages of the request in their order, at least one: as many as were read in a few seconds and fit into a
 * response. Rejected with 503 if too many requests wait.
 */
export const PagesReplayed = Type.Object({ pages: Type.Array(Replayed, { minItems: 1 }) })
export type PagesReplayed = Static<typeof PagesReplayed>

export const replayPages = rpc({
  subject: 'ask.content.replay',
  request: ReplayPages,
  response: PagesReplayed,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
