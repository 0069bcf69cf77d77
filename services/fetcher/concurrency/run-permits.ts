/**
 * Limits the number of requests in flight per run: one semaphore for each run with waiting or sent requests, with as
 * many permits as this process's share of the run's concurrency.
 */
import type { RunShares, Share } from '../adapters/run-shares.ts'
import { createSemaphore, type Semaphore } from './semaphore.ts'

export type RunPermits = {
  /** Waits for a permit of the run and returns its release. `concurrency` is the latest value of the run. */
  acquire(runId: number, concurrency: number, signal: AbortSignal): Promise<() => void>
}

type Run = { semaphore: Semaphore; share: Share | null; users: number; concurrency: number }

/**
 * Returns the permits of all runs.
 * @param shares the shares of crawls among the fetchers; a synchronous request needs none, because one process handles
 * it
 */
export function createRunPermits(shares: Pick<RunShares, 'join'>): RunPermits {
  const runs = new Map<number, Run>()

  return {
    async acquire(runId, concurrency, signal) {
      const run = runs.get(runId) ?? begun(runId, concurrency)
      run.users += 1
      if (run.concurrency !== concurrency) (run.share ?? run.semaphore).resize(concurrency)
      run.concurrency = concurrency
      try {
        await run.semaphore.acquire(signal)
      } catch (error) {
        leave(runId, run)
        throw error
      }
      return () => {
        run.semaphore.release()
        leave(runId, run)
      }
    },
  }

  function begun(runId: number, concurrency: number): Run {
    const isCrawl = runId > 0
    const semaphore = createSemaphore(isCrawl ? 0 : concurrency)
    const share = isCrawl ? shares.join(runId, concurrency, semaphore.resize, () => semaphore.out) : null
    const run = { semaphore, share, users: 0, concurrency }
    runs.set(runId, run)
    return run
  }

  function leave(runId: number, run: Run): void {
    run.users -= 1
    if (run.users > 0) return
    runs.delete(runId)
    run.share?.[Symbol.dispose]()
  }
}
