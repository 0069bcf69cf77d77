/**
 * Cancels a run, also one of a shard that another instance owns: the fence of the append makes that safe, and
 * the owner reads the run again when it is told.
 */
import type { CancelRun, CancelRunAnswer } from '@tidemark/contracts/ask/runs'
import type { Admissions } from '../adapters/admissions.ts'
import { viewOf } from '../domain/view.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = { admissions: Pick<Admissions, 'find'>; keeper: (runId: number) => RunKeeper }

export function cancelRun({ admissions, keeper }: Ports) {
  return async ({ projectId, runId }: CancelRun): Promise<CancelRunAnswer> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { run: null, sequence: 0 }
    const kept = keeper(runId)
    await kept.cancel()
    return kept.look((run, version) => ({ run: viewOf(run), sequence: version }))
  }
}
