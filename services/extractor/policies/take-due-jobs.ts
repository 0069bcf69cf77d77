/**
 * Takes due jobs while there are free slots, and works on them. A free process looks for jobs every second, and at once
 * when one was requested from it or has ended here.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import type { WakeUp } from '@tidemark/bus/wake-up'

export type JobPorts = {
  bus: Pick<Bus, 'nc'>
  /** Maximum jobs at once. */
  atOnce: number
  /** Called when a job was requested. */
  wakeUp: WakeUp
  signal: AbortSignal
  report: (error: unknown) => void
}

type Ports<Job> = JobPorts & {
  /** Name of the work in the log. */
  name: string
  /** Returns null without a due job. */
  take: () => Promise<Job | null>
  /** Never rejects. */
  carryOut: (job: Job) => Promise<void>
}

const pauseMs = 1_000

/** Resolves when the signal has aborted and the last job has ended. */
export async function takeDueJobs<Job>(ports: Ports<Job>): Promise<void> {
  const { name, bus, atOnce, take, carryOut, wakeUp, signal, report } = ports
  const underWay = new Set<Promise<void>>()
  const look = async () => {
    while (underWay.size < atOnce && !signal.aborted) {
      const job = await take()
      if (job === null) return
      const work = carryOut(job).finally(() => {
        underWay.delete(work)
        wakeUp.call()
      })
      underWay.add(work)
    }
  }
  await repeat(look, { name, bus, pauseMs, wakeUp, isSpare: true, signal, report })
  await Promise.all(underWay)
}
