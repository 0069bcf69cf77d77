/** Links between the pages of a crawl. */
import type { Operations } from '../reference/operation.ts'

export const links: Operations = {
  listLinks: {
    answers: {
      200: {
        says: 'The links, ordered by the page that contains them.',
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
        says: 'The pages without a link from another page. The seed is never listed.',
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
