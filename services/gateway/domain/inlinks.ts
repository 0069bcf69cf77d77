/** Which pages of a run are linked to by another page, told link by link. A page costs its 64-bit key and a bit. */

export class Inlinks {
  readonly #places = new Map<string, number>()
  readonly #ids: number[] = []
  readonly #isLinked: boolean[] = []
  /** Pages that nothing links to so far. */
  unlinked = 0

  /** A page of the run. To be called for all pages before any link. */
  add(id: number, key: string): void {
    this.#places.set(key, this.#ids.length)
    this.#ids.push(id)
    this.#isLinked.push(false)
    this.unlinked++
  }

  /** A URL that redirected to the page: a link to the one is a link to the other. */
  alias(redirected: string, key: string): void {
    const place = this.#places.get(key)
    if (place !== undefined && !this.#places.has(redirected)) this.#places.set(redirected, place)
  }

  /** A link between two URLs; one of a page to itself does not count. From null, it comes from outside of the run. */
  link(from: string | null, to: string): void {
    const place = this.#places.get(to)
    if (place === undefined || this.#isLinked[place]) return
    if (from !== null && this.#places.get(from) === place) return
    this.#isLinked[place] = true
    this.unlinked--
  }

  /** Ids of the pages that nothing links to, in the order in which they were added. */
  orphans(): number[] {
    return this.#ids.filter((_, place) => !this.#isLinked[place])
  }
}
