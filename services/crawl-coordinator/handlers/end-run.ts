/**
 * Cancels and deletes runs, also those of a shard that another instance owns. The check of the expected sequence at
 * each append makes that safe, and the owner reads the run again when it is notified.
 */
import { Unreadable } from '@tidemark/bus/codec'
import { refuse } from '@tidemark/bus/refusal'
import type { CancelRun, CancelRunAnswer, DeleteRun, DeleteRunAnswer } from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import type { Deletions } from '../adapters/deletions.ts'
import { viewOf } from '../domain/view.ts'
import { statusOf } from './last-commit.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  store: Pick<EventStore, 'last'>
  admissions: Pick<Admissions, 'find'>
  deletions: Deletions
  keeper: (runId: number) => RunKeeper
}

export function cancelRun({ admissions, keeper }: Pick<Ports, 'admissions' | 'keeper'>) {
  return async ({ projectId, runId }: CancelRun): Promise<CancelRunAnswer> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { run: null, sequence: 0 }
    const kept = keeper(runId)
    await kept.cancel()
    return kept.look((run, version) => ({ run: viewOf(run), sequence: version }))
  }
}

/** Returns the handler that deletes a run. It responds when the last event is stored; data is removed afterwards. */
export function deleteRun({ store, admissions, deletions, keeper }: Ports) {
  const lastOf = (runId: number) => store.last<RunCommit>(subjects.run(runId))
  return async ({ projectId, runId }: DeleteRun): Promise<DeleteRunAnswer> => {
    const admission = await admissions.find(runId)
    const before = admission?.projectId === projectId ? await lastOf(runId).catch(refused(runId)) : null
    if (before === null || statusOf(before.commit) === 'deleted') return { deleted: false, sequence: 0 }
    await deletions.intend(runId)
    await keeper(runId).delete()
    const sequence = (await lastOf(runId))?.sequence ?? 0
    await deletions.note(runId, sequence)
    return { deleted: true, sequence }
  }
}

/** Throws an error that names the run, because a caller that deletes many runs has to know which could not be read. */
const refused = (runId: number) => (error: unknown) => {
  if (!(error instanceof Unreadable)) throw error
  throw refuse('internal', { message: `Run ${runId} cannot be deleted: ${error.message}.` }, { cause: error })
}
