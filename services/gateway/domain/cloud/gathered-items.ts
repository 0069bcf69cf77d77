/** The items of an answer, gathered as JSON while they come in: what they hold together is bounded whatever they are. */

/** Bytes of JSON. */
const mostBytes = 64 * 1024 ** 2

type Part = { place: readonly number[]; json: Buffer }

export class GatheredItems {
  readonly #parts: Part[] = []
  readonly #places = new Set<number>()
  readonly #most: number
  #bytes = 0
  #isFull = false

  constructor(most: number = mostBytes) {
    this.#most = most
  }

  get count(): number {
    return this.#parts.length
  }

  /** Whether an item has found no room. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Whether the item of this place, a single number, is there. */
  has(place: number): boolean {
    return this.#places.has(place)
  }

  /** @param place where it stands among the others. Returns whether it had room. */
  put(place: readonly number[], item: object): boolean {
    const json = jsonOf(item)
    if (json === null || this.#bytes + json.length > this.#most) {
      this.#isFull = true
      return false
    }
    this.#bytes += json.length
    this.#parts.push({ place, json })
    this.#places.add(place[0] ?? 0)
    return true
  }

  /** The whole answer as JSON: the items under this name, and the rest beside them. */
  json(name: string, rest: object): Buffer {
    const sorted = this.#parts.toSorted((one, other) => compare(one.place, other.place))
    const separated = sorted.flatMap(({ json }, index) => (index === 0 ? [json] : [comma, json]))
    const after = JSON.stringify(rest).slice(1)
    return Buffer.concat([
      Buffer.from(`{${JSON.stringify(name)}:[`),
      ...separated,
      Buffer.from(after === '}' ? ']}' : `],${after}`),
    ])
  }
}

/** Null for what is longer than any string can be. */
function jsonOf(item: object): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(item))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const comma = Buffer.from(',')

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
