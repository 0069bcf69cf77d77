/** What a run's last commit tells of it, so that nobody has to read the others. */
import { isCutEmpty, type RunCommit } from '@tidemark/contracts/run'
import { eventsOf } from '../domain/events-of.ts'
import type { Run } from '../domain/run.ts'

type Status = Exclude<Run['status'], 'unknown'>

/** Where the run stands after this commit, which is its last. It goes on where that tells nothing. */
export function statusOf(last: RunCommit): Status {
  const events = eventsOf(last)
  if (events.some(({ type }) => type === 'RunDeleted')) return 'deleted'
  for (const { type, data } of events) if (type === 'RunFinished') return data.status
  return events.length > 0 && events.every(({ type }) => type === 'RunQueued') ? 'queued' : 'running'
}

/** When it ended, for whoever takes a run that was done in place of another; null for what is none of those. */
export function doneAtOf(last: RunCommit): string | null {
  if (statusOf(last) !== 'done') return null
  const isEmpty = eventsOf(last).some(({ type, data }) => type === 'RunFinished' && isCutEmpty(data))
  return isEmpty ? null : last.at
}

/** Whether nothing is crawled for it any more. */
export function hasEnded(last: RunCommit): boolean {
  const status = statusOf(last)
  return status !== 'queued' && status !== 'running'
}
