/** Limits of the jobs of a project, which are batches and exports, and their removal with the project. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import { secondsToMidnight } from '@tidemark/contracts/calendar'
import type { ForgetProject, ForgottenResponse } from '@tidemark/contracts/rpc/forget'

type Forgetting = {
  jobs: {
    removeAll(projectId: number): Promise<number>
    isForgetting(projectId: number): Promise<boolean>
  }
  /** Publishes the events of the removed jobs. */
  flush: () => void
  sweep: (signal: AbortSignal) => Promise<void>
}

/** Milliseconds for the removal: less than the time that the caller waits for a response. */
const sweepMs = 50_000
const publishMs = 100

/** Removes all jobs of a project. Rejects with `unavailable` if that takes longer: call it again. */
export const forgetJobs =
  ({ jobs, flush, sweep }: Forgetting) =>
  async ({ projectId }: ForgetProject): Promise<ForgottenResponse> => {
    const forgotten = await jobs.removeAll(projectId)
    flush()
    const signal = AbortSignal.timeout(sweepMs)
    for (;;) {
      await sweep(signal)
      if (signal.aborted) throw refuse('unavailable')
      // Rows stay until their events are published.
      if (!(await jobs.isForgetting(projectId))) return { forgotten }
      await sleep(publishMs)
    }
  }

/** A kind of job: its plural, which is also the reason of its limits, and how a client ends one early. */
export type JobKind = { plural: 'batches' | 'exports'; end: 'cancel' | 'delete' }

export const tooManyJobs = ({ plural, end }: JobKind, atOnce: number): Refusal =>
  refuse('too_many_requests', {
    reason: plural,
    message: `This project has ${atOnce} unfinished ${plural}, the maximum. Wait until one has ended, or ${end} one.`,
    retryAfterSeconds: 30,
  })

export const tooManyJobsToday = ({ plural }: JobKind, perDay: number, now: Date): Refusal =>
  refuse('too_many_requests', {
    reason: plural,
    message: `This project has requested ${perDay} ${plural} today, the maximum of a day in UTC. Deleted ones count. Wait until the next day.`,
    retryAfterSeconds: secondsToMidnight(now.getTime()),
  })
