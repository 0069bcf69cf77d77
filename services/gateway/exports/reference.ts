/** API reference of exports of crawls. */

import type { Operations } from '../reference/operation.ts'

const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

const queued = {
  id: 9,
  run_id: 42,
  format: 'jsonl',
  select: { status: [200], include: ['markdown', 'links'] },
  sink: { type: 'download' },
  status: 'queued',
  created_at: '2026-01-02T03:05:00.000Z',
  finished_at: null,
  expires_at: null,
  records: null,
  bytes: null,
  sha256: null,
  error: null,
  download_url: null,
}

const done = {
  ...queued,
  status: 'done',
  finished_at: '2026-01-02T03:05:30.120Z',
  expires_at: '2026-01-09T03:05:30.120Z',
  records: 238,
  bytes: 1_204_733,
  sha256,
  download_url: `https://api.example.com/v1/exports/9/file?expires=1767326730&signature=${sha256}`,
}

export const exports: Operations = {
  requestExport: {
    body: { format: 'jsonl', select: { status: [200], include: ['markdown', 'links'] } },
    answers: {
      202: {
        description: 'The export is stored, and is written even if processes restart.',
        headers: ['Location', 'Idempotent-Replayed'],
        example: queued,
      },
    },
    refuses: {
      invalid_input: ['conflicting_fields', 'required', 'bad_url', 'private_address'],
      conflict: ['run_active', 'html_not_stored', 'idempotency_key_of_deleted_export', 'model_consent'],
      not_configured: [],
      idempotency_key_reused: [],
      too_many_requests: ['exports', 'export_bytes'],
    },
  },
  listExports: {
    answer: {
      description: 'The exports of the crawl, newest first.',
      headers: ['ETag'],
      example: { items: [done], next_offset: null },
    },
  },
  getExport: {
    answer: { description: 'The current state of the export.', headers: ['ETag'], example: done },
  },
  deleteExport: {
    answer: { description: 'The export and its file are deleted.', example: { deleted: true, id: 9 } },
  },
  downloadExport: {
    answers: {
      200: {
        description: 'The file.',
        headers: ['ETag', 'Accept-Ranges', 'Content-Disposition', 'Last-Modified'],
        example: '{"id":51,"url":"https://example.com/"}\n',
      },
      206: {
        description: 'The bytes that `Range` requested.',
        headers: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition', 'Last-Modified'],
        example: '{"id":51,',
      },
    },
    refuses: {
      invalid_signature: [],
      gone: ['address_expired', 'file_removed'],
      too_many_requests: ['content_streams'],
    },
    refusalHeaders: { invalid_input: ['Content-Range'] },
    refusesAs: { 416: { invalid_input: ['out_of_range'] } },
    statuses: { invalid_signature: 403 },
  },
}
