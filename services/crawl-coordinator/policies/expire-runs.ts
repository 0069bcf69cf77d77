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
  /** Checks the next runs. Returns false after the last ones; the next step then starts from the beginning. */
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
