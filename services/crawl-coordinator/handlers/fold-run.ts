/**
 * Folds a run: computes its state from its events. Events are applied while they are read, and with pauses, because
 * other runs need the memory and the processor.
 */
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore, Stored } from '@tidemark/eventstore/store'
import { paced } from '../concurrency/in-steps.ts'
import { eventsOf } from '../domain/events-of.ts'
import { evolve } from '../domain/evolve/evolve.ts'
import { type Run, unknown } from '../domain/run.ts'

type Reads = Pick<EventStore, 'read'>

/** A run, and its version: the last sequence of the run's subject, 0 without events. */
export type Folded = { run: Run; version: number }

/** Folds a run from its stream. */
export async function foldRun(store: Reads, runId: number): Promise<Folded> {
  let run: Run = unknown
  const version = await readRun(store, runId, ({ commit }) => {
    run = foldOne(run, commit)
  })
  return { run, version }
}

/** Delivers the commits of a run in order, except those without events. Returns the run's version. */
export const readRun = (
  store: Reads,
  runId: number,
  take: (stored: Stored<RunCommit>) => void,
): Promise<number> =>
  store.read<RunCommit>(subjects.run(runId), commits => paced(commits.filter(hasEvents), take))

const hasEvents = ({ commit }: Stored<RunCommit>): boolean => eventsOf(commit).length > 0

/** Folds a run up to its last end, without the event that ends it. Add commits in their order. */
export function foldBeforeEnd(): { add: (commit: RunCommit) => void; run: () => Run } {
  let run: Run = unknown
  let beforeEnd: Run = unknown
  return {
    add({ events, at, trace }) {
      for (const event of events) {
        if (event.type === 'RunFinished') beforeEnd = run
        run = evolve(run, event, at, trace)
      }
    },
    run: () => ('finishedAt' in run || run.status === 'deleted' ? beforeEnd : run),
  }
}

/** Applies the events of one commit. */
export function foldOne(run: Run, { events, at, trace }: RunCommit): Run {
  let next = run
  for (const event of events) next = evolve(next, event, at, trace)
  return next
}
