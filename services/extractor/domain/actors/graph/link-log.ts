/**
 * The links between the pages of a run, recorded page by page as two numbers each. Links of a page to itself are
 * ignored, and nofollow links are only counted.
 */

/** Maximum number of links, about 160 MB. */
const maxLinks = 20_000_000

const chunkBits = 18
const chunkLength = 2 ** chunkBits
const inChunk = chunkLength - 1
const noPage = -1

/** Receives each edge, or each link with the number of its text. */
export type SeeEdge = (from: number, to: number) => void
export type SeeLink = (from: number, to: number, anchor: number) => void

export class LinkLog {
  readonly pages: number
  /** Number of followed links. */
  length = 0
  /** Number of edges: all followed links from one page to another are one edge. */
  edges = 0
  /** Whether links beyond the maximum were dropped. */
  isCut = false
  /**
   * Number of other pages that each page links to, and number of further pages that it links to with nofollow links
   * only.
   */
  readonly followed: Uint32Array
  readonly disowned: Uint32Array
  /** Number of other pages that link to each page. */
  readonly inlinks: Uint32Array
  readonly #maxLinks: number
  /** Index of each page's first link, and the end after the last page. */
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** Twice the target, plus one for the first link of its edge. */
  readonly #targets: Int32Array[] = []
  readonly #anchors: Int32Array[] = []
  /** Chunks for the next links. */
  #ownTargets = new Int32Array(0)
  #ownAnchors = new Int32Array(0)
  /** The last page that linked to each page. */
  readonly #linkedBy: Int32Array
  #from = noPage
  #disowns = new Set<number>()

  constructor(pages: number, max = maxLinks) {
    this.pages = pages
    this.#maxLinks = max
    this.#starts = new Uint32Array(pages)
    this.#ends = new Uint32Array(pages)
    this.followed = new Uint32Array(pages)
    this.disowned = new Uint32Array(pages)
    this.inlinks = new Uint32Array(pages)
    this.#linkedBy = new Int32Array(pages).fill(noPage)
  }

  /** Begins the links of a page. Each page is begun once. */
  begin(from: number): void {
    this.#from = from
    this.#starts[from] = this.length
    this.#disowns.clear()
  }

  /** @param anchor the number of its text */
  add(to: number, anchor: number): void {
    if (to === this.#from) return
    if (this.length >= this.#maxLinks) {
      this.isCut = true
      return
    }
    const isFirst = this.#linkedBy[to] !== this.#from
    if (isFirst) this.#recordEdge(to)
    const at = this.length++ & inChunk
    if (at === 0) this.#begunChunk()
    this.#ownTargets[at] = to * 2 + Number(isFirst)
    this.#ownAnchors[at] = anchor
  }

  disown(to: number): void {
    if (to !== this.#from) this.#disowns.add(to)
  }

  /** Ends the links of the page. */
  end(): void {
    const from = this.#from
    this.#ends[from] = this.length
    for (const to of this.#disowns) if (this.#linkedBy[to] !== from) add(this.disowned, from)
  }

  /** Visits each edge once, by linking page. */
  forEachEdge(see: SeeEdge): void {
    for (let from = 0; from < this.pages; from++) this.edgesOf(from, see)
  }

  edgesOf(from: number, see: SeeEdge): void {
    const end = this.#ends[from] as number
    for (let n = this.#starts[from] as number; n < end; n++) {
      const target = this.#targets[n >> chunkBits]?.[n & inChunk] as number
      if (target & 1) see(from, target >> 1)
    }
  }

  /** Visits each link, by linking page. */
  forEachLink(see: SeeLink): void {
    for (let from = 0; from < this.pages; from++) {
      const end = this.#ends[from] as number
      for (let n = this.#starts[from] as number; n < end; n++) {
        const target = this.#targets[n >> chunkBits]?.[n & inChunk] as number
        see(from, target >> 1, this.#anchors[n >> chunkBits]?.[n & inChunk] as number)
      }
    }
  }

  #recordEdge(to: number): void {
    this.#linkedBy[to] = this.#from
    this.edges++
    add(this.followed, this.#from)
    add(this.inlinks, to)
  }

  #begunChunk(): void {
    this.#ownTargets = new Int32Array(chunkLength)
    this.#ownAnchors = new Int32Array(chunkLength)
    this.#targets.push(this.#ownTargets)
    this.#anchors.push(this.#ownAnchors)
  }
}

function add(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] as number) + 1
}
