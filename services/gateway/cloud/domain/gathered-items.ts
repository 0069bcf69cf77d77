/** Collects the items of a response as JSON, in any order and up to a total size. */
import { JsonBudget, separated } from '../../http/domain/json-budget.ts'

type Part = { position: readonly number[]; json: Buffer }

export class GatheredItems {
  readonly #parts: Part[] = []
  readonly #budget = new JsonBudget()

  get count(): number {
    return this.#parts.length
  }

  /** Whether an item was rejected because of the size limit. */
  get isFull(): boolean {
    return this.#budget.isFull
  }

  /**
   * Adds an item. Returns false if it exceeds the size limit.
   * @param position numbers by which items are sorted, compared from left to right
   */
  put(position: readonly number[], item: object): boolean {
    const json = this.#budget.take(item)
    if (json === null) return false
    this.#parts.push({ position, json })
    return true
  }

  /** Returns the whole response as JSON: the sorted items in the field `name`, and the other fields. */
  json(name: string, rest: object): Buffer {
    const sorted = this.#parts.toSorted((one, other) => compare(one.position, other.position))
    const after = JSON.stringify(rest).slice(1)
    return Buffer.concat([
      Buffer.from(`{${JSON.stringify(name)}:[`),
      ...separated(sorted.map(({ json }) => json)),
      Buffer.from(after === '}' ? ']}' : `],${after}`),
    ])
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
