/** Waits for the end of a run. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { ApiProblem } from '../http/domain/problem.ts'
import { problemOf } from '../http/requests/problem-of.ts'

export type UntilEndedPorts = {
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  now: () => number
}

const pollMs = 200

/**
 * Returns the run when it has ended; null: the time is over or the client has disconnected. An outage of another service
 * does not end the wait. The run is read again when the time is over, because it may have ended since the last poll.
 */
export async function untilEnded(
  { findRun, now }: UntilEndedPorts,
  projectId: number,
  id: number,
  { until, isDisconnected }: { until: number; isDisconnected: () => boolean },
): Promise<RunView | null> {
  while (!isDisconnected()) {
    const isLast = now() >= until
    const run = await findRun(projectId, id).catch(thrown => {
      if (problemOf(thrown).code !== 'unavailable') throw thrown
      return 'unknown' as const
    })
    if (run === null) throw deletedMeanwhile(id)
    if (run !== 'unknown' && run.finished_at !== null) return run
    if (isLast) return null
    await sleep(Math.max(1, Math.min(pollMs, until - now())))
  }
  return null
}

const deletedMeanwhile = (runId: number) =>
  new ApiProblem('conflict', { message: `The crawl ${runId} was deleted before it had ended.`, runId })
