/**
 * A batch of scans. One subject per batch, written by the extractor only. Its results are rows: they are content, like
 * the bodies of pages.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from '../commit.ts'
import { BatchCounts } from '../http/scan-batch.ts'
import { Id, oneOf, Tier, Timestamp } from '../primitives.ts'

/** The options of every page of a batch. Absent fields have their defaults. */
export const BatchOptions = Type.Object({
  metadataOnly: Type.Optional(Type.Literal(true)),
  maxAgeSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  userAgent: Type.Optional(Type.String()),
  concurrency: Type.Integer({ minimum: 1 }),
})
export type BatchOptions = Static<typeof BatchOptions>

const ending = { batchId: Id, projectId: Id, counts: BatchCounts }

/** Every URL has a result. The webhook is sent on this event, which therefore has all that its body states. */
export const BatchFinished = fact('BatchFinished', {
  ...ending,
  createdAt: Timestamp,
  webhookUrl: Type.Optional(Type.String()),
})

export const BatchEvent = Type.Union([
  fact('BatchRequested', {
    batchId: Id,
    projectId: Id,
    tier: Tier,
    urls: Type.Integer({ minimum: 1 }),
    options: BatchOptions,
    webhookUrl: Type.Optional(Type.String()),
  }),
  BatchFinished,
  /** A client cancelled the batch. The results so far stay. */
  fact('BatchCancelled', ending),
  /** The retention of the batch is over, a client deleted the batch, or its project was deleted. */
  fact('BatchDeleted', {
    batchId: Id,
    because: oneOf(['age', 'request']),
  }),
])
export type BatchEvent = Static<typeof BatchEvent>

export const BatchCommit = commitOf(BatchEvent)
export type BatchCommit = Static<typeof BatchCommit>
