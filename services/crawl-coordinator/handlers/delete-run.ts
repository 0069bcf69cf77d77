/**
 * Deletes a run, also one of a shard that another instance owns. When it is answered, the run's last word is in
 * its stream and its slot is free; what it left behind goes afterwards.
 */
import type { DeleteRun, DeleteRunAnswer } from '@tidemark/contracts/ask/runs'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Deletions } from '../adapters/deletions.ts'
import { belongsTo } from '../domain/run.ts'
import { foldRun } from './fold-run.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = { store: EventStore; deletions: Deletions; keeper: (runId: number) => RunKeeper }

export function deleteRun({ store, deletions, keeper }: Ports) {
  return async ({ projectId, runId }: DeleteRun): Promise<DeleteRunAnswer> => {
    const { run } = await foldRun(store, runId)
    if (!belongsTo(run, projectId)) return { deleted: false, sequence: 0 }
    await deletions.intend(runId)
    await keeper(runId).delete()
    const last = await store.last(subjects.run(runId))
    const sequence = last?.sequence ?? 0
    await deletions.note(runId, sequence)
    return { deleted: true, sequence }
  }
}
