/** How many requests each run may have in flight: a semaphore a run, kept while anybody of the run needs it. */
import { createSemaphore, type Semaphore } from './semaphore.ts'

export type RunPermits = {
  /** Waits for a permit of the run; the answer gives it back. `concurrency` is the run's latest word. */
  acquire(runId: number, concurrency: number, signal: AbortSignal): Promise<() => void>
}

type Run = { semaphore: Semaphore; users: number; concurrency: number }

export function createRunPermits(): RunPermits {
  const runs = new Map<number, Run>()

  return {
    async acquire(runId, concurrency, signal) {
      const run = runs.get(runId) ?? { semaphore: createSemaphore(concurrency), users: 0, concurrency }
      runs.set(runId, run)
      run.users += 1
      if (run.concurrency !== concurrency) run.semaphore.resize(concurrency)
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

  function leave(runId: number, run: Run): void {
    run.users -= 1
    if (run.users === 0) runs.delete(runId)
  }
}
