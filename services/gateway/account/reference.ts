/** API reference of a project's usage, keys and calls. */
import type { Operations } from '../reference/operation.ts'
import { asRows } from '../reference/parts.ts'

const ledgerRow = {
  at: '2026-01-02T03:04:06.331Z',
  day: '2026-01-02',
  kind: 'page',
  units: 1,
  reason: 'billed',
  operation: 'crawl',
  run_id: 42,
  page_id: 51,
  request_id: null,
  url: 'https://example.com/',
  attempt: 1,
  cost_usd: 0,
  model: null,
  input_tokens: null,
  output_tokens: null,
}

const modelConsent = {
  consent: true,
  model: 'small-model',
  host: 'models.example.com',
  changed_at: '2026-01-02T03:04:05.678Z',
  changed_by: 'tmk_Zb3kQ9xV',
}

const logEntry = {
  ts: '2026-01-02T03:04:05.678Z',
  method: 'POST',
  path: '/v1/crawls',
  status: 202,
  duration_ms: 14.2,
  client_ip: '192.0.2.7',
  request_id: 'd14f099b-2a51-479a-91bd-5653ca4f6f6f',
}

export const account: Operations = {
  getUsage: {
    answer: {
      description: 'The usage of today and of this month, in UTC.',
      headers: ['ETag'],
      example: {
        tier: 'free',
        caps: { pages_per_day: 500, pages_per_month: 5000, cloud_pages_per_day: 25 },
        today: {
          date: '2026-01-02',
          pages: 188,
          cloud_pages: 0,
          cloud_cost_usd: 0,
          pages_pct: 37.6,
          cloud_pages_pct: 0,
        },
        month: { pages: 426, cloud_pages: 0, cloud_cost_usd: 0, pages_pct: 8.52 },
        retry_after_seconds: 75_355,
      },
    },
  },
  getUsageHistory: {
    answer: {
      description: 'One entry per day.',
      headers: ['ETag'],
      example: {
        days: [
          { date: '2026-01-01', pages: 238, cloud_pages: 0, cloud_cost_usd: 0 },
          { date: '2026-01-02', pages: 188, cloud_pages: 0, cloud_cost_usd: 0 },
        ],
      },
    },
  },
  listLedger: {
    answer: {
      description: 'The rows, in the order in which they were written.',
      headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: { items: [ledgerRow], next_offset: null },
      otherwise: asRows(ledgerRow),
    },
    refuses: { invalid_input: ['conflicting_fields'], too_many_requests: ['concurrent_requests'] },
  },
  getModelConsent: {
    answer: {
      description: 'The consent, and the model that would receive pages.',
      headers: ['ETag'],
      example: modelConsent,
    },
  },
  setModelConsent: {
    body: { consent: true },
    answer: { description: 'The consent after the change.', example: modelConsent },
    refuses: { conflict: ['narrowed_key'], too_many_requests: ['account_changes'], not_configured: [] },
  },
  listKeys: {
    answer: {
      description: 'The keys without their secrets.',
      example: {
        items: [
          {
            prefix: 'tmk_Zb3kQ9xV',
            label: 'signup',
            created_at: '2026-01-02T03:04:05.678Z',
            last_used_at: '2026-01-02T06:00:00.000Z',
            revoked_at: null,
            expires_at: null,
          },
        ],
      },
    },
  },
  rotateKey: {
    body: { label: 'ci', grace_seconds: 3600 },
    answer: {
      description: 'The new key. Its secret is shown only here.',
      example: {
        api_key: 'tmk_Zb3kQ9xVEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE000000',
        prefix: 'tmk_Zb3kQ9xV',
        label: 'ci',
        grace_seconds: 3600,
      },
    },
    refuses: { conflict: ['too_many_keys'], too_many_requests: ['account_changes'] },
  },
  revokeKey: {
    answers: {
      204: { description: 'The key is revoked.' },
      200: { description: 'The key is revoked.', example: { revoked: true, prefix: 'tmk_Zb3kQ9xV' } },
    },
    refuses: { conflict: ['last_key', 'narrowed_key'] },
  },
  listLogs: {
    answer: {
      description: 'The calls, newest first.',
      headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: { items: [logEntry], next_offset: null },
      otherwise: asRows(logEntry),
    },
    refuses: { too_many_requests: ['concurrent_requests'] },
  },
}
