/** Determines the state of a run from its last commit alone, without reading the others. */
import type { RunCommit } from '@tidemark/contracts/run'
import { isCutEmpty } from '@tidemark/contracts/run-ends'
import { eventsOf } from '../domain/events-of.ts'
import type { Run } from '../domain/run.ts'

type Status = Exclude<Run['status'], 'unknown'>

/** Returns the state of the run that has this last commit. Without events, the run is in progress. */
export function statusOf(last: RunCommit): Status {
  const events = eventsOf(last)
  if (events.some(({ type }) => type === 'RunDeleted')) return 'deleted'
  for (const { type, data } of events) if (type === 'RunFinished') return data.status
  return events.length > 0 && events.every(({ type }) => type === 'RunQueued') ? 'queued' : 'running'
}

/** Returns the time when a run ended as done with pages, so that it may be returned again; otherwise null. */
export function doneAtOf(last: RunCommit): string | null {
  if (statusOf(last) !== 'done') return null
  const isEmpty = eventsOf(last).some(({ type, data }) => type === 'RunFinished' && isCutEmpty(data))
  return isEmpty ? null : last.at
}

/** Returns how often an ended run was reopened before this end; null for a deleted run. */
export function reopeningsOf(last: RunCommit): number | null {
  if (statusOf(last) === 'deleted') return null
  for (const { type, data } of eventsOf(last)) if (type === 'RunFinished') return data.reopenings ?? 0
  return null
}

/** Returns whether the run fetches nothing more. */
export function hasEnded(last: RunCommit): boolean {
  const status = statusOf(last)
  return status !== 'queued' && status !== 'running'
}
