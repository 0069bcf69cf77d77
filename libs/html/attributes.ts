/**
 * The attributes of the current tag. Only those that its element requests are recorded, and `data-*` and `style`,
 * which every element may have. They are recorded as positions: a value is cut out and decoded on use.
 */
import { decodeAttribute } from './character-references.ts'

const maxWanted = 8
const maxData = 8
const none: readonly string[] = []

export class Attributes {
  readonly #html: string
  #wanted: readonly string[] = none
  #current = -1
  readonly #starts = new Int32Array(maxWanted)
  readonly #ends = new Int32Array(maxWanted)
  /** Start and end of the name and of the value of each `data-*` and `style`. */
  readonly #data = new Int32Array(4 * maxData)
  #dataCount = 0
  #isData = false

  constructor(html: string) {
    this.#html = html
  }

  /** Begins a tag whose element requests these names, in lower case and at most 8. */
  begin(wanted: readonly string[] = none): void {
    this.#wanted = wanted
    this.#current = -1
    this.#dataCount = 0
    if (wanted.length > 0) this.#starts.fill(-1)
  }

  /** Records the name of the next attribute. Of two with the same name the first counts. */
  name(start: number, end: number): void {
    this.#current = -1
    this.#isData = this.#dataCount < maxData && isData(this.#html, start, end)
    if (this.#isData) {
      this.#data[4 * this.#dataCount] = start
      this.#data[4 * this.#dataCount + 1] = end
      return
    }
    if (this.#wanted.length === 0) return
    const name = this.#html.slice(start, end)
    const exact = this.#wanted.indexOf(name)
    const slot = exact === -1 ? this.#wanted.indexOf(name.toLowerCase()) : exact
    if (slot === -1 || this.#starts[slot] !== -1) return
    this.#current = slot
    this.#starts[slot] = 0
    this.#ends[slot] = 0
  }

  /** Records the value of the attribute with the last name. */
  value(start: number, end: number): void {
    if (this.#isData) {
      this.#data[4 * this.#dataCount + 2] = start
      this.#data[4 * this.#dataCount + 3] = end
      this.#dataCount++
      this.#isData = false
    }
    if (this.#current === -1) return
    this.#starts[this.#current] = start
    this.#ends[this.#current] = end
  }

  /** Returns the value, the empty string for a name without a value, or null for a missing attribute. */
  get(name: string): string | null {
    const slot = this.#wanted.indexOf(name)
    const start = this.#starts[slot] ?? -1
    return slot === -1 || start === -1 ? null : decodeAttribute(this.#html.slice(start, this.#ends[slot]))
  }

  /** Whether the tag has a `data-*` or `style` with a value. */
  get hasData(): boolean {
    return this.#dataCount > 0
  }

  /** Calls `take` with each `data-*` and `style` that has a value, at most 8, as written in the source. */
  eachData(take: (name: string, value: string) => void): void {
    for (let at = 0; at < 4 * this.#dataCount; at += 4) {
      const [nameStart, nameEnd, start, end] = this.#data.subarray(at, at + 4)
      take(this.#html.slice(nameStart, nameEnd), this.#html.slice(start, end))
    }
  }
}

/**
 * Returns whether an attribute is `data-*` or `style`. It checks the first letter first, because every attribute of
 * every page is checked.
 */
function isData(html: string, start: number, end: number): boolean {
  const first = html.charCodeAt(start)
  if (first === 0x64) return end - start > 5 && html.startsWith('data-', start)
  return first === 0x73 && end - start === 5 && html.startsWith('style', start)
}
