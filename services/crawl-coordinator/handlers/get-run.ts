/**
 * A run as it stands, for those whose read model has not heard of it yet. Foreign ones are missing ones, which is
 * found out before anything of them is read.
 */
import type { GetRun, GetRunAnswer } from '@tidemark/contracts/ask/runs'
import type { Admissions } from '../adapters/admissions.ts'
import { viewOf } from '../domain/view.ts'
import type { Folded } from './fold-run.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  admissions: Pick<Admissions, 'find'>
  kept: (runId: number) => RunKeeper | null
  fold: (runId: number) => Promise<Folded>
}

export function getRun({ admissions, kept, fold }: Ports) {
  return async ({ projectId, runId }: GetRun): Promise<GetRunAnswer> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { run: null }
    const held = await kept(runId)
      ?.look(viewOf)
      .catch(() => null)
    return { run: held ?? viewOf((await fold(runId)).run) }
  }
}
