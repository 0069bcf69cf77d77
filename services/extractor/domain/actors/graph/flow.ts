/**
 * Rank flow between pages, in compressed rows by receiving page. A page gives an equal share to each page that it links
 * to, regardless of the number of links. A page that it links to with nofollow links only counts as well but receives
 * nothing: its share is spread over all pages, like the rank of a page without links. A page with a canonical page
 * gives all its rank to that page.
 */
import type { LinkLog } from './link-log.ts'

export type Flow = {
  /** Index of each page's first source, and the end after the last page. */
  offsets: Uint32Array
  sources: Int32Array
  /** The share of its rank that each page gives to each recipient. */
  shares: Float64Array
  /** The share that is spread over all pages. */
  spread: Float64Array
}

type Links = Pick<LinkLog, 'pages' | 'followed' | 'disowned' | 'inlinks' | 'edgesOf'>

/** @param canonicals without circles */
export function flowOf(links: Links, canonicals: Int32Array): Flow {
  const { pages, followed, disowned } = links
  const shares = new Float64Array(pages)
  const spread = new Float64Array(pages)
  for (let page = 0; page < pages; page++) {
    const out = (followed[page] as number) + (disowned[page] as number)
    const isGivenAway = (canonicals[page] as number) >= 0
    shares[page] = isGivenAway ? 1 : out === 0 ? 0 : 1 / out
    spread[page] = isGivenAway ? 0 : out === 0 ? 1 : (disowned[page] as number) / out
  }
  return { ...rowsOf(links, canonicals), shares, spread }
}

function rowsOf(links: Links, canonicals: Int32Array): Pick<Flow, 'offsets' | 'sources'> {
  const ends = new Uint32Array(links.pages + 1)
  ends.set(links.inlinks, 1)
  const count = (to: number, more: number) => {
    ends[to + 1] = (ends[to + 1] as number) + more
  }
  canonicals.forEach((canonical, from) => {
    if (canonical < 0) return
    links.edgesOf(from, (_, to) => count(to, -1))
    count(canonical, 1)
  })
  for (let page = 0; page < links.pages; page++) count(page, ends[page] as number)
  const offsets = ends.slice()
  const sources = new Int32Array(offsets[links.pages] as number)
  const put = (from: number, to: number) => {
    const at = ends[to] as number
    sources[at] = from
    ends[to] = at + 1
  }
  canonicals.forEach((canonical, from) => {
    if (canonical < 0) links.edgesOf(from, put)
    else put(from, canonical)
  })
  return { offsets, sources }
}
