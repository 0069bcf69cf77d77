/** A run as its events make it. Long runs are folded with pauses, for others want to go on meanwhile. */
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import { evolve } from '../domain/evolve.ts'
import { type Run, unknown } from '../domain/run.ts'
import { paced } from './paced.ts'

type Committed = { commit: RunCommit }

/** Folds a run from its stream. The version is the last sequence of its subject, 0 for none. */
export async function foldRun(
  store: Pick<EventStore, 'load'>,
  runId: number,
): Promise<{ run: Run; version: number }> {
  const { version, commits } = await store.load<RunCommit>(subjects.run(runId))
  return { run: await foldOf(commits), version }
}

/** The run after these commits. */
export async function foldOf(commits: Iterable<Committed>): Promise<Run> {
  let run: Run = unknown
  await paced(commits, ({ commit }) => {
    run = foldOne(run, commit)
  })
  return run
}

/** The run as it was before its end; as it is where it goes on. */
export function foldBeforeEnd(commits: readonly Committed[]): Promise<Run> {
  const last = commits.findIndex(({ commit }) => endOf(commit) >= 0)
  const commit = commits[last]?.commit
  if (commit === undefined) return foldOf(commits)
  const before = { commit: { ...commit, events: commit.events.slice(0, endOf(commit)) } }
  return foldOf([...commits.slice(0, last), before])
}

const endOf = ({ events }: RunCommit): number => events.findIndex(({ type }) => type === 'RunFinished')

function foldOne(run: Run, { events, at, trace }: RunCommit): Run {
  let next = run
  for (const event of events) next = evolve(next, event, at, trace)
  return next
}
