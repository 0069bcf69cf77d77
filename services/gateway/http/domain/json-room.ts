/** Room for the items of one answer, as JSON: what they hold together is bounded whatever they are. */

/** Bytes of JSON. */
const maxBytes = 64 * 1024 ** 2

export class JsonRoom {
  readonly #most: number
  #bytes = 0
  #isFull = false

  constructor(most: number = maxBytes) {
    this.#most = most
  }

  /** Whether an item has found no room. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** The item's text, which then takes its place; null where there is none for it. */
  take(item: object): Buffer | null {
    const json = jsonOf(item)
    if (json === null || this.#bytes + json.length > this.#most) {
      this.#isFull = true
      return null
    }
    this.#bytes += json.length
    return json
  }
}

/** As the inside of an array. */
export const separated = (items: readonly Buffer[]): Buffer[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]))

const comma = Buffer.from(',')

/** Null for what is longer than any string can be. */
function jsonOf(item: object): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(item))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
