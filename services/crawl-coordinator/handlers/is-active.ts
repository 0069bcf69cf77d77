/** Whether a run is queued or goes on, or how it ended: for those who want to know nothing else of it. Foreign runs are missing ones. */
import type { IsRunActive, IsRunActiveAnswer } from '@tidemark/contracts/ask/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import { hasEnded, statusOf } from './last-word.ts'

type Ports = { admissions: Pick<Admissions, 'find'>; store: Pick<EventStore, 'last'> }

export function isActive({ admissions, store }: Ports) {
  return async ({ projectId, runId }: IsRunActive): Promise<IsRunActiveAnswer> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { active: false, status: 'deleted' }
    // Its slot is given back a moment after its end; and what is not in the stream yet is admitted.
    const last = await store.last<RunCommit>(subjects.run(runId))
    if (last === null) return { active: !admission.isReleased }
    return { active: !admission.isReleased && !hasEnded(last.commit), status: statusOf(last.commit) }
  }
}
