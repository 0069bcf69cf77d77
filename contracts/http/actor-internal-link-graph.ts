/** `POST /v1/actors/internal-link-graph`: what the links between the pages of a crawl make of them. */
import { type Static, Type } from 'typebox'
import { Id, said } from '../primitives.ts'
import { actorAnswer } from './actor.ts'

/** Entries of each list: where nothing is said, and at most. */
export const topN = { usual: 50, most: 1_000 } as const

export const LinkGraphRequest = Type.Object(
  {
    crawl_id: Type.With(Id, { description: 'A crawl of this project.', examples: [42] }),
    top_n: Type.Integer({
      default: topN.usual,
      minimum: 1,
      maximum: topN.most,
      description: 'Most entries of each list.',
    }),
  },
  { $id: 'LinkGraphRequest' },
)
export type LinkGraphRequest = Static<typeof LinkGraphRequest>

const url = said(Type.String(), 'Of the page.')
const Count = (description: string) => Type.Integer({ minimum: 0, description })

const AnchorTexts = Type.Object({
  url,
  anchors: Type.Array(
    Type.Object({
      text: Type.String({ description: 'Of the link; empty where it has none.' }),
      count: Count('Links of other pages with that text, each.'),
    }),
    { description: 'Up to 20 texts, the most frequent first, then by text.' },
  ),
})

const OrphanCluster = Type.Object({
  size: Count('All pages of it.'),
  urls: Type.Array(Type.String(), {
    description: 'Its first pages by URL: up to 100, and up to 2,000 of all clusters together.',
  }),
})

const LinkGraphStats = Type.Object(
  {
    pages: Count('Pages of the crawl that were looked at, whatever their status; at most 100,000.'),
    edges: Count('Pairs of pages of which the one links to the other by a link that may be followed.'),
    components: Count('Parts that no edge and no canonical address joins, in whichever direction.'),
    iterations: Count('How often the ranks were reckoned anew.'),
    converged: Type.Boolean({
      description: 'Whether the last time moved all ranks together by less than 1e-12.',
    }),
    orphan_clusters: Count('All clusters, of which orphan_clusters shows the largest.'),
    orphan_pages: Count('All pages in them.'),
  },
  { description: 'How much there is, and how it was reckoned.' },
)

export const LinkGraph = Type.Object({
  pagerank: Type.Array(
    Type.Object({
      url,
      score: Type.Number({ description: 'PageRank with damping 0.85; over all pages it sums to 1.' }),
    }),
    {
      description:
        'The highest, then by URL. A page gives the same share to each other page that it links to, however many links there are. Links with nofollow, and those of a page whose robots meta or X-Robots-Tag says nofollow, pass nothing; the pages to which only such lead count as linked to, and their share is spread over all pages, as is the rank of pages without links. A page whose canonical address leads to another page of the crawl gives its whole rank to that one.',
    },
  ),
  top_donors: Type.Array(
    Type.Object({ url, edges: Count('Other pages that it links to by links that may be followed.') }),
    { description: 'The highest, then by URL; no page without.' },
  ),
  top_recipients: Type.Array(
    Type.Object({ url, edges: Count('Other pages that link to it by links that may be followed.') }),
    {
      description:
        'The highest, then by URL; no page without. A link to a URL that redirected counts for where it led.',
    },
  ),
  anchor_text_by_target: Type.Array(AnchorTexts, {
    description: 'By which texts other pages link to the top recipients, in their order.',
  }),
  orphan_clusters: Type.Array(OrphanCluster, {
    description:
      'Pages that cannot be reached from the page with which the crawl began (or, where that is no page of it, from the root of its host) by links that may be followed, redirects and canonical addresses; those together that such join. The largest first, then by URL.',
  }),
  stats: LinkGraphStats,
})
export type LinkGraph = Static<typeof LinkGraph>

export const LinkGraphAnswer = actorAnswer('internal-link-graph', LinkGraph, 'LinkGraphAnswer')
export type LinkGraphAnswer = Static<typeof LinkGraphAnswer>
