/** Collects the JSON-LD of a page while it is read. A block that cannot be read is left out. */
import { readJsonLd } from './structured/json-ld.ts'

/** Characters of all blocks of a page together. */
const maxTotal = 512 * 1024

export class StructuredData {
  readonly found: object[] = []
  #left = maxTotal
  #reads = false

  /** A script begins; only JSON-LD is read. */
  begin(type: string | null): void {
    this.#reads = type !== null && /^\s*application\/ld\+json\s*(?:;|$)/i.test(type.slice(0, 100))
  }

  /** The text of the script; an array stands for its members. */
  add(text: string): void {
    if (!this.#reads || text.length > this.#left) return
    this.#left -= text.length
    // One call cannot take as many arguments as a block may have members.
    for (const item of readJsonLd(text)) this.found.push(item)
  }
}
