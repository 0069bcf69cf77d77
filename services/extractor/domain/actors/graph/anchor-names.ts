/** Numbers the texts of links by their names in packed links, and records where each can be read. */

import type { Name } from './graph-pages.ts'
import { KeyTable, type Secret } from './key-table.ts'

/** Maximum number of distinct texts. */
const maxTexts = 2_000_000

/** The number of a text beyond the maximum. */
export const unknownText = -1

export class AnchorNames {
  /** Whether some texts exceeded the maximum. */
  isCut = false
  readonly #numbers: KeyTable
  #pages = new Int32Array(1024)

  constructor(secret: Secret) {
    this.#numbers = new KeyTable(1024, secret)
  }

  /** Returns the number of this text, from 0 in order of first occurrence. @param page that contains the link */
  record(low: number, high: number, page: number): number {
    const known = this.#numbers.get(low, high)
    if (known !== undefined) return known
    const number = this.#numbers.size
    if (number === maxTexts) {
      this.isCut = true
      return unknownText
    }
    this.#numbers.set(low, high, number)
    if (number === this.#pages.length)
      this.#pages = new Int32Array(this.#pages.buffer.transfer(this.#pages.byteLength * 2))
    this.#pages[number] = page
    return number
  }

  /** Returns the number of this text, or undefined if it did not occur. */
  numberOf({ low, high }: Name): number | undefined {
    return this.#numbers.get(low, high)
  }

  /** The first page with this text. */
  pageOf(number: number): number {
    return this.#pages[number] as number
  }
}
