/** Requests to the extractor, which owns batches of scans, and its request to the gateway to read a page of a batch. */
import { type Static, Type } from 'typebox'
import { BatchOptions } from '../batches/events.ts'
import { BatchView } from '../http/scan-batch.ts'
import { Caps } from '../limits.ts'
import { Id, oneOf, orNull, Tier } from '../primitives.ts'
import { ServedCommit } from '../served.ts'
import { rpc } from './rpc.ts'
import { StartRefusal } from './runs.ts'

/**
 * The terms of the project and the key at the time of the request. `keyCaps` hold for the whole batch. The others apply
 * while the current ones are unknown.
 */
export const BatchTerms = Type.Object({
  tier: Tier,
  unlimited: Type.Optional(Type.Boolean()),
  caps: Type.Optional(Caps),
  keyCaps: Type.Optional(Caps),
})
export type BatchTerms = Static<typeof BatchTerms>

export const RequestBatch = Type.Object({
  projectId: Id,
  terms: BatchTerms,
  urls: Type.Array(Type.String(), { minItems: 1, maxItems: 10_000 }),
  options: BatchOptions,
  webhookUrl: orNull(Type.String()),
  idempotencyKey: orNull(Type.String()),
  /** SHA-256 of the request body, as in `CreateMonitor`. */
  fingerprint: Type.String(),
  /** The error for a request that would start a new batch. A batch that this key has started already is still returned. */
  refusal: Type.Optional(StartRefusal),
})
export type RequestBatch = Static<typeof RequestBatch>

const StoredBatch = Type.Omit(BatchView, ['warnings'])
export type StoredBatch = Static<typeof StoredBatch>

/** Rejected with 409 for the key of a deleted batch, and with 429 above a limit of the project. */
export const BatchAccepted = Type.Object({
  batch: StoredBatch,
  replayed: Type.Boolean(),
  sameRequest: Type.Boolean(),
})
export type BatchAccepted = Static<typeof BatchAccepted>

export const OfBatch = Type.Object({ projectId: Id, batchId: Type.Integer() })
export type OfBatch = Static<typeof OfBatch>

/** Null: the project has no such batch. A batch that has ended stays unchanged. */
const CancelBatchAnswer = Type.Object({ batch: orNull(StoredBatch) })

const DeleteBatchAnswer = Type.Object({ deleted: Type.Boolean() })

/**
 * Reads one page of a batch as a scan does, reserves its unit, and returns its bill. A repeated request bills nothing
 * twice.
 */
export const ReadBatchPage = Type.Object({
  projectId: Id,
  terms: BatchTerms,
  /** The name of the batch in the ledger, and the number of the page in it, from 1. */
  requestId: Type.String({ minLength: 1 }),
  part: Type.Integer({ minimum: 1 }),
  /** As in `ScanPage`: the pages of a batch share a client identity and a rate limit per host. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  url: Type.String(),
  options: BatchOptions,
})
export type ReadBatchPage = Static<typeof ReadBatchPage>

/**
 * The first blob is the `BulkItem` as JSON, compressed with zstd. Null: other requests hold the pages that are left
 * under a cap, so the page is to be read later. Rejected with `unavailable` if it cannot be read now.
 */
export const BatchPage = orNull(
  Type.Object({
    ending: oneOf(['ok', 'failed', 'refused']),
    /** Null: nothing to record. */
    bill: orNull(ServedCommit),
  }),
)
export type BatchPage = Static<typeof BatchPage>

export const requestBatch = rpc({
  subject: 'ask.batches.request',
  request: RequestBatch,
  response: BatchAccepted,
  callers: ['gateway'],
  server: 'extractor',
})

export const cancelBatch = rpc({
  subject: 'ask.batches.cancel',
  request: OfBatch,
  response: CancelBatchAnswer,
  callers: ['gateway'],
  server: 'extractor',
})

export const deleteBatch = rpc({
  subject: 'ask.batches.delete',
  request: OfBatch,
  response: DeleteBatchAnswer,
  callers: ['gateway'],
  server: 'extractor',
})

export const readBatchPage = rpc({
  subject: 'ask.scan.batch-page',
  request: ReadBatchPage,
  response: BatchPage,
  codec: 'frame',
  callers: ['extractor'],
  server: 'gateway',
})
