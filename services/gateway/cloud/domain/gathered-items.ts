/** Collects the items of an answer as JSON, within a limit of their total size. */
import { JsonRoom, separated } from '../../http/domain/json-room.ts'

type Part = { place: readonly number[]; json: Buffer }

export class GatheredItems {
  readonly #parts: Part[] = []
  readonly #places = new Set<number>()
  readonly #room: JsonRoom

  /** @param most maximum number of bytes of JSON */
  constructor(most?: number) {
    this.#room = new JsonRoom(most)
  }

  get count(): number {
    return this.#parts.length
  }

  /** Whether an item has exceeded the limit. */
  get isFull(): boolean {
    return this.#room.isFull
  }

  /** Returns whether the item with this position (a single number) was added. */
  has(place: number): boolean {
    return this.#places.has(place)
  }

  /** @param place position among the items. Returns whether the item fits. */
  put(place: readonly number[], item: object): boolean {
    const json = this.#room.take(item)
    if (json === null) return false
    this.#parts.push({ place, json })
    this.#places.add(place[0] ?? 0)
    return true
  }

  /** Returns the whole answer as JSON: the items under this name, and the other fields. */
  json(name: string, rest: object): Buffer {
    const sorted = this.#parts.toSorted((one, other) => compare(one.place, other.place))
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
