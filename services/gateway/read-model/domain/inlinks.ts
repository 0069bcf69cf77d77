/**
 * The number of other pages that link to each page of a run, fed page by page. A page costs its 64-bit key and three
 * numbers.
 */
import { PagesByUrl } from './pages-by-url.ts'

const nobody = -2
const outside = -1

export class Inlinks {
  /** Positions of the pages. URLs that redirected are added before any link. */
  readonly places = new PagesByUrl<number>()
  readonly #ids: number[] = []
  readonly #counts: number[] = []
  /** Which page was the last to link here, so that its second link does not count. */
  readonly #lastFrom: number[] = []
  /** Pages that nothing links to so far. */
  unlinked = 0

  /** A page of the run. To be called for all pages before any link. */
  add(id: number, key: string): void {
    this.places.add(key, this.#ids.length)
    this.#ids.push(id)
    this.#counts.push(0)
    this.#lastFrom.push(nobody)
    this.unlinked++
  }

  /**
   * A link between two URLs; a link of a page to itself does not count. `from` null: it comes from outside of the run.
   * Feed the links of a page together.
   */
  link(from: string | null, to: string): void {
    const place = this.places.find(to)
    if (place === undefined) return
    const origin = from === null ? outside : (this.places.find(from) ?? outside)
    if (origin === place || origin === this.#lastFrom[place]) return
    this.#lastFrom[place] = origin
    const count = this.#counts[place] ?? 0
    this.#counts[place] = count + 1
    if (count === 0) this.unlinked--
  }

  /** Each page's id with its count, in the order in which they were added. */
  *counts(): Generator<[id: number, count: number]> {
    for (const [place, id] of this.#ids.entries()) yield [id, this.#counts[place] ?? 0]
  }

  /** Ids of the pages that nothing links to, in the order in which they were added. */
  orphans(): number[] {
    return this.#ids.filter((_, place) => this.#counts[place] === 0)
  }
}
