/**
 * The links of a run between its pages, noted page by page as they are read: two numbers each. A page's links to
 * itself are none; those that it disowns (nofollow) are only counted.
 */

/** How many links are kept: some 160 MB. */
const mostLinks = 20_000_000

const chunkBits = 18
const chunkLength = 2 ** chunkBits
const inChunk = chunkLength - 1
const nobody = -1

/** Sees each edge, or each link with the number of its text. */
export type SeeEdge = (from: number, to: number) => void
export type SeeLink = (from: number, to: number, anchor: number) => void

export class LinkLog {
  readonly pages: number
  /** Followed links. */
  length = 0
  /** Pairs of pages of which one links to the other, however often. */
  edges = 0
  /** Whether there were more links than are kept. */
  isCut = false
  /** To how many other pages each one links, and to how many more by disowned links alone. */
  readonly followed: Uint32Array
  readonly disowned: Uint32Array
  /** How many other pages link to each. */
  readonly inlinks: Uint32Array
  readonly #most: number
  /** Of each page's links the first, and what comes behind the last. */
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** Twice the target, and one more for the first link of its edge. */
  readonly #targets: Int32Array[] = []
  readonly #anchors: Int32Array[] = []
  /** The chunks that the next link goes into. */
  #ownTargets = new Int32Array(0)
  #ownAnchors = new Int32Array(0)
  /** Which page was the last to link to each. */
  readonly #linkedBy: Int32Array
  #from = nobody
  #disowns = new Set<number>()

  constructor(pages: number, most = mostLinks) {
    this.pages = pages
    this.#most = most
    this.#starts = new Uint32Array(pages)
    this.#ends = new Uint32Array(pages)
    this.followed = new Uint32Array(pages)
    this.disowned = new Uint32Array(pages)
    this.inlinks = new Uint32Array(pages)
    this.#linkedBy = new Int32Array(pages).fill(nobody)
  }

  /** The links of this page come next; each page is begun once. */
  begin(from: number): void {
    this.#from = from
    this.#starts[from] = this.length
    this.#disowns.clear()
  }

  /** @param anchor the number of its text */
  add(to: number, anchor: number): void {
    if (to === this.#from) return
    if (this.length >= this.#most) {
      this.isCut = true
      return
    }
    const isFirst = this.#linkedBy[to] !== this.#from
    if (isFirst) this.#noteEdge(to)
    const at = this.length++ & inChunk
    if (at === 0) this.#begunChunk()
    this.#ownTargets[at] = to * 2 + Number(isFirst)
    this.#ownAnchors[at] = anchor
  }

  disown(to: number): void {
    if (to !== this.#from) this.#disowns.add(to)
  }

  /** All links of the page are told. */
  end(): void {
    const from = this.#from
    this.#ends[from] = this.length
    for (const to of this.#disowns) if (this.#linkedBy[to] !== from) add(this.disowned, from)
  }

  /** Once for each two pages, by the page that links. */
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

  /** By the page that links. */
  forEachLink(see: SeeLink): void {
    for (let from = 0; from < this.pages; from++) {
      const end = this.#ends[from] as number
      for (let n = this.#starts[from] as number; n < end; n++) {
        const target = this.#targets[n >> chunkBits]?.[n & inChunk] as number
        see(from, target >> 1, this.#anchors[n >> chunkBits]?.[n & inChunk] as number)
      }
    }
  }

  #noteEdge(to: number): void {
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
