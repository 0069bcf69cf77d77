/** API reference of stored pages. */

import type { Operations } from '../reference/operation.ts'
import { asOfRefusals, asRows, metadata } from '../reference/parts.ts'

const page = {
  id: 51,
  url: 'https://example.com/',
  status: 200,
  bytes: 2281,
  fetched_at: '2026-01-02T03:04:06.331Z',
}

const extraction = {
  data: { name: 'Tide clock', price: null },
  fields: [{ path: '/name', from: 'jsonld', where: 'json_ld[0].name' }],
  valid: true,
  errors: [],
}

export const pages: Operations = {
  listPages: {
    answer: {
      description: 'The pages in the order in which they were stored. Long lists are streamed.',
      headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: { items: [page], next_offset: 100 },
      otherwise: {
        ...asRows(page),
        'application/x-ndjson': {
          description: 'One page per line. With `include`, its content too.',
          example: `${JSON.stringify(page)}\n`,
        },
      },
    },
    refuses: {
      invalid_input: ['conflicting_fields'],
      ...asOfRefusals,
      too_many_requests: ['content_streams', 'link_scans', 'concurrent_requests'],
    },
  },
  replayCrawl: {
    answer: {
      description: 'The pages of this part that differ, and the number of those that were read.',
      headers: ['ETag'],
      example: {
        run_id: 42,
        items: [
          {
            id: 51,
            url: 'https://example.com/',
            changes: [{ field: 'metadata.lang', stored: null, now: 'en' }],
            links: {
              added_total: 1,
              added: [
                { to_url: 'https://example.com/pricing', anchor: 'Prices', rel: null, nofollow: false },
              ],
              removed_total: 0,
              removed: [],
            },
          },
        ],
        pages_read: 20,
        pages_changed: 1,
        pages_not_stored: 0,
        pages_unreadable: 0,
        total: 238,
        next_offset: 20,
      },
    },
    refuses: { conflict: ['html_not_stored'], too_many_requests: ['concurrent_requests'] },
  },
  extractFromPage: {
    body: {
      schema: {
        type: 'object',
        properties: { name: { type: 'string' }, price: { type: 'number' } },
        required: ['name'],
      },
    },
    answer: {
      description: 'The filled object with the source of each value.',
      headers: ['X-Pages-Billed'],
      example: {
        id: 51,
        url: 'https://example.com/clock',
        status: 200,
        extraction,
        warnings: ['no value for /price was found'],
      },
    },
    refuses: {
      invalid_input: ['bad_value'],
      conflict: ['html_not_stored', 'model_consent'],
      too_many_requests: ['model_calls'],
      fetch_failed: ['too_large', 'timeout'],
      not_configured: [],
    },
  },
  getPageScreenshot: {
    answer: { description: 'The screenshot, a PNG.', headers: ['ETag'], example: 'PNG' },
  },
  getPage: {
    answer: {
      description: 'The page with its content in the requested form.',
      headers: ['ETag'],
      example: {
        ...page,
        content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        content_type: 'text/html; charset=utf-8',
        html: '<!doctype html><title>Example</title><h1>Example</h1>',
        metadata,
      },
    },
    refuses: {
      invalid_input: ['conflicting_fields'],
      conflict: ['html_not_stored'],
      fetch_failed: ['too_large', 'timeout'],
    },
  },
}
