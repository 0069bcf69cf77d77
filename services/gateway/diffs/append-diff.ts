/** Appends events to the facet `diff` of a run. */
import type { DiffCommit, DiffEvent } from '@tidemark/contracts/diff'
import { subjects } from '@tidemark/contracts/subjects'
import { Conflict, type EventStore } from '@tidemark/eventstore/store'

/**
 * Appends an event that was decided at this version of the facet. If another process has appended an event since, this
 * event is dropped, because the first one counts.
 */
export async function appendDiff(
  events: EventStore,
  version: number,
  event: DiffEvent,
  trace: string | undefined,
): Promise<void> {
  const commit: DiffCommit = { at: new Date().toISOString(), ...(trace && { trace }), events: [event] }
  try {
    await events.append(subjects.run(event.data.runId, 'diff'), version, commit)
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
  }
}
