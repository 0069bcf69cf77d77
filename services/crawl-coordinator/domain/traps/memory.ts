/**
 * Records what a run's trap rules need. It grows only with admitted URLs and settled pages. Each part is bounded, and
 * excess entries are dropped instead of replacing others, so the same calls always lead to the same memory.
 */
import { Fingerprints } from './fingerprints.ts'

/** The combinations of parameters that one path has had so far. */
export type Combinations = {
  /** Number of different combinations, without page numbers. */
  count: number
  /** Number of different values of each name. */
  values: Map<string, number>
}

/** The newest pages of one kind, as ring buffers of hashes. */
export type Kind = {
  name: string
  contents: number[]
  likenesses: number[]
  /** Number of these pages with the most frequent content, and number of different likenesses. */
  equal: number
  different: number
  /** Number of settled pages, and the value of that number when a page last led to another kind. */
  settled: number
  ledOnAt: number
  /** Number of pages that led to new pages of this kind, and the key of the last such page. */
  leading: number
  lastLeading: string | null
}

export type TrapMemory = {
  seen: Fingerprints
  combinations: Map<string, Combinations>
  /** Number of different dates of each calendar. */
  dates: Map<string, number>
  kinds: Map<string, Kind>
  /** The kinds of each admitted page, by its key. */
  origins: Map<string, readonly string[]>
}

/** Maximum facts about admitted URLs, which take 16 MB. */
const maxFacts = 1_000_000
/** Maximum numbers of paths with a query, parameter names of a path, calendars, kinds of pages, and pages. */
export const maxPaths = 5_000
export const maxNames = 50
export const maxCalendars = 1_000
export const maxKinds = 10_000
export const maxOrigins = 100_000

export const createTrapMemory = (): TrapMemory => ({
  seen: new Fingerprints(maxFacts),
  combinations: new Map(),
  dates: new Map(),
  kinds: new Map(),
  origins: new Map(),
})

/**
 * Returns the value of a key. A missing value is created if the map has fewer than `maxEntries` entries; otherwise
 * null.
 */
export function getOrCreate<V>(
  map: Map<string, V>,
  key: string,
  maxEntries: number,
  fresh: (key: string) => V,
): V | null {
  const known = map.get(key)
  if (known !== undefined) return known
  if (map.size >= maxEntries) return null
  const value = fresh(key)
  map.set(key, value)
  return value
}
