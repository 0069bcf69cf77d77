/**
 * Tenants that share a fetcher, with a simulated clock. The coordinator's own code decides how many outstanding orders
 * each run may have, and the fetcher's own code decides which request is next. Between them is a first-in, first-out
 * queue. Every page takes equally long, and no host is a limit.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import { ordersPerMessage } from '@tidemark/contracts/work/fetch'
import { type Sharing, sharingOf, windowOf } from '../../services/crawl-coordinator/domain/window.ts'
import { FairPermits } from '../../services/fetcher/concurrency/fair-permits.ts'

export type SimulatedTenant = {
  tier: Tier
  runs: number
  /** Pages per run. */
  pages: number
  /** Milliseconds since the start of the simulation. */
  beginsAt: number
}

export type Fetching = {
  /** Outstanding orders of all runs together: `ORDERS_OUT`. */
  capacity: number
  /** Messages that a fetcher holds: `FETCH_MESSAGES`. */
  held: number
  /** Concurrent requests: `FETCH_IN_FLIGHT`. */
  permits: number
  /** Duration of a page in milliseconds. */
  pageMs: number
}

export type Served = {
  tenant: SimulatedTenant
  pages: number
  /** Pages since `countedFromMs`. */
  counted: number
  endedAt: number | null
}

type Run = { of: Served; projectId: number; tier: Tier; left: number; out: number }
type Message = { run: Run; pages: number; done: number }
type Landing = { at: number; message: Message; release: () => void }

/**
 * Runs until `untilMs`, or until no tenant has anything left. Unlike real crawls, which know few pages at first, these
 * know all their pages, so figures of a crowd are counted only after it has settled.
 */
export async function simulate(
  tenants: readonly SimulatedTenant[],
  { capacity, held, permits, pageMs }: Fetching,
  untilMs: number,
  countedFromMs = 0,
): Promise<Served[]> {
  const served = tenants.map((tenant): Served => ({ tenant, pages: 0, counted: 0, endedAt: null }))
  const coming = served
    .map((of, projectId) => ({ of, projectId }))
    .sort((a, b) => a.of.tenant.beginsAt - b.of.tenant.beginsAt)
  const fair = new FairPermits({ permits, kept: 0 })
  const active = new Set<Run>()
  const queue: Message[] = []
  const landing: Landing[] = []
  let [first, come, holding, now] = [0, 0, 0, 0]
  let sharing: Sharing | null = null

  for (;;) {
    for (let next = coming[come]; next !== undefined && next.of.tenant.beginsAt <= now; next = coming[++come])
      begin(next.of, next.projectId)
    take()
    await settled()
    const next = Math.min(landing[0]?.at ?? Infinity, coming[come]?.of.tenant.beginsAt ?? Infinity)
    if (next > untilMs || next === Infinity) return served
    now = next
    while (landing[0] !== undefined && landing[0].at <= now) land(landing.shift() as Landing)
  }

  function begin(of: Served, projectId: number): void {
    const { tier, runs, pages } = of.tenant
    const own = Array.from({ length: runs }, () => ({ of, projectId, tier, left: pages, out: 0 }))
    for (const run of own) active.add(run)
    sharing = null
    own.forEach(order)
  }

  /** Sends orders as a decision of the coordinator does: as many pages as the window allows, in messages. */
  function order(run: Run): void {
    sharing ??= sharingOf(active)
    let free = Math.min(run.left, windowOf(run, sharing, capacity) - run.out)
    while (free > 0) {
      const pages = Math.min(free, ordersPerMessage)
      queue.push({ run, pages, done: 0 })
      run.out += pages
      run.left -= pages
      free -= pages
    }
  }

  /** Takes messages in order as a fetcher does, and requests a permit for each page. */
  function take(): void {
    for (; holding < held && first < queue.length; first++, holding++) {
      const message = queue[first] as Message
      for (let n = 0; n < message.pages; n++) void fetch(message)
    }
    if (first > 10_000) queue.splice(0, first)
    if (first > 10_000) first = 0
  }

  async function fetch(message: Message): Promise<void> {
    const claimant = { tenant: message.run.projectId, isAwaited: false }
    await fair.acquire(claimant, new AbortController().signal)
    landing.push({ at: now + pageMs, message, release: () => fair.release(claimant) })
  }

  /** Settles the message after its last page; then its run orders more. */
  function land({ message, release }: Landing): void {
    const { run } = message
    release()
    run.of.pages += 1
    if (now >= countedFromMs) run.of.counted += 1
    message.done += 1
    if (message.done < message.pages) return
    holding -= 1
    run.out -= message.pages
    if (run.left > 0) order(run)
    if (run.left > 0 || run.out > 0) return
    active.delete(run)
    sharing = null
    if (run.of.pages === run.of.tenant.runs * run.of.tenant.pages) run.of.endedAt = now
  }
}

/** Waits until the callbacks of resolved promises have run. */
async function settled(): Promise<void> {
  for (let n = 0; n < 4; n++) await null
}
