/** `POST /v1/scan/batch`: thousands of pages that are read without a waiting client, and their results. */
import { type Static, Type } from 'typebox'
import { amountText } from '../prices.ts'
import { count, described, Id, oneOf, orNull, Timestamp } from '../primitives.ts'
import { beforeField, nextOffset, warnings, windowOf } from './lists.ts'
import { BulkItem, maxAge, metadataOnly, UrlItem, userAgent } from './scan.ts'

const maxUrls = 10_000
/** Concurrent requests of a batch. It is lower than that of a bulk scan, because no client waits. */
export const batchConcurrency = { default: 8, max: 32 } as const

export const BatchRequest = Type.Object(
  {
    urls: Type.Array(UrlItem, {
      minItems: 1,
      maxItems: maxUrls,
      description: 'Up to 10,000 URLs. Each has its own result, even an invalid or repeated URL.',
    }),
    concurrency: Type.Integer({
      default: batchConcurrency.default,
      description: `Concurrent requests, from 1 to ${batchConcurrency.max}. Other values are set to the nearest bound. At most four to one host.`,
    }),
    metadata_only: metadataOnly,
    max_age_seconds: maxAge,
    user_agent: userAgent,
    webhook_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description:
          'Receiver of one signed `batch.done` when the batch is done. A cancelled batch sends none.',
        examples: ['https://example.com/hook'],
      }),
    ),
  },
  { $id: 'BatchRequest' },
)
export type BatchRequest = Static<typeof BatchRequest>

export const BatchCounts = Type.Object(
  {
    total: count('All URLs of the request. It is the sum of the other counts.'),
    pending: count('URLs without a result.'),
    ok: count('URLs whose page was read.'),
    failed: count(`URLs that could not be fetched. They cost ${amountText('scan_batch', 'failed')}.`),
    refused: count(
      'URLs that were not requested: invalid, private or blocked ones, and those beyond a cap or 4 GiB of results. They cost nothing.',
    ),
    cancelled: count('URLs that had no result when the batch was cancelled.'),
  },
  { $id: 'BatchCounts', description: 'The URLs by result.' },
)
export type BatchCounts = Static<typeof BatchCounts>

export const BatchStatus = oneOf(['queued', 'running', 'done', 'cancelled'], {
  description: 'done: every URL has a result. cancelled: a client ended it before.',
})
export type BatchStatus = Static<typeof BatchStatus>

export const BatchView = Type.Object(
  {
    id: described(Id, 'The batch.'),
    status: BatchStatus,
    counts: BatchCounts,
    progress: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the URLs that are not pending.' }),
    created_at: described(Timestamp, 'Time of the request.'),
    started_at: orNull(described(Timestamp, 'Time at which the first URL was read; null: none yet.')),
    finished_at: orNull(described(Timestamp, 'Time of the end; null: it has not ended.')),
    expires_at: orNull(
      described(
        Timestamp,
        'Time at which it is deleted with its results; null: it has not ended, or is kept.',
      ),
    ),
    webhook_url: orNull(Type.String({ description: 'The receiver of the webhook; null: none.' })),
    warnings,
  },
  { $id: 'Batch' },
)

export const BatchParams = Type.Object({ id: Type.Integer({ description: 'The batch.', examples: [7] }) })

export const BatchListQuery = Type.Object({ ...windowOf(100), before: beforeField })

export const BatchList = Type.Object(
  {
    items: Type.Array(BatchView, { description: 'Newest first.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'BatchList' },
)

const index = Type.Integer({ minimum: 0, description: 'Position of the URL in the request, from 0.' })

const [Read, NotRead] = BulkItem.anyOf
export const BatchItem = Type.Union([
  Type.Object({ index, ...Read.properties }),
  Type.Object({ index, ...NotRead.properties }),
])

export const BatchResultsQuery = Type.Object({
  ...windowOf(1000),
  format: Type.Optional(
    oneOf(['json', 'ndjson'], {
      description: 'json by default, unless the Accept header prefers application/x-ndjson.',
      examples: ['ndjson'],
    }),
  ),
})
export type BatchResultsQuery = Static<typeof BatchResultsQuery>

export const BatchResults = Type.Object(
  {
    items: Type.Array(BatchItem, {
      description:
        'The results in the order of the request. While the batch runs, the list ends before the first URL without a result.',
    }),
    next_offset: nextOffset,
    status: described(BatchStatus, 'The status of the batch. While it runs, more results follow.'),
    warnings,
  },
  { $id: 'BatchResults' },
)

export const DeletedBatch = Type.Object(
  {
    deleted: Type.Literal(true, { description: 'Always true.' }),
    id: Type.Integer({ description: 'The deleted batch.' }),
    warnings,
  },
  { $id: 'DeletedBatch' },
)
