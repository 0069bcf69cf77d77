/**
 * How many fetch orders a run may have out. The queue of orders is first in, first out: whoever has more in it is
 * served more, and everybody waits behind all of it. So there is room for a number of orders, and tenants share it.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import { tiers } from '@tidemark/contracts/tiers'

/** A run that goes on. */
export type Sharer = { projectId: number; tier: Tier }

/** So many keep a polite run busy, whose hosts are asked a few times a second. */
const leastOfRun = 16

/**
 * A tenant may fill what its tier allows. Where all tenants together would want more than there is room for, each
 * gets that much less; its runs share alike.
 * @param all every run that goes on, this one among them
 * @param room orders of all runs together
 */
export function windowOf(run: Sharer, all: Iterable<Sharer>, room: number): number {
  const wanted = new Map<number, number>()
  let runs = 0
  for (const { projectId, tier } of all) {
    wanted.set(projectId, tiers[tier].ordersOut)
    if (projectId === run.projectId) runs++
  }
  let sum = 0
  for (const orders of wanted.values()) sum += orders
  const share = tiers[run.tier].ordersOut * Math.min(1, room / Math.max(1, sum))
  return Math.max(leastOfRun, Math.floor(share / Math.max(1, runs)))
}
