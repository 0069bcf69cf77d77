/**
 * Cancels and deletes runs, even if another instance owns their shard. The check of the expected sequence at
 * each append makes that safe, and the owner reads the run again when it is notified.
 */
import { Unreadable } from '@tidemark/bus/codec'
import { refuse } from '@tidemark/bus/refusal'
import type { CancelRun, CancelRunResponse, DeleteRun, DeleteRunResponse } from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { Conflict, type EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import type { Deletions } from '../adapters/deletions.ts'
import { removeLost } from '../domain/decide.ts'
import { viewOf } from '../domain/view.ts'
import type { StreamMonitor } from '../policies/monitor-stream.ts'
import { statusOf } from './last-commit.ts'
import type { Ports as KeeperPorts, RunKeeper } from './run-keeper.ts'

type Ports = {
  store: Pick<EventStore, 'last' | 'append'>
  admissions: Pick<Admissions, 'find' | 'isAnnounced'>
  stream: Pick<StreamMonitor, 'findLoss'>
  deletions: Deletions
  keeper: (runId: number) => RunKeeper
  released: KeeperPorts['ended']
}

type CancelPorts = Pick<Ports, 'keeper'> & { admissions: Pick<Admissions, 'find'> }

export function cancelRun({ admissions, keeper }: CancelPorts) {
  return async ({ projectId, runId }: CancelRun): Promise<CancelRunResponse> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return { run: null, sequence: 0 }
    return keeper(runId).cancel((run, version) => ({ run: viewOf(run), sequence: version }))
  }
}

const untouched: DeleteRunResponse = { deleted: false, sequence: 0 }

/**
 * Returns the handler that deletes a run. It responds when the last event is stored; data is removed afterwards. A run
 * whose events the stream has lost is deleted too: otherwise it would hold its slot, and its data would stay.
 */
export function deleteRun(ports: Ports) {
  const { store, admissions, deletions, keeper } = ports
  const lastOf = (runId: number) => store.last<RunCommit>(subjects.run(runId))
  return async ({ projectId, runId }: DeleteRun): Promise<DeleteRunResponse> => {
    const admission = await admissions.find(runId)
    if (admission?.projectId !== projectId) return untouched
    const before = await lastOf(runId).catch(refused(runId))
    const isLost = before === null && (await hasLostEvents(ports, runId))
    const isDeletable = before === null ? isLost : statusOf(before.commit) !== 'deleted'
    if (!isDeletable) return untouched
    await deletions.intend(runId)
    if (isLost) await deleteLost(ports, { projectId, runId })
    else await keeper(runId).delete()
    const sequence = (await lastOf(runId))?.sequence ?? 0
    await deletions.note(runId, sequence)
    return { deleted: true, sequence }
  }
}

/**
 * Returns whether the stream lacks a run that was announced. The announcement may have arrived just before the check.
 * Throws `unavailable` until an operator has accepted the loss: the whole stream may return, and with it the run.
 */
async function hasLostEvents({ store, admissions, stream }: Ports, runId: number): Promise<boolean> {
  if (!(await admissions.isAnnounced(runId)) || (await store.last(subjects.run(runId))) !== null) return false
  const loss = await stream.findLoss()
  if (loss !== null)
    throw refuse('unavailable', {
      message: `Run ${runId} cannot be deleted until the loss is accepted: ${loss}.`,
    })
  return true
}

async function deleteLost({ store, released }: Ports, { projectId, runId }: DeleteRun): Promise<void> {
  const commit: RunCommit = { at: new Date().toISOString(), events: [removeLost(projectId)] }
  await store.append(subjects.run(runId), 0, commit).catch(error => {
    if (!(error instanceof Conflict)) throw error // a concurrent deletion has appended the event
  })
  await released(runId, 'for_good', null, null)
}

/**
 * Throws an error that names the run, because a caller that deletes many runs must know which run could not be read.
 */
const refused = (runId: number) => (error: unknown) => {
  if (!(error instanceof Unreadable)) throw error
  throw refuse('internal', { message: `Run ${runId} cannot be deleted: ${error.message}.` }, { cause: error })
}
