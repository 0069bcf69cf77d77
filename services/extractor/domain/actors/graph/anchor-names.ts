/** The texts of links as numbers, by their names in packed links; and where each can be read. */
import { KeyTable, type Secret } from './key-table.ts'
import type { Name } from './places.ts'

/** Of texts that differ. */
const mostTexts = 2_000_000

/** A text that found no room. */
export const unknownText = -1

export class AnchorNames {
  /** Whether texts found no room. */
  isCut = false
  readonly #numbers: KeyTable
  #pages = new Int32Array(1024)

  constructor(secret: Secret) {
    this.#numbers = new KeyTable(1024, secret)
  }

  /** The number of this text, from 0 in the order in which texts are met. @param page on which it stands */
  note(low: number, high: number, page: number): number {
    const known = this.#numbers.get(low, high)
    if (known !== undefined) return known
    const number = this.#numbers.size
    if (number === mostTexts) {
      this.isCut = true
      return unknownText
    }
    this.#numbers.set(low, high, number)
    if (number === this.#pages.length) this.#pages = grown(this.#pages)
    this.#pages[number] = page
    return number
  }

  /** The number that it was given; undefined where it was never met. */
  numberOf({ low, high }: Name): number | undefined {
    return this.#numbers.get(low, high)
  }

  /** The first page on which this text was met. */
  pageOf(number: number): number {
    return this.#pages[number] as number
  }
}

function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2)
  more.set(numbers)
  return more
}
