/** API reference of batches of scans. */
import type { Operations } from '../reference/operation.ts'
import { asLines, badSite, spentPages } from '../reference/parts.ts'

const queued = {
  id: 7,
  status: 'queued',
  counts: { total: 10_000, pending: 10_000, ok: 0, failed: 0, refused: 0, cancelled: 0 },
  progress: 0,
  created_at: '2026-01-02T03:04:05.678Z',
  started_at: null,
  finished_at: null,
  expires_at: null,
  webhook_url: 'https://example.com/hook',
} as const

const running = {
  ...queued,
  status: 'running',
  counts: { total: 10_000, pending: 7_500, ok: 2_480, failed: 18, refused: 2, cancelled: 0 },
  progress: 0.25,
  started_at: '2026-01-02T03:04:06.102Z',
} as const

const cancelled = {
  ...running,
  status: 'cancelled',
  counts: { ...running.counts, pending: 0, cancelled: 7_500 },
  progress: 1,
  finished_at: '2026-01-02T03:09:10.115Z',
  expires_at: '2026-02-01T03:09:10.115Z',
} as const

const failedResult = {
  index: 1,
  url: 'https://example.org/missing-host',
  ok: false,
  error: 'fetch failed: The name of the host is not known.',
  reason: 'dns',
} as const

export const batches: Operations = {
  requestBatch: {
    body: {
      urls: ['https://example.com/', 'https://example.org/missing-host'],
      webhook_url: 'https://example.com/hook',
    },
    answers: {
      202: {
        headers: ['Location', 'Idempotent-Replayed'],
        description: 'The batch. It has just been queued, unless the key is a repeated one.',
        example: { ...queued, counts: { ...queued.counts, total: 2, pending: 2 } },
      },
    },
    refuses: {
      invalid_input: [...badSite, 'bad_value', 'out_of_range'],
      conflict: ['idempotency_key_of_deleted_batch'],
      too_many_requests: [...spentPages, 'batches'],
      idempotency_key_reused: [],
    },
    refusesAs: { 400: { invalid_input: ['too_many_urls'] } },
  },
  listBatches: {
    answer: {
      description: 'The batches, newest first.',
      headers: ['ETag'],
      example: { items: [running], next_offset: null },
    },
  },
  getBatch: {
    answer: { description: 'The batch, with counts that add up.', headers: ['ETag'], example: running },
  },
  listBatchResults: {
    answer: {
      description: 'The results so far, in the order of the request.',
      headers: ['X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: {
        items: [failedResult],
        next_offset: null,
        status: 'done',
      },
      otherwise: asLines(failedResult),
    },
    refuses: { too_many_requests: ['content_streams'] },
  },
  cancelBatch: {
    answer: { description: 'The cancelled batch.', example: cancelled },
  },
  deleteBatch: {
    answer: { description: 'The batch and its results are deleted.', example: { deleted: true, id: 7 } },
  },
}
