/**
 * Deletes runs whose retention is over by the tier of their project, as if their owner had deleted them. Without a
 * response about a project, none of its runs is deleted. Runs with which a monitor may compare its next run stay as
 * long as the monitor. After a crash the next pass starts from the beginning.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import type { EndedRun, Expirable } from '../adapters/expirable.ts'
import { earliestDue, isOver, type Retention } from '../domain/retention.ts'

export type Ports = {
  expirable: Expirable
  retention: Retention
  /** Returns the tier of a project; null for an unknown project. */
  tierOf: (projectId: number) => Promise<Tier | null>
  /** Returns the runs of a project that must stay. */
  keptRuns: (projectId: number) => Promise<number[]>
  remove: (run: { projectId: number; runId: number }) => Promise<unknown>
  now: () => number
  report: (error: unknown) => void
}

export type Expiring = {
  /**
   * Checks the next runs, for some seconds at most if no request is slow. Returns false after the last ones; the next
   * step then starts from the beginning.
   */
  step(signal: AbortSignal): Promise<boolean>
}

const atOnce = 100
/** Milliseconds after which a step checks no other run, because backups and rebuilds wait for its end. */
const longStepMs = 10_000

export function expiring(ports: Ports, maxStepMs = longStepMs): Expiring {
  const { expirable, retention, remove, now, report } = ports
  let at = 0
  return {
    async step(signal) {
      const began = performance.now()
      const before = earliestDue(retention, now())
      const runs = before === null ? [] : await expirable.next(before, at, atOnce)
      const isExpired = judge(ports)
      const faulty = new Set<number>()
      for (const run of runs) {
        if (signal.aborted) return true
        const { projectId, runId } = run
        try {
          if (!faulty.has(projectId) && (await isExpired(run))) await remove({ projectId, runId })
        } catch (error) {
          faulty.add(projectId)
          report(error)
        }
        at = runId
        if (performance.now() - began >= maxStepMs) return true
      }
      if (runs.length < atOnce) at = 0
      return at > 0
    },
  }
}

/** Returns a function that decides whether a run is deleted. It requests the data of each project once. */
function judge({ retention, tierOf, keptRuns, now }: Ports): (run: EndedRun) => Promise<boolean> {
  const tiers = new Map<number, Tier | null>()
  const keptOf = new Map<number, ReadonlySet<number>>()
  return async ({ projectId, runId, endedAt }) => {
    const known = tiers.get(projectId)
    const tier = known === undefined ? await tierOf(projectId) : known
    tiers.set(projectId, tier)
    if (tier === null || !isOver(retention, tier, endedAt, now())) return false
    const kept = keptOf.get(projectId) ?? new Set(await keptRuns(projectId))
    keptOf.set(projectId, kept)
    return !kept.has(runId)
  }
}
