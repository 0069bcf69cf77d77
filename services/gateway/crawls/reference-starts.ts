/** API reference of the operations that start crawls. */
import type { Profile } from '../http/domain/profile.ts'
import type { Answer, Operation, Operations } from '../reference/operation.ts'
import { spentPages } from '../reference/parts.ts'

/** Reasons why a crawl request is rejected before anything is fetched. */
export const badCrawl = [
  'bad_url',
  'private_address',
  'blocked_domain',
  'bad_regex',
  'tier_required',
  'conflicting_fields',
] as const

const accepted = {
  id: 42,
  status: 'queued',
  url: 'https://example.com/',
  enqueued_at: '2026-01-02T03:04:05.678Z',
}

const started: Answer = {
  description: 'The crawl is stored, and runs even if processes restart.',
  headers: ['Location', 'Idempotent-Replayed'],
  example: accepted,
}

const forkCrawl = (profile: Profile): Operation => ({
  body: { max_pages: 2000, exclude_paths: ['^/drafts/'] },
  answers: {
    [profile.started]: {
      ...started,
      description: 'The fork is stored, and runs like any other crawl.',
      example: { ...accepted, id: 43 },
    },
  },
  refuses: {
    invalid_input: badCrawl,
    idempotency_key_reused: [],
    conflict: ['run_active', 'html_not_stored', 'idempotency_key_of_deleted_run'],
    too_many_requests: ['concurrent_runs', 'concurrent_requests', 'request_bytes', ...spentPages],
    not_configured: [],
  },
  refusesAs: { 400: { invalid_input: ['too_many_urls'] } },
})

const monitored: Answer = {
  description: 'With `cron`: the monitor is stored, and its first crawl starts at `next_fires_at`.',
  headers: ['Idempotent-Replayed'],
  example: {
    monitor_id: 7,
    schedule: '0 6 * * 1-5',
    timezone: 'UTC',
    next_fires_at: '2026-01-05T06:00:21.000Z',
    url: 'https://example.com/',
    info: 'A crawl starts on this schedule, in the time zone UTC. See it in GET /v1/crons, change or delete it at /v1/crons/7.',
  },
}

const startCrawl = (profile: Profile): Operation => ({
  body: {
    url: 'https://example.com/',
    max_pages: 500,
    depth: 3,
    exclude_paths: ['^/drafts/'],
    webhook_url: 'https://hooks.example.com/tidemark',
  },
  answers: profile.started === 201 ? { 201: either } : { 202: started, 201: monitored },
  refuses: {
    invalid_input: [...badCrawl, 'bad_cron', 'bad_timezone'],
    idempotency_key_reused: [],
    conflict: ['idempotency_key_of_deleted_run', 'idempotency_key_of_deleted_monitor', 'model_consent'],
    too_many_requests: ['concurrent_runs', 'request_bytes', ...spentPages, 'monitor_cap'],
    not_configured: [],
  },
  refusesAs: { 400: { invalid_input: ['too_many_urls'] } },
})

const either: Answer = {
  description: `${started.description} ${monitored.description}`,
  headers: ['Location', 'Idempotent-Replayed'],
  examples: { crawl: started.example, monitor: monitored.example },
}

export const starts = (profile: Profile): Operations => ({
  startCrawl: startCrawl(profile),
  forkCrawl: forkCrawl(profile),
})
