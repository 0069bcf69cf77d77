/** Chooses the links of a crawl that a picture of its pages can show. */

/** A page of the graph. */
export type Node = {
  id: number
  url: string
  title: string | null
  status: number
  depth: number
  /** Links from other pages, as the API counts them. */
  inlinks: number
}

export type Links = {
  /** Pairs of node numbers, the page with the link first. */
  edges: Uint32Array
  /** Number of pairs of pages with a link; the rest is not drawn. */
  total: number
  /** Other pages that each page links to. */
  outlinks: Uint32Array
}

/** Maximum number of drawn links. More lines would merge into one dark area, and slow down the animation. */
const maxEdges = 15_000

/** Collects links in the order of their pages, one for each pair. Links to other URLs and to the page itself are ignored. */
export function collectLinks(nodes: readonly Node[]) {
  const byId = new Map(nodes.map(({ id }, n) => [id, n]))
  const byUrl = new Map(nodes.map(({ url }, n) => [url, n]))
  const pairs: number[] = []
  let targets = new Set<number>()
  let page = -1
  const add = (fromPageId: number, toUrl: string): void => {
    if (fromPageId !== page) targets = new Set()
    page = fromPageId
    const from = byId.get(fromPageId)
    const to = byUrl.get(toUrl)
    if (from === undefined || to === undefined || from === to || targets.has(to)) return
    targets.add(to)
    pairs.push(from, to)
  }
  return { add, chosen: () => chosenOf(nodes, pairs) }
}

/**
 * Chooses the links to draw: the first one to each page, so that all linked pages are connected, then those to the pages
 * with the fewest links. Menus link to the same few pages from everywhere, and their links would hide all others.
 */
function chosenOf(nodes: readonly Node[], pairs: readonly number[]): Links {
  const outlinks = new Uint32Array(nodes.length)
  const inlinks = new Uint32Array(nodes.length)
  for (let at = 0; at < pairs.length; at += 2) {
    outlinks[pairs[at] as number] = (outlinks[pairs[at] as number] as number) + 1
    inlinks[pairs[at + 1] as number] = (inlinks[pairs[at + 1] as number] as number) + 1
  }
  const total = pairs.length / 2
  if (total <= maxEdges) return { edges: Uint32Array.from(pairs), total, outlinks }
  const isReached = new Set<number>()
  const ranked = Array.from({ length: total }, (_, n) => {
    const to = pairs[2 * n + 1] as number
    const isFirst = !isReached.has(to)
    isReached.add(to)
    return { n, rank: isFirst ? 0 : (inlinks[to] as number) }
  })
  const kept = ranked.sort((a, b) => a.rank - b.rank || a.n - b.n).slice(0, maxEdges)
  const edges = Uint32Array.from(
    kept.flatMap(({ n }) => [pairs[2 * n] as number, pairs[2 * n + 1] as number]),
  )
  return { edges, total, outlinks }
}
