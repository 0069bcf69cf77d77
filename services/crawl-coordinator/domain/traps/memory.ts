/**
 * What a run remembers to recognise traps. It grows with admitted URLs and settled pages only, each part has a
 * bound, and what goes beyond is forgotten rather than replaced: the same calls always leave the same memory.
 */
import { Fingerprints } from './fingerprints.ts'

/** How the parameters of one path were combined so far. */
export type Combinations = {
  /** Different ones, the number of a page left out. */
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
  /** How many were had; and how many, when one last led to a page of another kind. */
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
const mostFacts = 1_000_000
/** Paths with a query, calendars, kinds of pages, and pages. */
export const mostPaths = 5_000
export const mostNames = 50
export const mostCalendars = 1_000
export const mostKinds = 10_000
export const mostOrigins = 100_000

export const createTrapMemory = (): TrapMemory => ({
  seen: new Fingerprints(mostFacts),
  combinations: new Map(),
  dates: new Map(),
  kinds: new Map(),
  origins: new Map(),
})

/** What a map holds under a key; a new one while there is room, else null. */
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
