/** The text of one address, as it comes in pieces: references are decoded in text, and stand for themselves in CDATA. */
import { longestAddress } from './limits.ts'
import { decodeReferences } from './references.ts'

/** Every character may be written as a reference. */
const longestText = longestAddress * 10

export class Collected {
  #done = ''
  #raw = ''
  #decoded = ''

  /** Text as it stands in the document. A reference may be in two pieces. */
  add(text: string): void {
    if (this.#raw.length < longestText) this.#raw += text
  }

  /** Text that means itself. */
  addLiteral(text: string): void {
    this.#decode()
    if (this.#decoded.length < longestText) this.#decoded += text
  }

  /** The element ends. Of several, the first that says anything is kept. */
  end(): void {
    this.#decode()
    this.#done ||= this.#decoded.trim()
    this.#decoded = ''
  }

  /** What was begun is nothing. */
  drop(): void {
    this.#raw = ''
    this.#decoded = ''
  }

  /** What was kept, or the empty string; and begins anew. */
  take(): string {
    const done = this.#done
    this.#done = ''
    return done
  }

  #decode(): void {
    if (this.#raw === '') return
    this.#decoded += decodeReferences(this.#raw)
    this.#raw = ''
  }
}
