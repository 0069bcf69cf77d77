/**
 * Purges the events of deleted runs after all readers have processed them. Billing is one of them: a page that was
 * settled before the deletion is billed.
 */
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Deletion, Deletions } from '../adapters/deletions.ts'
import type { RunStream } from '../adapters/run-stream.ts'
import { eventsOf } from '../domain/events-of.ts'

export type Ports = {
  store: Pick<EventStore, 'last'>
  deletions: Deletions
  stream: Pick<RunStream, 'purge'>
  archives: { remove(runId: number): Promise<void> }
  /** Returns the sequence that all readers have processed, or null while it is unknown. */
  reached: () => Promise<number | null>
}

const atOnce = 200
/** Seconds. Until a deletion has this age, the process that began it may still record the sequence. */
const ownSeconds = 30
/** Seconds. The deletion of a run that still exists is abandoned at this age. */
const abandonedSeconds = 3_600

/** Purges due deletions. Skips runs that cannot be purged yet. */
export async function purgeDeleted(ports: Ports, signal: AbortSignal): Promise<void> {
  const due = await ports.deletions.due(atOnce)
  for (const deletion of due) if (deletion.sequence === null) await complete(ports, deletion)
  const decided = due.filter(({ sequence }) => sequence !== null)
  if (decided.length === 0) return
  const reached = (await ports.reached()) ?? -1
  for (const { runId, sequence } of decided) {
    if (signal.aborted) return
    if (sequence !== null && sequence <= reached) await purge(ports, runId)
  }
}

/** Completes the record of a deletion whose process has crashed. The stream shows whether the run was deleted. */
async function complete({ store, deletions }: Ports, { runId, ageSeconds }: Deletion): Promise<void> {
  if (ageSeconds < ownSeconds) return
  const last = await store.last<RunCommit>(subjects.run(runId))
  if (last !== null && eventsOf(last.commit).some(({ type }) => type === 'RunDeleted'))
    await deletions.note(runId, last.sequence)
  else if (ageSeconds > abandonedSeconds) await deletions.forget(runId, abandonedSeconds)
}

async function purge({ deletions, stream, archives }: Ports, runId: number): Promise<void> {
  await stream.purge(runId)
  await archives.remove(runId)
  await deletions.purged(runId)
}
