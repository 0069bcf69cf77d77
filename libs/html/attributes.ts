/**
 * The attributes of the tag being read. Only those its element asks for are noted, and only as positions;
 * a value is cut out and decoded when somebody wants it.
 */
import { decodeAttribute } from './character-references.ts'

const most = 8
const none: readonly string[] = []

export class Attributes {
  readonly #html: string
  #wanted: readonly string[] = none
  #current = -1
  readonly #starts = new Int32Array(most)
  readonly #ends = new Int32Array(most)

  constructor(html: string) {
    this.#html = html
  }

  /** Begins a tag whose element asks for these names, in lower case and at most 8. */
  begin(wanted: readonly string[] = none): void {
    this.#wanted = wanted
    this.#current = -1
    if (wanted.length > 0) this.#starts.fill(-1)
  }

  /** The name of the next attribute; of two with the same name the first counts. */
  name(start: number, end: number): void {
    this.#current = -1
    if (this.#wanted.length === 0) return
    const name = this.#html.slice(start, end)
    const exact = this.#wanted.indexOf(name)
    const slot = exact === -1 ? this.#wanted.indexOf(name.toLowerCase()) : exact
    if (slot === -1 || this.#starts[slot] !== -1) return
    this.#current = slot
    this.#starts[slot] = 0
    this.#ends[slot] = 0
  }

  /** The value of the attribute just named, when it has one. */
  value(start: number, end: number): void {
    if (this.#current === -1) return
    this.#starts[this.#current] = start
    this.#ends[this.#current] = end
  }

  /** The value, the empty string when there is only the name, null when there is not even that. */
  get(name: string): string | null {
    const slot = this.#wanted.indexOf(name)
    const start = this.#starts[slot] ?? -1
    return slot === -1 || start === -1 ? null : decodeAttribute(this.#html.slice(start, this.#ends[slot]))
  }
}
