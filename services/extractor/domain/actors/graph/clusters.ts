/** Connectivity of a run's pages: components, and clusters that are unreachable from the start page. */
import type { LinkLog } from './link-log.ts'
import { UnionFind } from './union-find.ts'

type Links = Pick<LinkLog, 'pages' | 'forEachEdge' | 'edgesOf'>

/** Returns the number of components, connected by links and canonical URLs in either direction. */
export function componentsOf(links: Links, canonicals: Int32Array): number {
  const joined = new UnionFind(links.pages)
  links.forEachEdge((from, to) => joined.join(from, to))
  eachCanonical(canonicals, (from, to) => joined.join(from, to))
  return joined.sets
}

/** Returns 1 for each page that links and canonical URLs reach from a start, else 0. @param starts -1 for none */
export const reachedFrom = (starts: readonly number[], links: Links, canonicals: Int32Array): Uint8Array =>
  Uint8Array.from(distancesFrom(starts, links, canonicals), distance => Number(distance >= 0))

/**
 * Returns the number of links from the start to each page; -1 if none reaches it.
 * @param start -1 for none
 * @param forwards pages to which the start forwards without a click
 */
export const clicksFrom = (start: number, links: Links, forwards: readonly number[] = []): Int32Array =>
  distancesFrom([start, ...forwards], links)

/** Breadth-first search. */
function distancesFrom(starts: readonly number[], links: Links, canonicals?: Int32Array): Int32Array {
  const distances = new Int32Array(links.pages).fill(-1)
  const queue = new Int32Array(links.pages)
  let length = 0
  const enqueue = (page: number, distance: number) => {
    if (page < 0 || distances[page] !== -1) return
    distances[page] = distance
    queue[length++] = page
  }
  for (const start of starts) enqueue(start, 0)
  for (let n = 0; n < length; n++) {
    const from = queue[n] as number
    const next = (distances[from] as number) + 1
    links.edgesOf(from, (_, to) => enqueue(to, next))
    if (canonicals !== undefined) enqueue(canonicals[from] as number, next)
  }
  return distances
}

/** Returns the unreachable pages by component, in ascending order. The largest component is first. */
export function orphanClusters(reached: Uint8Array, links: Links, canonicals: Int32Array): number[][] {
  if (!reached.includes(0)) return []
  const joined = new UnionFind(links.pages)
  const join = (from: number, to: number) => {
    if (reached[from] === 0 && reached[to] === 0) joined.join(from, to)
  }
  links.forEachEdge(join)
  eachCanonical(canonicals, join)
  const clusters = new Map<number, number[]>()
  for (let page = 0; page < links.pages; page++) {
    if (reached[page] === 1) continue
    const first = joined.find(page)
    const cluster = clusters.get(first)
    if (cluster === undefined) clusters.set(first, [page])
    else cluster.push(page)
  }
  return [...clusters.values()].sort((a, b) => b.length - a.length)
}

function eachCanonical(canonicals: Int32Array, see: (from: number, to: number) => void): void {
  for (const [from, to] of canonicals.entries()) if (to >= 0) see(from, to)
}
