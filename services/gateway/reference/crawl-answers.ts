/** What a crawl answers for: its receipt, its failures, its events, and why each URL ended as it did. */
import type { Operations } from './operation.ts'

const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const otherHash = '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752'

const failure = {
  url: 'https://example.com/report.pdf',
  reason: 'timeout',
  sentence: 'The server did not answer in time.',
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
    answers: {
      200: {
        says: 'The receipt as of `position`. Its sum holds at every moment.',
        headers: ['ETag'],
        example: {
          run_id: 42,
          status: 'done',
          stop_reason: 'exhausted',
          position: 118,
          discovered: 245,
          fetched: 238,
          not_modified: { pages: 201, bytes_saved: 3_214_877 },
          failed: { total: 1, by_reason: { timeout: 1 } },
          skipped: {
            total: 4,
            by_reason: {
              robots: 3,
              robots_unreachable: 0,
              redirect_out_of_scope: 1,
              excluded: 0,
              not_included: 0,
              trap: {
                path_repetition: 0,
                path_depth: 0,
                calendar: 0,
                parameters: 0,
                session_id: 0,
                equal_content: 0,
              },
            },
          },
          duplicate: 2,
          not_reached: {
            total: 0,
            by_limit: { max_pages: 0, depth: 0, quota: 0, cancelled: 0, time_limit: 0 },
          },
          pending: 0,
          sitemaps: { read: 1, failed: 0, cut: 0 },
          frontier_full: false,
          holds: true,
        },
      },
    },
  },
  listErrors: {
    answers: {
      200: {
        says: 'The URLs that failed, in the order in which they did.',
        headers: ['ETag', 'X-Next-Offset', 'Link', 'Vary'],
        example: { items: [failure], next_offset: null },
        otherwise: {
          'application/x-ndjson': { says: 'One item a line.', example: `${JSON.stringify(failure)}\n` },
          'text/csv': {
            says: 'RFC 4180: a line of names, then one item a line.',
            example:
              'url,reason,sentence,attempts,at,found_from\r\nhttps://example.com/report.pdf,timeout,The server did not answer in time.,3,2026-01-02T03:04:40.000Z,https://example.com/\r\n',
          },
        },
      },
    },
  },
  followCrawl: {
    answers: {
      200: { says: 'The events so far, then those to come, to the end of the crawl.', example: stream },
      204: { says: 'The crawl is over, and nothing follows the event that was named.' },
    },
    refuses: { invalid_input: ['bad_value'], too_many_requests: ['event_streams'] },
  },
  explainUrl: {
    answers: {
      200: {
        says: 'What became of the URL, rule by rule.',
        headers: ['ETag'],
        example: {
          url: 'https://example.com/drafts/new',
          key: 'b3_Vu0PkN9Q',
          verdict: 'skipped',
          found: {
            from_url: 'https://example.com/',
            anchor: 'New draft',
            depth: 1,
            at: '2026-01-02T03:04:06.500Z',
            sequence: 12,
          },
          rules: [
            { rule: 'scope', passed: true, because: 'https://example.com is the host of the seed' },
            { rule: 'patterns', passed: false, because: 'exclude_paths has ^/drafts/' },
          ],
          attempts: [],
          redirects: [],
          duplicate_of: null,
          page_id: null,
          what_would_change: ['leave ^/drafts/ out of exclude_paths'],
        },
      },
    },
    refuses: { invalid_input: ['bad_url'] },
  },
  diffCrawls: {
    answers: {
      200: {
        says: 'The difference, by content_hash.',
        example: {
          old_run_id: 41,
          new_run_id: 42,
          summary: { added: 1, removed: 1, changed: 1, unchanged: 234, not_revisited: 1, not_compared: 1 },
          added: [{ url: 'https://example.com/new', hash }],
          removed: [{ url: 'https://example.com/old', hash: otherHash }],
          changed: [
            {
              url: 'https://example.com/pricing',
              old_hash: otherHash,
              new_hash: hash,
              fields: { title: { old: 'Prices', new: 'Prices and plans' } },
            },
          ],
          not_revisited: [{ url: 'https://example.com/report.pdf', cause: 'timeout' }],
          not_compared: [{ url: 'https://example.com/status', cause: 'http_503' }],
        },
      },
    },
    refuses: { invalid_input: ['bad_value'], too_many_requests: ['comparisons'] },
  },
  diffPage: {
    answers: {
      200: {
        says: 'The lines that differ, with those around them.',
        headers: ['ETag'],
        example: {
          old_run_id: 41,
          new_run_id: 42,
          url: 'https://example.com/pricing',
          old_page_id: 51,
          new_page_id: 301,
          mode: 'markdown',
          summary: { added: 1, removed: 1, same: 40 },
          lines: [
            { change: 'same', old_line: 1, new_line: 1, text: '# Pricing' },
            {
              change: 'removed',
              old_line: 2,
              text: 'A page costs 2 cents.',
              words: [
                { change: 'same', text: 'A page costs ' },
                { change: 'removed', text: '2' },
                { change: 'same', text: ' cents.' },
              ],
            },
            {
              change: 'added',
              new_line: 2,
              text: 'A page costs 1 cents.',
              words: [
                { change: 'same', text: 'A page costs ' },
                { change: 'added', text: '1' },
                { change: 'same', text: ' cents.' },
              ],
            },
          ],
          truncated: false,
        },
      },
    },
    refuses: {
      invalid_input: ['bad_url', 'bad_value'],
      conflict: ['html_not_stored'],
      fetch_failed: ['too_large', 'timeout'],
    },
  },
}
