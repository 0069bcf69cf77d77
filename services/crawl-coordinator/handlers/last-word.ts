/** What a run's last commit tells of it, so that nobody has to read the others. */
import type { RunCommit } from '@tidemark/contracts/run'
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

/** Whether nothing is crawled for it any more. */
export function hasEnded(last: RunCommit): boolean {
  const status = statusOf(last)
  return status !== 'queued' && status !== 'running'
}
