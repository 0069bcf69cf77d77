/**
 * Returns the state of a run, for readers whose read model does not have it yet. A run of another project is treated
 * as missing, before any of it is read.
 */
import type { GetRun, GetRunResponse, IsRunActive, IsRunActiveResponse } from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import { viewOf } from '../domain/view.ts'
import type { Folded } from './fold-run.ts'
import { hasEnded, statusOf } from './last-commit.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  admissions: Pick<Admissions, 'find'>
  kept: (runId: number) => RunKeeper | null
  fold: (runId: number) => Promise<Folded>
}

export function getRun({ admissions, kept, fold }: Ports) {
  return async ({ projectId, runId }: GetRun): Promise<GetRunResponse> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { run: null }
    const held = await kept(runId)
      ?.look(viewOf)
      .catch(() => null)
    return { run: held ?? viewOf((await fold(runId)).run) }
  }
}

type ActivePorts = { admissions: Pick<Admissions, 'find'>; store: Pick<EventStore, 'last'> }

/** Returns the handler that returns whether a run is active, and its status, from its admission and its last commit. */
export function isActive({ admissions, store }: ActivePorts) {
  return async ({ projectId, runId }: IsRunActive): Promise<IsRunActiveResponse> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { active: false, status: 'deleted' }
    // The slot is released shortly after the end of the run. A run without a commit is admitted and has not begun.
    const last = await store.last<RunCommit>(subjects.run(runId))
    if (last === null) return { active: !admission.isReleased }
    return { active: !admission.isReleased && !hasEnded(last.commit), status: statusOf(last.commit) }
  }
}
