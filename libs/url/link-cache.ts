/**
 * A bounded cache of resolved links. Pages of a site repeat the same links, so most lookups hit.
 * It has two generations. When the young one is full, the old one is dropped. It never holds more than twice `limit`
 * entries. Every string in it is a copy, so that no page stays in memory because of one of its links.
 */

/** Maps each link of one base to its normal form. null: the link cannot be fetched. */
export type NormalForms = Map<string, string | null>

export type LinkCache = {
  /** Number of generations so far. `LinksOfBase` looks up its maps again when the number changes. */
  epoch: number
  count: number
  limit: number
  young: Map<string, NormalForms>
  old: Map<string, NormalForms>
}

/**
 * Creates an empty cache.
 * @param limit Maximum entries per generation.
 */
export function createLinkCache(limit: number): LinkCache {
  return { epoch: 0, count: 0, limit, young: new Map(), old: new Map() }
}

/** Reads and writes the cached links of one base (an origin, or an origin and a directory). */
export class LinksOfBase {
  readonly #cache: LinkCache
  readonly #base: string
  #epoch = -1
  #young: NormalForms | undefined
  #old: NormalForms | undefined

  constructor(cache: LinkCache, base: string) {
    this.#cache = cache
    this.#base = base
  }

  /** Returns the cached normal form of the link. null: it cannot be fetched. undefined: it is not cached. */
  recall(link: string): string | null | undefined {
    if (this.#epoch !== this.#cache.epoch) this.#refresh()
    const answer = this.#young?.get(link)
    if (answer !== undefined) return answer
    const earlier = this.#old?.get(link)
    return earlier === undefined ? undefined : this.keep(link, earlier)
  }

  /** Caches copies of both strings, and returns the copy of the normal form. */
  keep(link: string, normal: string | null): string | null {
    const cache = this.#cache
    if (cache.count >= cache.limit) nextGeneration(cache)
    if (this.#epoch !== cache.epoch) this.#refresh()
    if (this.#young === undefined) {
      this.#young = cache.young.get(this.#base) ?? new Map()
      cache.young.set(this.#base, this.#young)
    }
    const answer = normal === null ? null : copyOf(normal)
    this.#young.set(copyOf(link), answer)
    cache.count += 1
    return answer
  }

  #refresh(): void {
    this.#epoch = this.#cache.epoch
    this.#young = this.#cache.young.get(this.#base)
    this.#old = this.#cache.old.get(this.#base)
  }
}

function nextGeneration(cache: LinkCache): void {
  cache.old = cache.young
  cache.young = new Map()
  cache.count = 0
  cache.epoch += 1
}

/**
 * Returns a copy. The engine stores a substring as a slice of the whole string, and only a round trip through bytes
 * copies it.
 */
const copyOf = (text: string): string => Buffer.from(text).toString()
