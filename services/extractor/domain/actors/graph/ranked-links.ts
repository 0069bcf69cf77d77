/** What the links of a run make of its pages, as it is answered. */
import type { RankedLinks } from '@tidemark/contracts/ask/link-graph'
import { type Cluster, componentsOf, orphanClusters, reachedFrom } from './clusters.ts'
import { flowOf } from './flow.ts'
import type { LinkLog } from './link-log.ts'
import { pagerank } from './pagerank.ts'
import { highest } from './rankings.ts'

export type Graph = {
  links: LinkLog
  /** Of each page the page that it would rather be known by, without circles; -1 for none. */
  canonicals: Int32Array
  /** The page with which the run began; -1 for none. */
  start: number
}

/** Of all clusters together, and of one. */
const mostPagesTold = { all: 2_000, each: 100 }
/** Scores are told, and compared, up to here: what differs beyond that is rounding. */
const scoreDigits = 1e12

/** @param most of each list */
export function rankedLinksOf(
  { links, canonicals, start }: Graph,
  most: number,
): Omit<RankedLinks, 'anchors' | 'warnings'> {
  const { scores, iterations, converged } = pagerank(flowOf(links, canonicals))
  const told = scores.map(score => Math.round(score * scoreDigits) / scoreDigits)
  const reached = reachedFrom(start, links, canonicals)
  const clusters = orphanClusters(reached, links, canonicals)
  const isWhole = start >= 0 && clusters.length === 0 // then all hangs together at the start
  return {
    pagerank: highest(told, most),
    donors: highest(links.followed, most),
    recipients: highest(links.inlinks, most),
    clusters: shown(clusters.slice(0, most)),
    edges: links.edges,
    components: isWhole ? 1 : componentsOf(links, canonicals),
    orphanClusters: clusters.length,
    orphanPages: clusters.reduce((sum, { size }) => sum + size, 0),
    iterations,
    converged,
  }
}

function shown(clusters: readonly Cluster[]): RankedLinks['clusters'] {
  const each = Math.min(mostPagesTold.each, Math.max(1, Math.floor(mostPagesTold.all / clusters.length)))
  return clusters.map(({ size, places }) => [size, places.slice(0, each)])
}
