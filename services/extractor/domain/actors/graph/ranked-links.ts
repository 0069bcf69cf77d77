/** The result of ranking the links of a run, as sent. */
import type { RankedLinks } from '@tidemark/contracts/rpc/link-graph'
import { componentsOf, orphanClusters, reachedFrom } from './clusters.ts'
import { flowOf } from './flow.ts'
import type { LinkLog } from './link-log.ts'
import { pagerank } from './pagerank.ts'
import { highest } from './rankings.ts'

export type Graph = {
  links: LinkLog
  /** The canonical page of each page, without circles; -1 for none. */
  canonicals: Int32Array
  /** The start page of the run; -1 for none. */
  start: number
  /** Pages to which the start forwards. */
  forwards?: readonly number[]
}

/** Maximum number of pages in all clusters together, and in one. */
const maxPages = { all: 2_000, each: 100 }
/** Decimal places of reported and compared scores. Differences beyond them are rounding errors. */
const scoreDigits = 1e12

/** @param maxLength maximum length of each list */
export function rankedLinksOf(
  { links, canonicals, start, forwards = [] }: Graph,
  maxLength: number,
): Omit<RankedLinks, 'anchors' | 'warnings'> {
  const { scores, iterations, converged } = pagerank(flowOf(links, canonicals))
  const rounded = scores.map(score => Math.round(score * scoreDigits) / scoreDigits)
  const reached = reachedFrom([start, ...forwards], links, canonicals)
  const clusters = orphanClusters(reached, links, canonicals)
  const isWhole = start >= 0 && forwards.length === 0 && clusters.length === 0 // all pages are then connected to the start
  return {
    pagerank: highest(rounded, maxLength),
    donors: highest(links.followed, maxLength),
    recipients: highest(links.inlinks, maxLength),
    clusters: shown(clusters.slice(0, maxLength)),
    edges: links.edges,
    components: isWhole ? 1 : componentsOf(links, canonicals),
    orphanClusters: clusters.length,
    orphanPages: clusters.reduce((sum, { length }) => sum + length, 0),
    iterations,
    converged,
  }
}

function shown(clusters: readonly number[][]): RankedLinks['clusters'] {
  const each = Math.min(maxPages.each, Math.max(1, Math.floor(maxPages.all / clusters.length)))
  return clusters.map(pages => [pages.length, pages.slice(0, each)])
}
