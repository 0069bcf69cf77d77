/**
 * Counts the other pages that link to each page of a run. A page takes its 64-bit key and three numbers of memory, and its
 * links take none.
 */
import { PagesByUrl } from './pages-by-url.ts'

/** Values of `#lastFrom`: no page has linked yet; the link was not on a page of the run. */
const noPage = -2
const outside = -1

export class Inlinks {
  /** Positions of the pages. URLs that redirected are added before any link. */
  readonly pages = new PagesByUrl<number>()
  readonly #ids: number[] = []
  readonly #counts: number[] = []
  /** The last page that linked to each page, so that its second link does not count. */
  readonly #lastFrom: number[] = []
  /** Number of pages without a link so far. */
  unlinked = 0

  /** Adds a page of the run. Add all pages before any link. */
  add(id: number, key: string): void {
    this.pages.add(key, this.#ids.length)
    this.#ids.push(id)
    this.#counts.push(0)
    this.#lastFrom.push(noPage)
    this.unlinked++
  }

  /**
   * Counts a link between two URLs, unless it leads from a page to itself. Count the links of a page one after the
   * other.
   * @param from null: the link is not on a page of the run
   */
  link(from: string | null, to: string): void {
    const position = this.pages.find(to)
    if (position === undefined) return
    const origin = from === null ? outside : (this.pages.find(from) ?? outside)
    if (origin === position || origin === this.#lastFrom[position]) return
    this.#lastFrom[position] = origin
    const count = this.#counts[position] ?? 0
    this.#counts[position] = count + 1
    if (count === 0) this.unlinked--
  }

  /** Yields the id of each page with its count, in the order in which the pages were added. */
  *counts(): Generator<[id: number, count: number]> {
    for (const [position, id] of this.#ids.entries()) yield [id, this.#counts[position] ?? 0]
  }

  /** Returns the ids of the pages without a link, in the order in which the pages were added. */
  orphans(): number[] {
    return this.#ids.filter((_, position) => this.#counts[position] === 0)
  }
}
