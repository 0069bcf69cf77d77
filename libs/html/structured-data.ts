/** Collects the JSON-LD of a page while it is read. Invalid blocks are left out. */
import { readJsonLd } from './structured/json-ld.ts'

/** Maximum characters of all blocks of a page. */
const maxTotal = 512 * 1024

export class StructuredData {
  readonly found: object[] = []
  #left = maxTotal
  #reads = false

  /** Begins a script. Only JSON-LD is read. */
  begin(type: string | null): void {
    this.#reads = type !== null && /^\s*application\/ld\+json\s*(?:;|$)/i.test(type.slice(0, 100))
  }

  /** Adds the text of the script. The members of an array are added separately. */
  add(text: string): void {
    if (!this.#reads || text.length > this.#left) return
    this.#left -= text.length
    // A call has a maximum number of arguments, which a block may exceed.
    for (const item of readJsonLd(text)) this.found.push(item)
  }
}
