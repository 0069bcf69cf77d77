/** Limits the total size of the items of one response, as JSON. */

/** Maximum bytes of JSON. */
const maxBytes = 64 * 1024 ** 2

export class JsonBudget {
  readonly #maxBytes: number
  #bytes = 0
  #isFull = false

  constructor(max: number = maxBytes) {
    this.#maxBytes = max
  }

  /** Whether an item was rejected because of the limit. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Returns the item's JSON and counts its size; null: it exceeds the limit. */
  take(item: object): Buffer | null {
    const json = jsonOf(item)
    if (json === null || this.#bytes + json.length > this.#maxBytes) {
      this.#isFull = true
      return null
    }
    this.#bytes += json.length
    return json
  }
}

/** Separates the items by commas, as in an array. */
export const separated = (items: readonly Buffer[]): Buffer[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]))

const comma = Buffer.from(',')

/** Returns null if the JSON exceeds the maximum length of a string. */
function jsonOf(item: object): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(item))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
