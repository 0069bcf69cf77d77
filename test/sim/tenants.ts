/**
 * Fakes the gateway and its clients: starts crawls and forks of them, and cancels, pauses, resumes, reopens and deletes
 * them. A request without a response is repeated under the same idempotency key, as a client would do.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { unitPrices } from '@tidemark/contracts/prices'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Terms } from './processes.ts'
import { Random } from './random.ts'
import type { Site } from './web/site.ts'
import type { World } from './world.ts'

/** Confirmations of a service to a client. */
export type Confirmed =
  | { type: 'started'; runId: number; projectId: number; sequence: number }
  | { type: 'cancelled' | 'deleted' | 'reopened'; runId: number; sequence: number }

export type Crawl = {
  projectId: number
  site: Site
  settings: RunSettings
  startsAfterMs: number
  changes: { change: 'cancel' | 'pause' | 'delete' | 'reopen'; afterMs: number }[]
  /** The changed settings of a fork after its end; null: it is not forked. */
  fork: Partial<RunSettings> | null
}

const timeoutMs = 10_000
/** The longest pause of a process. */
const maxPauseMs = 120_000
const tries = 40
const maxRuns = 7
const pollMs = 2_000

/**
 * Plans the crawls of a seed.
 * @param hasForks whether some of them are forked
 */
export function crawlsOf(random: Random, sites: readonly Site[], hasForks: boolean): Crawl[] {
  const crawls = Array.from({ length: random.pick([1, 1, 2, 3, 7]) }, () => ({
    projectId: random.between(1, 2),
    site: random.pick(sites),
    settings: settingsOf(random),
    startsAfterMs: random.between(0, 20_000),
    changes: Array.from({ length: random.pick([0, 0, 1, 2, 3]) }, () => ({
      change: random.pick(['cancel', 'pause', 'pause', 'delete', 'reopen', 'reopen'] as const),
      afterMs: random.between(0, 40_000),
    })),
  }))
  // More runs than that have no shard of their own.
  const mayFork = hasForks && 2 * crawls.length <= maxRuns
  return crawls.map(crawl => ({ ...crawl, fork: mayFork ? forkOf(crawl.startsAfterMs) : null }))
}

/** Some crawls are forked. Their own generator changes no other choice of a seed. */
function forkOf(number: number): Crawl['fork'] {
  const random = new Random(number + 1)
  if (!random.chance(0.7)) return null
  return {
    maxPages: random.pick([1, 10, 50]),
    depth: random.between(1, 5),
    ...(random.chance(0.3) && { maxCost: random.pick([1, 5]) * unitPrices.page }),
    ...(random.chance(0.3) && { maxBytes: random.pick([1_500, 6_000]) }),
  }
}

/**
 * Some crawls have a budget that suffices for a few pages, or for the bytes of a few pages. Their own generator changes
 * no other choice of a seed.
 */
function budgetOf(number: number): Pick<RunSettings, 'maxCost' | 'maxBytes'> {
  const random = new Random(number)
  return {
    ...(random.chance(0.3) && { maxCost: random.pick([1, 2.5, 5, 12]) * unitPrices.page }),
    ...(random.chance(0.5) && { maxBytes: random.pick([1_500, 3_000, 4_500, 6_000, 8_000, 700_000]) }),
  }
}

function settingsOf(random: Random): RunSettings {
  return {
    maxPages: random.pick([1, 3, 10, 50, 50]),
    depth: random.between(1, 5),
    concurrency: random.pick([null, null, 1, 2, 3]),
    delayMs: random.pick([0, 0, 100, 700]),
    subdomains: random.chance(0.5),
    respectRobots: random.chance(0.5),
    storeHtml: true,
    ...(random.chance(0.7) && {
      webhook: { url: 'https://hook.example/', events: ['crawl.done' as const], onlyChanged: false },
    }),
  }
}

type Ports = { world: World; bus: Bus; terms: Terms; confirmed: (what: Confirmed) => void }

/** Starts the crawl and changes it as planned. Resolves when every request is confirmed or refused. */
export async function runCrawl(ports: Ports, crawl: Crawl, key: string): Promise<void> {
  const { world, bus, confirmed } = ports
  const { projectId, site, settings } = crawl
  await sleep(crawl.startsAfterMs)
  const request = {
    ...{
      projectId,
      tier: ports.terms.tier,
      url: site.url,
      settings: { ...settings, ...budgetOf(crawl.startsAfterMs), caps: ports.terms.caps },
    },
    ...{ idempotencyKey: key, fingerprint: key },
  }
  const started = await persistently(() => call(bus, runsRpc.startRun, request, { timeoutMs }))
  if (started === null) return
  const runId = started.id
  confirmed({ type: 'started', runId, projectId, sequence: started.sequence })
  await change(ports, crawl, runId)
  if (crawl.fork === null) return
  await untilEnded(ports, { projectId, runId })
  const settingsOfFork = { ...request.settings, ...crawl.fork, fork: { runId } }
  const fork = {
    ...request,
    ...{ settings: settingsOfFork, idempotencyKey: `${key}-fork`, fingerprint: `${key}-fork` },
  }
  world.record(`client: fork ${runId}`)
  const forked = await persistently(() => call(bus, runsRpc.startRun, fork, { timeoutMs }))
  if (forked !== null) confirmed({ type: 'started', runId: forked.id, projectId, sequence: forked.sequence })
}

/** Waits for the end of a run, or its deletion. */
async function untilEnded({ bus }: Ports, run: { projectId: number; runId: number }): Promise<void> {
  for (;;) {
    const answer = await persistently(() => call(bus, runsRpc.isRunActive, run, { timeoutMs }))
    if (answer !== null && !answer.active) return
    await sleep(pollMs)
  }
}

/** Changes the crawl as planned. */
async function change(ports: Ports, crawl: Crawl, runId: number): Promise<void> {
  const { world, bus } = ports
  const { projectId } = crawl
  for (const { change, afterMs } of crawl.changes) {
    await sleep(afterMs)
    world.record(`client: ${change} ${runId}`)
    await carryOut(ports, { projectId, runId }, change)
  }
  if (!crawl.changes.some(({ change }) => change === 'pause')) return
  // A coordinator that was paused may handle the request to pause after the request to resume: requests have no
  // deadline.
  await sleep(maxPauseMs)
  await persistently(() => call(bus, runsRpc.resumeRun, { projectId, runId }, { timeoutMs }))
}

async function carryOut(
  { bus, confirmed }: Ports,
  run: { projectId: number; runId: number },
  change: Crawl['changes'][number]['change'],
): Promise<void> {
  const { runId } = run
  if (change === 'cancel') {
    const done = await persistently(() => call(bus, runsRpc.cancelRun, run, { timeoutMs }))
    if (done?.run) confirmed({ type: 'cancelled', runId, sequence: done.sequence })
  }
  if (change === 'delete') {
    const done = await persistently(() => call(bus, runsRpc.deleteRun, run, { timeoutMs }))
    if (done) confirmed({ type: 'deleted', runId, sequence: done.sequence })
  }
  if (change === 'reopen') {
    const done = await persistently(() => call(bus, runsRpc.reopenRun, run, { timeoutMs }))
    if (done?.run) confirmed({ type: 'reopened', runId, sequence: done.sequence })
  }
  if (change !== 'pause') return
  await persistently(() => call(bus, runsRpc.pauseRun, run, { timeoutMs }))
  await sleep(5_000)
  await persistently(() => call(bus, runsRpc.resumeRun, run, { timeoutMs }))
}

const pauseMs = 1_000
/** Statuses that another try may change. */
const passing = new Set([429, 503])

/** Repeats a request until it has a response. Returns null if it is refused for good, or after many tries. */
async function persistently<T>(request: () => Promise<T>): Promise<T | null> {
  for (let left = tries; left > 0; left--) {
    try {
      return await request()
    } catch (error) {
      const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined
      if (typeof status === 'number' && !passing.has(status)) return null
      await sleep(pauseMs)
    }
  }
  return null
}
