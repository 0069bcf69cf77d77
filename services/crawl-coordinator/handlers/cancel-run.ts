/**
 * Cancels a run, also one of a shard that another instance owns: the fence of the append makes that safe, and
 * the owner reads the run again at its next append.
 */
import type { CancelRun, CancelRunAnswer } from '@tidemark/contracts/ask/runs'
import type { EventStore } from '@tidemark/eventstore/store'
import { belongsTo } from '../domain/run.ts'
import { viewOf } from '../domain/view.ts'
import { foldRun } from './fold-run.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = { store: EventStore; keeper: (runId: number) => RunKeeper }

export function cancelRun({ store, keeper }: Ports) {
  return async ({ projectId, runId }: CancelRun): Promise<CancelRunAnswer> => {
    const before = await foldRun(store, runId)
    if (!belongsTo(before.run, projectId)) return { run: null, sequence: 0 }
    await keeper(runId).cancel()
    const { run, version } = await foldRun(store, runId)
    return { run: viewOf(run), sequence: version }
  }
}
