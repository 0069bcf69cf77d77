/** Jobs are taken as soon as they are requested, and no more at once than there are slots. */
import type { Bus } from '@tidemark/bus/connection'
import { WakeUp } from '@tidemark/bus/wake-up'
import { test } from 'tap'
import { takeDueJobs } from './take-due-jobs.ts'

test('Due jobs', async t => {
  // Given a process with two slots that has nothing to do.
  const due: string[] = []
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const wakeUp = new WakeUp()
  const stop = new AbortController()
  let hasLooked = Promise.withResolvers<void>()
  const ended = takeDueJobs<string>({
    ...{ name: 'jobs', bus: { nc: {} as Bus['nc'] }, atOnce: 2, wakeUp, signal: stop.signal },
    async take() {
      const job = due.shift() ?? null
      if (job === null) hasLooked.resolve()
      return job
    },
    async carryOut(job) {
      begun.push(job)
      await new Promise<void>(resolve => ends.set(job, resolve))
    },
    report: error => t.error(error),
  })
  await hasLooked.promise
  const request = (...jobs: string[]) => {
    hasLooked = Promise.withResolvers<void>()
    due.push(...jobs)
    wakeUp.call()
  }
  /** All promises that are ready, and no timer. */
  const now = () => new Promise(resolve => setImmediate(resolve))

  // When a job is requested, then it begins before the pause is over.
  request('a')
  await hasLooked.promise
  t.strictSame(begun, ['a'])
  // When there are more than slots, then one waits, until another ends.
  request('b', 'c')
  await now()
  t.strictSame(begun, ['a', 'b'])
  ends.get('a')?.()
  await now()
  t.strictSame(begun, ['a', 'b', 'c'])
  // When the process stops, then it waits for its jobs and takes no other.
  stop.abort()
  request('d')
  for (const end of ends.values()) end()
  await ended
  t.strictSame([begun, due], [['a', 'b', 'c'], ['d']])
})
