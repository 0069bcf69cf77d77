/** Collects the JSON-LD of a page while it is read. Invalid blocks are left out. */
import { isJsonLdType, readJsonLd } from './structured/json-ld.ts'

/** Maximum total length of a page's JSON-LD blocks, in characters. */
const maxTotal = 512 * 1024

export class JsonLdScripts {
  readonly found: object[] = []
  #left = maxTotal
  #reads = false

  /** Begins a script. Only JSON-LD is read. */
  begin(type: string | null): void {
    this.#reads = type !== null && isJsonLdType(type)
  }

  /** Adds the text of the script. The members of an array are added separately. */
  add(text: string): void {
    if (!this.#reads || text.length > this.#left) return
    this.#left -= text.length
    // Not push(...items): a block may have more items than a call may have arguments.
    for (const item of readJsonLd(text)) this.found.push(item)
  }
}
