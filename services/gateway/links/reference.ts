/** API reference of links between the pages of a crawl. */
import type { Operations } from '../reference/operation.ts'
import { asOfRefusals, asRows } from '../reference/parts.ts'

const link = {
  from_page_id: 51,
  to_url: 'https://example.com/pricing',
  anchor: 'Prices',
  rel: null,
  nofollow: false,
}
const orphan = {
  id: 77,
  url: 'https://example.com/legacy',
  status: 200,
  fetched_at: '2026-01-02T03:04:31.000Z',
}

export const links: Operations = {
  listLinks: {
    answer: {
      description: 'The links, ordered by the page that contains them.',
      headers: ['ETag', 'X-Next-Offset', 'Link', 'Content-Disposition', 'Vary'],
      example: { items: [link], next_offset: null },
      otherwise: asRows(link),
    },
    refuses: {
      invalid_input: ['bad_url'],
      ...asOfRefusals,
      too_many_requests: ['link_scans', 'concurrent_requests'],
    },
  },
  listOrphans: {
    answer: {
      description: 'The pages without a link from another page. The seed is never listed.',
      headers: ['ETag', 'Content-Disposition', 'Vary'],
      example: { items: [orphan] },
      otherwise: asRows(orphan),
    },
    refuses: { ...asOfRefusals, too_many_requests: ['link_scans', 'concurrent_requests'] },
  },
}
