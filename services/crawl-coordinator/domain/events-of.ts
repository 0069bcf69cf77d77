/** Reads the events of a commit, for readers that must tolerate foreign messages in the stream. */
import type { RunCommit } from '@tidemark/contracts/run'

/** Returns the events; an empty list if the JSON is not a commit. */
export function eventsOf(commit: RunCommit): RunCommit['events'] {
  const { events }: Partial<RunCommit> = commit ?? {}
  return Array.isArray(events) ? events : []
}
