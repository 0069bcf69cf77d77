/** Builds the answer of the link graph: positions of pages become URLs. */

import type { LinkGraph } from '@tidemark/contracts/http/actors/internal-link-graph'
import type { RankedLinks } from '@tidemark/contracts/rpc/link-graph'

/** Returns the positions of the pages in an answer, each once. */
export function positionsIn({ pagerank, donors, recipients, clusters }: RankedLinks): number[] {
  const ranked = [...pagerank, ...donors, ...recipients].map(([position]) => position)
  return [...new Set([...ranked, ...clusters.flatMap(([, positions]) => positions)])]
}

/** @param urlOf returns undefined for a page that has been deleted: it is left out */
export function linkGraphOf(
  found: RankedLinks,
  pages: number,
  urlOf: (position: number) => string | undefined,
): LinkGraph {
  const { edges, components, iterations, converged, orphanClusters, orphanPages } = found
  const urls = (positions: readonly number[]) => positions.flatMap(position => urlOf(position) ?? [])
  const named = <Entry>(
    ranked: RankedLinks['pagerank'],
    entryOf: (url: string, value: number, n: number) => Entry,
  ) =>
    ranked.flatMap(([position, value], n) => {
      const url = urlOf(position)
      return url === undefined ? [] : [entryOf(url, value, n)]
    })
  const edgesOf = (url: string, edges: number) => ({ url, edges })
  return {
    pagerank: named(found.pagerank, (url, score) => ({ url, score })),
    top_donors: named(found.donors, edgesOf),
    top_recipients: named(found.recipients, edgesOf),
    anchor_text_by_target: named(found.recipients, (url, _, n) => ({
      url,
      anchors: (found.anchors[n] ?? []).map(([text, count]) => ({ text, count })),
    })),
    orphan_clusters: found.clusters.map(([size, positions]) => ({ size, urls: urls(positions) })),
    stats: {
      pages,
      edges,
      components,
      iterations,
      converged,
      orphan_clusters: orphanClusters,
      orphan_pages: orphanPages,
    },
  }
}

/** Returns the link graph of a run without links. */
export const noLinks = (pages: number): LinkGraph => ({
  pagerank: [],
  top_donors: [],
  top_recipients: [],
  anchor_text_by_target: [],
  orphan_clusters: [],
  stats: {
    pages,
    edges: 0,
    components: 0,
    iterations: 0,
    converged: true,
    orphan_clusters: 0,
    orphan_pages: 0,
  },
})
