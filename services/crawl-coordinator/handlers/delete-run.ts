/**
 * Deletes a run, also one of a shard that another instance owns. When it is answered, the run's last word is in
 * its stream and its slot is free; what it left behind goes afterwards.
 */
import { Unreadable } from '@tidemark/bus/codec'
import { refuse } from '@tidemark/bus/refusal'
import type { DeleteRun, DeleteRunAnswer } from '@tidemark/contracts/ask/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import type { Deletions } from '../adapters/deletions.ts'
import { statusOf } from './last-word.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  store: Pick<EventStore, 'last'>
  admissions: Pick<Admissions, 'find'>
  deletions: Deletions
  keeper: (runId: number) => RunKeeper
}

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

/** Whoever deletes many has to know which of them somebody must look at. */
const refused = (runId: number) => (error: unknown) => {
  if (!(error instanceof Unreadable)) throw error
  throw refuse('internal', { message: `Run ${runId} cannot be deleted: ${error.message}.` }, { cause: error })
}
