/** Links to watched URLs, each once a page. */

/** Maximum number of recorded links. */
const maxLinks = 400_000

export class WatchedLinks {
  /** Whether links beyond the maximum were left out. */
  isCut = false
  readonly #watched: Uint8Array
  readonly #maxLinks: number
  readonly #lastFrom: Int32Array
  #pairs = new Uint32Array(1024)
  #length = 0

  /** @param watched 1 for each watched URL */
  constructor(watched: Uint8Array, max = maxLinks) {
    this.#watched = watched
    this.#maxLinks = max
    this.#lastFrom = new Int32Array(watched.length).fill(-1)
  }

  /** Adds a link. All links of a page must be added before the links of another page. */
  add(from: number, to: number): void {
    if (this.#watched[to] !== 1 || this.#lastFrom[to] === from) return
    this.#lastFrom[to] = from
    if (this.#length === this.#maxLinks * 2) {
      this.isCut = true
      return
    }
    if (this.#length === this.#pairs.length)
      this.#pairs = new Uint32Array(this.#pairs.buffer.transfer(this.#pairs.byteLength * 2))
    this.#pairs[this.#length++] = from
    this.#pairs[this.#length++] = to
  }

  /** Returns the page and the URL of each link, one after the other. */
  pairs(): Uint32Array {
    return this.#pairs.subarray(0, this.#length)
  }
}
