/** Limits the total size of the items of one response, as JSON. */
import { TextBudget } from './text-budget.ts'

/** Maximum bytes of the items of one response. */
export const maxJsonBytes = 64 * 1024 ** 2

export class JsonBudget {
  readonly #share = new TextBudget({ each: maxJsonBytes, all: maxJsonBytes }).open()
  #isFull = false

  /** Whether an item was rejected because of the limit. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Returns the item's JSON and counts its size; null: it exceeds the limit. */
  take(item: object): Buffer | null {
    const json = jsonOf(item)
    if (json !== null && this.#share.take(json.length)) return json
    this.#isFull = true
    return null
  }
}

/** Separates the items by commas, as in an array. */
export const separated = (items: readonly Buffer[]): Buffer[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]))

const comma = Buffer.from(',')

/** Returns null if the JSON exceeds the maximum length of a string. */
export function jsonOf(item: object): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(item))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
