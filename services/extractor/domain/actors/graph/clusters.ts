/** Connectivity of a run's pages: components, and clusters that are unreachable from the start page. */
import type { LinkLog } from './link-log.ts'
import { UnionFind } from './union-find.ts'

type Links = Pick<LinkLog, 'pages' | 'forEachEdge' | 'edgesOf'>

/** All pages in ascending order. */
export type Cluster = { size: number; places: number[] }

/** Returns the number of components, connected by links and canonical URLs in either direction. */
export function componentsOf(links: Links, canonicals: Int32Array): number {
  const joined = new UnionFind(links.pages)
  links.forEachEdge((from, to) => joined.join(from, to))
  eachCanonical(canonicals, (from, to) => joined.join(from, to))
  return joined.sets
}

/** 1 for each page that links and canonical URLs reach from the start, else 0. @param start -1 for none */
export function reachedFrom(start: number, links: Links, canonicals: Int32Array): Uint8Array {
  const reached = new Uint8Array(links.pages)
  const line = new Int32Array(links.pages)
  let length = 0
  const meet = (page: number) => {
    if (page < 0 || reached[page] === 1) return
    reached[page] = 1
    line[length++] = page
  }
  meet(start)
  for (let n = 0; n < length; n++) {
    const from = line[n] as number
    links.edgesOf(from, (_, to) => meet(to))
    meet(canonicals[from] as number)
  }
  return reached
}

/**
 * Returns the number of links from the start to each page; -1 if none reaches it.
 * @param start -1 for none
 * @param forwards pages to which the start forwards without a click
 */
export function clicksFrom(start: number, links: Links, forwards: readonly number[] = []): Int32Array {
  const clicks = new Int32Array(links.pages).fill(-1)
  const line = new Int32Array(links.pages)
  let length = 0
  const meet = (page: number, distance: number) => {
    if (page < 0 || clicks[page] !== -1) return
    clicks[page] = distance
    line[length++] = page
  }
  meet(start, 0)
  for (const page of forwards) if (page < links.pages) meet(page, 0)
  for (let n = 0; n < length; n++) {
    const from = line[n] as number
    links.edgesOf(from, (_, to) => meet(to, (clicks[from] as number) + 1))
  }
  return clicks
}

/** Returns the unreachable pages by component, largest first; equal ones by their first page. */
export function orphanClusters(reached: Uint8Array, links: Links, canonicals: Int32Array): Cluster[] {
  if (!reached.includes(0)) return []
  const joined = new UnionFind(links.pages)
  const join = (from: number, to: number) => {
    if (reached[from] === 0 && reached[to] === 0) joined.join(from, to)
  }
  links.forEachEdge(join)
  eachCanonical(canonicals, join)
  const clusters = new Map<number, Cluster>()
  for (let page = 0; page < links.pages; page++) {
    if (reached[page] === 1) continue
    const first = joined.find(page)
    const cluster = clusters.get(first) ?? { size: 0, places: [] }
    cluster.size++
    cluster.places.push(page)
    clusters.set(first, cluster)
  }
  return [...clusters.values()].sort((a, b) => b.size - a.size)
}

function eachCanonical(canonicals: Int32Array, see: (from: number, to: number) => void): void {
  for (const [from, to] of canonicals.entries()) if (to >= 0) see(from, to)
}
