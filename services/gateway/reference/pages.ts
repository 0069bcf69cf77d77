/** Stored pages, and the links between them. */
import type { Operations } from './operation.ts'

const page = {
  id: 51,
  url: 'https://example.com/',
  status: 200,
  bytes: 2281,
  fetched_at: '2026-01-02T03:04:06.331Z',
}

export const metadata = {
  title: 'Example',
  description: 'A site of examples.',
  canonical: 'https://example.com/',
  lang: 'en',
  robots: ['index', 'follow'],
  og: { title: 'Example', image: 'https://example.com/og.png', type: 'website' },
  twitter: { card: 'summary' },
  json_ld: [{ '@context': 'https://schema.org', '@type': 'WebSite', name: 'Example' }],
}

export const pages: Operations = {
  listPages: {
    answers: {
      200: {
        says: 'Pages in the order in which they were settled. Long lists are streamed.',
        headers: ['ETag', 'X-Next-Offset', 'Link', 'Vary'],
        example: { items: [page], next_offset: 100 },
        otherwise: {
          'application/x-ndjson': {
            says: 'One page a line; with `include`, its content too.',
            example: `${JSON.stringify(page)}\n`,
          },
          'text/csv': {
            says: 'RFC 4180: a line of names, then one page a line.',
            example: `${Object.keys(page).join()}\r\n${Object.values(page).join()}\r\n`,
          },
        },
      },
    },
    refuses: { invalid_input: ['conflicting_fields'], too_many_requests: ['content_streams'] },
  },
  getPage: {
    answers: {
      200: {
        says: 'The page with its content in the form that was asked for.',
        headers: ['ETag'],
        example: {
          ...page,
          content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          content_type: 'text/html; charset=utf-8',
          html: '<!doctype html><title>Example</title><h1>Example</h1>',
          metadata,
        },
      },
    },
    refuses: { conflict: ['html_not_stored'], fetch_failed: ['too_large', 'timeout'] },
  },
  listLinks: {
    answers: {
      200: {
        says: 'The links, by the page on which they stand.',
        headers: ['ETag'],
        example: {
          items: [
            {
              from_page_id: 51,
              to_url: 'https://example.com/pricing',
              anchor: 'Prices',
              rel: null,
              nofollow: false,
            },
          ],
          next_offset: null,
        },
      },
    },
    refuses: { invalid_input: ['bad_url'] },
  },
  listOrphans: {
    answers: {
      200: {
        says: 'The pages without a link from another page; the seed is never one of them.',
        headers: ['ETag'],
        example: {
          items: [
            {
              id: 77,
              url: 'https://example.com/legacy',
              status: 200,
              fetched_at: '2026-01-02T03:04:31.000Z',
            },
          ],
        },
      },
    },
  },
}
