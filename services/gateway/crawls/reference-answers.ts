/**
 * API reference of the explanations of a crawl: its coverage, its failures, its events, and the reasons for each URL.
 */
import { explanationExample } from '@tidemark/contracts/http/explanation-example'
import type { Operations } from '../reference/operation.ts'
import { asOfRefusals, asRows, noneNotReached, noneTrapped } from '../reference/parts.ts'

const failure = {
  url: 'https://example.com/report.pdf',
  reason: 'timeout',
  sentence: 'The host did not respond in time.',
  attempts: 3,
  at: '2026-01-02T03:04:40.000Z',
  found_from: 'https://example.com/',
}

const stream = `id: 4711-0
event: page
data: {"id":51,"url":"https://example.com/","status":200,"bytes":2281,"title":"Example","depth":0,"fetched_at":"2026-01-02T03:04:06.331Z"}

id: 4988-0
event: end
data: {"status":"done","stop_reason":"exhausted","error_message":null,"totals":{"discovered":240,"fetched":238,"failed":1,"skipped":1,"duplicate":0,"not_reached":0,"pending":0}}

`

export const crawlAnswers: Operations = {
  getCoverage: {
    answer: {
      description: 'The coverage as of `position`. The counts always add up to `discovered`.',
      headers: ['ETag'],
      example: {
        run_id: 42,
        status: 'done',
        stop_reason: 'exhausted',
        error_message: null,
        error_reason: null,
        position: 118,
        discovered: 245,
        fetched: 238,
        not_modified: { pages: 201, bytes_saved: 3_214_877 },
        pages_reused: 0,
        failed: { total: 1, by_reason: { timeout: 1 } },
        skipped: {
          total: 4,
          by_reason: {
            robots: 3,
            robots_unreachable: 0,
            redirect_out_of_scope: 1,
            excluded: 0,
            not_included: 0,
            trap: noneTrapped,
          },
        },
        duplicate: 2,
        not_reached: noneNotReached,
        pending: 0,
        budget: { max_cost_usd: 0.5, cost_usd: 0.238, max_bytes: null, bytes: null },
        sitemaps: { read: 1, failed: 0, cut: 0 },
        frontier_full: false,
        holds: true,
      },
    },
    refuses: asOfRefusals,
  },
  listErrors: {
    answer: {
      description: 'The failed URLs, in the order of their failures.',
      headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: { items: [failure], next_offset: null },
      otherwise: asRows(failure),
    },
    refuses: asOfRefusals,
  },
  followCrawl: {
    answers: {
      200: { description: 'The past events, then new ones until the crawl ends.', example: stream },
      204: { description: 'The crawl has ended, and no event follows the last one that you received.' },
    },
    refuses: { invalid_input: ['bad_value'], too_many_requests: ['event_streams'] },
  },
  explainUrl: {
    answer: {
      description: 'The outcome of the URL, rule by rule.',
      headers: ['ETag'],
      example: explanationExample,
    },
    refuses: { invalid_input: ['bad_url'], too_many_requests: ['concurrent_requests'] },
  },
}
