/** `POST /v1/actors/internal-link-graph`: ranks and clusters of the pages of a crawl by their links. */
import { type Static, Type } from 'typebox'
import { count, described, Id } from '../../primitives.ts'
import { actorAnswer } from './actor.ts'

/** Entries of each list: default and maximum. */
export const topN = { default: 50, max: 1_000 } as const

export const LinkGraphRequest = Type.Object(
  {
    crawl_id: Type.With(Id, { description: 'A crawl of this project.', examples: [42] }),
    top_n: Type.Integer({
      default: topN.default,
      minimum: 1,
      maximum: topN.max,
      description: 'Maximum number of entries in each list.',
    }),
  },
  { $id: 'LinkGraphRequest' },
)
export type LinkGraphRequest = Static<typeof LinkGraphRequest>

const url = described(Type.String(), 'URL of the page.')

const AnchorTexts = Type.Object({
  url,
  anchors: Type.Array(
    Type.Object({
      text: Type.String({ description: 'Text of the link; empty: it has none.' }),
      count: count('Number of links from other pages with that text.'),
    }),
    { description: 'Up to 20 texts, the most frequent first, then by text.' },
  ),
})

const OrphanCluster = Type.Object({
  size: count('Number of pages in the cluster.'),
  urls: Type.Array(Type.String(), {
    description: 'Its first pages by URL: up to 100, and up to 2,000 of all clusters together.',
  }),
})

const LinkGraphStats = Type.Object(
  {
    pages: count('Number of pages that were analysed, whatever their status; at most 100,000.'),
    edges: count('Number of pairs of pages in which the first links to the second by a followed link.'),
    components: count('Number of parts that no edge and no canonical URL connects, in either direction.'),
    iterations: count('Number of iterations.'),
    converged: Type.Boolean({
      description: 'Whether the last iteration changed all ranks together by less than 1e-12.',
    }),
    orphan_clusters: count('Number of clusters, of which orphan_clusters lists the largest.'),
    orphan_pages: count('Number of pages in all clusters.'),
  },
  { description: 'Totals of the graph and of the computation.' },
)

export const LinkGraph = Type.Object({
  pagerank: Type.Array(
    Type.Object({
      url,
      score: Type.Number({ description: 'PageRank with damping 0.85. The ranks of all pages add up to 1.' }),
    }),
    {
      description:
        'Highest first, then by URL. A page passes the same share to each other page that it links to, however many links there are. Links with nofollow, and links of a page whose robots meta or X-Robots-Tag states nofollow, pass nothing. A page that is linked to only in this way still counts as linked to, and its share is spread over all pages, like the rank of pages without links. A page whose canonical URL is another page of the crawl passes its whole rank to that page.',
    },
  ),
  top_donors: Type.Array(
    Type.Object({ url, edges: count('Number of other pages that it links to by followed links.') }),
    { description: 'Highest count first, then by URL. Pages with a count of 0 are left out.' },
  ),
  top_recipients: Type.Array(
    Type.Object({ url, edges: count('Number of other pages that link to it by followed links.') }),
    {
      description:
        'Highest count first, then by URL. Pages with a count of 0 are left out. A link to a URL that redirected counts for its target.',
    },
  ),
  anchor_text_by_target: Type.Array(AnchorTexts, {
    description: 'The link texts to the pages with the most incoming links, in their order.',
  }),
  orphan_clusters: Type.Array(OrphanCluster, {
    description:
      'Pages that cannot be reached from the first page of the crawl (or from the root of its host, if the seed is not a page) by followed links, redirects and canonical URLs. Pages that these connect form a cluster. Largest first, then by URL.',
  }),
  stats: LinkGraphStats,
})
export type LinkGraph = Static<typeof LinkGraph>

export const LinkGraphAnswer = actorAnswer('internal-link-graph', LinkGraph, 'LinkGraphAnswer')
