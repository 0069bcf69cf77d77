/** What a commit tells, for those who must not fail where somebody else wrote into the stream. */
import type { RunCommit } from '@tidemark/contracts/run'

/** Nothing where it is JSON and no commit. */
export function eventsOf(commit: RunCommit): RunCommit['events'] {
  const { events }: Partial<RunCommit> = commit ?? {}
  return Array.isArray(events) ? events : []
}
