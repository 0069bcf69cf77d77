/**
 * The memory of a run's trap rules. It grows only with admitted URLs and settled pages. Each part is bounded, and
 * excess entries are dropped instead of replacing others: the same calls always lead to the same memory.
 */
import { Fingerprints } from './fingerprints.ts'

/** The combinations of parameters of one path so far. */
export type Combinations = {
  /** Different ones, without page numbers. */
  count: number
  /** Different values of each name. */
  values: Map<string, number>
}

/** The newest pages of one kind: rings of hashes. */
export type Kind = {
  name: string
  contents: number[]
  likenesses: number[]
  /** Pages of the most frequent content, and different likenesses, among these. */
  equal: number
  different: number
  /** Number of settled pages, and that number when one last led to a page of another kind. */
  settled: number
  ledOnAt: number
}

export type TrapMemory = {
  seen: Fingerprints
  combinations: Map<string, Combinations>
  /** Different dates of each calendar. */
  dates: Map<string, number>
  kinds: Map<string, Kind>
  /** The kinds of each admitted page, by its key. */
  origins: Map<string, readonly string[]>
}

/** Facts about admitted URLs: 16 MB when full. */
const maxFacts = 1_000_000
/** Paths with a query, calendars, kinds of pages, and pages. */
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

/** Returns the value of a key; a new one while there is capacity, else null. */
export function remembered<V>(
  map: Map<string, V>,
  key: string,
  most: number,
  fresh: (key: string) => V,
): V | null {
  const known = map.get(key)
  if (known !== undefined) return known
  if (map.size >= most) return null
  const value = fresh(key)
  map.set(key, value)
  return value
}
