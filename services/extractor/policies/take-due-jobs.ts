/** Takes due jobs while there are free slots, and works on them. A free process looks for jobs twice a second. */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'

type Ports<Job> = {
  /** Name of the work in the log. */
  name: string
  bus: Pick<Bus, 'nc'>
  /** Maximum jobs at once. */
  atOnce: number
  /** Returns null without a due job. */
  take: () => Promise<Job | null>
  /** Never rejects. */
  carryOut: (job: Job) => Promise<void>
  signal: AbortSignal
  report: (error: unknown) => void
}

const pauseMs = 500

/** Resolves when the signal has aborted and the last job has ended. */
export async function takeDueJobs<Job>(ports: Ports<Job>): Promise<void> {
  const { name, bus, atOnce, take, carryOut, signal, report } = ports
  const underWay = new Set<Promise<void>>()
  const look = async () => {
    while (underWay.size < atOnce && !signal.aborted) {
      const job = await take()
      if (job === null) return
      const work = carryOut(job).finally(() => underWay.delete(work))
      underWay.add(work)
    }
  }
  await repeat(look, { name, bus, pauseMs, isSpare: true, signal, report })
  await Promise.all(underWay)
}
