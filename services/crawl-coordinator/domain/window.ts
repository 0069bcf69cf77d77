/**
 * Number of orders that a run may have in flight. The order queue is first in, first out: a tenant with more orders in
 * it receives more, and all tenants wait for all of it. The capacity is therefore bounded, and tenants share it.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import { tiers } from '@tidemark/contracts/tiers'

/** A run in progress. */
export type Sharer = { projectId: number; tier: Tier }

/** The sharing tenants: counted once, because each run's window depends on the same counts. */
export type Sharing = {
  /** Orders that all tenants may have in flight by their tiers. */
  wanted: number
  /** Number of runs of each tenant, and of the largest. */
  runsOf: ReadonlyMap<number, number>
  maxRuns: number
}

/** Enough to keep a polite run busy, with a few requests a second to each host. */
const minOfRun = 16
/**
 * Their orders in flight are limited to this multiple of the capacity, which is what a fetcher holds: it shares what it
 * holds evenly.
 */
const minOfAll = 32
/** One is fetched, the next waits. */
const minOfAny = 2

/** @param all runs in progress */
export function sharingOf(all: Iterable<Sharer>): Sharing {
  const runsOf = new Map<number, number>()
  let wanted = 0
  let maxRuns = 0
  for (const { projectId, tier } of all) {
    const runs = (runsOf.get(projectId) ?? 0) + 1
    if (runs === 1) wanted += tiers[tier].ordersOut
    runsOf.set(projectId, runs)
    maxRuns = Math.max(maxRuns, runs)
  }
  return { wanted, runsOf, maxRuns }
}

/**
 * A tenant may use the number of its tier. If all tenants together exceed the capacity, each receives proportionally
 * less; its runs share evenly. With very many runs each receives the same.
 * @param capacity maximum orders of all runs together
 */
export function windowOf({ projectId, tier }: Sharer, sharing: Sharing, capacity: number): number {
  const { wanted, runsOf, maxRuns } = sharing
  const share = tiers[tier].ordersOut * Math.min(1, capacity / Math.max(1, wanted))
  const least = Math.min(minOfRun * maxRuns, (minOfAll * capacity) / Math.max(1, runsOf.size))
  const runs = runsOf.get(projectId) ?? 1
  return Math.max(minOfAny, Math.floor(Math.max(share, least) / runs))
}
