/** A run straight from its stream, for those whose read model has not heard of it yet. Foreign ones are missing ones. */
import type { GetRun, GetRunAnswer } from '@tidemark/contracts/ask/runs'
import type { EventStore } from '@tidemark/eventstore/store'
import { belongsTo } from '../domain/run.ts'
import { viewOf } from '../domain/view.ts'
import { foldRun } from './fold-run.ts'

export function getRun(store: EventStore) {
  return async ({ projectId, runId }: GetRun): Promise<GetRunAnswer> => {
    const { run } = await foldRun(store, runId)
    return { run: belongsTo(run, projectId) ? viewOf(run) : null }
  }
}
