/** API reference of the actor that ranks the pages of a crawl. */

import type { Operations } from '../../reference/operation.ts'
import { spentPages } from '../../reference/parts.ts'
import { answersOf } from '../reference.ts'

const home = 'https://example.com/'
const pricing = 'https://example.com/pricing'

const graph = {
  pagerank: [
    { url: home, score: 0.438202247191 },
    { url: pricing, score: 0.311797752809 },
  ],
  top_donors: [{ url: home, edges: 12 }],
  top_recipients: [{ url: home, edges: 11 }],
  anchor_text_by_target: [{ url: home, anchors: [{ text: 'Home', count: 11 }] }],
  orphan_clusters: [{ size: 1, urls: ['https://example.com/old-offer'] }],
  stats: {
    pages: 14,
    edges: 31,
    components: 2,
    iterations: 34,
    converged: true,
    orphan_clusters: 1,
    orphan_pages: 1,
  },
}

export const graphActors: Operations = {
  analyseLinkGraph: {
    body: { crawl_id: 42, top_n: 50 },
    answer: answersOf('The link graph of the crawl.', {
      actor: 'internal-link-graph',
      url: 'crawl:42',
      elapsed_ms: 640,
      data: graph,
    }),
    refuses: {
      invalid_input: ['required', 'wrong_type', 'out_of_range'],
      not_found: [],
      too_many_requests: ['actor_requests', 'concurrent_requests', ...spentPages],
      fetch_failed: ['timeout', 'too_large'],
    },
  },
}
