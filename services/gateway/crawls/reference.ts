/** API reference of crawls. */

import type { Profile } from '../http/domain/profile.ts'
import type { Operations } from '../reference/operation.ts'
import { asOfRefusals, badSite, spentPages, unreachable } from '../reference/parts.ts'
import { badCrawl, starts } from './reference-starts.ts'

const run = {
  id: 42,
  url: 'https://example.com/',
  status: 'done',
  page_count: 238,
  error_count: 1,
  enqueued_at: '2026-01-02T03:04:05.678Z',
  started_at: '2026-01-02T03:04:05.702Z',
  paused_at: null,
  finished_at: '2026-01-02T03:05:10.115Z',
  error_message: null,
  error_reason: null,
  stop_reason: 'exhausted',
  proxy_url: null,
  ai_bot_policy: { GPTBot: 'partial', ClaudeBot: 'unspecified' },
  llms_txt: '# Example\n\n- [Prices](https://example.com/pricing)\n',
  llms_full_txt: null,
  webhook_status: 'delivered',
  webhook_attempts: 1,
  webhook_last_error: null,
  previous_run_id: null,
  forked_from: null,
  pages_reused: 0,
}

/** Lists of runs leave out the policy and the texts of the site. */
const listed = { ...run, ai_bot_policy: null, llms_txt: null }

const llmsTxt =
  '# Example\n\n> A site of examples.\n\n## Pages\n\n- [Prices](https://example.com/pricing): Prices of all plans.\n'

const llmsTxtBuild = {
  run_id: 42,
  llms_txt: llmsTxt,
  llms_full_txt:
    '# Example\n\n> A site of examples.\n\n---\n\n# Prices\n\nSource: https://example.com/pricing\n\nAll plans have the same features.\n',
  report: {
    listed: 1,
    left_out: [
      {
        url: 'https://example.com/login',
        reason: 'login',
        sentence: 'The page is a form to sign in or out.',
      },
    ],
    full: { tokens: 35, max_tokens: 100000, pages: 1, cut: null, missing: [] },
  },
}

const cancelled = {
  ...run,
  status: 'cancelled',
  page_count: 17,
  error_count: 0,
  finished_at: '2026-01-02T03:04:11.020Z',
  stop_reason: 'cancelled',
  webhook_status: null,
  webhook_attempts: 0,
}

const running = {
  ...cancelled,
  status: 'running',
  paused_at: '2026-01-02T03:04:11.020Z',
  finished_at: null,
  stop_reason: null,
}

export const crawls = (profile: Profile): Operations => ({
  ...starts(profile),
  listCrawls: {
    answer: {
      description: 'The crawls of the project, newest first.',
      headers: ['ETag'],
      example: { items: [listed], next_offset: null },
    },
  },
  getCrawl: {
    answer: { description: 'The state of the crawl, now or as of a time.', headers: ['ETag'], example: run },
    refuses: asOfRefusals,
  },
  cancelCrawl: {
    answer: {
      description: 'The cancelled crawl. A crawl that had already ended is unchanged.',
      example: cancelled,
    },
  },
  pauseCrawl: {
    answer: { description: 'The paused crawl.', example: running },
    refuses: { conflict: ['run_ended'] },
  },
  resumeCrawl: {
    answer: { description: 'The crawl, which continues.', example: { ...running, paused_at: null } },
    refuses: { conflict: ['run_ended', 'narrowed_key'] },
  },
  retryFailed: {
    answer: {
      description: 'The crawl, which is running again.',
      example: { ...running, paused_at: null, page_count: 238, error_count: 0, retried_urls: 1 },
    },
    refuses: {
      conflict: [
        'run_active',
        'run_cancelled',
        'no_failures',
        'max_pages_reached',
        'max_cost_reached',
        'max_bytes_reached',
        'narrowed_key',
      ],
      too_many_requests: ['concurrent_runs', ...spentPages],
    },
  },
  shareCrawl: {
    body: { expires_in_hours: 72 },
    answer: {
      description: 'The address. It shows the crawl until it ends.',
      example: {
        url: 'https://tidemark.example.com/console/crawls/42#share=sealed2.0f1e2d3c.mVd2Xq0T…',
        expires_at: '2026-01-05T03:04:05.678Z',
      },
    },
  },
  endShares: {
    answers: { 204: { description: 'No earlier address of the crawl opens any more.' } },
    refuses: { too_many_requests: ['account_changes'] },
  },
  deleteCrawl: {
    answers: { 204: { description: 'The crawl and its pages are deleted. Billed pages stay billed.' } },
  },
  estimateCrawl: {
    body: { url: 'https://example.com/', max_pages: 500, exclude_paths: ['^/drafts/'] },
    answer: {
      headers: ['X-Pages-Billed'],
      description: 'The estimate. No crawl was started, and nothing is stored.',
      example: {
        url: 'https://example.com/',
        pages: { low: 238, high: 357 },
        seconds_at_polite_rate: { low: 59.5, high: 89.25 },
        cost: { pages: { low: 238, high: 357 }, usd: { low: 0.238, high: 0.357 } },
        in: ['https://example.com/', 'https://example.com/pricing'],
        out: [{ url: 'https://example.com/drafts/new', rule: 'exclude', because: '^/drafts/' }],
        basis: { by: 'sitemaps', listed: 240, would_be_crawled: 238, truncated: false, last_run: null },
      },
    },
    refuses: {
      invalid_input: [...badCrawl, 'bad_cron', 'bad_timezone'],
      too_many_requests: ['concurrent_requests'],
      fetch_failed: ['dns', 'connect', 'tls', 'timeout'],
      not_configured: [],
    },
    refusesAs: { 400: { invalid_input: ['too_many_urls'] } },
  },
  buildLlmsTxt: {
    body: { url: 'https://example.com/', max_pages: 30, site_name: 'Example', wait_seconds: 60 },
    answer: {
      description: 'The llms.txt (llmstxt.org), the llms-full.txt, or both with a report.',
      headers: ['X-Pages-Billed', 'Content-Location'],
      example: llmsTxtBuild,
      otherwise: { 'text/plain': { description: 'llms.txt or llms-full.txt.', example: llmsTxt } },
    },
    refuses: {
      invalid_input: badSite,
      timeout: [],
      conflict: [],
      too_many_requests: ['concurrent_runs', 'request_bytes', ...spentPages],
      fetch_failed: [...unreachable, 'proxy', 'robots', 'blocked', null],
    },
  },
})
