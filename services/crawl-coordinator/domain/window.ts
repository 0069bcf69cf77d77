/**
 * How many fetch orders a run may have out. The queue of orders is first in, first out: whoever has more in it is
 * served more, and everybody waits behind all of it. So there is room for a number of orders, and tenants share it.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import { tiers } from '@tidemark/contracts/tiers'

/** A run that goes on. */
export type Sharer = { projectId: number; tier: Tier }

/** Who shares: counted once, as each run's window follows from the same counts. */
export type Sharing = {
  /** Orders that all tenants together may have out by their tiers. */
  wanted: number
  /** Of each tenant, and of the one that has most. */
  runsOf: ReadonlyMap<number, number>
  mostRuns: number
}

/** So many keep a polite run busy, whose hosts are asked a few times a second. */
const leastOfRun = 16
/** What is out for that is no more than so many times the room, which is what a fetcher holds: it shares out alike what it holds. */
const leastOfAll = 32
/** One is fetched, the next waits. */
const leastOfAny = 2

/** @param all every run that goes on */
export function sharingOf(all: Iterable<Sharer>): Sharing {
  const runsOf = new Map<number, number>()
  let wanted = 0
  let mostRuns = 0
  for (const { projectId, tier } of all) {
    const runs = (runsOf.get(projectId) ?? 0) + 1
    if (runs === 1) wanted += tiers[tier].ordersOut
    runsOf.set(projectId, runs)
    mostRuns = Math.max(mostRuns, runs)
  }
  return { wanted, runsOf, mostRuns }
}

/**
 * A tenant may fill what its tier allows. Where all tenants together would want more than there is room for, each
 * gets that much less; its runs share alike. In a crowd each has the same, however many runs it has.
 * @param room orders of all runs together
 */
export function windowOf({ projectId, tier }: Sharer, sharing: Sharing, room: number): number {
  const { wanted, runsOf, mostRuns } = sharing
  const share = tiers[tier].ordersOut * Math.min(1, room / Math.max(1, wanted))
  const least = Math.min(leastOfRun * mostRuns, (leastOfAll * room) / Math.max(1, runsOf.size))
  const runs = runsOf.get(projectId) ?? 1
  return Math.max(leastOfAny, Math.floor(Math.max(share, least) / runs))
}
