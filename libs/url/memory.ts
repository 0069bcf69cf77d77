/**
 * A bounded cache of resolved links. Pages of a site repeat the same links, so most lookups hit.
 * It has two generations. When the young one is full, the old one is dropped. It never holds more than twice `limit`
 * entries. Every string in it is a copy, so that no page stays in memory because of one of its links.
 */

/** Maps each link of one base to its normal form. null: the link cannot be fetched. */
export type Answers = Map<string, string | null>

export type Memory = {
  /** Number of generations so far. A `Shelf` looks up its maps again when the number changes. */
  epoch: number
  count: number
  limit: number
  young: Map<string, Answers>
  old: Map<string, Answers>
}

/**
 * Creates an empty cache.
 * @param limit Maximum entries per generation.
 */
export function createMemory(limit: number): Memory {
  return { epoch: 0, count: 0, limit, young: new Map(), old: new Map() }
}

/** Reads and writes the cached links of one base (an origin, or an origin and a directory). */
export class Shelf {
  readonly #memory: Memory
  readonly #base: string
  #epoch = -1
  #young: Answers | undefined
  #old: Answers | undefined

  constructor(memory: Memory, base: string) {
    this.#memory = memory
    this.#base = base
  }

  /** Returns the cached normal form of the link. null: it cannot be fetched. undefined: it is not cached. */
  recall(link: string): string | null | undefined {
    if (this.#epoch !== this.#memory.epoch) this.#refresh()
    const answer = this.#young?.get(link)
    if (answer !== undefined) return answer
    const earlier = this.#old?.get(link)
    return earlier === undefined ? undefined : this.keep(link, earlier)
  }

  /** Caches copies of both strings, and returns the copy of the normal form. */
  keep(link: string, normal: string | null): string | null {
    const memory = this.#memory
    if (memory.count >= memory.limit) nextGeneration(memory)
    if (this.#epoch !== memory.epoch) this.#refresh()
    if (this.#young === undefined) {
      this.#young = memory.young.get(this.#base) ?? new Map()
      memory.young.set(this.#base, this.#young)
    }
    const answer = normal === null ? null : copyOf(normal)
    this.#young.set(copyOf(link), answer)
    memory.count += 1
    return answer
  }

  #refresh(): void {
    this.#epoch = this.#memory.epoch
    this.#young = this.#memory.young.get(this.#base)
    this.#old = this.#memory.old.get(this.#base)
  }
}

function nextGeneration(memory: Memory): void {
  memory.old = memory.young
  memory.young = new Map()
  memory.count = 0
  memory.epoch += 1
}

/**
 * Returns a copy. The engine stores a substring as a slice of the whole string, and only a round trip through bytes
 * copies it.
 */
const copyOf = (text: string): string => Buffer.from(text).toString()
