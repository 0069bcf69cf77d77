/**
 * Deletes runs that were kept for as long as the tier of their project says, as if their owner had deleted them. Of a
 * project about which somebody cannot be asked now nothing is deleted; and what runs of a monitor may still be compared
 * with stays as long as the monitor. Whoever dies on the way is followed by whoever walks next, from the beginning.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import type { EndedRun, Expirable } from '../adapters/expirable.ts'
import { earliestDue, isOver, type Retention } from '../domain/retention.ts'

export type Ports = {
  expirable: Expirable
  retention: Retention
  /** Null where there is no such project. */
  tierOf: (projectId: number) => Promise<Tier | null>
  /** Runs of a project that must stay. */
  keptRuns: (projectId: number) => Promise<number[]>
  remove: (run: { projectId: number; runId: number }) => Promise<unknown>
  now: () => number
  report: (error: unknown) => void
}

export type Expiring = {
  /** One step of the walk; false when it has come to the end, and the next step begins anew. */
  step(signal: AbortSignal): Promise<boolean>
}

const atOnce = 100

export function expiring(ports: Ports): Expiring {
  const { expirable, retention, now } = ports
  let at = 0
  return {
    async step(signal) {
      const before = earliestDue(retention, now())
      const runs = before === null ? [] : await expirable.next(before, at, atOnce)
      for (const [projectId, some] of Map.groupBy(runs, run => run.projectId)) {
        if (signal.aborted) return true
        await expire(ports, projectId, some, signal).catch(ports.report)
      }
      at = runs.length < atOnce ? 0 : (runs.at(-1)?.runId ?? 0)
      return at > 0
    },
  }
}

async function expire(ports: Ports, projectId: number, runs: EndedRun[], signal: AbortSignal): Promise<void> {
  const { retention, tierOf, keptRuns, remove, now } = ports
  const tier = await tierOf(projectId)
  if (tier === null) return
  const over = runs.filter(({ endedAt }) => isOver(retention, tier, endedAt, now()))
  if (over.length === 0) return
  const kept = new Set(await keptRuns(projectId))
  for (const { runId } of over) {
    if (signal.aborted) return
    if (!kept.has(runId)) await remove({ projectId, runId })
  }
}
