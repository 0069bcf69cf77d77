/** API reference of differences between crawls, and between pages. */
import type { Operations } from '../reference/operation.ts'
import { asRows } from '../reference/parts.ts'

const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const otherHash = '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752'

const row = {
  class: 'changed',
  url: 'https://example.com/pricing',
  old_status: 200,
  new_status: 200,
  old_hash: otherHash,
  new_hash: hash,
  cause: null,
}

export const diffs: Operations = {
  diffCrawls: {
    answer: {
      description: 'The difference, by content_hash and status.',
      headers: ['Content-Disposition', 'Vary'],
      example: {
        old_run_id: 41,
        new_run_id: 42,
        summary: {
          added: 1,
          removed: 1,
          changed: 1,
          unchanged: 234,
          not_revisited: 1,
          not_compared: 1,
          pages: 239,
        },
        added: [{ url: 'https://example.com/new', hash, status: 200 }],
        removed: [{ url: 'https://example.com/old', hash: otherHash, status: 200 }],
        changed: [
          {
            url: 'https://example.com/pricing',
            old_hash: otherHash,
            new_hash: hash,
            old_status: 200,
            new_status: 200,
            fields: { title: { old: 'Prices', new: 'Prices and plans' } },
          },
        ],
        not_revisited: [{ url: 'https://example.com/report.pdf', cause: 'timeout' }],
        not_compared: [{ url: 'https://example.com/status', cause: 'blocked' }],
      },
      otherwise: asRows(row),
    },
    refuses: {
      invalid_input: ['bad_value'],
      too_many_requests: ['comparisons', 'link_scans'],
    },
  },
  diffPage: {
    answer: {
      description: 'The lines that differ, with their context.',
      headers: ['ETag'],
      example: {
        old_run_id: 41,
        new_run_id: 42,
        url: 'https://example.com/pricing',
        old_page_id: 51,
        new_page_id: 301,
        mode: 'markdown',
        summary: { added: 1, removed: 1, same: 40, changed_words: 1 },
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
        in_words: {
          text: 'A page costs 1 instead of 2 cents.',
          quotes: [
            { change: 'removed', text: 'A page costs 2 cents.' },
            { change: 'added', text: 'A page costs 1 cents.' },
          ],
        },
        model: { name: 'small-model', input_tokens: 214, output_tokens: 41 },
      },
    },
    refuses: {
      invalid_input: ['bad_url', 'bad_value'],
      conflict: ['html_not_stored'],
      fetch_failed: ['too_large', 'timeout'],
    },
  },
}
