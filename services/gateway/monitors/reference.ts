/** API reference of monitors and their runs. */

import type { Profile } from '../http/domain/profile.ts'
import type { Answer, Operations } from '../reference/operation.ts'
import { spentPages } from '../reference/parts.ts'

const monitor = {
  id: 7,
  schedule: '0 6 * * 1-5',
  timezone: 'Europe/Berlin',
  url: 'https://example.com/',
  enabled: true,
  last_fired_at: '2026-01-02T05:00:21.000Z',
  next_fires_at: '2026-01-05T05:00:21.000Z',
  last_run_id: 42,
  last_status: 'done',
  consecutive_failures: 0,
  webhook_url: 'https://hooks.example.com/tidemark',
  intent: 'The price falls.',
  only_matching: false,
}

const fired = {
  minute: '2026-01-02T05:00:00.000Z',
  asked: false,
  run_id: 42,
  status: 'done',
  reason: null,
  page_count: 238,
  error_count: 1,
}

const skipped = {
  minute: '2026-01-01T05:00:00.000Z',
  asked: false,
  run_id: null,
  status: 'skipped',
  reason: 'previous_run_active',
  page_count: null,
  error_count: null,
}

const started: Answer = {
  description: 'The crawl is stored, and runs even if processes restart.',
  headers: ['Location', 'Idempotent-Replayed'],
  example: { id: 43, status: 'queued', url: 'https://example.com/', enqueued_at: '2026-01-02T09:12:04.500Z' },
}

export const monitors = (profile: Profile): Operations => ({
  listMonitors: {
    answer: { description: 'All monitors of the project.', headers: ['ETag'], example: { items: [monitor] } },
  },
  getMonitor: {
    answer: { description: 'The current state of the monitor.', headers: ['ETag'], example: monitor },
  },
  changeMonitor: {
    body: { schedule: '0 7 * * *', enabled: true },
    answer: {
      description: 'The changed monitor.',
      example: { ...monitor, schedule: '0 7 * * *', next_fires_at: '2026-01-03T06:00:21.000Z' },
    },
    refuses: {
      invalid_input: [
        'bad_cron',
        'bad_timezone',
        'required',
        'bad_url',
        'private_address',
        'bad_value',
        'conflicting_fields',
      ],
      conflict: ['model_consent', 'narrowed_key'],
      not_configured: [],
    },
    statuses: { invalid_input: 422 },
  },
  deleteMonitor: {
    answers: {
      204: { description: 'The monitor is deleted. Its crawls are kept.' },
      200: { description: 'The monitor is deleted. Its crawls are kept.', example: { deleted: true, id: 7 } },
    },
  },
  listMonitorRuns: {
    answer: {
      description: 'The scheduled and manual runs, newest first.',
      headers: ['ETag'],
      example: { items: [fired, skipped], next_offset: null },
    },
  },
  runMonitor: {
    answers: { [profile.started]: started },
    refuses: {
      conflict: ['previous_run_active', 'narrowed_key', 'idempotency_key_of_deleted_run', null],
      too_many_requests: ['concurrent_runs', 'request_bytes', ...spentPages],
    },
  },
})
