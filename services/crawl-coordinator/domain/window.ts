/**
 * Computes the number of orders that a run may have in flight. The order queue is first in, first out: a tenant with
 * more orders in it is served more, and all tenants wait for the whole queue. Its length is therefore bounded, and
 * tenants share it.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import { tiers } from '@tidemark/contracts/tiers'

/** A run in progress. */
export type Sharer = { projectId: number; tier: Tier }

/** Counts of the tenants that share the capacity. The windows of all runs depend on them. */
export type Sharing = {
  /** Orders that all tenants may have in flight by their tiers. */
  wanted: number
  /** Number of runs of each tenant; `maxRuns` is the highest of them. */
  runsOf: ReadonlyMap<number, number>
  maxRuns: number
}

/** Minimum window of a run: enough for a few requests a second to each host. */
const minOfRun = 16
/**
 * The minimum windows of all runs together are at most this multiple of the capacity, which is as much as a fetcher
 * holds. A fetcher serves the tenants of the orders that it holds evenly.
 */
const minOfAll = 32
/** Minimum window of any run: one page is fetched, the next waits. */
const minOfAny = 2

/**
 * Returns the counts of the sharing tenants.
 * @param all runs in progress
 */
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
 * Returns the window of a run. A tenant may use the number of its tier. If all tenants together exceed the capacity,
 * each receives proportionally less. Its runs share evenly. With very many runs, each run receives the same.
 * @param capacity maximum orders of all runs together
 */
export function windowOf({ projectId, tier }: Sharer, sharing: Sharing, capacity: number): number {
  const { wanted, runsOf, maxRuns } = sharing
  const share = tiers[tier].ordersOut * Math.min(1, capacity / Math.max(1, wanted))
  const least = Math.min(minOfRun * maxRuns, (minOfAll * capacity) / Math.max(1, runsOf.size))
  const runs = runsOf.get(projectId) ?? 1
  return Math.max(minOfAny, Math.floor(Math.max(share, least) / runs))
}
